import ArgumentParser
import FileBridge
import SignetKit

struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check every signature of PDF files, and signatures beside other files.",
        discussion: """
            Says for each signature whether the signed bytes are intact, who signed, whether the \
            certificate leads to a trust anchor, what the signature covers, and what was changed \
            since. Exit code 0 means that all of it was checked and nothing spoke against it. For a \
            signature or time stamp beside its file (.p7s, .tsr), the file is found by dropping the \
            suffix.

            Examples:
              signet verify contract.signed.pdf
              signet verify contract.signed.pdf --trust company-ca.pem
              signet verify --json *.pdf
              signet verify data.zip.p7s --signer jan.crt
            """)

    @Argument(help: "The files to verify.", completion: .file())
    var inputs: [String]

    @Option(
        help: ArgumentHelp(
            "Trust anchors, instead of the system's; repeatable.", valueName: "file|dir"),
        completion: .file())
    var trust: [String] = []

    @Option(
        help: ArgumentHelp(
            "The signature must be made with exactly this certificate, which is then trusted.",
            valueName: "file"),
        completion: .file())
    var signer: String?

    @Option(
        help: ArgumentHelp("Validate at this time (default: now).", valueName: "rfc3339"))
    var atTime: String?

    @Option(help: ArgumentHelp("Only the signature of this field.", valueName: "name"))
    var field: String?

    @Option(
        help: ArgumentHelp(
            "What a detached signature (.p7s) or time stamp (.tsr) covers.", valueName: "file"),
        completion: .file())
    var content: String?

    @OptionGroup var password: PasswordOptions
    @OptionGroup(title: "Messages") var messages: OutputOptions

    func validate() throws {
        try password.check(inputs: inputs)
        if content != nil && inputs.count > 1 {
            throw ValidationError("--content goes with one signature.")
        }
    }

    func run() throws {
        let task: VerifyDocument
        do {
            task = try VerifyDocument(
                trust: trust, signer: signer, time: try atTime.map { try TimeArgument.seconds($0) },
                field: field, password: password.source())
        } catch {
            throw Reporter(options: messages).failure(error)
        }
        let style = TextStyle()
        try Reporter.handleAll(inputs, messages) { input, reporter in
            let kind = try FileKind.of(input)
            let isDocument = content == nil && kind != .message && kind != .timestamp
            guard isDocument || field == nil else {
                throw SignetError(
                    .usage, file: input, "is no PDF and has no fields",
                    hint: "leave out --field")
            }
            let time = try atTime.map { try TimeArgument.seconds($0) }
            let report =
                if isDocument {
                    try task.run(input)
                } else if kind == .timestamp {
                    try VerifyTimestamp(trust: trust, signer: signer, time: time)
                        .run(input, content: content)
                } else {
                    try VerifyMessage(trust: trust, signer: signer, time: time)
                        .run(input, content: content)
                }
            return try reporter.verification(report, style)
        }
    }
}

extension Reporter {
    /// Reports what verification found, and gives its exit status.
    func verification(_ report: VerifiedDocument, _ style: TextStyle) throws -> ExitStatus {
        report.warnings.forEach { warning("\(report.file): \($0)") }
        try result(VerificationText(style: style).lines(report).joined(separator: "\n"))
        try result(json: report)
        return switch report.verdict {
        case .passed: .done
        case .indeterminate: .indeterminate
        case .failed: .invalid
        case .unsigned: .nothingToVerify
        }
    }
}

/// The report for people: the answer first, then who, when, what, and why not.
struct VerificationText {
    let style: TextStyle

    func lines(_ report: VerifiedDocument) -> [String] {
        let file = Reporter.printable(report.file)
        guard report.verdict != .unsigned else {
            return ["\(file): \(style.bold("no signature"))"]
        }
        return ["\(file): \(answer(report.verdict))"] + report.signatures.flatMap(lines)
    }

    private func lines(_ signature: VerifiedSignature) -> [String] {
        let who = signature.signer?.displayName ?? "an unknown signer"
        var lines = [
            "  \(Reporter.printable(signature.field)): \(answer(signature.verdict)), "
                + (signature.kind == "timestamp" ? "timestamp by " : "signed by ")
                + style.bold(Reporter.printable(who))
        ]
        func fact(_ label: String, _ value: String?) {
            guard let value else { return }
            let padded = label + String(repeating: " ", count: max(1, 13 - label.count))
            lines.append("    \(style.dim(padded))\(Reporter.printable(value))")
        }
        fact("certificate", signature.signer?.subject)
        fact("issued by", signature.signer.map { $0.issuer == $0.subject ? "itself" : $0.issuer })
        fact("trusted", signature.trusted ? "yes" : "no")
        if let timestamp = signature.timestamp, signature.kind == "timestamp" {
            fact(
                "time",
                timestamp.time + (timestamp.accuracy.map { ", accurate to \($0)" } ?? ""))
            fact("policy", timestamp.policy)
            fact("serial", timestamp.serial)
        }
        fact("signed at", signature.claimedTime.map { "\($0) (claimed by the signer)" })
        fact("reason", signature.reason)
        fact("location", signature.location)
        if signature.subfilter != nil { fact("covers", coverage(signature.coverage)) }
        if signature.coverage == "revision" {
            let details = signature.changesDetail
            fact(
                "since then", details.isEmpty ? "nothing changed" : details.joined(separator: "; "))
        }
        fact("certifies", signature.certification.map { "permitted changes: \($0)" })
        fact("method", method(signature))
        for problem in signature.problems {
            fact("because", problem.message)
        }
        return lines
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
