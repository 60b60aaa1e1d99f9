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
    /// The font is damaged.
    case damagedFont
    /// A size beyond ``TextLimits``.
    case limitExceeded
}

/// Limits for fonts from any source.
package enum TextLimits {
    /// The largest fonts with all of CJK in several languages have 20 to 60 MB.
    package static let fontByteCount = 256 << 20
    package static let tableByteCount = 128 << 20
    /// OpenType knows about 60 kinds of tables.
    package static let tableCount = 256
    /// Fonts in one collection file.
    package static let faceCount = 256
    /// Characters shaped at once.
    package static let runLength = 64 << 10
}
