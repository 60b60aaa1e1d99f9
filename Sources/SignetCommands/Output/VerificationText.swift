import SignetKit

/// The report for people: the answer first, in one sentence that says what is known and what is not;
/// then what is unchanged, who signed, when, how, and what to do.
struct VerificationText {
    let style: TextStyle
    /// What was said of this file, and of which signature: a file's reasons are given once.
    private var told: [String: String] = [:]

    /// Most changes that are told one by one.
    private static let changeLimit = 12
    private static let labelWidth = 13

    init(style: TextStyle) { self.style = style }

    mutating func lines(_ report: VerifiedDocument) -> [String] {
        let file = Reporter.printable(report.file)
        var lines = ["\(file): \(style.bold("no signature"))"]
        if let verdict = report.verdict.verdict {
            let count = report.signatures.count
            lines = [
                "\(file): \(style.answer(verdict))"
                    + (count > 1 ? ", \(count) signatures" : "")
            ]
            for signature in report.signatures { lines += self.lines(signature) }
        }
        if let code = report.integrityCode {
            lines += self.lines(code, isAlone: report.signatures.isEmpty)
        }
        return lines + (report.savedCertificates ?? []).map { "  " + entry("saved", $0) }
    }

    private func lines(_ code: VerifiedDocument.IntegrityCode, isAlone: Bool) -> [String] {
        if code.valid {
            return [
                "  integrity code: right: who wrote the file last knew what opens it; it does not "
                    + "say who that was"
            ]
        }
        guard !code.problems.isEmpty else { return [] }
        // Signatures repeat what speaks against them.
        return ["  integrity code: \(style.red("FAILED"))"]
            + (isAlone ? code.problems : []).map { "    " + entry("because", $0.message) }
    }

    private mutating func lines(_ signature: VerifiedSignature) -> [String] {
        var answer = SignatureSentence(signature)
        for index in answer.parts.indices {
            answer.parts[index].reason = answer.parts[index].reason.map {
                tell($0, in: signature.field)
            }
        }
        let headline =
            style.answer(signature.verdict)
            + Reporter.printable(answer.text(who: signature.signer?.displayName))
        var lines = ["  \(Reporter.printable(signature.field)): \(headline)"]
        func fact(_ label: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            lines.append("    " + entry(label, value))
        }
        for (label, text) in unchanged(signature) { fact(label, text) }
        fact("signer", signature.signer?.subject)
        fact(
            "named",
            signature.foreignName.map {
                "'\($0)', says the signature: the certificate is of somebody else"
            })
        fact("issued by", issuer(signature))
        for line in times(signature) { fact(line.label, line.text) }
        fact("reason", signature.reason)
        fact("location", signature.location)
        fact("certifies", signature.certification.map(permission))
        fact("method", method(signature))
        for (label, text) in reasons(signature, besides: answer.reasons) { fact(label, text) }
        return lines
    }

    private func entry(_ label: String, _ value: String) -> String {
        let padding = String(repeating: " ", count: max(1, Self.labelWidth - label.count))
        return style.dim(label + padding) + Reporter.printable(value)
    }

    /// The reason itself the first time, then the name of the signature that it was given for.
    private mutating func tell(_ reason: String, in field: String) -> String {
        guard let first = told[reason], first != field else {
            told[reason] = field
            return reason
        }
        return "as said for \(first)"
    }

    // MARK: What is unchanged

    private func unchanged(_ signature: VerifiedSignature) -> [(label: String, text: String)] {
        var lines: [(label: String, text: String)] = []
        if let extent = extent(signature) {
            lines.append(signature.verdict == .failed ? ("covers", extent) : ("unchanged", extent))
        }
        if signature.coverage == .revision {
            for (index, text) in changes(signature).enumerated() {
                lines.append((index == 0 ? "since then" : "", text))
            }
        }
        return lines
    }

    /// What of the file is as it was signed; nil where that would be no help.
    private func extent(_ signature: VerifiedSignature) -> String? {
        if signature.verdict == .failed {
            return signature.subfilter == nil || signature.coverage == .wholeFile
                ? nil
                : signature.coverage == .revision
                    ? "an earlier revision of the file" : "only a part of the file"
        }
        guard signature.intact else { return nil }
        if signature.subfilter == nil {
            return signature.contentFile
                ?? (signature.kind == .timestamp
                    ? "what the stamped hash is of" : "the content that the message carries")
        }
        return signature.coverage == .revision ? "the revision that was signed" : "the whole file"
    }

