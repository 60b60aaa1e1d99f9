import Base
import CryptoBridge
import PDFCore
import TrustKit

/// What the document timestamps prove that came after a signature, found from the newest to the
/// oldest: one that passed proves the time of all that is older (ETSI EN 319 102-1 §5.6.3).
struct LaterTimestamps {
    /// A document timestamp that passed.
    struct Proof {
        let time: CalendarTime
        /// Of its authority.
        let path: JudgedPath?
        let token: [UInt8]
        /// Where in the file ends what it covers.
        let end: Int
    }

    /// The newest first.
    private var proofs: [Proof] = []
    /// The nearest that is unchanged, whether it proves anything or not.
    private(set) var nearest: SignatureTimestamp?

    /// The nearest that passed.
    var proof: Proof? { proofs.last }

    /// - Parameters:
    ///   - stamp: the next older document timestamp; nil where that is none, or was changed.
    ///   - proof: the same where it passed.
    func adding(_ stamp: SignatureTimestamp?, proof: Proof?) -> LaterTimestamps {
        var copy = self
        copy.nearest = stamp ?? nearest
        if let proof { copy.proofs.append(proof) }
        return copy
    }

    /// Whether one of them is not later than a moment.
    func proves(_ end: CalendarTime) -> Bool { proofs.contains { $0.time <= end } }

    /// What stores are proven to have held before a moment; nothing where that cannot be told.
    func evidence(before end: CalendarTime, _ stores: StoreHistory) -> RevocationEvidence {
        var proven = RevocationEvidence()
        for proof in proofs where proof.time <= end {
            if let store = try? stores.store(before: proof.end) {
                proven.formUnion(store.evidence)
            }
        }
        return proven
    }
}

/// A document's security store, revision by revision.
struct StoreHistory {
    let document: PDFDocument
    let newest: DocumentSecurityStore

    /// The store as it was when the file ended at `end`; nil where it cannot be told.
    func store(before end: Int) throws -> DocumentSecurityStore? {
        guard end < document.source.byteCount else { return newest }
        return try document.view(atRevisionEndingAt: end).map { try DocumentSecurityStore(of: $0) }
    }
}
