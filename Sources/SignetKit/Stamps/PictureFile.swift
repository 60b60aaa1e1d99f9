import Appearance
import ByteKit
import CodecBridge
import FileBridge
import Synchronization

/// The picture of stamp and marks, read once for all documents.
final class PictureFile: Sendable {
    let source: SigningOptions.Picture
    private let content = Mutex<StampPicture?>(nil)
    private let readByteCount = Mutex(0)

    /// Of PNG and JPEG files.
    private static let imageByteLimit = 64 << 20

    /// From here on a picture is most of a signed document, and a stamp shows none of it.
    private static let heavyByteCount = 2_000_000

    init(_ source: SigningOptions.Picture) { self.source = source }

    /// The bytes of a large picture once it was read; nil for others.
    var heavyByteCount: Int? {
        guard case .image = source else { return nil }
        let count = readByteCount.withLock { $0 }
        return count >= Self.heavyByteCount ? count : nil
    }

    var path: String {
        switch source {
        case .image(let path), .ink(let path), .inkFromPhoto(let path): path
        }
    }

    /// - Throws: ``SignetError`` that names the file.
    func picture() throws -> StampPicture {
        try content.withLock { content in
            if let known = content { return known }
            let picture = try reading(path) { try read() }
            content = picture
            return picture
        }
    }

    private func read() throws -> StampPicture {
        switch source {
        case .ink:
            let file = try FileSystem.readAll(path, limit: InkLimits.fileByteCount)
            // JSON begins with a brace, XML with a bracket or the mark of an encoding.
            let first = file.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
            guard !PNGImage.isPNG(file), !file.starts(with: [0xFF, 0xD8, 0xFF]) else {
                throw SignetError(
                    .usage, file: path, "is a picture, not strokes",
                    advice: .stamp(.giveAsPicture(file: path)))
            }
            guard first == UInt8(ascii: "{") || file.contains(UInt8(ascii: "<")) else {
                throw SignetError(
                    .malformedInput, file: path, "is neither an SVG nor strokes as JSON",
                    advice: .stamp(.writeStrokes))
            }
            return StampPicture(
                ink: first == UInt8(ascii: "{")
                    ? try InkDrawing(strokes: file) : try InkDrawing(svg: file))
        case .image:
            let file = try readImage()
            return PNGImage.isPNG(file)
                ? try StampPicture(png: file) : try StampPicture(jpeg: MemorySource(file))
        case .inkFromPhoto:
            let file = try readImage()
            return PNGImage.isPNG(file)
                ? try StampPicture(inkOfPNG: file)
                : try StampPicture(inkOfJPEG: MemorySource(file))
        }
    }

    private func readImage() throws -> [UInt8] {
        let file = try FileSystem.readAll(path, limit: Self.imageByteLimit)
        readByteCount.withLock { $0 = file.count }
        let beginning = String(decoding: file.prefix(1024), as: UTF8.self).drop(
            while: \.isWhitespace)
        let isInk =
            beginning.hasPrefix("{") || beginning.hasPrefix("<") && beginning.contains("<svg")
        guard !isInk else {
            throw SignetError(
                .usage, file: path, "is a drawing, not a PNG or JPEG picture",
                advice: .stamp(.giveAsInk(file: path)))
        }
        guard PNGImage.isPNG(file) || file.starts(with: [0xFF, 0xD8]) else {
            throw SignetError(
                .malformedInput, file: path, "is neither a PNG nor a JPEG picture",
                advice: .stamp(.makePicture))
        }
        return file
    }
}