    // MARK: Who signed

    /// Whether that is believed stands beside it, unless something failed: then it does not count.
    private func issuer(_ signature: VerifiedSignature) -> String? {
        guard let signer = signature.signer else { return nil }
        let name = signer.issuer == signer.subject ? "itself" : signer.issuer
        if signature.verdict == .failed { return name }
        return name + (signature.trusted ? ", trusted" : ", not trusted")
    }

    // MARK: When

    private func times(_ signature: VerifiedSignature) -> [(label: String, text: String)] {
        var lines: [(label: String, text: String)] = []
        if signature.kind == .timestamp, let timestamp = signature.timestamp {
            let accuracy = timestamp.accuracy.map { ", accurate to \($0)" } ?? ""
            lines.append(
                (
                    "time",
                    timestamp.time + accuracy
                        + (timestamp.trusted ? "" : " (says an authority that is not trusted)")
                ))
            lines.append(("policy", timestamp.policy))
            lines.append(("serial", timestamp.serial))
        }
        if let claimed = signature.claimedTime {
            lines.append(("signed at", "\(claimed) (claimed by the signer)"))
        }
        if let proven = signature.provenTime {
            let by = signature.timestamp?.trusted == true ? signature.timestamp?.tsa : nil
            lines.append(
                (
                    "existed at",
                    "\(proven) (proven" + (by.map { " by \($0))" } ?? " by a time stamp)")
                )
            )
        } else if signature.kind == .signature, let timestamp = signature.timestamp {
            let by = timestamp.tsa.map { " by \($0)" } ?? ""
            lines.append(("stamped at", "\(timestamp.time)\(by), not trusted: proves nothing"))
        }
        return lines
    }

    private func changes(_ signature: VerifiedSignature) -> [String] {
        let details = signature.changesDetail
        guard !details.isEmpty else { return ["nothing changed"] }
        let rest = details.count - Self.changeLimit
        return details.prefix(Self.changeLimit) + (rest > 0 ? ["and \(rest) more changes"] : [])
    }

    // MARK: Why

    /// What the answer itself does not say yet, what can be done, and remarks.
    private mutating func reasons(
        _ signature: VerifiedSignature, besides answered: Set<String>
    ) -> [(label: String, text: String)] {
        var lines: [(label: String, text: String)] = []
        let decisive =
            signature.problems.filter { $0.verdict == .failed }
            + signature.problems.filter { $0.verdict == .indeterminate }
        for problem in decisive {
            if !answered.contains(problem.message) {
                lines.append(("because", tell(problem.message, in: signature.field)))
            }
            // What would help a doubt does not help where something failed.
            guard problem.verdict == signature.verdict else { continue }
            if let hint = problem.hint, told.updateValue(signature.field, forKey: hint) == nil {
                lines.append(("hint", hint))
            }
        }
        // Remarks on several signatures are no news the second time.
        let remarks = signature.problems.filter { $0.verdict == nil && told[$0.message] == nil }
        for text in Kinds.counted(remarks.map(\.message)) { lines.append(("note", text)) }
        for remark in remarks {
            told[remark.message] = signature.field
            if let hint = remark.hint, told.updateValue(signature.field, forKey: hint) == nil {
                lines.append(("hint", hint))
            }
        }
        return lines
    }

    private func permission(_ permission: DocMDPPermission) -> String {
        switch permission {
        case .noChanges: "the document, permits no changes"
        case .formFilling: "the document, permits filling in forms and signing"
        case .annotations: "the document, permits forms, signatures and annotations"
        }
    }

    private func method(_ signature: VerifiedSignature) -> String? {
        // Only signatures in PDF have a sub-filter.
        let kind = signature.subfilter == nil ? "CAdES" : "PAdES"
        let level = signature.level.map { $0 == .cms ? $0.rawValue : "\(kind) \($0.rawValue)" }
        let parts = [level, signature.algorithm, signature.digest]
        let known = parts.compactMap { $0 }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}
