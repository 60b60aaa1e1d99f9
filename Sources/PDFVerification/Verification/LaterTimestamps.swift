import Base
import PDFCore
import TrustKit

/// Document timestamps after a signature, newest first. One that passed is a proof of existence for
/// everything older (ETSI EN 319 102-1 §5.6.3).
struct LaterTimestamps {
    /// A document timestamp that passed.
    struct Proof {
        let time: CalendarTime
        /// The certificate chain of the TSA.
        let path: JudgedPath?
        let token: [UInt8]
        /// End of its signed byte range, as a file offset.
        let end: Int
    }

    /// The newest first.
    private var proofs: [Proof] = []
    /// The nearest unchanged timestamp, trusted or not.
    private(set) var nearest: SignatureTimestamp?

    /// The nearest timestamp that passed.
    var proof: Proof? { proofs.last }

    /// - Parameters:
    ///   - stamp: the next older document timestamp; nil if it is another signature or was changed.
    ///   - proof: its proof of existence, if it passed.
    func adding(_ stamp: SignatureTimestamp?, proof: Proof?) -> LaterTimestamps {
        var copy = self
        copy.nearest = stamp ?? nearest
        if let proof { copy.proofs.append(proof) }
        return copy
    }

    /// Whether a timestamp proves existence at or before `end`.
    func proves(_ end: CalendarTime) -> Bool { proofs.contains { $0.time <= end } }

    /// Revocation data that a timestamp proves to have existed at or before `end`; empty if there
    /// is none.
    func evidence(before end: CalendarTime, _ stores: StoreHistory) -> RevocationEvidence {
        var proven = RevocationEvidence()
        for proof in proofs where proof.time <= end {
            if let store = try? stores.store(before: proof.end) { proven.formUnion(store.evidence) }
        }
        return proven
    }
}

/// A document's security store, revision by revision.
struct StoreHistory {
    let document: PDFDocument
    let newest: DocumentSecurityStore

    /// The store when the file ended at `end`; nil if unknown.
    func store(before end: Int) throws -> DocumentSecurityStore? {
        guard end < document.source.byteCount else { return newest }
        return try document.view(atRevisionEndingAt: end).map { try DocumentSecurityStore(of: $0) }
    }
}
