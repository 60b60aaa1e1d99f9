import PDFCore
import SystemBridge

/// A signed revision of a document: its bytes up to the end of a signed byte range.
struct SignedState {
    let byteCount: Int
    /// Indexes of the signatures with exactly this byte range.
    private(set) var signatures: [Int] = []
    /// An unnamed copy, which the caller must discard.
    private(set) var copied: AtomicOutput?
    private(set) var file: InputFile?
    private(set) var pageCount = 0

    private init(byteCount: Int) { self.byteCount = byteCount }

    /// Copies the bytes, so that viewers can open the revision.
    mutating func copy(_ whole: InputFile, _ password: DocumentPassword?) throws {
        let output = try AtomicOutput(name: "the signed revision") { _ in }
        copied = output
        try writing("the signed revision") { try output.copy(from: whole, range: 0..<byteCount) }
        let file = try InputFile(output)
        self.file = file
        let document = try? PDFDocument.open(file, path: "the signed revision", password: password)
        pageCount = (try? document?.pageCount()) ?? 0
    }

    /// The signed revisions after which the file was changed, oldest first.
    ///
    /// - Parameter limit: maximum number of revisions returned.
    static func all(of report: VerifiedDocument, _ file: InputFile, limit: Int) -> [SignedState] {
        var states: [Int: SignedState] = [:]
        for (index, signature) in report.signatures.enumerated() {
            guard signature.coverage == .revision, let end = signature.record.coveredByteCount,
                end > 0, end < file.byteCount
            else { continue }
            states[end, default: SignedState(byteCount: end)].signatures.append(index)
        }
        return states.values.sorted { $0.byteCount < $1.byteCount }.prefix(limit).map { $0 }
    }
}
