/// An indirect object with the places of its parts in the file.
package struct ParsedObject {
    package let id: ObjectID
    package let object: PDFObject
    /// From the object number through `endobj`.
    package let range: Range<Int>
    /// The object itself, without `n g obj` and `endobj`; of a stream the dictionary.
    package let bodyRange: Range<Int>
    /// Where each value of the object's (or its stream's) dictionary is: the token of a simple
    /// value, a composite value with its delimiters. Of a repeated key the last.
    package let valueRanges: [PDFName: Range<Int>]
    /// In what the object departs from the syntax, where readers may go on differently; nil when it
    /// does not.
    package var deviation: String?
    /// Whether it is a stream whose data others may end elsewhere, by more than an end of line.
    package var hasDoubtfulLength = false
    /// Just past the last byte that a reader may take for a part of the object: further than
    /// ``range`` where a stream's length leads beyond its `endstream`.
    package var reach: Int
}
