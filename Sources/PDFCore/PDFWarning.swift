/// A tolerated defect.
package struct PDFWarning: Hashable, Sendable {
    /// The kind of a defect.
    package enum Code: String, Sendable {
        case missingHeader
        /// The header is not at the first byte.
        case headerNotAtStart
        /// Bytes follow the last end-of-file marker.
        case bytesAfterEndOfFile
        case missingEndOfFile
        /// The cross-reference section is not exactly at the offset in `startxref` or `Prev`.
        case crossReferenceOffset
        case whiteSpaceBeforeCrossReference
        /// More white space precedes a cross-reference table than some viewers skip.
        case muchSpaceBeforeCrossReference
        /// Entries of a cross-reference table do not have 20 bytes.
        case crossReferenceEntrySize
        /// A cross-reference section has entries with numbers beyond `Size`.
        case entriesBeyondSize
        /// `Prev` is 0 and should be absent.
        case previousIsZero
        /// The cross-reference sections are unusable and were reconstructed.
        case crossReferenceRebuilt
        /// An object is not exactly at the offset of its cross-reference entry.
        case objectOffset
        /// A reference has another generation than its object.
        case generation
        /// An object is a reference itself (ISO 32000-2 §7.3.10).
        case referenceChain
        /// A reference has a number above the limit for objects.
        case referenceBeyondLimit
        /// An object stream has another /Type.
        case objectStreamType
        /// An object stream specifies its own crypt filter.
        case objectStreamFilter
        /// An object stream contains several objects of the same number.
        case objectStreamNumber
        case objectStreamOrder
        /// An object has syntax errors; parts of it are skipped.
        case damagedObject
        /// An object does not end with `endobj`.
        case missingEndOfObject
        /// A stream's length is wrong or missing.
        case streamLength
        /// The keyword `stream` is followed by a lone carriage return.
        case streamKeywordLineEnd
        /// A stream's data is damaged; what could be decoded is used.
        case damagedStreamData
        case missingMediaBox
        case pageCount
        case pageTreeEntry
        /// The newest trailer lacks `Root`.
        case rootInOlderTrailer
        /// `Encrypt` refers to nothing.
        case encryptionMissing
        /// The permissions were changed after encrypting.
        case encryptionPermissions
        /// A password or key was given that opens nothing, for a document that is readable without
        /// it.
        case uselessPassword
    }

    package let code: Code
    package let detail: String
    package let offset: Int?
    package let object: ObjectID?

    package init(_ code: Code, _ detail: String, offset: Int? = nil, object: ObjectID? = nil) {
        self.code = code
        self.detail = detail
        self.offset = offset
        self.object = object
    }
}
