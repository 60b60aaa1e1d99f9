import Base
import PDFCore

/// Opens the input as a document, reads all of it, appends an update and reads the result.
///
/// An update of a readable document must be readable and contain the objects that were set. If the
/// file was searched for all objects, strict viewers must find every object in the update that was
/// readable before.
enum DocumentFuzz {
    /// Maximum number of objects read per section; sufficient for fuzzer inputs.
    private static let objectLimit = 500

    /// - Parameter way: selects the repair mode by its remainder; nil tries all.
    static func failure(of bytes: [UInt8], way: Int? = nil) -> String? {
        let repairs = [PDFOptions.Repair.never, .whenNeeded, .always]
        for repair in way.map({ [repairs[$0 % repairs.count]] }) ?? repairs {
            let options = PDFOptions(
                repair: repair,
                decryption: PDFDecryption(cryptography: ToyCryptography()) { _ in [1, 2, 3] })
            guard let document = try? PDFDocument(source: MemorySource(bytes), options: options)
            else { continue }
            readEverything(of: document)
            if document.hasDamagedObjects { try? document.mendObjects() }
            if repair == .whenNeeded, document.warnings.isEmpty { continue }
            for section in document.sections.prefix(8) {
                _ = try? document.view(atRevisionEndingAt: section.endOffset)
            }
            if let failure = updateFailure(of: document, bytes, options) { return failure }
        }
        return nil
    }

    private static func readableObjects(of document: PDFDocument) -> [ObjectID] {
        (1...max(1, min(document.highestObjectNumber, objectLimit))).map { ObjectID(number: $0) }
            .filter { id in (try? document.object(id)) != nil }
    }

    private static func readEverything(of document: PDFDocument) {
        _ = document.version
        _ = try? document.hasAmbiguousXref()
        _ = try? document.hybridDisagreement()
        for section in document.sections {
            // Object numbers may be ranges of millions; read only some of them.
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

    private static func updateFailure(
        of document: PDFDocument, _ bytes: [UInt8], _ options: PDFOptions
    ) -> String? {
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        let id = update.add(.string(PDFString(bytes: Array("new".utf8))))
        let random = [UInt8](repeating: 7, count: 16)
        guard let serialized = try? update.serialize(fileIdentifier: random) else { return nil }
        do {
            var strict = options
            strict.repair = .never
            let updated = try PDFDocument(
                source: MemorySource(bytes + serialized.bytes), options: strict)
            if options.repair == .always {
                for id in readableObjects(of: document) { _ = try updated.object(id) }
            }
            let object = try updated.object(id)
            return object.stringValue == Array("new".utf8) ? nil : "the new object is \(object)"
        } catch {
            return "the update does not open: \(error)"
        }
    }
}
