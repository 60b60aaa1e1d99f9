package import Base
package import CryptoBridge
package import PDFCore
import Synchronization

/// One reading of a document's file: what its signatures cover is hashed, and all bytes are looked
/// through for revisions that the document does not build on.
package struct DocumentReading {
    package let hasher: ByteRangeHasher
    private let found: (PDFDocument) throws -> StrayRevisions?

    /// Begins to read a large file, behind the caller's back.
    ///
    /// - Parameter algorithm: the whole file is hashed so; nil is not at all.
    package init(of source: any ByteSource, hashing algorithm: DigestAlgorithm? = nil) {
        let scan = StrayScan()
        let hasher = ByteRangeHasher(
            of: source, with: .init(algorithm: algorithm) { scan.look(at: $0) })
        self.init(hasher) { document in
            try hasher.hasPassed() ? scan.strays.leavingOut(document) : nil
        }
    }

    /// - Parameter found: what was found in all bytes, once they are hashed; nil where nobody looked.
    package init(
        _ hasher: ByteRangeHasher, found: @escaping (PDFDocument) throws -> StrayRevisions?
    ) {
        (self.hasher, self.found) = (hasher, found)
    }

    /// Revisions that the document does not build on, waited for; nil where nothing was hashed.
    package func strays(of document: PDFDocument) throws -> StrayRevisions? { try found(document) }
}

/// What is looked for in all bytes of a file, by any thread.
private final class StrayScan: Sendable {
    private let state = Mutex(StrayRevisions())

    var strays: StrayRevisions { state.withLock { $0 } }

    /// Takes the next bytes of the file.
    func look(at bytes: Span<UInt8>) { state.withLock { $0.scan(bytes) } }
}
