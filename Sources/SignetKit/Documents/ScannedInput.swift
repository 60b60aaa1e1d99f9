import CryptoBridge
import PDFCore
import PDFSigning
import Synchronization
import SystemBridge

/// A file to which an update is to be appended, and the object numbers that it refers to: they are found
/// while its bytes pass by to be hashed and mostly copied, and known before an update is laid out.
final class ScannedInput {
    let file: InputFile
    /// What holds the original already, or once it is copied.
    private var output: AtomicOutput?
    /// What its bytes hold, once they have passed by.
    private var scan: FileScan?
    private var sections: Set<Int> = []
    /// The state after all bytes, once they were hashed.
    private var hashed: DigestContext?

    init(_ file: InputFile) { self.file = file }

    /// What an output holds so far: the update goes behind it.
    init(_ output: AtomicOutput) throws {
        file = try InputFile(output)
        self.output = output
    }

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

    /// Has the original in an output and hashed, in one pass where it has to be copied; the numbers
    /// that it refers to are known after that. However often an update is laid out, this is done once.
    ///
    /// - Parameters:
    ///   - destination: nil where the output holds the original already.
    ///   - source: named in the error when hashing fails.
    func copy(
        to destination: Destination?, hashing digest: DigestAlgorithm, source: String
    ) throws {
        let range = 0..<file.byteCount
        let isKnown = hashed?.algorithm == digest && scan != nil
        let hash = try reading(source) { try DigestContext(digest) }
        let scan = FileScan(sections)
        do {
            if let destination {
                let made = try destination.output(from: file)
                output = made
                try made.copy(from: file, range: range) {
                    if !isKnown { try hash.update($0) }
                } alongside: {
                    if !isKnown { scan.look(at: $0) }
                }
                // What was hashed now is what was looked at before.
                try file.requireUnchanged()
            } else if !isKnown {
                try file.stream(range: range) { part in
                    try hash.update(part)
                    scan.look(at: part)
                }
            }
        } catch let error as FileError {
            throw SignetError(error)
        }
        if !isKnown { (self.scan, hashed) = (scan, hash) }
    }

    /// Hashes all that the signature of an update covers, once the original is copied.
    func hash(with prepared: PreparedSignature, source: String) throws -> HashedDocument {
        guard let output, let hashed else {
            throw SignetError(.internalFailure, "the document was not copied")
        }
        let digest = try reading(source) {
            let context = try hashed.copy()
            try context.update(prepared.headBytes)
            try context.update(prepared.tailBytes)
            return try context.finish()
        }
        return HashedDocument(
            prepared: prepared, output: output, messageDigest: digest, source: source)
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
