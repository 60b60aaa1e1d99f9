import Base
import SignetKit

/// The report for people: first the result in one sentence, then content, signer, times and hints.
struct VerificationText {
    let style: TextStyle
    /// Whether revocation was checked online.
    let hasAsked: Bool
    /// Hints and notes already printed for this file, which are not repeated for other signatures.
    private var told: Set<String> = []
    /// Whether all signatures of the file passed.
    private var allPassed = false

    /// Most changes listed separately.
    private static let changeLimit = 12
    /// Most content changes listed.
    private static let contentChangeLimit = 100
    private static let labelWidth = 13
    private static let signatureIndent = 2
    private static let entryIndent = 4

    init(style: TextStyle, hasAsked: Bool) {
        self.style = style
        self.hasAsked = hasAsked
    }

    mutating func lines(_ report: VerifiedDocument) -> [String] {
        allPassed = report.verdict == .passed
        var lines = [style.lines(headline(report), hanging: Self.signatureIndent)]
        if report.verdict != .unsigned { lines += documentLines(report.problems) }
        for signature in report.signatures { lines += self.lines(signature) }
        if let code = report.integrityCode { lines += self.lines(code) }
        return lines
            + (report.savedCertificates ?? []).map {
                entry("saved", StyledText($0), indent: Self.signatureIndent)
            }
    }

    private func headline(_ report: VerifiedDocument) -> StyledText {
        var text = StyledText("\(report.file): ")
        guard let verdict = report.verdict.verdict else {
            text.append("no signature", .strong)
            return text
        }
        let word = SignatureSentence.word(verdict)
        if verdict == .passed, report.signatures.contains(where: \.isChangedSince) {
            text.append("\(word), but CHANGED since it was signed", .doubtful)
        } else {
            text.append(word, Tone(verdict))
        }
        if report.signatures.count > 1 {
            let stamps = report.signatures.count { $0.kind == .timestamp }
            let counts = [(report.signatures.count - stamps, "signature"), (stamps, "timestamp")]
                .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
            text.append(", \(counts.joined(separator: " and "))")
        }
        return text
    }

    /// The problems of the document itself, which apply to all signatures.
    private mutating func documentLines(_ problems: [VerificationProblem]) -> [String] {
        var lines: [String] = []
        for problem in problems where told.insert(problem.message).inserted {
            let label = problem.verdict == nil ? "note" : "problem"
            lines.append(entry(label, StyledText(problem.message), indent: Self.signatureIndent))
            guard let hint = problem.hint, told.insert(hint).inserted else { continue }
            lines.append(entry("hint", StyledText(hint: hint), indent: Self.signatureIndent))
        }
        return lines
    }

    private func lines(_ code: VerifiedDocument.IntegrityCode) -> [String] {
        if code.valid {
            return [
                line(
                    StyledText(
                        "MAC: right: who wrote the file last knew what opens it; it does "
                            + "not say who that was"))
            ]
        }
        guard let verdict = code.verdict else { return [] }
        var text = StyledText("MAC: ")
        text.append(SignatureSentence.word(verdict), Tone(verdict))
        return [line(text)]
    }

    private mutating func lines(_ signature: VerifiedSignature) -> [String] {
        let answer = SignatureSentence(signature)
        var lines = [line(answer.text)]
        func fact(_ label: String, _ value: StyledText) {
            if !value.parts.isEmpty { lines.append(entry(label, value)) }
        }
        for (label, text) in unchanged(signature) { fact(label, text) }
        for (label, text) in signer(signature) { fact(label, text) }
        for (label, text) in times(signature) { fact(label, text) }
        for (label, text) in QualificationText.lines(signature) { fact(label, StyledText(text)) }
        fact("reason", StyledText(signature.reason ?? ""))
        fact("location", StyledText(signature.location ?? ""))
        fact("certifies", StyledText(signature.certification.map(Self.permission) ?? ""))
        fact("locks", StyledText(signature.lock.map(Self.locked) ?? ""))
        fact("method", StyledText(method(signature)))
        for (label, text) in reasons(signature, besides: answer.reasons) {
            fact(label, label == "hint" ? StyledText(hint: text) : StyledText(text))
        }
        for (label, text) in level(signature) { fact(label, StyledText(text)) }
        return lines
    }

    // MARK: Lines

    private func line(_ text: StyledText) -> String {
        style.lines(text, indent: Self.signatureIndent, hanging: Self.entryIndent)
    }

