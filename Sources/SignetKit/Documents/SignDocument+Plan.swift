import Base
import CMSKit
import CryptoBridge
import PDFSigning
import Synchronization
import TimestampKit

extension SignDocument {
    /// All decisions before the update is created.
    struct Plan {
        let opened: UpdatableDocument
        /// Creates the document's MAC; nil if it has none.
        let seal: IntegritySeal?
        let target: SignatureTarget
        let terms: SigningTerms
        let builder: SignedDataBuilder
        /// Maximum length of the CMS message, in bytes.
        let longestByteCount: Int
        let claimedTime: CalendarTime
        let content: ShownDynamicContent
        var warnings: [String] = []
        var notes: [String] = []
    }
}

extension SignedDocument {
    /// Adds the planned values.
    ///
    /// - Parameter widgets: positions of the signature appearance.
    mutating func note(_ plan: SignDocument.Plan, widgets: [Widget]) {
        notes = plan.notes
        if case .existing = plan.target { namesField = true }
        dynamicContent = plan.content
        visible = !widgets.isEmpty
        if !widgets.isEmpty { self.widgets = widgets }
        certification = plan.terms.restriction.certification
        lock = plan.terms.restriction.lock?.argument
        if !plan.terms.demands.isEmpty { demands = plan.terms.demands.map(Demand.init) }
    }

    /// Adds the timestamp over the signature, if any.
    mutating func note(_ stamp: ObtainedTimestamp?) {
        guard let stamp else { return }
        timestamp = TimestampReceipt(stamp)
        if !stamp.isTrusted, level == .t { level = .b }
        warnings += stamp.advice.filter { !warnings.contains($0) }
    }
}

/// Caches CMS builders without a signing time by digest algorithm, with their maximum message
/// lengths in bytes. They are equal for all documents.
final class BuilderMemo: Sendable {
    typealias Builder = (SignedDataBuilder, longestByteCount: Int)
    private let builders = Mutex<[DigestAlgorithm?: Builder]>([:])

    func known(_ digest: DigestAlgorithm?) -> Builder? { builders.withLock { $0[digest] } }

    func note(_ builder: Builder, _ digest: DigestAlgorithm?) {
        builders.withLock { $0[digest] = builder }
    }
}
