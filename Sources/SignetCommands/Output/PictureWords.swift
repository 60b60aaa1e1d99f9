import SignetKit

/// How lists of formats read.
extension PictureFormats {
    /// `PNG or JPEG`
    static var alternatives: String { names.joined(separator: " or ") }
    /// `PNG and JPEG 2000`
    static var lossless: String { losslessNames.joined(separator: " and ") }
}
