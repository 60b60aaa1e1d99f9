import Base
import CodecBridge
import PDFCore
import Pages

/// Converts the input with every conversion and opens the resulting document.
///
/// The document must be readable, have a page, and contain an unmodified photo byte for byte.
/// libjpeg must be able to read luminance that was extracted without libjpeg.
enum PhotoFuzz {
    /// Maximum number of pixels. Larger pictures use the same code and only take longer.
    private static let pixelLimit = 1 << 17
    /// The maximum if each picture is converted once.
    private static let quickPixelLimit = 1 << 13

    /// - Parameter way: selects the conversion by its remainder; nil tries all.
    static func failure(of bytes: [UInt8], way: Int? = nil) -> String? {
        guard let photo = try? Photo(MemorySource(bytes)) else { return nil }
        var layout = PageLayout()
        if let failure = failure(photo, bytes, .untouched(strips: false), layout) { return failure }
        layout.pageSize = PageLayout.Size(width: 595, height: 842)
        layout.margin = 20
        layout.fit = .cover
        if let failure = failure(photo, bytes, .untouched(strips: true), layout) { return failure }
        guard photo.width * photo.height <= (way == nil ? pixelLimit : quickPixelLimit) else {
            return nil
        }
        let methods = [
            JPEGTranscoder.Method.lossless, .recoded(eighths: 4, shrink: 1, quality: 75),
            .recoded(eighths: 1, shrink: 3, quality: 95),
        ]
        let transcoders = [false, true].flatMap { isGray in
            methods.map { transcoder($0, isGray: isGray) }
        }
        for made in way.map({ [transcoders[$0 % transcoders.count]] }) ?? transcoders {
            if let failure = failure(photo, bytes, .transcoded(made), layout) { return failure }
        }
        return nil
    }

    /// Whether libjpeg reports no warning for the photo and can read its own copy. From damaged
    /// photos it writes luminance out of range, which no decoder accepts.
    private static func isSound(_ bytes: [UInt8]) -> Bool {
        let copier = transcoder(.lossless, isGray: false)
        let copy = MemorySink()
        guard let outcome = try? copier.run(from: MemorySource(bytes), to: copy),
            outcome.warning == nil
        else { return false }
        return (try? copier.run(from: MemorySource(copy.bytes), to: CountingSink())) != nil
    }

    private static func transcoder(
        _ method: JPEGTranscoder.Method, isGray: Bool
    ) -> JPEGTranscoder {
        var transcoder = JPEGTranscoder(method: method, isGray: isGray)
        transcoder.memoryByteLimit = 64 << 20
        transcoder.scanLimit = 20
        return transcoder
    }

    private static func failure(
        _ photo: Photo, _ bytes: [UInt8], _ method: PhotoMethod, _ layout: PageLayout
    ) -> String? {
        guard
            let placement = layout.place(
                width: photo.width, height: photo.height, density: photo.density,
                orientation: photo.orientation)
        else { return nil }
        let sink = MemorySink()
        let metadata = DocumentMetadata(
            title: "Title", producer: "Fuzz", created: CalendarTime(secondsSinceEpoch: 0),
            identifier: [UInt8](repeating: 7, count: 16))
        do {
            let document = try PhotoDocument(sink, metadata: metadata, isArchival: true)
            // The photo may be unusable; the document must be valid without it.
            try? document.addPage(placement) { sink in
                try photo.write(method, from: MemorySource(bytes), to: sink).0
            }
            try document.finish()
            let opened = try PDFDocument(
                source: MemorySource(sink.bytes), options: PDFOptions(repair: .never))
            guard try opened.pageCount() == document.pageCount else { return "pages are lost" }
            guard document.pageCount > 0,
                case .stream(let image) = try opened.object(ObjectID(number: 4)),
                let range = image.dataRange
            else { return nil }
            let data = Array(sink.bytes[range])
            if method == .untouched(strips: false), photo.isSound, !bytes.starts(with: data) {
                return "the data is another"
            }
            let copy = try Photo(MemorySource(data))
            if case .untouched = method, !copy.isSound { return "the copy is not sound" }
            guard case .transcoded(let made) = method, made.method == .lossless, made.isGray,
                isSound(bytes)
            else { return nil }
            let copier = transcoder(.lossless, isGray: false)
            _ = try copier.run(from: MemorySource(data), to: CountingSink())
            return nil
        } catch {
            return "\(method): \(error)"
        }
    }
}
