package import Base
import PDFCore
package import PDFSigning
package import RevisionDiff
import TrustKit

/// What comparing the revisions found about one signature: what it covers, what was changed since,
/// and what it permits itself. As it stands where nothing could be compared.
package struct RevisionFinding: Sendable {
    package fileprivate(set) var coverage: Coverage = .partial
    package fileprivate(set) var changes: ChangeLevel = .none
    package fileprivate(set) var changesDetail: [String] = []
    /// Those of ``changesDetail`` that change what the document says or shows.
    package fileprivate(set) var contentChanges: [String] = []
    /// The pages on which the changes may be seen.
    package fileprivate(set) var changedPlaces = ChangedPlaces.none
    package fileprivate(set) var certification: DocMDPPermission?
    /// The fields that it locks; nil for none.
    package fileprivate(set) var lock: FieldLock?
    fileprivate(set) var problems: [VerificationProblem] = []

    /// What was added that may cover content, in words.
    var coveringNotes: [String] {
        problems.filter { $0.code == .annotationMayCoverContent }.map(\.message)
    }
}

/// What each signature covers, and whether what was changed since is permitted
/// (ISO 32000-2 §12.8.2, §12.8.4).
final class RevisionJudgement {
    private let document: PDFDocument
    private let history: RevisionHistory
    /// Names that locks are compared with, for all signatures together.
    private let lockBudget = ValueBudget(2_000_000)
    /// The newest revision's fields; nil where there are too many.
    private lazy var shown = try? ShownFields(in: document)

    init(of document: PDFDocument) {
        self.document = document
        history = RevisionHistory(of: document)
    }

    /// Most remarks of a kind that are told of one signature.
    private static let remarkLimit = 100
    /// Most changes and remarks that are told of all signatures together before those of each are
    /// cut short: what thousands of signatures have in common is not told thousands of times.
    private static let toldLimit = 5000

    /// What a signature says of later changes.
    private struct Terms {
        let certification: DocMDPPermission?
        /// What the lock of its field permits.
        let fieldPermission: DocMDPPermission?
        let lock: FieldLock?
    }

    /// What the signatures so far permit.
    private struct Permission {
        /// What the certification permits; nil without one.
        private(set) var certification: DocMDPPermission?
        /// The least of what the certification and the locks permit.
        private(set) var permitted: DocMDPPermission?
        private(set) var locks: [LockedFields.Lock] = []

        mutating func add(_ terms: Terms, of holder: ExactText) {
            certification = [certification, terms.certification].compactMap(\.self).min()
            permitted = [permitted, terms.certification, terms.fieldPermission]
                .compactMap(\.self).min()
            if let lock = terms.lock { locks.append((holder, lock)) }
        }
    }

    /// - Parameter candidates: in the order in which they were made.
    /// - Returns: One for each.
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
            case .wholeFile: finding.coverage = .wholeFile
            case .partial(let reason): finding.problems.append(.failure(.coveragePartial, reason))
            case .revision(let section):
                finding.coverage = .revision
                finding.problems += try history.findingsAtSignedEnd(end, section: section).problems
                let summary =
                    try summaries[section] ?? ChangeSummary(of: history.changes(since: section))
                summaries[section] = summary
                let isShort = toldCount > Self.toldLimit
                finding.changes = summary.level
                finding.changedPlaces = summary.places
                finding.changesDetail = isShort ? summary.shortTexts : summary.texts
                finding.contentChanges =
                    isShort ? summary.shortContentTexts : summary.contentTexts
                finding.problems += problems(of: summary, permission, isShort: isShort)
                toldCount +=
                    finding.changesDetail.count + candidate.problems.count
                    + finding.problems.count
            }
            if document.isRebuilt { finding.problems.append(Self.damaged) }
            return finding
        }
    }

    /// - Parameter lockAllowance: how much of further locks is read.
    private func terms(
        of candidate: SignatureCandidate, _ value: SignatureValue, _ lockAllowance: inout Int
    ) throws -> Terms {
        Terms(
            certification: try SigningPermission.certification(
                by: value.dictionary, in: document),
            fieldPermission: try SigningPermission.lockPermission(
                of: candidate.field, in: document),
            lock: FieldLock(of: value.dictionary, in: document, &lockAllowance))
    }

    /// - Parameter earlier: what the signatures before it permit; nil where they say nothing.
    private static func problems(
        of terms: Terms, isFirst: Bool, earlier: DocMDPPermission?
    ) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if terms.certification != nil, !isFirst {
            problems.append(
                .failure(
                    .certificationNotFirst, "only a document's first signature can certify it"))
        }
        // Beside a certification of its own the less permissive of the two holds for all that follows.
        if let found = terms.fieldPermission, let earlier, found > earlier {
            problems.append(
                .doubt(
                    .permissionRaised, "the field's lock permits more than an earlier signature"))
        }
        return problems
    }

    private static let damaged = VerificationProblem.doubt(
        .documentDamaged,
        "the document's cross-references are damaged: viewers may show different things")

    /// What later changes lead to.
    private func problems(
        of summary: ChangeSummary, _ permission: Permission, isShort: Bool
    ) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        let permitted = (permission.permitted ?? .loosest).permittedChanges
        if summary.level == .forbidden {
            problems.append(
                .failure(
                    .changedAfterSigning,
                    "changed after signing: " + summary.words(above: .annotations)))
        } else if summary.level > permitted {
            problems.append(
                .failure(
                    .changeNotPermitted,
                    (permission.certification == nil ? "a lock" : "the certification")
                        + " does not permit: " + summary.words(above: permitted)))
        }
        let limit = isShort ? RevisionChanges.shortLimit : Self.remarkLimit
        for found in summary.breaches(
            of: permission.locks, lockBudget, shown: { self.shown })
        {
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
                    alike[limit].code, "and \(alike.count - limit) more of the kind",
                    verdict: verdict, subIndication: alike[limit].subindication))
        }
        return problems
    }

    private func problem(
        for remark: RevisionChanges.Remark, _ permission: Permission
    ) -> VerificationProblem? {
        switch remark {
        case .visibleSignatureAdded(let name):
            // Where annotations are permitted, so is another one that may cover content.
            guard let certification = permission.certification, certification < .annotations
            else { return nil }
            return .failure(
                .visibleSignatureAdded,
                "the visible signature \(name.inQuotes) was added to the certified document")
        case .annotationMayCoverContent(let place):
            // Annotations are permitted where nobody forbids them (ISO 32000-2 Table 257).
            return .remark(.annotationMayCoverContent, "\(place) may cover what was signed")
        case .fieldAdded(let name):
            // Where nothing is certified nor locked, a field is as good as any annotation.
            guard permission.permitted != nil else { return nil }
            return .failure(
                .changeNotPermitted,
                "the document's signatures permit no new form field \(name.inQuotes)")
        case .uncertain(let text):
            return .doubt(.lookUncertain, text)
        case .appearanceNote(let text):
            return .remark(.lookUncertain, text)
        case .tooMuchToCompare:
            return .doubt(
                .tooMuchToCompare,
                "there is too much to compare in the later revisions: not all of what was changed "
                    + "was looked at")
        case .tooManyChanges:
            return .doubt(
                .tooMuchToCompare,
                "more than \(RevisionChanges.maximumContentCount) changes were made later: not all "
                    + "of them are told")
        case .unusedObjects(let count):
            return .remark(
                .unusedObjects,
                count == 1
                    ? "an object was added that nothing uses"
                    : "\(count) objects were added that nothing uses")
        case .unusedStructure(let number):
            return .doubt(
                .unusedObjects,
                "object \(number) was added, which nothing uses and viewers may take for a part of the "
                    + "document's structure")
        }
    }
}

