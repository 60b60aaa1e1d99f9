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
