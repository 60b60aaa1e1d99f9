import Base
import CodecBridge
import Pages
import Synchronization
import SystemBridge
import Witness

/// The picture for appearances and marks, read once for all documents.
final class PictureFile: Sendable {
    let source: SigningOptions.Picture
    private let content = Mutex<StampPicture?>(nil)
    private let readByteCount = Mutex(0)

    /// Maximum size in bytes of an image file, except ink.
    private static let imageByteLimit = 64 << 20

    /// The longer side of a rendered drawing in pixels: 600 dpi for 80 mm.
    private static let drawingSide = 1900
    private static let drawingLimits = ChildProcess.Limits(
        memoryByteCount: 512 << 20, outputByteCount: 64 << 20, seconds: 10)

    /// Size in bytes from which a picture is most of a signed document, without visible benefit.
    private static let heavyByteCount = 2_000_000

    init(_ source: SigningOptions.Picture) { self.source = source }

    /// Size in bytes of a large picture after reading; nil for others.
    var heavyByteCount: Int? {
        guard case .image = source else { return nil }
        let count = readByteCount.withLock { $0 }
        return count >= Self.heavyByteCount ? count : nil
    }

    /// Whether the picture, after reading, is handwriting that shadows may have changed.
    var isDoubtfulInk: Bool { content.withLock { $0?.isDoubtfulInk ?? false } }

    private var input: InputSource {
        switch source {
        case .image(let input), .ink(let input), .inkFromPhoto(let input): input
        }
    }

    var path: String { input.name }

    /// The picture, which is read on first use.
    ///
    /// - Throws: ``SignetError`` with the file's name.
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
            let file = try input.readAll(limit: InkLimits.fileByteCount)
            // JSON begins with a brace, XML with an angle bracket or a byte order mark.
            let first = file.first { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
            guard PictureFormat(head: file) == nil else {
                throw SignetError(
                    .usage, file: path, "the file is an image, not strokes",
                    hint: Sentence(.giveAsPicture, path))
            }
            guard first == UInt8(ascii: "{") || file.contains(UInt8(ascii: "<")) else {
                throw SignetError(
                    .malformedInput, file: path, "the file is neither SVG nor JSON strokes",
                    hint: Sentence(.writeStrokes))
            }
            return first == UInt8(ascii: "{")
                ? StampPicture(ink: try InkDrawing(strokes: file)) : try drawing()
        case .image:
            let (file, format) = try readImage()
            return try format.raster(file).map { try StampPicture($0) }
                ?? StampPicture(jpeg: MemorySource(file))
        case .inkFromPhoto:
            let (file, format) = try readImage()
            return try format.raster(file).map { try StampPicture(inkOf: $0) }
                ?? StampPicture(inkOfJPEG: MemorySource(file))
        }
    }

    /// Renders an SVG to pixels. It is passed on standard input, so it cannot refer to other files.
    private func drawing() throws -> StampPicture {
        let side = "\(Self.drawingSide)"
        let program = ViewerProgram(
            "rsvg-convert", package: "librsvg2-bin",
            ["-a", "-w", side, "-h", side], Self.drawingLimits)
        let file = try input.open()
        let picture: [UInt8]
        do throws(WitnessError) {
            picture = try program.output(for: file)
        } catch {
            guard error.kind == .failed else { throw SignetError(error, "to draw an SVG") }
            throw SignetError(
                .malformedInput, file: path, error.detail, hint: Sentence(.giveStrokes))
        }
        guard let file = PictureFormat.png.raster(picture) else {
            throw AppearanceError(.badPicture, "rsvg-convert wrote no image")
        }
        return try StampPicture(drawing: file)
    }

    private func readImage() throws -> ([UInt8], PictureFormat) {
        let file = try input.readAll(limit: Self.imageByteLimit)
        readByteCount.withLock { $0 = file.count }
        let beginning = String(decoding: file.prefix(1024), as: UTF8.self).drop(
            while: \.isWhitespace)
        let isInk =
            beginning.hasPrefix("{") || beginning.hasPrefix("<") && beginning.contains("<svg")
        guard !isInk else {
            throw SignetError(
                .usage, file: path,
                "the file is a drawing, not a \(PictureFormats.names.joined(separator: " or ")) picture",
                hint: Sentence(.giveAsInk, path))
        }
        guard let format = PictureFormat(head: file) else {
            throw ForeignFormat.error(firstBytes: Array(file.prefix(PictureFormat.headByteCount)))
        }
        return (file, format)
    }
}
