import CryptoBridge
import FileBridge
import PAdES
import PDFCore
import Synchronization

/// The update gives new objects numbers that something in the file refers to already. They are
/// known now: lay it out once more.
struct NumbersReferenced: Error {}

/// A file to which an update is to be appended, and the object numbers that it refers to: looked
/// for once, in a large file while its bytes pass by to be copied and hashed.
///
/// Nobody waits for that before an update is laid out, only before it is signed.
final class ScannedInput {
    /// The file's bytes in an output, and what they hash to so far.
    struct Copy {
        let output: AtomicOutput
        let hash: DigestContext
    }

    let file: InputFile
    /// Kept until an update that stands is behind it: an update that is laid out again does not
    /// change what it is appended to.
    var copy: Copy?
    /// What its bytes hold, once they have passed by.
    private var scan: FileScan?
    private var sections: Set<Int> = []
    /// The state after all bytes, where they were hashed while signatures were looked at.
    private var hashed: DigestContext?

    /// Up to this size a pass of its own costs less than to lay an update out again.
    private static let eagerByteCount = 1 << 20

    init(_ file: InputFile) { self.file = file }

    /// What the update of a document has to avoid: what objects in its object streams refer to,
    /// and what the file's bytes do, as far as that is known yet.
    func numbers(in document: PDFDocument) throws -> ObjectNumberSet {
        var numbers = try document.numbersReferencedInObjectStreams()
        sections = StrayRevisions.sections(of: document)
        if file.byteCount <= Self.eagerByteCount { _ = try scanned() }
        if let scan { numbers.formUnion(scan.numbers) }
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
        sections = StrayRevisions.sections(of: document)
        let scan = newScan()
        let hasher = ByteRangeHasher(
            of: file, with: .init(algorithm: Self.commonDigest) { scan.look(at: $0) },
            waits: true)
        let value = try body(
            DocumentReading(hasher) { _ in try hasher.whole() == nil ? nil : scan.strays })
        hashed = try hasher.whole()
        if hashed != nil { settle(scan) }
        return value
    }

    /// With which nearly all signatures hash.
    private static let commonDigest = DigestAlgorithm.sha256

    /// The state after all bytes of the file, if that is known.
    func hash(by algorithm: DigestAlgorithm) throws -> DigestContext? {
        guard let hashed, hashed.algorithm == algorithm, scan != nil else { return nil }
        return try hashed.copy()
    }

    /// What is to look at all bytes of the file while they pass by.
    func newScan() -> FileScan { FileScan(sections) }

    /// Takes over what was found in the whole file.
    func settle(_ scan: FileScan) { self.scan = scan }

    /// - Throws: ``NumbersReferenced`` when something refers to one of `newNumbers`.
    func requireNone(of newNumbers: [Int]) throws {
        let numbers = try scanned().numbers
        guard !newNumbers.contains(where: { numbers.contains($0) }) else {
            throw NumbersReferenced()
        }
    }

    private func scanned() throws -> FileScan {
        if let scan { return scan }
        let made = newScan()
        try file.stream(range: 0..<file.byteCount) { made.look(at: $0) }
        scan = made
        return made
    }

    /// Does what lays out an update, and does it again with better numbers where it has to.
    func settled<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch is NumbersReferenced {
            return try body()
        }
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
