package import Base
import PDFCore
package import PDFSigning
package import RevisionDiff

/// The result of comparing revisions for one signature: its coverage, later changes, and the
/// changes it permits.
package struct RevisionFinding: Sendable {
    package fileprivate(set) var coverage: Coverage = .partial
    /// The number of the signed revision, from 1, and of all revisions; nil unless later revisions
    /// follow.
    package fileprivate(set) var signedRevision: (number: Int, count: Int)?
    package fileprivate(set) var changes: ChangeLevel = .none
    package fileprivate(set) var changesDetail: [String] = []
    /// Entries of ``changesDetail`` that affect the document's content or display.
    package fileprivate(set) var contentChanges: [String] = []
    /// The pages on which the changes may be visible.
    package fileprivate(set) var changedPlaces = ChangedPlaces.none
    package fileprivate(set) var certification: DocMDPPermission?
    /// The fields that the signature locks; nil if it locks none.
    package fileprivate(set) var lock: FieldLock?
    fileprivate(set) var problems: [VerificationProblem] = []

    /// Messages about additions that may cover content.
    var coveringNotes: [String] {
        problems.filter { $0.code == .annotationMayCoverContent }.map(\.message)
    }
}

/// Determines the coverage of each signature, and whether later changes are permitted (ISO 32000-2
/// §12.8.2, §12.8.4).
final class RevisionJudgement {
    private let document: PDFDocument
    private let history: RevisionHistory
    /// Budget of name comparisons for the locks of all signatures.
    private let lockBudget = ValueBudget(2_000_000)
    /// Field positions in the newest revision; nil if there are more fields than the limit.
    private lazy var shown = try? ShownFields(in: document)

    init(of document: PDFDocument) {
        self.document = document
        history = RevisionHistory(of: document)
    }

    /// Maximum number of notes of a kind reported for one signature.
    private static let remarkLimit = 100
    /// Maximum number of changes and notes reported for all signatures together before the list of
    /// each signature is shortened.
    private static let toldLimit = 5000

    /// The rules of a signature for later changes.
    private struct Terms {
        let certification: DocMDPPermission?
        /// The permission of its field's lock.
        let fieldPermission: DocMDPPermission?
        let lock: FieldLock?
    }

    /// The permissions of all signatures so far.
    private struct Permission {
        /// The permission of the certification; nil without one.
        private(set) var certification: DocMDPPermission?
        /// The strictest permission of the certification and the locks.
        private(set) var permitted: DocMDPPermission?
        private(set) var locks: [LockedFields.Lock] = []

        mutating func add(_ terms: Terms, of holder: ExactText) {
            certification = [certification, terms.certification].compactMap(\.self).min()
            permitted = [permitted, terms.certification, terms.fieldPermission]
                .compactMap(\.self).min()
            if let lock = terms.lock { locks.append((holder, lock)) }
        }
    }

    /// - Parameter candidates: the signatures, oldest first.
    /// - Returns: one finding for each.
    func findings(for candidates: [SignatureCandidate]) throws -> [RevisionFinding] {
        var permission = Permission()
        var lockAllowance = FieldLock.nameAllowance
        var summaries: [Int: ChangeSummary] = [:]
        var toldCount = 0
        return try candidates.enumerated().map { index, candidate in
            guard let value = candidate.value else { return RevisionFinding() }
            let terms = try terms(of: candidate, value, &lockAllowance)
            let earlier = permission.permitted
            permission.add(terms, of: candidate.field.fullName)
            var finding = RevisionFinding(certification: terms.certification, lock: terms.lock)
            finding.problems = Self.problems(of: terms, isFirst: index == 0, earlier: earlier)
            let end = value.byteRange.second.upperBound
            switch try history.coverage(upTo: end, signatureID: value.id) {
            case .wholeFile(let padding):
                finding.coverage = .wholeFile
                if padding > 0 {
                    finding.problems.append(
                        .remark(
                            .trailingWhiteSpace,
                            "white space was appended after signing, without effect "
                                + "(\(padding) byte\(padding == 1 ? "" : "s"))"))
                }
            case .partial(let reason): finding.problems.append(.failure(.coveragePartial, reason))
            case .revision(let section):
                finding.coverage = .revision
                let count = document.revisionCount
                finding.signedRevision = (count - section, count)
                finding.problems += try history.findingsAtSignedEnd(end, section: section).problems
                let summary =
                    try summaries[section] ?? ChangeSummary(of: history.changes(since: section))
                summaries[section] = summary
                let isShort = toldCount > Self.toldLimit
                finding.changes = summary.level
                finding.changedPlaces = summary.places
                finding.changesDetail = isShort ? summary.shortTexts : summary.texts
                finding.contentChanges = isShort ? summary.shortContentTexts : summary.contentTexts
                finding.problems += problems(of: summary, permission, isShort: isShort)
                toldCount +=
                    finding.changesDetail.count + candidate.problems.count
                    + finding.problems.count
            }
            if document.isRebuilt { finding.problems.append(Self.damaged) }
            return finding
        }
    }

