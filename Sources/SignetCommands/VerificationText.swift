import FileBridge
import SignetKit

/// The report for people: the answer first, then who, when, what, and why not.
struct VerificationText {
    let style: TextStyle

    /// Most changes that are told one by one.
    private static let changeLimit = 12
    private static let labelWidth = 13

    func lines(_ report: VerifiedDocument) -> [String] {
        let file = Reporter.printable(report.file)
        guard report.verdict != .unsigned else {
            return ["\(file): \(style.bold("no signature"))"]
        }
        let count = report.signatures.count
        return ["\(file): \(answer(report.verdict))" + (count > 1 ? ", \(count) signatures" : "")]
            + report.signatures.flatMap(lines)
    }

    private func lines(_ signature: VerifiedSignature) -> [String] {
        var lines = [headline(signature)]
        func fact(_ label: String, _ value: String?) {
            guard let value, !value.isEmpty else { return }
            lines.append("    " + entry(label, value))
        }
        fact("certificate", signature.signer?.subject)
        fact("issued by", signature.signer.map { $0.issuer == $0.subject ? "itself" : $0.issuer })
        if signature.signer != nil { fact("trusted", signature.trusted ? "yes" : "no") }
        for line in times(signature) { fact(line.label, line.text) }
        fact("reason", signature.reason)
        fact("location", signature.location)
        if signature.subfilter != nil { fact("covers", coverage(signature.coverage)) }
        if signature.coverage == "revision" {
            for (index, text) in changes(signature).enumerated() {
                fact(index == 0 ? "since then" : "", text)
            }
        }
        fact("certifies", signature.certification.map(permission))
        fact("method", method(signature))
        // What decided comes first, remarks come last.
        for problem in ["failed", "indeterminate", nil].flatMap({ verdict in
            signature.problems.filter { $0.verdict == verdict }
        }) {
            fact(problem.verdict == nil ? "note" : "because", problem.message)
            if let hint = problem.hint {
                lines.append(
                    "    " + entry("", style.dim("hint: " + Reporter.printable(hint)), raw: true))
            }
        }
        return lines
    }

    private func entry(_ label: String, _ value: String, raw: Bool = false) -> String {
        let padding = String(repeating: " ", count: max(1, Self.labelWidth - label.count))
        return style.dim(label + padding) + (raw ? value : Reporter.printable(value))
    }

    /// One line with the answer: verdict, who, and when as far as it is known.
    private func headline(_ signature: VerifiedSignature) -> String {
        let who = style.bold(
            Reporter.printable(signature.signer?.displayName ?? "an unknown signer"))
        let action: String
        switch signature.kind {
        case "timestamp": action = "time stamp by \(who)"
        default: action = "signed by \(who)"
        }
        return "  \(Reporter.printable(signature.field)): \(answer(signature.verdict)), \(action)"
    }

    private func times(_ signature: VerifiedSignature) -> [(label: String, text: String)] {
        var lines: [(label: String, text: String)] = []
        if signature.kind == "timestamp", let timestamp = signature.timestamp {
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
        } else if signature.kind == "signature", let timestamp = signature.timestamp {
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

    private func answer(_ verdict: VerifiedDocument.Verdict) -> String {
        switch verdict {
        case .passed: style.green("passed")
        case .indeterminate: style.yellow("indeterminate")
        case .failed: style.red("FAILED")
        case .unsigned: "unsigned"
        }
    }

    private func coverage(_ name: String) -> String {
        switch name {
        case "whole-file": "the whole file"
        case "revision": "an earlier revision of the file"
        default: "only a part of the file"
        }
    }

    private func permission(_ name: String) -> String {
        switch name {
        case "no-changes": "the document, permits no changes"
        case "form-filling": "the document, permits filling in forms and signing"
        default: "the document, permits forms, signatures and annotations"
        }
    }

    private func method(_ signature: VerifiedSignature) -> String? {
        // Only signatures in PDF have a sub-filter.
        let kind = signature.subfilter == nil ? "CAdES" : "PAdES"
        let level = signature.level.map { $0 == "CMS" ? $0 : "\(kind) \($0)" }
        let parts = [level, signature.algorithm, signature.digest]
        let known = parts.compactMap { $0 }
        return known.isEmpty ? nil : known.joined(separator: ", ")
    }
}

/// Colours on a terminal; plain text elsewhere, with NO_COLOR, and on a dumb terminal.
struct TextStyle {
    private let isOn: Bool

    init() {
        let noColor = ProcessEnvironment.value("NO_COLOR").map { !$0.isEmpty } ?? false
        let isDumb = ProcessEnvironment.value("TERM").map { $0 == Array("dumb".utf8) } ?? true
        isOn = Terminal.isInteractive(.output) && !noColor && !isDumb
    }

    func green(_ text: String) -> String { paint(text, "1;32") }
    func yellow(_ text: String) -> String { paint(text, "1;33") }
    func red(_ text: String) -> String { paint(text, "1;31") }
    func bold(_ text: String) -> String { paint(text, "1") }
    func dim(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
