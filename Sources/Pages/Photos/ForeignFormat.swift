package import Base
import CodecBridge

/// Other file formats that users mistake for JPEG photos, recognized by their first bytes.
package enum ForeignFormat {
    /// Name endings of these formats that cameras and scanners write, in lower case.
    package static let nameExtensions = [
        "heic", "heif", "avif", "webp", "tif", "tiff", "jxl", "jp2", "bmp", "gif", "dng", "cr2",
        "nef", "arw",
    ]

    package static func error(firstBytes bytes: [UInt8]) -> PhotoError {
        guard !bytes.isEmpty else { return PhotoError(.notAPhoto, "the file is empty") }
        guard let (name, hint) = recognized(firstBytes: bytes) else {
            return PhotoError(
                .notAPhoto, "the file is neither a \(names(" nor a ")) image",
                hint: Sentence(.onlyPhotos))
        }
        return PhotoError(
            .notAPhoto, "the file is \(name), not a \(names(" or ")) image", hint: hint)
    }

    private static func names(_ separator: String) -> String {
        PictureFormat.allCases.map(\.name).joined(separator: separator)
    }

    /// The name of the format, such as `a HEIC image`, and how to convert it; nil if it is unknown.
    package static func recognized(
        firstBytes bytes: [UInt8]
    ) -> (name: String, hint: Sentence)? {
        if let format = PictureFormat(head: bytes) {
            return ("a \(format.name) image", Sentence(.makeJPEG))
        }
        if bytes.contains(Array("ftyp".utf8), at: 4) {
            let brand = String(decoding: bytes.dropFirst(8).prefix(4), as: UTF8.self)
            switch brand {
            case "heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1":
                return ("a HEIC image", Sentence(.convertHEIC))
            case "avif", "avis": return ("an AVIF image", Sentence(.makeJPEG))
            default: return ("a video", Sentence(.takeStillPicture))
            }
        }
        if bytes.contains(Array("GIF8".utf8), at: 0) {
            return ("a GIF image", Sentence(.makeJPEG))
        }
        if bytes.contains(Array("RIFF".utf8), at: 0), bytes.contains(Array("WEBP".utf8), at: 8) {
            return ("a WebP image", Sentence(.makeJPEG))
        }
        if bytes.contains([0x49, 0x49, 0x2A, 0], at: 0)
            || bytes.contains([0x4D, 0x4D, 0, 0x2A], at: 0)
        {
            return ("a TIFF or raw image", Sentence(.makeJPEG))
        }
        if bytes.contains([0xFF, 0x0A], at: 0) || bytes.contains(Array("JXL ".utf8), at: 4) {
            return ("a JPEG XL image", Sentence(.makeJPEG))
        }
        if bytes.contains(Array("jP  ".utf8), at: 4) || bytes.contains([0xFF, 0x4F, 0xFF], at: 0) {
            return ("a JPEG 2000 image", Sentence(.makeJPEG))
        }
        if bytes.contains(Array("BM".utf8), at: 0) { return ("a BMP image", Sentence(.makeJPEG)) }
        if bytes.contains(Array("%PDF-".utf8), at: 0) {
            return ("a PDF", Sentence(.givePhoto))
        }
        return nil
    }
}