    /// - Parameter lockAllowance: remaining bytes of field names in locks.
    private func terms(
        of candidate: SignatureCandidate, _ value: SignatureValue, _ lockAllowance: inout Int
    ) throws -> Terms {
        Terms(
            certification: try SigningPermission.certification(by: value.dictionary, in: document),
            fieldPermission: try SigningPermission.lockPermission(
                of: candidate.field, in: document),
            lock: FieldLock(of: value.dictionary, in: document, &lockAllowance))
    }

    /// - Parameter earlier: the permission of earlier signatures; nil if they set none.
    private static func problems(
        of terms: Terms, isFirst: Bool, earlier: DocMDPPermission?
    ) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if terms.certification != nil, !isFirst {
            problems.append(
                .failure(
                    .certificationNotFirst,
                    "a certification signature must be the first signature of the document"))
        }
        // If a field lock and a certification differ, the stricter one applies to later changes.
        if let found = terms.fieldPermission, let earlier, found > earlier {
            problems.append(
                .doubt(
                    .permissionRaised,
                    "the lock of the field permits more than an earlier signature"))
        }
        return problems
    }

    private static let damaged = VerificationProblem.doubt(
        .documentDamaged,
        "the cross-references are damaged: viewers may display different content")

    /// The problems caused by later changes.
    private func problems(
        of summary: ChangeSummary, _ permission: Permission, isShort: Bool
    ) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        let permitted = (permission.permitted ?? .loosest).permittedChanges
        if summary.level == .forbidden {
            problems.append(
                .failure(
                    .changedAfterSigning,
                    "modified after signing: " + summary.words(above: .annotations)))
        } else if summary.level > permitted {
            problems.append(
                .failure(
                    .changeNotPermitted,
                    "modified after signing, which "
                        + (permission.certification == nil
                            ? "the lock of a signature" : "the certification")
                        + " does not permit: " + summary.words(above: permitted)))
        }
        let limit = isShort ? RevisionChanges.shortLimit : Self.remarkLimit
        for found in summary.breaches(of: permission.locks, lockBudget, shown: { self.shown }) {
            problems += found.prefix(limit)
        }
        let found = (isShort ? summary.shortRemarks : summary.remarks)
            .compactMap { problem(for: $0, permission) }
        for verdict in [Verdict.failed, .indeterminate, nil] {
            let alike = found.filter { $0.verdict == verdict }
            problems += alike.prefix(limit)
            guard alike.count > limit else { continue }
            problems.append(
                VerificationProblem(
                    alike[limit].code, "and \(alike.count - limit) more of this kind",
                    verdict: verdict, subIndication: alike[limit].subindication))
        }
        return problems
    }

    private func problem(
        for remark: RevisionChanges.Remark, _ permission: Permission
    ) -> VerificationProblem? {
        switch remark {
        case .visibleSignatureAdded(let name):
            // If annotations are permitted, one that may cover content is permitted too.
            guard let certification = permission.certification, certification < .annotations
            else { return nil }
            return .failure(
                .visibleSignatureAdded,
                "a visible signature was added to the certified document: \(name.inQuotes)")
        case .annotationMayCoverContent(let place):
            // Annotations are permitted unless a signature forbids them (ISO 32000-2 Table 257).
            return .remark(.annotationMayCoverContent, "\(place) may hide signed content")
        case .fieldAdded(let name):
            // Without a certification and locks, a new field is permitted like an annotation.
            guard permission.permitted != nil else { return nil }
            return .failure(
                .changeNotPermitted,
                "modified after signing: form field \(name.inQuotes) added, which the signatures do not "
                    + "permit")
        case .uncertain(let text):
            return .doubt(.lookUncertain, text)
        case .appearanceNote(let text):
            return .remark(.lookUncertain, text)
        case .tooMuchToCompare:
            return .doubt(
                .tooMuchToCompare,
                "not all later changes were compared (limit reached)")
        case .tooManyChanges:
            return .doubt(
                .tooMuchToCompare,
                "more than \(RevisionChanges.maximumContentCount) later changes: not all are listed"
            )
        case .unusedObjects(let count):
            return .remark(
                .unusedObjects,
                count == 1
                    ? "an unused object was added (not visible)"
                    : "\(count) unused objects were added (not visible)")
        case .unusedStructure(let number):
            return .doubt(
                .unusedObjects,
                "an unused object was added that viewers may use as part of the document structure "
                    + "(object \(number))")
        }
    }
}

/// The combined changes of all revisions after a signed revision. Computed once for all signatures
/// of that revision.
private final class ChangeSummary {
    let level: ChangeLevel
    /// The pages on which the changes may be visible.
    let places: ChangedPlaces
    /// The text of each change, without duplicates.
    let texts: [String]
    let contentTexts: [String]
    /// The first entries of both lists.
    let shortTexts: [String]
    let shortContentTexts: [String]
    let remarks: [RevisionChanges.Remark]
    /// The first note of each kind: all notes of a kind lead to the same verdict.
    let shortRemarks: [RevisionChanges.Remark]
    private var changed: LockedFields
    private let covering: CoveringChanges
    /// Computed at first use; `.some(nil)` means: more than the limit.
    private var covered: LockedFields??
    private let changes: [DocumentChange]
    private var knownWords: [ChangeLevel: String] = [:]

