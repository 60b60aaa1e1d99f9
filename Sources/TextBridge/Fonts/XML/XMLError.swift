package import Base

/// The reason why XML cannot be read, with its line.
package typealias XMLError = CodedError<XMLErrorCode>

/// The codes of ``XMLError``.
package enum XMLErrorCode: Sendable {
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
