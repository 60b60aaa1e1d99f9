import CryptoBridge
import PDFCore
import PDFSigning
import Synchronization
import SystemBridge

/// An input for an incremental update, and the object numbers that it uses. They are found while
/// its bytes are hashed and usually copied, before the update is created.
final class ScannedInput {
    let file: InputFile
    /// The output that contains the original, or will after copying.
    private var output: AtomicOutput?
    /// The scan result, after all bytes were read.
    private var scan: FileScan?
    private var sections: Set<Int> = []
    /// The hash state after all bytes, if they were hashed.
    private var hashed: DigestContext?

    init(_ file: InputFile) { self.file = file }

    /// An output with the original: the update is appended to it.
    init(_ output: AtomicOutput) throws {
        file = try InputFile(output)
        self.output = output
    }

    /// Prepares the search for revisions that this document does not reference. Must be called
    /// before the bytes are read.
    func begin(_ document: PDFDocument) { sections = UnreferencedSections.sections(of: document) }

    /// The object numbers that the update must not use: those referenced in object streams and
    /// anywhere in the file.
    func numbers(in document: PDFDocument) throws -> ObjectNumberSet {
        var numbers = try document.numbersReferencedInObjectStreams()
        numbers.formUnion(try scanned().numbers)
        return numbers
    }

    /// Unreferenced revisions; nil if the file was not searched for them.
    var unreferencedSections: UnreferencedSections? {
        guard let unreferencedSections = scan?.unreferencedSections,
            unreferencedSections.sections == sections
        else { return nil }
        return unreferencedSections
    }

    /// Maximum size in bytes of a file that is read twice. Larger files are processed in one pass.
    static let onePassByteCount = 1 << 20

    /// Hashes and scans the whole file while the document's signatures are hashed; a new signature
    /// can use the same hash.
    ///
    /// - Parameter body: receives the hasher, and the scan result at the end.
    func hashing<Value>(
        _ document: PDFDocument, _ body: (DocumentReading) throws -> Value
    ) throws -> Value {
        begin(document)
        let scan = FileScan(sections)
        let hasher = ByteRangeHasher(
            of: file, with: .init(algorithm: Self.commonDigest) { scan.inspect($0) }, waits: true)
        let value = try body(
            DocumentReading(hasher) { _ in
                try hasher.whole() == nil ? nil : scan.unreferencedSections
            })
        hashed = try hasher.whole()
        if hashed != nil { self.scan = scan }
        return value
    }

    /// The digest of nearly all signatures.
    private static let commonDigest = DigestAlgorithm.sha256

    /// Copies the original to the output and hashes it, in one pass if possible; afterwards its
    /// object numbers are known. This is done once, even if the update is created several times.
    ///
    /// - Parameters:
    ///   - destination: nil if the output contains the original.
    ///   - source: name in the error if hashing fails.
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
                    if !isKnown { scan.inspect($0) }
                }
                // The hashed bytes must be the scanned ones.
                try file.requireUnchanged()
            } else if !isKnown {
                try file.stream(range: range) { part in
                    try hash.update(part)
                    scan.inspect(part)
                }
            }
        } catch let error as FileError {
            throw SignetError(error)
        }
        if !isKnown { (self.scan, hashed) = (scan, hash) }
    }

    /// SHA-256 of the whole file.
    func sha256() throws -> [UInt8] {
        if let hashed, hashed.algorithm == .sha256 { return try hashed.copy().finish() }
        let context = try DigestContext(.sha256)
        try file.stream(range: 0..<file.byteCount) { try context.update($0) }
        return try context.finish()
    }

    /// Hashes the signed byte range of an update, after the original is copied.
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

    /// The scan result. Reads all bytes if nothing was copied or hashed yet.
    private func scanned() throws -> FileScan {
        if let scan { return scan }
        let made = FileScan(sections)
        try file.stream(range: 0..<file.byteCount) { made.inspect($0) }
        scan = made
        return made
    }
}

/// Scans all bytes of a file, from any thread.
final class FileScan: Sendable {
    private struct State {
        var references = ReferenceScanner()
        var unreferencedSections: UnreferencedSections
    }

    private let state: Mutex<State>

    init(_ sections: Set<Int>) {
        state = Mutex(State(unreferencedSections: UnreferencedSections(newest: sections)))
    }

    var numbers: ObjectNumberSet { state.withLock { $0.references.numbers } }
    var unreferencedSections: UnreferencedSections { state.withLock { $0.unreferencedSections } }

    /// Processes the next bytes of the file.
    func inspect(_ bytes: Span<UInt8>) {
        state.withLock { state in
            state.references.scan(bytes)
            state.unreferencedSections.scan(bytes)
        }
    }
}