    private func entry(
        _ label: String, _ value: StyledText, indent: Int = VerificationText.entryIndent
    ) -> String {
        let padding = String(repeating: " ", count: max(1, Self.labelWidth - label.count))
        var text = StyledText(label + padding, label == "note" ? .doubtful : .faint)
        text.append(value)
        return style.lines(text, indent: indent, hanging: indent + Self.labelWidth)
    }

    // MARK: Content

    private func unchanged(_ signature: VerifiedSignature) -> [(label: String, text: StyledText)] {
        var lines: [(label: String, text: StyledText)] = []
        if let extent = extent(signature) {
            lines.append(
                signature.verdict == .failed
                    ? ("covers", StyledText(extent))
                    : (
                        signature.kind == .timestamp ? "stamped" : "signed part",
                        StyledText("\(extent), unchanged")
                    ))
        }
        if signature.coverage == .revision {
            for (index, change) in changes(signature).enumerated() {
                lines.append((index == 0 ? "since then" : "", change))
            }
        }
        return lines
    }

    /// The signed part of the file; nil if it is not helpful.
    private func extent(_ signature: VerifiedSignature) -> String? {
        let earlier = "an earlier state of the file"
        if signature.verdict == .failed {
            return signature.subfilter == nil || signature.coverage == .wholeFile
                ? nil : signature.coverage == .revision ? earlier : "only a part of the file"
        }
        guard signature.intact else { return nil }
        if signature.subfilter == nil {
            return signature.contentFile
                ?? (signature.kind == .timestamp
                    ? "what the stamped hash is of" : "the content that the message carries")
        }
        return signature.coverage == .revision ? earlier : "the whole file"
    }

    private func changes(_ signature: VerifiedSignature) -> [StyledText] {
        let details = signature.changesDetail
        guard !details.isEmpty else { return [StyledText("nothing changed")] }
        let content = Set(signature.contentChanges)
        // If the list is shortened, content changes come first, visible ones before others.
        let isCut = details.count > Self.changeLimit
        let ordered =
            isCut
            ? signature.contentChanges.filter(Set(details).contains)
                + details.filter { !content.contains($0) } : details
        let limit = min(max(Self.changeLimit, content.count), Self.contentChangeLimit)
        let rest = details.count - limit
        return ordered.prefix(limit).map {
            StyledText($0, content.contains($0) ? .doubtful : .plain)
        } + (rest > 0 ? [StyledText("and \(rest) more changes")] : [])
    }

    // MARK: Signer

    /// The signer with the trust status, unless something failed, since it is then irrelevant.
    private func signer(_ signature: VerifiedSignature) -> [(label: String, text: StyledText)] {
        guard let signer = signature.signer else { return [] }
        var (name, issuer) = (
            StyledText(signer.subject),
            StyledText(signer.issuer == signer.subject ? "itself" : signer.issuer)
        )
        if signature.verdict != .failed {
            switch signature.anchor {
            case .authority: issuer.append(", trusted")
            case .certificate:
                name.append(", trusted (this very certificate)")
                if signer.issuer != signer.subject { issuer.append(" (not checked)") }
            case nil: issuer.append(", not trusted", .doubtful)
            }
        }
        var foreign = StyledText()
        if let name = signature.foreignName {
            foreign.append(
                "\(name.inQuotes), says the signature: the certificate is of somebody else",
                .doubtful)
        }
        return [
            (signature.kind == .timestamp ? "authority" : "signer", name), ("named", foreign),
            ("issued by", issuer),
            ("revoked", StyledText(Self.revoked(signature) ?? unknown(signature))),
        ]
    }

    /// The reason for a missing revocation status; empty if it is not expected.
    private func unknown(_ signature: VerifiedSignature) -> String {
        guard signature.anchor == .authority, signature.verdict == .passed else { return "" }
        if signature.record.needsNoRevocation { return "needs not be asked, its issuer says" }
        return hasAsked || !signature.record.namesRevocationPlace
            ? "not known: the certificate names nobody to ask"
            : "not known: nobody was asked (--online asks)"
    }

    static func revoked(_ signature: VerifiedSignature) -> String? {
        guard let found = signature.revocation else { return nil }
        let what = found.source == .list ? "the list" : "an answer"
        let until = found.nextUpdate.map { ", which counts until \($0)" } ?? ""
        // For a passed signature the revocation was later.
        let after = signature.verdict == .passed ? ", after it was signed" : ""
        return (found.revokedAt.map { "since \($0)\(after)" } ?? "no")
            + " (by \(what) of \(found.authority.inQuotes) of \(found.thisUpdate)\(until))"
    }

    // MARK: Times