/// What all revisions changed that are later than a signed one: put together once for all
/// signatures of that revision.
private final class ChangeSummary {
    let level: ChangeLevel
    /// The pages on which the changes may be seen.
    let places: ChangedPlaces
    /// Each change in words, once, as far as they are told apart.
    let texts: [String]
    /// Those of them that change what the document says or shows.
    let contentTexts: [String]
    /// The first of both.
    let shortTexts: [String]
    let shortContentTexts: [String]
    let remarks: [RevisionChanges.Remark]
    /// The first of each kind: those of a kind all lead to the same verdict.
    let shortRemarks: [RevisionChanges.Remark]
    private var changed: LockedFields
    private let covering: CoveringChanges
    /// Once that was asked; nil in it where there is too much to look at.
    private var covered: LockedFields??
    private let changes: [DocumentChange]
    private var knownWords: [ChangeLevel: String] = [:]

    init(of steps: [RevisionChanges]) {
        level = steps.map(\.level).max() ?? .none
        places = steps.flatMap(\.changes).reduce(into: .none) { $0.formUnion($1.places) }
        var seen: Set<DocumentChange> = []
        changes = steps.flatMap(\.changes).filter { seen.insert($0).inserted }
        // What is content counts, however much of the rest there is.
        let content = Self.texts(of: Self.mostSeenFirst(changes.filter(\.isContent)))
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
                "the field \(field.inQuotes), locked by the signature \(holder.inQuotes), was changed"
            )
        }
        covering = steps.reduce(into: CoveringChanges()) { $0.formUnion($1.covering) }
        var known: Set<RevisionChanges.Remark> = []
        // Sets have another order in each run; the same file gets the same answer.
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

    /// What is wrong about fields that were changed, and about those that were covered.
    ///
    /// - Parameters:
    ///   - locks: of the signatures so far, those of earlier calls first.
    ///   - shown: the newest revision's fields; nil where there is too much to look at.
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
                "the field \(field.inQuotes), locked by the signature \(holder.inQuotes), may be "
                    + "covered by what was added or changed")
        }
    }

    /// The changes that go further than is permitted.
    func words(above permitted: ChangeLevel) -> String {
        if let known = knownWords[permitted] { return known }
        let texts = Self.texts(of: changes.filter { $0.level > permitted })
        let words = Self.limited(texts, to: RevisionChanges.reasonLimit).joined(separator: "; ")
        knownWords[permitted] = words
        return words
    }

    /// Who makes the changes chooses their order.
    private static func mostSeenFirst(_ changes: [DocumentChange]) -> [DocumentChange] {
        changes.enumerated().sorted { first, second in
            (second.element.places.extent, first.offset)
                < (first.element.places.extent, second.offset)
        }.map(\.element)
    }

    /// Each text once.
    private static func texts(of changes: [DocumentChange]) -> [String] {
        var seen: Set<String> = []
        return changes.map(\.text).filter { seen.insert($0).inserted }
    }

    private static func limited(_ texts: [String], to limit: Int) -> [String] {
        texts.prefix(limit) + rest(texts.count - limit)
    }

    /// How many more there are, in words, where there are any.
    private static func rest(_ count: Int, isCut: Bool = false) -> [String] {
        guard count > 0 || isCut else { return [] }
        return ["and \(isCut ? "more than " : "")\(max(count, 0)) more changes"]
    }
}
