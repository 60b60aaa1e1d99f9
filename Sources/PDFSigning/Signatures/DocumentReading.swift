package import Base
package import CryptoBridge
package import PDFCore
import Synchronization

/// One pass over a document's file that hashes the signed byte ranges and searches for unreferenced
/// revisions.
package struct DocumentReading {
    package let hasher: ByteRangeHasher
    private let found: (PDFDocument) throws -> UnreferencedSections?

    /// Starts reading a large file on a background thread.
    ///
    /// - Parameter algorithm: the digest algorithm for the whole file; nil for no digest.
    package init(of source: any ByteSource, hashing algorithm: DigestAlgorithm? = nil) {
        let scan = StrayScan()
        let hasher = ByteRangeHasher(
            of: source, with: .init(algorithm: algorithm) { scan.look(at: $0) })
        self.init(hasher) { document in
            try hasher.hasPassed() ? scan.unreferencedSections.excludingSections(of: document) : nil
        }
    }

    /// - Parameter found: returns the unreferenced revisions after hashing; nil without a search.
    package init(
        _ hasher: ByteRangeHasher, found: @escaping (PDFDocument) throws -> UnreferencedSections?
    ) { (self.hasher, self.found) = (hasher, found) }

    /// The unreferenced revisions; nil if nothing was hashed. Blocks until the file was read.
    package func unreferencedSections(of document: PDFDocument) throws -> UnreferencedSections? {
        try found(document)
    }
}

/// Searches all bytes of a file, on any thread.
private final class StrayScan: Sendable {
    private let state = Mutex(UnreferencedSections())

    var unreferencedSections: UnreferencedSections { state.withLock { $0 } }

    /// Takes the next bytes of the file.
    func look(at bytes: Span<UInt8>) { state.withLock { $0.scan(bytes) } }
}
