import ByteKit
import PDFCore

/// Opens the input as a document, reads everything in it, appends an update and reads that.
///
/// What must hold: nothing traps, hangs or runs out of memory; an update of a document that opens
/// gives a document that opens and contains what was set.
private func fuzzDocument(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    for repair in [PDFOptions.Repair.never, .whenNeeded, .always] {
        let options = PDFOptions(
            repair: repair,
            decryption: PDFDecryption(cryptography: ToyCryptography()) { _ in [1, 2, 3] })
        guard let document = try? PDFDocument(source: MemorySource(bytes), options: options)
        else { continue }
        if repair == .whenNeeded, document.warnings.isEmpty { continue }
        readEverything(of: document)
        for section in document.sections.prefix(8) {
            _ = try? document.view(atRevisionEndingAt: section.endOffset)
        }
        checkUpdate(of: document, bytes, options)
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

private func checkUpdate(of document: PDFDocument, _ bytes: [UInt8], _ options: PDFOptions) {
    var options = options
    options.repair = .never
    var update = IncrementalUpdate(document: document)
    let id = update.add(.string(PDFString(bytes: Array("new".utf8))))
    let random = [UInt8](repeating: 7, count: 16)
    guard let serialized = try? update.serialize(fileIdentifier: random) else { return }
    do {
        let updated = try PDFDocument(
            source: MemorySource(bytes + serialized.bytes), options: options)
        let object = try updated.object(id)
        guard object.stringValue == Array("new".utf8) else {
            fatalError("the new object is \(object)")
        }
    } catch {
        fatalError("the update does not open: \(error)")
    }
}

/// Stands in for OpenSSL: every password of revision 5 opens a document whose O or U begins with
/// 32 zeros, and what is encrypted can be decrypted.
private struct ToyCryptography: PDFCryptography {
    func hash(_ algorithm: PDFHashAlgorithm, _ parts: [[UInt8]]) -> [UInt8] {
        let count =
            switch algorithm {
            case .md5: 16
            case .sha256: 32
            case .sha384: 48
            case .sha512: 64
            }
        return [UInt8](repeating: 0, count: count)
    }

    func aesCBC(
        _ direction: PDFCipherDirection, key: [UInt8], initialVector: [UInt8], data: [UInt8]
    ) throws(PDFError) -> [UInt8] {
        guard [16, 32].contains(key.count), initialVector.count == 16, data.count % 16 == 0 else {
            fatalError("AES of \(key.count), \(initialVector.count) and \(data.count) bytes")
        }
        return data.map { $0 ^ 0x5A }
    }

    func randomBytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }

    func wipe(_ bytes: inout [UInt8]) { bytes = [] }
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
