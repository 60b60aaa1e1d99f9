package import Base

/// The reason why text cannot be set in a font.
package typealias TextError = CodedError<TextErrorCode>

/// The codes of ``TextError``.
package enum TextErrorCode: Sendable {
    /// HarfBuzz is not installed, or too old.
    case engineMissing
    /// The file is not a TrueType or OpenType font.
    case notAFont
    /// The font cannot be embedded in a PDF: bitmaps only, or CFF2.
    case unsupportedFont
    case damagedFont
    /// A size exceeds ``TextLimits``.
    case limitExceeded
}
