import ByteKit
import CodecBridge
import PDFCore
import PhotoPDF

/// Converts the input in every way that there is, and opens the document that comes out.
///
/// What must hold: nothing traps, hangs or runs out of memory; a document that is written opens,
/// has a page, and holds an untouched photo byte for byte.
private func fuzzPhoto(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    guard let photo = try? Photo(MemorySource(bytes)) else { return 0 }
    var layout = PageLayout()
    check(photo, bytes, .untouched(strips: false), layout)
    layout.pageSize = PageLayout.Size(width: 595, height: 842)
    layout.margin = 20
    layout.fit = .cover
    check(photo, bytes, .untouched(strips: true), layout)
    // Larger pictures take the same paths, only longer.
    guard photo.width * photo.height <= 1 << 20 else { return 0 }
    for isGray in [false, true] {
        for method in [
            JPEGTranscoder.Method.lossless, .recoded(eighths: 4, shrink: 1, quality: 75),
            .recoded(eighths: 1, shrink: 3, quality: 95),
        ] {
            var transcoder = JPEGTranscoder(method: method, isGray: isGray)
            transcoder.memoryByteLimit = 64 << 20
            transcoder.scanLimit = 20
            check(photo, bytes, .transcoded(transcoder), layout)
        }
    }
    return 0
}

private func check(_ photo: Photo, _ bytes: [UInt8], _ method: PhotoMethod, _ layout: PageLayout) {
    guard let placement = layout.place(photo) else { return }
    let sink = MemorySink()
    let metadata = DocumentMetadata(
        title: "Title", producer: "Fuzz", created: CalendarTime(secondsSinceEpoch: 0),
        identifier: [UInt8](repeating: 7, count: 16))
    do {
        let document = try PhotoDocument(sink, metadata: metadata, isArchival: true)
        do {
            try document.addPage(placement) { sink in
                try photo.write(method, from: MemorySource(bytes), to: sink).0
            }
        } catch {
            // A photo that cannot be used; the document must be whole without it.
        }
        try document.finish()
        let opened = try PDFDocument(
            source: MemorySource(sink.bytes), options: PDFOptions(repair: .never))
        guard try opened.pageCount() == document.pageCount else { fatalError("pages are lost") }
        guard document.pageCount > 0,
            case .stream(let image) = try opened.object(ObjectID(number: 4)),
            let range = image.dataRange
        else { return }
        let data = Array(sink.bytes[range])
        if method == .untouched(strips: false), !bytes.starts(with: data) {
            fatalError("the data is another")
        }
        _ = try Photo(MemorySource(data))
    } catch {
        fatalError("\(method): \(error)")
    }
}

/// libFuzzer's own main function is out of reach: SwiftPM renames that of an executable.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_cdecl("PhotoFuzz_main")
func fuzzPhotoMain(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count
    var arguments = unsafe arguments
    return unsafe runFuzzer(&count, &arguments) { start, count in
        unsafe fuzzPhoto(start, count)
    }
}
