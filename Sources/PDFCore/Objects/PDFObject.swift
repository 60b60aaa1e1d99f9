/// Any object (ISO 32000-2 §7.3).
package enum PDFObject: Equatable, Sendable {
    case null
    case boolean(Bool)
    case integer(Int)
    case real(PDFReal)
    case string(PDFString)
    case name(PDFName)
    case array([PDFObject])
    case dictionary(PDFDictionary)
    indirect case stream(PDFStream)
    case reference(ObjectID)
    /// Bytes that are written unchanged. The parser never returns them.
    case verbatim([UInt8])

    package var booleanValue: Bool? {
        if case .boolean(let value) = self { value } else { nil }
    }

    package var integerValue: Int? {
        if case .integer(let value) = self { value } else { nil }
    }

    /// The value of an integer or real.
    package var numberValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .real(let real): real.value
        default: nil
        }
    }

    package var nameValue: PDFName? {
        if case .name(let value) = self { value } else { nil }
    }

    /// The bytes of a string.
    package var stringValue: [UInt8]? {
        if case .string(let value) = self { value.bytes } else { nil }
    }

    package var arrayValue: [PDFObject]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The dictionary of a dictionary object; `nil` for a stream.
    package var dictionaryValue: PDFDictionary? {
        if case .dictionary(let value) = self { value } else { nil }
    }

    package var streamValue: PDFStream? {
        if case .stream(let value) = self { value } else { nil }
    }

    package var referenceValue: ObjectID? {
        if case .reference(let value) = self { value } else { nil }
    }

    package var kind: String {
        switch self {
        case .null: "null"
        case .boolean: "boolean"
        case .integer: "integer"
        case .real: "real"
        case .string: "string"
        case .name: "name"
        case .array: "array"
        case .dictionary: "dictionary"
        case .stream: "stream"
        case .reference: "reference"
        case .verbatim: "bytes"
        }
    }
}

/// A stream object (ISO 32000-2 §7.3.8).
package struct PDFStream: Equatable, Sendable {
    /// The location of the data.
    package enum Content: Equatable, Sendable {
        case file(Range<Int>)
        /// Bytes in memory, encoded with the dictionary's `Filter`.
        case data([UInt8])
    }

    package var dictionary: PDFDictionary
    package var content: Content
    /// The object whose ID the bytes of the file are encrypted with; `nil` if they are not
    /// encrypted.
    var encryptedAs: ObjectID?

    package init(dictionary: PDFDictionary, content: Content) {
        self.dictionary = dictionary
        self.content = content
    }

    /// A stream to write; `Length` is set when it is written.
    package init(dictionary: PDFDictionary, data: [UInt8]) {
        self.init(dictionary: dictionary, content: .data(data))
    }

    /// Range of the encoded data in the file; `nil` for a stream in memory.
    package var dataRange: Range<Int>? {
        if case .file(let range) = content { range } else { nil }
    }
}
