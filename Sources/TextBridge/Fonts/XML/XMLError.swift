/// Why XML cannot be read.
package struct XMLError: Error, Equatable, Sendable {
    package enum Code: Sendable {
        /// Expat is not installed.
        case parserMissing
        /// Not well-formed, or in an encoding other than UTF-8, UTF-16, ISO-8859-1 and ASCII.
        case malformed
        /// It declares a document type or refers to entities: nothing here needs either, and both
        /// serve attacks.
        case declarationRefused
        /// A size beyond ``XMLLimits``.
        case limitExceeded
        /// The handler did not accept what it was given.
        case unexpected
    }

    package let code: Code
    package let detail: String
    /// From 1; nil when no line is to blame.
    package let line: Int?

    package init(_ code: Code, _ detail: String, line: Int? = nil) {
        self.code = code
        self.detail = detail
        self.line = line
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

/// Limits for XML from any source.
package enum XMLLimits {
    /// The whole document.
    package static let byteCount = 64 << 20
    /// Elements within elements.
    package static let depth = 128
    package static let elementCount = 200_000
    /// Of one element, without namespace declarations.
    package static let attributeCount = 256

    // MARK: Of documents that are brought into canonical form
    package static let canonicalDepth = 100
    /// Of one element, with namespace declarations.
    package static let canonicalAttributeCount = 64
    package static let canonicalAttributeByteCount = 256 << 10
    package static let partCount = 8
}
