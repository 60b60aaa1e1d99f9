import CryptoBridge
import PDFCore
import PDFSigning
import Synchronization
import SystemBridge

/// Where an update goes, with what it is appended to before it.
enum UpdatePlace {
    case copy(Destination)
    /// The output holds the original already.
    case behind(AtomicOutput)
}

/// The original's bytes in an output, and what they hash to so far. However often the update behind
/// them is laid out, they stay.
struct CopiedOriginal {
    let output: AtomicOutput
    let hash: DigestContext
}

/// A file to which an update is to be appended, and the object numbers that it refers to: they are found
/// while its bytes pass by to be hashed and mostly copied, and known before an update is laid out.
final class ScannedInput {
    let file: InputFile
    /// What its bytes hold, once they have passed by.
    private var scan: FileScan?
    private var sections: Set<Int> = []
    /// The state after all bytes, where they were hashed before they are copied.
    private var hashed: DigestContext?

    init(_ file: InputFile) { self.file = file }

    /// Call before the bytes pass by: revisions are found that this document does not build on.
    func begin(_ document: PDFDocument) {
        sections = StrayRevisions.sections(of: document)
    }

    /// The object numbers that the update of a document must not use: those that its object streams and
    /// the bytes of the file refer to.
    func numbers(in document: PDFDocument) throws -> ObjectNumberSet {
        var numbers = try document.numbersReferencedInObjectStreams()
        numbers.formUnion(try scanned().numbers)
        return numbers
    }

    /// Revisions that the document does not build on; nil when nobody looked for them.
    var strays: StrayRevisions? {
        guard let strays = scan?.strays, strays.sections == sections else { return nil }
        return strays
    }

    /// Most bytes that are read once more: for larger files it pays to do all in one pass.
    static let onePassByteCount = 1 << 20

    /// Hashes the whole file, and looks at all of its bytes, while the signatures of the document are
    /// hashed: with that hash another signature can be made.
    ///
    /// - Parameter body: Is given what hashes, and what was found when that is done.
    func hashing<Value>(
        _ document: PDFDocument, _ body: (DocumentReading) throws -> Value
    ) throws -> Value {
        begin(document)
        let scan = FileScan(sections)
        let hasher = ByteRangeHasher(
            of: file, with: .init(algorithm: Self.commonDigest) { scan.look(at: $0) },
            waits: true)
        let value = try body(
            DocumentReading(hasher) { _ in try hasher.whole() == nil ? nil : scan.strays })
        hashed = try hasher.whole()
        if hashed != nil { self.scan = scan }
        return value
    }

    /// With which nearly all signatures hash.
    private static let commonDigest = DigestAlgorithm.sha256

    /// The state after all bytes of the file, if that is known.
    private func hash(by algorithm: DigestAlgorithm) throws -> DigestContext? {
        guard let hashed, hashed.algorithm == algorithm, scan != nil else { return nil }
        return try hashed.copy()
    }

    /// Has the original in an output and hashed, in one pass where it has to be copied; the numbers
    /// that it refers to are known after that.
    ///
    /// - Parameter source: who is at fault when hashing fails.
    func copied(
        to place: UpdatePlace, hashing digest: DigestAlgorithm, source: String
    ) throws -> CopiedOriginal {
        let range = 0..<file.byteCount
        if let hash = try hash(by: digest) {
            return CopiedOriginal(output: try rest(in: place), hash: hash)
        }
        let hash = try reading(source) { try DigestContext(digest) }
        let scan = FileScan(sections)
        let output: AtomicOutput
        do {
            switch place {
            case .copy(let destination):
                output = try destination.output(from: file)
                try output.copy(from: file, range: range) {
                    try hash.update($0)
                } alongside: {
                    scan.look(at: $0)
                }
                // What was hashed now is what was looked at before.
                try file.requireUnchanged()
            case .behind(let held):
                output = held
                try file.stream(range: range) { part in
                    try hash.update(part)
                    scan.look(at: part)
                }
            }
        } catch let error as FileError {
            throw SignetError(error)
        }
        self.scan = scan
        return CopiedOriginal(output: output, hash: hash)
    }

    /// The original in an output, when its bytes were hashed before: it must not have changed since.
    private func rest(in place: UpdatePlace) throws -> AtomicOutput {
        switch place {
        case .behind(let output): return output
        case .copy(let destination):
            let output = try destination.output(from: file)
            do {
                try output.copy(from: file, range: 0..<file.byteCount)
                try file.requireUnchanged()
            } catch let error as FileError {
                throw SignetError(error)
            }
            return output
        }
    }

    /// Reads all bytes if nothing was copied or hashed yet.
    private func scanned() throws -> FileScan {
        if let scan { return scan }
        let made = FileScan(sections)
        try file.stream(range: 0..<file.byteCount) { made.look(at: $0) }
        scan = made
        return made
    }
}

/// What is looked for in all bytes of a file, whatever they are part of, by any thread.
final class FileScan: Sendable {
    private struct State {
        var references = ReferenceScanner()
        var strays: StrayRevisions
    }

    private let state: Mutex<State>

    init(_ sections: Set<Int>) {
        state = Mutex(State(strays: StrayRevisions(buildingOn: sections)))
    }

    var numbers: ObjectNumberSet { state.withLock { $0.references.numbers } }
    var strays: StrayRevisions { state.withLock { $0.strays } }

    /// Takes the next bytes of the file.
    func look(at bytes: Span<UInt8>) {
        state.withLock { state in
            state.references.scan(bytes)
            state.strays.scan(bytes)
        }
    }
}
