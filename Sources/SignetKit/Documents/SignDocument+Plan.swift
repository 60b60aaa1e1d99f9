import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import Synchronization
import TimestampKit

extension SignDocument {
    /// Everything that is decided before the update is laid out.
    struct Plan {
        let opened: UpdatableDocument
        let form: AcroForm
        /// Makes the document's integrity code; nil if it has none.
        let seal: IntegritySeal?
        let target: SignatureTarget
        let terms: SigningTerms
        let builder: SignedDataBuilder
        /// Of its messages.
        let longestByteCount: Int
        let claimedTime: CalendarTime
        let content: ShownDynamicContent
        var warnings: [String] = []
        /// What the signer should know.
        var notes: [String] = []
    }
}

extension SignedDocument {
    /// Notes what was planned.
    ///
    /// - Parameter widgets: where the signature shows.
    mutating func note(_ plan: SignDocument.Plan, widgets: [Widget]) {
        notes = plan.notes
        dynamicContent = plan.content
        visible = !widgets.isEmpty
        if !widgets.isEmpty { self.widgets = widgets }
        certification = plan.terms.restriction.certification
        lock = plan.terms.restriction.lock?.argument
        if !plan.terms.demands.isEmpty { demands = plan.terms.demands.map(Demand.init) }
    }

    /// Notes the timestamp over the signature, where there is one.
    mutating func note(_ stamp: ObtainedTimestamp?) {
        guard let stamp else { return }
        timestamp = TimestampReceipt(stamp)
        if !stamp.isTrusted, level == .t { level = .b }
        warnings += stamp.advice
    }
}

/// What makes messages without a time, by hash algorithm, and how long they get: the same for all
/// documents.
final class BuilderMemo: Sendable {
    typealias Builder = (SignedDataBuilder, longestByteCount: Int)
    private let builders = Mutex<[DigestAlgorithm?: Builder]>([:])

    func known(_ digest: DigestAlgorithm?) -> Builder? { builders.withLock { $0[digest] } }

    func note(_ builder: Builder, _ digest: DigestAlgorithm?) {
        builders.withLock { $0[digest] = builder }
    }
}
