import PDFCore
import TrustKit

/// What each signature covers, and whether what was changed since is permitted
/// (ISO 32000-2 §12.8.2, §12.8.4).
struct RevisionJudgement {
    private let document: PDFDocument
    private let history: RevisionHistory
    private let form: AcroForm

    init(of document: PDFDocument, form: AcroForm) {
        self.document = document
        self.form = form
        history = RevisionHistory(of: document)
    }

    /// What the signatures so far permit.
    private struct Permission {
        /// DocMDP /P of the certification; nil without one.
        var certification: Int?
        /// The least of the certification and the locks' /P (ISO 32000-2 Table 236).
        var level: Int?
        var locks: [(holder: String, lock: FieldLock)] = []
    }

    /// - Parameter candidates: in the order in which they were made.
    func judge(_ candidates: inout [SignatureCandidate]) throws {
        var permission = Permission()
        for index in candidates.indices {
            guard let value = candidates[index].value else { continue }
            let known = candidates[index].report.problems
            defer {
                candidates[index].revisionProblems = Array(
                    candidates[index].report.problems.dropFirst(known.count))
                candidates[index].report.problems = known
            }
            try readPermission(
                of: &candidates[index], value, isFirst: index == candidates.startIndex,
                &permission)
            try judgeCoverage(&candidates[index].report, value, permission)
        }
    }

    private func readPermission(
        of candidate: inout SignatureCandidate, _ value: SignatureValue, isFirst: Bool,
        _ permission: inout Permission
    ) throws {
        if let level = try SigningPermission.transformLevel(of: value.dictionary, in: document) {
            candidate.report.certification = CertificationNames.name(level: level)
            if !isFirst {
                candidate.report.problems.append(
                    .failure(
                        "certification-not-first",
                        "only a document's first signature can certify it"))
            }
            permission.certification = min(permission.certification ?? level, level)
            permission.level = min(permission.level ?? level, level)
        }
        if let level = try lockLevel(of: candidate.field) {
            if level > permission.level ?? CertificationNames.loosest {
                candidate.report.problems.append(
                    .doubt(
                        "permission-raised",
                        "the field's lock permits more than an earlier signature",
                        .signatureConstraintsFailure))
            }
            permission.level = min(permission.level ?? level, level)
        }
        if let lock = FieldLock(of: value.dictionary, in: document) {
            permission.locks.append((candidate.report.field, lock))
        }
    }

    /// /P of a signature field's lock (ISO 32000-2 Table 236).
    private func lockLevel(of field: FormField) throws(PDFError) -> Int? {
        let lock = try document.value(field.dictionary, "Lock").dictionaryValue
        return try lock.flatMap { lock throws(PDFError) in
            try document.value(lock, "P").integerValue
        }
    }

    private func judgeCoverage(
        _ report: inout SignatureReport, _ value: SignatureValue, _ permission: Permission
    ) throws {
        let end = value.byteRange.second.upperBound
        switch try history.coverage(upTo: end, signatureID: value.id) {
        case .wholeFile: report.coverage = .wholeFile
        case .partial(let reason): report.problems.append(.failure("coverage-partial", reason))
        case .revision(let index):
            report.coverage = .revision
            judgeChanges(&report, try history.changes(since: index), permission)
        }
        if document.isRebuilt {
            report.problems.append(
                .doubt(
                    "document-damaged",
                    "the document's cross-references are damaged: readers may show different things",
                    .signatureConstraintsFailure))
        }
    }

    private func judgeChanges(
        _ report: inout SignatureReport, _ steps: [RevisionChanges], _ permission: Permission
    ) {
        let changes = steps.flatMap(\.changes)
        report.changes = steps.map(\.level).max() ?? .none
        var seen: Set<String> = []
        report.changesDetail = changes.map(\.text).filter { seen.insert($0).inserted }
        let permitted = CertificationNames.permittedChanges(level: permission.level)
        func words(_ isMeant: (ChangeLevel) -> Bool) -> String {
            var seen: Set<String> = []
            return changes.filter { isMeant($0.level) && seen.insert($0.text).inserted }
                .map(\.text).joined(separator: "; ")
        }
        if report.changes == .forbidden {
            report.problems.append(
                .failure(
                    "changed-after-signing",
                    "changed after signing: " + words { $0 == .forbidden }))
        } else if report.changes > permitted {
            report.problems.append(
                .failure(
                    "change-not-permitted",
                    (permission.certification == nil ? "a lock" : "the certification")
                        + " does not permit: " + words { $0 > permitted }))
        }
        let touched = steps.flatMap(\.changedFields).sorted()
        for (holder, lock) in permission.locks {
            guard let field = touched.first(where: lock.covers) else { continue }
            report.problems.append(
                .failure(
                    "locked-field-changed",
                    "the field '\(field)', locked by the signature '\(holder)', was changed"))
        }
        for remark in steps.flatMap(\.remarks) {
            if let problem = problem(for: remark, permission),
                !report.problems.contains(problem)
            {
                report.problems.append(problem)
            }
        }
    }

    private func problem(
        for remark: RevisionChanges.Remark, _ permission: Permission
    ) -> VerificationProblem? {
        switch remark {
        case .visibleSignatureAdded(let name):
            // An attacker's stamp on a certified document looks as if the author had put it there.
            guard permission.certification != nil else { return nil }
            return .failure(
                "visible-signature-added",
                "the visible signature '\(name)' was added to the certified document")
        case .annotationMayCoverContent(let place):
            // Annotations are permitted where nobody forbids them (ISO 32000-2 Table 257).
            return VerificationProblem(
                "annotation-may-cover-content", "\(place) may cover what was signed",
                verdict: nil)
        case .unusedObjects(let count):
            return VerificationProblem(
                "unused-objects", "\(count) objects were added that nothing refers to",
                verdict: nil)
        }
    }
}
