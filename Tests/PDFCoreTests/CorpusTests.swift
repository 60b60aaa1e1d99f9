import Base
import CodecBridge
import Foundation
import Testing

@testable import PDFCore

/// Opens every document of a corpus and compares with what its manifest expects.
///
/// Runs when `SIGNET_CORPUS` names a folder with a `MANIFEST.jsonl`.
@Suite(.enabled(if: Corpus.folder != nil, "SIGNET_CORPUS is not set"))
struct CorpusTests {
    @Test(arguments: Corpus.documents)
    func readsEveryObjectOfSoundDocuments(_ entry: Corpus.Entry) throws {
        let document: PDFDocument
        let content = try entry.content()
        do {
            document = try PDFDocument(source: MemorySource(content))
        } catch {
            #expect(
                error.code == .encrypted || !entry.isSound || !Corpus.hasHeader(content),
                "\(error.code) \(error.detail) at \(error.offset ?? -1)")
            if entry.isEncrypted, Corpus.hasHeader(content) { #expect(error.code == .encrypted) }
            if ProcessInfo.processInfo.environment["SIGNET_CORPUS_VERBOSE"] != nil {
                print("REFUSED", entry.file, error.code, error.detail, error.offset ?? -1)
            }
            return
        }
        do {
            let root = try document.catalog()
            #expect(!root.isEmpty)
            let count = try document.pageCount()
            if entry.isSound { #expect(count == entry.pages ?? count) }
            for index in 0..<min(count, 200) { _ = try document.page(at: index) }
            if count > 0 { _ = try document.page(at: count - 1) }
            try readAllObjects(of: document)
        } catch {
            guard let error = error as? PDFError else { throw error }
            // A stream that swells beyond what its file's size excuses is read by nobody here.
            #expect(
                !entry.isSound || error.code == .limitExceeded,
                "\(error.code) \(error.detail) at \(error.offset ?? -1) in \(error.object?.description ?? "-")"
            )
        }
        if ProcessInfo.processInfo.environment["SIGNET_CORPUS_VERBOSE"] != nil {
            for warning in document.warnings {
                print("WARNED", entry.file, warning.code, warning.detail, warning.offset ?? -1)
            }
        }
    }

    /// qpdf counts pages of damaged files after its own repair.
    @Test(arguments: Corpus.documents.filter { $0.pages != nil && !$0.isEncrypted })
    func repairsWhatOthersRepair(_ entry: Corpus.Entry) throws {
        let content = try entry.content()
        // The catalogue is in a stream whose Type is not that of an object stream.
        guard Corpus.hasHeader(content), !entry.file.hasSuffix("/qpdf-bad35.pdf") else { return }
        let document = try PDFDocument(
            source: MemorySource(content), options: PDFOptions(repair: .whenNeeded))
        #expect(try document.pageCount() == entry.pages)
    }

    private func readAllObjects(of document: PDFDocument) throws {
        let isHybrid = document.sections.contains { $0.kind == .hybrid }
        for section in document.sections {
            try section.forEachEntry { entry throws(PDFError) in
                var id = ObjectID(number: entry.number)
                if case .offset(_, let generation) = entry.location {
                    id = ObjectID(number: entry.number, generation: generation)
                }
                // Tables of hybrid files list the supplementary stream at stale offsets.
                if isHybrid, (try? document.object(id)) == nil { return }
                if case .stream(let stream) = try document.object(id) {
                    do throws(PDFError) {
                        _ = try document.decodedData(of: stream)
                    } catch {
                        guard error.code == .unsupportedFilter else { throw error }
                    }
                }
            }
        }
    }
}

/// The documents of a corpus folder.
enum Corpus {
    struct Entry: Sendable, CustomTestStringConvertible {
        let file: String
        let isSound: Bool
        let isEncrypted: Bool
        let pages: Int?

        var testDescription: String { file }

        func content() throws -> [UInt8] {
            [UInt8](try Data(contentsOf: URL(filePath: "\(Corpus.folder ?? "")/\(file)")))
        }
    }

    /// qpdf reads files without a header; this reader does not.
    static func hasHeader(_ content: [UInt8]) -> Bool {
        Array(content.prefix(1024)).firstRange(of: Array("%PDF-".utf8)) != nil
    }

    static let folder = ProcessInfo.processInfo.environment["SIGNET_CORPUS"]

    static let documents: [Entry] = {
        guard let folder,
            let text = try? String(contentsOfFile: "\(folder)/MANIFEST.jsonl", encoding: .utf8)
        else { return [] }
        return text.split(separator: "\n").compactMap { line in
            guard let json = try? JSONSerialization.jsonObject(with: Data(line.utf8)),
                let entry = json as? [String: Any], let file = entry["file"] as? String,
                file.hasPrefix("pdf/")
            else { return nil }
            let oracle = (entry["oracle"] as? [String: Any])?["qpdf"] as? [String: Any]
            let expect = entry["expect"] as? [String: Any]
            return Entry(
                file: file, isSound: oracle?["check_exit"] as? Int == 0,
                isEncrypted: oracle?["encryption"] is [String: Any]
                    || oracle?["encryption"] is String, pages: expect?["pages"] as? Int)
        }
    }()
}