    private func times(_ signature: VerifiedSignature) -> [(label: String, text: StyledText)] {
        var lines: [(label: String, text: StyledText)] = []
        if signature.kind == .timestamp, let timestamp = signature.timestamp {
            var time = StyledText(
                "\(timestamp.time)" + (timestamp.accuracy.map { ", accurate to \($0)" } ?? ""))
            if !timestamp.trusted, signature.verdict != .failed {
                time.append(" (not proven: see above)")
            }
            lines.append(("time", time))
            lines.append(("policy", StyledText(timestamp.policy)))
            lines.append(("serial", StyledText(timestamp.serial)))
        } else if let claimed = signature.claimedTime {
            lines.append(("signed at", StyledText("\(claimed) (claimed by the signer)")))
        }
        if let proven = signature.provenTime {
            let by = signature.record.provenBy?.inQuotes ?? "a timestamp"
            lines.append(("existed at", StyledText("\(proven) (proven by \(by))")))
        } else if signature.kind == .signature, let timestamp = signature.timestamp {
            var text = StyledText(
                "\(timestamp.time)" + (timestamp.tsa.map { " by \($0.inQuotes)" } ?? ""))
            let ended = signature.problems.compactMap(\.proofEnded).first
            text.append(
                ended.map { ", which proves nothing after \($0.rfc3339)" }
                    ?? ", not trusted: proves nothing", .doubtful)
            lines.append(("stamped at", text))
        }
        return lines
    }

    // MARK: Level

    private func level(_ signature: VerifiedSignature) -> [(label: String, text: String)] {
        guard let explained = signature.levelExplained else { return [] }
        var lines = explained.certificates.map { (label: "evidence", text: $0.description) }
        let next = explained.nextLevel.map { "for \($0.rawValue)" } ?? "missing"
        lines += explained.missing.map { (label: next, text: $0) }
        if let command = explained.command { lines.append((label: "try", text: command.text)) }
        return lines
    }

    // MARK: Problems and hints

    /// Problems not in the first sentence, hints, and notes.
    private mutating func reasons(
        _ signature: VerifiedSignature, besides answered: Set<String>
    ) -> [(label: String, text: String)] {
        var lines: [(label: String, text: String)] = []
        let decisive =
            signature.problems.filter { $0.verdict == .failed }
            + signature.problems.filter { $0.verdict == .indeterminate }
        var said = answered
        for problem in decisive {
            if said.insert(problem.message).inserted { lines.append(("because", problem.message)) }
            // Hints for indeterminate problems do not help if another problem failed.
            guard problem.verdict == signature.verdict else { continue }
            if let hint = problem.hint, told.insert(hint).inserted { lines.append(("hint", hint)) }
        }
        let remarks = signature.problems.filter {
            // If all signatures passed, annotations are listed as changes and signers are known.
            ($0.code != .annotationMayCoverContent || !allPassed)
                && $0.verdict == nil && told.insert($0.message).inserted
        }
        for text in Kinds.counted(remarks.map(\.message)) { lines.append(("note", text)) }
        for case let hint? in remarks.map(\.hint) where told.insert(hint).inserted {
            lines.append(("hint", hint))
        }
        return lines
    }

    static func permission(_ permission: DocMDPPermission) -> String {
        switch permission {
        case .noChanges: "the document, permits no changes"
        case .formFilling: "the document, permits filling in forms and signing"
        case .annotations: "the document, permits forms, signatures and annotations"
        }
    }

    static func locked(_ lock: VerifiedSignature.Lock) -> String {
        let shown = lock.fields.prefix(changeLimit).map(\.inQuotes)
        let names =
            shown.joined(separator: ", ")
            + (lock.fieldCount > shown.count ? " and \(lock.fieldCount - shown.count) more" : "")
        return switch lock.scope {
        case .all: "all fields of the form"
        case .only where lock.fieldCount == 0: ""
        case .only: (lock.fieldCount == 1 ? "the field " : "the fields ") + names
        case .except: "all fields of the form" + (lock.fieldCount == 0 ? "" : " but \(names)")
        }
    }

    private func method(_ signature: VerifiedSignature) -> String {
        // Only PDF signatures have a SubFilter.
        let kind = signature.subfilter == nil ? "CAdES" : "PAdES"
        let level = signature.level.map { $0 == .cms ? $0.rawValue : "\(kind) \($0.rawValue)" }
        return [level, signature.algorithm, signature.digest].compactMap { $0 }
            .joined(separator: ", ")
    }
}

extension VerifiedSignature {
    /// Whether content was changed by permitted changes after this signature.
    fileprivate var isChangedSince: Bool { !contentChanges.isEmpty }
}
