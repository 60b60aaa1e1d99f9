/// A name object: its bytes after `#xx` sequences are decoded (ISO 32000-2 §7.3.5).
package struct PDFName: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let bytes: [UInt8]

    package init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    package init(_ text: String) {
        bytes = Array(text.utf8)
    }

    package init(stringLiteral text: StaticString) {
        self.init("\(text)")
    }

    /// The name without its solidus; bytes that are not UTF-8 are replaced.
    package var description: String {
        String(decoding: bytes, as: UTF8.self)
    }
}

/// Identifies an indirect object (ISO 32000-2 §7.3.10).
package struct ObjectID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let number: Int
    package let generation: Int

    package init(number: Int, generation: Int = 0) {
        self.number = number
        self.generation = generation
    }

    package static func < (left: ObjectID, right: ObjectID) -> Bool {
        (left.number, left.generation) < (right.number, right.generation)
    }

    /// `12 0`, as error messages name objects.
    package var description: String { "\(number) \(generation)" }
}
