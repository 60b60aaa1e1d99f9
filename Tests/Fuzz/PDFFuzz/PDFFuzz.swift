import ByteKit
import PDFCore

/// Opens the input as a document, reads everything in it, appends an update and reads that.
///
/// What must hold: nothing traps, hangs or runs out of memory; an update of a document that opens
/// gives a document that opens and contains what was set.
private func fuzzDocument(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    for repair in [PDFOptions.Repair.never, .whenNeeded, .always] {
        let options = PDFOptions(repair: repair)
        guard let document = try? PDFDocument(source: MemorySource(bytes), options: options)
        else { continue }
        if repair == .whenNeeded, document.warnings.isEmpty { continue }
        readEverything(of: document)
        for section in document.sections.prefix(8) {
            _ = try? document.view(atRevisionEndingAt: section.endOffset)
        }
        checkUpdate(of: document, bytes)
    }
    return 0
}

/// How many objects of one section are read: enough for any input a fuzzer makes.
private let objectLimit = 500

private func readEverything(of document: PDFDocument) {
    _ = document.version
    for section in document.sections {
        _ = try? section.hybridDisagreements()
        // Impossible object numbers come in ranges of millions; ask for some of them only.
        for number in 0...max(0, min(section.highestNumber, objectLimit)) {
            guard let location = try? section.location(of: number) else { continue }
            var id = ObjectID(number: number)
            if case .offset(let offset, let generation) = location {
                id = ObjectID(number: number, generation: generation)
                _ = try? document.parsedObject(at: offset)
            }
            guard case .stream(let stream)? = try? document.object(id) else { continue }
            _ = try? document.decodedData(of: stream)
        }
    }
    guard let pages = try? document.pageCount() else { return }
    for index in [0, 1, pages / 2, pages - 1] { _ = try? document.page(at: index) }
}

private func checkUpdate(of document: PDFDocument, _ bytes: [UInt8]) {
    var update = IncrementalUpdate(document: document)
    let id = update.add(.string(PDFString(bytes: Array("new".utf8))))
    let random = [UInt8](repeating: 7, count: 16)
    guard let serialized = try? update.serialize(fileIdentifier: random) else { return }
    do {
        let updated = try PDFDocument(source: MemorySource(bytes + serialized.bytes))
        let object = try updated.object(id)
        guard object.stringValue == Array("new".utf8) else {
            fatalError("the new object is \(object)")
        }
    } catch {
        fatalError("the update does not open: \(error)")
    }
}

/// libFuzzer's own main function is out of reach: SwiftPM renames that of an executable.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?>,
    _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

@_cdecl("PDFFuzz_main")
func fuzzDocumentMain(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count
    var arguments = unsafe arguments
    return unsafe runFuzzer(&count, &arguments) { start, count in
        unsafe fuzzDocument(start, count)
    }
}
