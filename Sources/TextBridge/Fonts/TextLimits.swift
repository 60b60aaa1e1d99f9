/// Limits for fonts from any source.
package enum TextLimits {
    /// Maximum size of a font file, in bytes. The largest fonts, with full CJK in several
    /// languages, have 20 to 60 MB.
    package static let fontByteCount = 256 << 20
    package static let tableByteCount = 128 << 20
    /// Maximum number of tables. OpenType defines about 60 kinds of tables.
    package static let tableCount = 256
    /// Maximum number of fonts in a collection file.
    package static let faceCount = 256
    /// Maximum number of characters shaped at once.
    package static let runLength = 64 << 10
}
