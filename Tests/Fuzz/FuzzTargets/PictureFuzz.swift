import Base
import CodecBridge
import PDFCore
import Pages

/// Draws the input as a picture of a signature appearance.
///
/// Drawing must not trap, hang or exhaust memory, and its output must be parsable.
enum PictureFuzz {
    static func inkFailure(of bytes: [UInt8]) -> String? {
        (try? InkDrawing(strokes: bytes)).flatMap { failure(drawing: StampPicture(ink: $0)) }
    }

    static func failure(of bytes: [UInt8]) -> String? {
        guard !isLarge(bytes) else { return nil }
        let source = MemorySource(bytes)
        let pictures: [StampPicture?]
        if let file = PictureFormat(head: bytes)?.raster(bytes) {
            pictures = [
                try? StampPicture(file), try? StampPicture(inkOf: file),
                try? StampPicture(drawing: file),
            ]
            for isGray in [false, true] { _ = try? RasterPicture(file, isGray: isGray) }
        } else {
            pictures = [try? StampPicture(jpeg: source), try? StampPicture(inkOfJPEG: source)]
        }
        for picture in pictures {
            guard let picture else { continue }
            if let failure = failure(drawing: picture) { return failure }
        }
        return nil
    }

    /// Maximum number of pixels. Larger pictures use the same code and only take longer.
    private static let pixelLimit = 1 << 18

    private static func isLarge(_ bytes: [UInt8]) -> Bool {
        if PictureFormat(head: bytes) == .png {
            let sides = [16, 20].map { start in
                bytes.dropFirst(start).prefix(4).reduce(0) { $0 << 8 | Int($1) }
            }
            return sides[0].multipliedReportingOverflow(by: sides[1]).partialValue > pixelLimit
        }
        guard let header = try? JPEGMarkers(BlockCache(MemorySource(bytes))) else { return false }
        return header.width * header.height > pixelLimit
    }

    private static func failure(drawing picture: StampPicture) -> String? {
        for surroundings in [
            StampSurroundings(),
            StampSurroundings(
                gray: .calibrated, rgb: .calibrated, permitsDeviceCMYK: false,
                mustEmbedFonts: true, isArchivalPart1: true, permitsTransparency: false),
        ] {
            var number = 0
            let drawn = try? picture.objects(surroundings) {
                number += 1
                return ObjectID(number: number)
            }
            for (_, object) in drawn?.1 ?? [] {
                guard case .stream(let stream) = object else { continue }
                let written = PDFWriter.bytes(.dictionary(stream.dictionary))
                guard (try? PDFObject(parsing: written)) != nil else {
                    return "a dictionary that does not parse"
                }
            }
        }
        return nil
    }
}
