package import Base

/// The reason why XML cannot be read, with its line.
package typealias XMLError = CodedError<XMLErrorCode>

/// The codes of ``XMLError``.
package enum XMLErrorCode: Sendable {
    /// Expat is not installed.
    case parserMissing
    /// Not well-formed, or in an encoding other than UTF-8, UTF-16, ISO-8859-1 and ASCII.
    case malformed
    /// Another version than 1.0, or an encoding that Expat does not know.
    case unsupported
    /// The document declares a document type or refers to entities. Neither is needed here, and
    /// both serve attacks.
    case declarationRefused
    /// A size exceeds ``XMLLimits``.
    case limitExceeded
    /// The handler rejects the content.
    case unexpected
}

package enum XMLLimits {
    /// Maximum size of a document, in bytes.
    package static let byteCount = 64 << 20
    /// Maximum nesting depth of elements.
    package static let depth = 128
    package static let elementCount = 200_000
    /// Maximum number of attributes of an element, without namespace declarations.
    package static let attributeCount = 256

    // MARK: Canonicalization
    package static let canonicalDepth = 100
    /// Maximum number of attributes of an element, with namespace declarations.
    package static let canonicalAttributeCount = 64
    package static let canonicalAttributeByteCount = 256 << 10
    package static let partCount = 8
    /// Maximum number of namespace declarations in a tree.
    package static let declarationCount = 4096
    package static let treeElementCount = 50_000
}