    init(of steps: [RevisionChanges]) {
        level = steps.map(\.level).max() ?? .none
        places = steps.flatMap(\.changes).reduce(into: .none) { $0.formUnion($1.places) }
        var seen: Set<DocumentChange> = []
        let unsorted = steps.flatMap(\.changes).filter { seen.insert($0).inserted }
        // Content changes come first, however many other changes exist.
        changes =
            Self.mostSeenFirst(unsorted.filter(\.isContent)) + unsorted.filter { !$0.isContent }
        let content = Self.texts(of: changes.filter(\.isContent))
        let contentSet = Set(content)
        let others = Self.texts(of: changes.filter { !$0.isContent })
            .filter { !contentSet.contains($0) }
        let told = Set(
            content.prefix(RevisionChanges.maximumContentCount)
                + others.prefix(RevisionChanges.maximumTechnicalCount))
        let isCut = steps.contains(where: \.isCut)
        let count = content.count + others.count
        texts =
            Self.texts(of: changes).filter(told.contains)
            + Self.rest(count - told.count, isCut: isCut)
        contentTexts = Self.limited(content, to: RevisionChanges.maximumContentCount)
        shortTexts =
            (content + others).prefix(RevisionChanges.shortLimit)
            + Self.rest(count - RevisionChanges.shortLimit, isCut: isCut)
        shortContentTexts = Self.limited(content, to: RevisionChanges.shortLimit)
        changed = LockedFields(Set(steps.flatMap(\.changedFields))) { field, holder in
            .failure(
                .lockedFieldChanged,
                "form field \(field.inQuotes) was changed, although signature \(holder.inQuotes) "
                    + "locks it"
            )
        }
        covering = steps.reduce(into: CoveringChanges()) { $0.formUnion($1.covering) }
        var known: Set<RevisionChanges.Remark> = []
        // Sets are unordered: sort, so that the same file gives the same report.
        var remarks = steps.flatMap { step in
            step.remarks.map { (remark: $0, words: "\($0)") }.sorted { $0.words < $1.words }
                .map(\.remark)
        }.filter { known.insert($0).inserted }
        if content.count > RevisionChanges.maximumContentCount,
            known.insert(.tooManyChanges).inserted
        {
            remarks.append(.tooManyChanges)
        }
        self.remarks = remarks
        var counts: [RevisionChanges.Remark.Kind: Int] = [:]
        shortRemarks = remarks.filter { remark in
            counts[remark.kind, default: 0] += 1
            return counts[remark.kind, default: 0] <= RevisionChanges.shortLimit
        }
    }

    /// Problems of locked fields that were changed or covered.
    ///
    /// - Parameters:
    ///   - locks: the locks of the signatures so far, in the order of the calls.
    ///   - shown: the newest revision's fields; nil if there are more than the limit.
    func breaches(
        of locks: [LockedFields.Lock], _ budget: ValueBudget, shown: () -> ShownFields?
    ) -> [[VerificationProblem]] {
        guard !locks.isEmpty else { return [] }
        var found = [changed.breaches(of: locks, budget)]
        guard !covering.isEmpty else { return found }
        if covered == nil { covered = .some(Self.covered(by: covering, shown())) }
        found.append(covered??.breaches(of: locks, budget) ?? [LockedFields.tooMuch])
        return found
    }

    private static func covered(
        by covering: CoveringChanges, _ shown: ShownFields?
    ) -> LockedFields? {
        guard let names = try? shown?.names(coveredBy: covering) else { return nil }
        return LockedFields(names) { field, holder in
            .doubt(
                .annotationMayCoverContent,
                "later changes may cover form field \(field.inQuotes), which signature "
                    + "\(holder.inQuotes) locks")
        }
    }

    func words(above permitted: ChangeLevel) -> String {
        if let known = knownWords[permitted] { return known }
        let texts = Self.texts(of: changes.filter { $0.level > permitted })
        let words = Self.limited(texts, to: RevisionChanges.reasonLimit).joined(separator: "; ")
        knownWords[permitted] = words
        return words
    }

    /// Sorts by visibility: an attacker can choose the order of the changes.
    private static func mostSeenFirst(_ changes: [DocumentChange]) -> [DocumentChange] {
        changes.enumerated().sorted { first, second in
            (second.element.places.extent, first.offset)
                < (first.element.places.extent, second.offset)
        }.map(\.element)
    }

    /// The texts without duplicates.
    private static func texts(of changes: [DocumentChange]) -> [String] {
        var seen: Set<String> = []
        return changes.map(\.text).filter { seen.insert($0).inserted }
    }

    private static func limited(_ texts: [String], to limit: Int) -> [String] {
        texts.prefix(limit) + rest(texts.count - limit)
    }

    /// A text with the number of omitted entries; empty if none was omitted.
    private static func rest(_ count: Int, isCut: Bool = false) -> [String] {
        guard count > 0 || isCut else { return [] }
        return ["and \(isCut ? "more than " : "")\(max(count, 0)) more changes"]
    }
}
