import Base
import SignetKit
import SystemBridge

/// The verification result for people: the verdict on the file, then for each signature its
/// indication and labeled rows.
struct VerificationText {
    let style: TextStyle
    /// The chosen validation time; nil for the current time.
    let time: Moment?
    /// Whether revocation was checked online.
    let isOnline: Bool
    /// Whether all problems are listed.
    let isVerbose: Bool
    /// The option that made a signing certificate trusted directly.
    var trustOption = "--trust"
    /// Texts of problems, notes and hints printed for this file, which are not repeated.
    private var printed: Set<String> = []
    /// Hints printed as fixes; a hint of an earlier note is no fix.
    private var fixes: Set<String> = []
    /// Whether all signatures of the file passed.
    private var allPassed = false

    /// A label and the lines to the right of it. Empty lines are not printed.
    private typealias Row = (label: String, lines: [StyledText])

    /// Maximum number of changes listed, unless the content changes alone are more.
    private static let changeLimit = 12
    /// Maximum number of content changes listed.
    private static let contentChangeLimit = 100
    /// Maximum number of further problems listed without --verbose.
    private static let detailLimit = 3
    private static let labelWidth = 14
    private static let signatureIndent = 2
    private static let rowIndent = 4

    init(style: TextStyle, time: Moment?, isOnline: Bool, isVerbose: Bool) {
        self.style = style
        self.time = time
        self.isOnline = isOnline
        self.isVerbose = isVerbose
    }

    mutating func lines(_ report: VerifiedDocument) -> [String] {
        allPassed = report.verdict == .passed
        var blocks = [[style.lines(headline(report), hanging: Self.signatureIndent)]]
        blocks.append(documentRows(report).flatMap { lines($0, indent: Self.signatureIndent) })
        for signature in report.shownSignatures {
            let number = report.signatures.firstIndex { $0.field == signature.field }
            blocks.append(lines(signature, number: (number ?? 0) + 1))
        }
        return Array(blocks.filter { !$0.isEmpty }.joined(separator: [""]))
    }

    static func name(of verdict: Verdict) -> String { verdict.rawValue.uppercased() }

    // MARK: The document

    private func headline(_ report: VerifiedDocument) -> StyledText {
        var text = StyledText("\(report.file): ")
        guard let verdict = report.verdict.verdict else {
            text.append("no signature found", .strong)
            return text
        }
        let isChanged = allPassed && report.signatures.contains { !$0.contentChanges.isEmpty }
        text.append(Self.name(of: verdict), isChanged ? .doubtful : Tone(verdict))
        if let time { text.append(" as of \(time.day)") }
        if report.signatures.count > 1 {
            let timestampCount = report.signatures.count { $0.kind == .timestamp && !$0.isRemoved }
            let removedCount = report.signatures.count(where: \.isRemoved)
            let counts = [
                (report.signatures.count - timestampCount - removedCount, "signature", ""),
                (removedCount, "signature", " removed"), (timestampCount, "timestamp", ""),
            ]
            .filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")\($0.2)" }
            text.append(" (\(counts.joined(separator: ", ")))")
        }
        if isChanged { text.append(", modified after signing", .doubtful) }
        return text
    }

    /// Problems of the document itself, which apply to all signatures, and its MAC.
    private mutating func documentRows(_ report: VerifiedDocument) -> [Row] {
        guard report.verdict != .unsigned else { return [] }
        var rows: [Row] = []
        for problem in report.problems where printed.insert(problem.message).inserted {
            rows.append(Self.row(problem.verdict == nil ? "Note" : "Problem", problem.message))
            rows.append(("Fix", newFix(problem.hint)))
        }
        if let code = report.integrityCode {
            if code.valid {
                rows.append(
                    Self.row("MAC", "valid: last written with the password or a recipient's key"))
            } else if let verdict = code.verdict {
                rows.append(("MAC", [StyledText(Self.name(of: verdict), Tone(verdict))]))
            }
        }
        return rows
            + (report.savedCertificates ?? []).map { Self.row("Certificate", "saved as \($0)") }
    }

    /// The text and command of a fix, unless it was printed before.
    private mutating func newFix(_ hint: String?) -> [StyledText] {
        guard let hint, fixes.insert(hint).inserted else { return [] }
        printed.insert(hint)
        return StyledText.hint(hint)
    }

    /// A hint's text and command, unless it was printed before.
    private mutating func newHint(_ hint: String?) -> [StyledText]? {
        guard let hint, printed.insert(hint).inserted else { return nil }
        return StyledText.hint(hint)
    }

    // MARK: A signature

    private mutating func lines(_ signature: VerifiedSignature, number: Int) -> [String] {
        let problems = DecisiveProblems(signature)
        let isChanged = signature.verdict == .passed && !signature.contentChanges.isEmpty
        let name = Self.quotedIfAmbiguous(signature.field)
        // Outside a document the name says what it is: a timestamp, or that of an evidence record.
        let isNamed = signature.subfilter == nil && signature.files == nil
        let kind =
            isNamed ? name.prefix(1).uppercased() + name.dropFirst() : "Timestamp \(name)"
        var title = StyledText("\(signature.kind == .timestamp ? kind : name): ")
        title.append(
            Self.name(of: signature.verdict), isChanged ? .doubtful : Tone(signature.verdict))
        if let subindication = problems.subindication ?? signature.subindication {
            title.append(" (\(subindication.rawValue))")
        }
        if isChanged { title.append(", modified after signing", .doubtful) }
        let times =
            signature.kind == .timestamp ? timestampRows(signature) : signingTimeRows(signature)
        let rows =
            problemRows(problems) + contentRows(signature, mainProblem: problems.main)
            + notes(signature, number: number)
            + signerRows(signature) + QualificationText.rows(signature).map(Self.row)
            + times + countersignatureRows(signature) + termRows(signature)
            + detailRows(problems) + levelRows(signature)
        return [style.lines(title, indent: Self.signatureIndent, hanging: Self.rowIndent)]
            + rows.flatMap { lines($0, indent: Self.rowIndent) }
    }

    /// The name of a field, in quotes if it could imitate a verdict.
    private static func quotedIfAmbiguous(_ field: String) -> String {
        field.contains { $0 == ":" || $0.isNewline } ? field.inQuotes : field
    }

    private func lines(_ row: Row, indent: Int) -> [String] {
        row.lines.enumerated().filter { !$1.parts.isEmpty }.map { index, line in
            var text = StyledText(
                (index == 0 ? row.label : "").padding(to: Self.labelWidth),
                row.label == "Note" ? .doubtful : .faint)
            text.append(line)
            return style.lines(text, indent: indent, hanging: indent + Self.labelWidth)
        }
    }

    private static func row(_ label: String, _ text: String?) -> Row {
        (label, [StyledText(text ?? "")])
    }

    // MARK: Problems, content and notes

    private mutating func problemRows(_ problems: DecisiveProblems) -> [Row] {
        problems.mains.enumerated().flatMap { index, problem in
            let text = StyledText(
                problems.headline(of: problem), problem.verdict.map(Tone.init) ?? .plain)
            // A fix for several problems follows the last one.
            let isRepeated = problems.mains.dropFirst(index + 1).contains {
                $0.hint == problem.hint
            }
            return [
                ("Problem", [text]), ("Fix", isRepeated ? [] : newFix(problem.hint)),
            ]
        }
    }

    /// The state of the document, and its changes unless the main problem already lists them.
    private func contentRows(
        _ signature: VerifiedSignature, mainProblem: VerificationProblem?
    ) -> [Row] {
        let document = Self.row("Document", documentState(signature))
        guard signature.coverage == .revision,
            signature.changesDetail.contains(where: { change in
                mainProblem.map { !$0.message.contains(change) } ?? true
            })
        else { return [document] }
        return [document, ("Changes", changes(signature))]
    }

    /// Whether the document is modified; nil if its problems report that.
    private func documentState(_ signature: VerifiedSignature) -> String? {
        guard signature.intact else {
            return signature.signer == nil && !signature.isRemoved && signature.verdict != .failed
                ? "not checked (the signing certificate is missing)" : nil
        }
        let verb = signature.kind == .timestamp ? "timestamping" : "signing"
        let intact = "not modified after \(verb)"
        if let files = signature.files {
            let rest = files.count - Self.changeLimit
            return
                "\(intact) (covers \(files.prefix(Self.changeLimit).map(\.inQuotes).joined(separator: ", "))"
                + (rest > 0 ? " and \(rest) more files)" : ")")
        }
        if signature.subfilter == nil {
            return "\(intact) (\(signature.contentFile ?? "attached content"))"
        }
        switch signature.coverage {
        case .wholeFile: return "\(intact) (\(signature.kind.rawValue) covers the entire file)"
        case .partial: return "the \(signature.kind.rawValue) covers only a part of the file"
        case .revision:
            return signature.isModified
                ? "modified after \(verb); the signed version is intact"
                : "content not modified after \(verb)"
        }
    }

    private func changes(_ signature: VerifiedSignature) -> [StyledText] {
        let details = signature.changesDetail
        let content = Set(signature.contentChanges)
        // If the list is shortened, content changes come first, visible ones before others.
        let isShortened = details.count > Self.changeLimit
        let ordered =
            isShortened
            ? signature.contentChanges.filter(Set(details).contains)
                + details.filter { !content.contains($0) } : details
        let limit = min(max(Self.changeLimit, content.count), Self.contentChangeLimit)
        let rest = details.count - limit
        return ordered.prefix(limit).map {
            StyledText($0, content.contains($0) ? .doubtful : .plain)
        }
            + (rest > 0
                ? [
                    StyledText(
                        "and \(rest) more change\(rest == 1 ? "" : "s"); to list all, add --report FILE.html"
                    )
                ] : [])
    }

    private mutating func notes(_ signature: VerifiedSignature, number: Int) -> [Row] {
        var rows: [Row] = []
        if signature.hasPermittedChanges {
            // Under each signature: a signature without this note would seem to forbid its changes.
            rows.append(
                Self.row(
                    "Note",
                    VerifiedSignature.permittedChanges
                        + "; to save what it signed, add --extract-revision \(number) -o FILE"))
        }
        if let name = signature.foreignName, let signer = signature.signer {
            rows.append(
                Self.row(
                    "Note",
                    "name in the signature: \(name.inQuotes); in the certificate: "
                        + signer.displayName.inQuotes))
        }
        let notes = signature.problems.filter {
            // If all signatures passed, annotations are listed as changes and signers are known.
            guard $0.code != .annotationMayCoverContent else {
                return !allPassed && $0.verdict == nil
            }
            return $0.verdict == nil && !$0.isAboutEncoding && printed.insert($0.message).inserted
        }
        for note in notes where note.hint != nil {
            rows += [Self.row("Note", note.message), ("", newHint(note.hint) ?? [])]
        }
        return rows
            + Kinds.counted(notes.filter { $0.hint == nil }.map(\.message))
            .map { Self.row("Note", $0) }
    }

    private func detailRows(_ problems: DecisiveProblems) -> [Row] {
        let others = problems.details + (isVerbose ? problems.encoding : [])
        let limit = isVerbose ? others.count : Self.detailLimit
        var lines = others.prefix(limit).map { StyledText($0) }
        let rest = others.count - lines.count
        if rest > 0 { lines.append(StyledText("and \(rest) more; add --verbose to list them")) }
        return [("Details", lines)]
    }

    // MARK: Signer

    private func signerRows(_ signature: VerifiedSignature) -> [Row] {
        let label = signature.kind == .timestamp ? "TSA" : "Signer"
        guard let signer = signature.signer else {
            return signature.isRemoved ? [] : [Self.row(label, "unknown (no usable certificate)")]
        }
        var name = StyledText(signer.displayName)
        if ![signer.displayName, ""].contains(signer.subject) {
            name.append(" (\(signer.subject))")
        }
        var certificate = StyledText(
            signer.issuer != signer.subject
                ? "issued by \(signer.issuerName.inQuotes)"
                : signature.lacksIssuer
                    ? "issued by another \(signer.issuerName.inQuotes)" : "self-signed")
        switch signature.anchor {
        case .authority:
            certificate.append(signature.isConfirmed ? ", trusted" : "; the root is trusted")
        case .certificate: certificate.append(", trusted (\(trustOption))")
        case nil:
            certificate.append(
                signature.isTrustChecked ? ", not trusted" : ", not checked", .doubtful)
        }
        if !signature.isConfirmed {
            let reason =
                signature.isInvalidByItself ? " (the \(signature.kind.rawValue) is invalid)" : ""
            name.append(", not confirmed\(reason)", .doubtful)
        }
        // The path of a trusted certificate reports its expiry as a problem.
        if signature.anchor == nil, signer.notAfter.time < time?.time ?? SystemClock.now() {
            certificate.append(", expired on \(signer.notAfter.day)", .doubtful)
            if let claimed = signature.claimedTime, claimed.time > signer.notAfter.time {
                certificate.append(" (before the claimed signing time)", .doubtful)
            }
        }
        return [
            (label, [name]),
            ("Certificate", [certificate]), Self.row("Revocation", revocation(signature)),
        ]
    }

    private func revocation(_ signature: VerifiedSignature) -> String? {
        if let found = signature.revocation {
            let source = found.source == .list ? "CRL" : "OCSP response"
            let until = found.nextUpdate.map { ", next update by \($0.text)" } ?? ""
            // For a passed signature the revocation was later than the validation time.
            let isLater =
                found.revokedAt.map { revoked in
                    signature.claimedTime.map { $0.time <= revoked.time } ?? true
                } ?? false
            let after = signature.verdict == .passed && isLater ? ", after signing" : ""
            return (found.revokedAt.map { "revoked on \($0.text)\(after)" } ?? "not revoked")
                + " (\(source) of \(found.authority.inQuotes), issued \(found.thisUpdate.text)\(until))"
        }
        guard signature.anchor == .authority, signature.verdict == .passed else { return nil }
        if signature.record.needsNoRevocation { return "not required by the certificate" }
        return isOnline || !signature.record.namesRevocationPlace
            ? "not checked: the certificate contains no OCSP or CRL URL"
            : "not checked; add --online to check it"
    }

    // MARK: Times

    private func timestampRows(_ signature: VerifiedSignature) -> [Row] {
        guard let timestamp = signature.timestamp else { return [] }
        let accuracy = timestamp.accuracy.map { ", accuracy \($0)" } ?? ""
        var time = StyledText(timestamp.time.text + accuracy)
        if !timestamp.trusted, signature.verdict != .failed {
            time.append(", not confirmed", .doubtful)
        }
        let proof = signature.provenTime.map { "existed before \($0.text)\(provingTSA(signature))" }
        return [
            ("Timestamp", [time, StyledText(proof ?? "")]), Self.row("Policy", timestamp.policy),
            Self.row("Serial", timestamp.serial),
        ]
    }

    private func provingTSA(_ signature: VerifiedSignature) -> String {
        signature.record.provenBy.map { " (timestamp by \($0.inQuotes))" } ?? ""
    }

    private func signingTimeRows(_ signature: VerifiedSignature) -> [Row] {
        let clock =
            signature.timestamp == nil && signature.provenTime == nil
            ? "signer's clock, no timestamp" : "signer's clock"
        let claimed = signature.claimedTime.map { "\($0.text) (\(clock))" }
        return [
            Self.row("Signing time", claimed), ("Timestamp", [timestamp(of: signature)]),
        ]
    }

    private func timestamp(of signature: VerifiedSignature) -> StyledText {
        func by(_ name: String?) -> String { name.map { " by \($0.inQuotes)" } ?? "" }
        if let proven = signature.provenTime {
            return StyledText("\(proven.text)\(by(signature.record.provenBy)), trusted")
        }
        guard let timestamp = signature.timestamp else { return StyledText() }
        var text = StyledText(timestamp.time.text + by(timestamp.tsa))
        let ended = signature.problems.lazy.compactMap(\.proofEnded).first
        text.append(
            ended.map { ", expired on \($0.text), so ignored" } ?? ", not confirmed, so ignored",
            .doubtful)
        return text
    }

    private func countersignatureRows(_ signature: VerifiedSignature) -> [Row] {
        (signature.countersignatures ?? []).flatMap { inner in
            var text = StyledText(Self.name(of: inner.verdict), Tone(inner.verdict))
            text.append(": \(inner.signer?.displayName ?? "unknown signer")")
            if let time = inner.claimedTime { text.append(", \(time.text) (signer's clock)") }
            return [("Countersigned", [text])] + countersignatureRows(inner)
        }
    }

    // MARK: Terms and level

    private func termRows(_ signature: VerifiedSignature) -> [Row] {
        [
            Self.row("Reason", signature.reason), Self.row("Location", signature.location),
            Self.row("Policy", signature.statements?.policy.map(Self.policy)),
            ("Commitment", signature.statements?.commitments.map { StyledText($0) } ?? []),
            ("Claimed role", signature.statements?.roles.map { StyledText($0) } ?? []),
            ("Content", contentTimestamps(signature)),
            Self.row("Certification", signature.certification.map(Self.permission)),
            Self.row("Locks", signature.lock.map(Self.locked)),
            Self.row("Format", Self.format(of: signature)),
        ]
    }

    private static func policy(_ policy: VerifiedStatements.Policy) -> String {
        let comparison =
            policy.matches.map {
                $0 ? ", matches the policy file" : ", not confirmed by the policy file"
            } ?? ""
        return (policy.id ?? "implied by the content of the document")
            + (policy.address.map { " (\($0))" } ?? "") + comparison
    }

    private func contentTimestamps(_ signature: VerifiedSignature) -> [StyledText] {
        (signature.statements?.contentTimestamps ?? []).map { stamp in
            var text = StyledText(
                "timestamped at \(stamp.time.text)\(stamp.tsa.map { " by \($0.inQuotes)" } ?? "")")
            if stamp.trusted {
                text.append(", trusted")
            } else {
                text.append(", not trusted, so ignored", .doubtful)
            }
            return text
        }
    }

    /// The format, and the level without an ignored timestamp.
    static func format(of signature: VerifiedSignature) -> String {
        guard let level = signature.level, let format = signature.formatLevel, level < format else {
            return signature.format
        }
        let levels =
            "\(level.rawValue) (instead of \(format.rawValue), because the timestamp is ignored)"
        return signature.format.replacing(format.rawValue, with: levels, maxReplacements: 1)
    }

    private static func permission(_ permission: DocMDPPermission) -> String {
        switch permission {
        case .noChanges: "permits no changes"
        case .formFilling: "permits form filling and signing"
        case .annotations: "permits form filling, signing and annotations"
        }
    }

    private static func locked(_ lock: VerifiedSignature.Lock) -> String {
        let listed = lock.fields.prefix(changeLimit).map(\.inQuotes)
        let rest = lock.fieldCount - listed.count
        let names = listed.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
        return switch lock.scope {
        case .all: "all fields"
        case .only: lock.fieldCount == 0 ? "" : "the fields \(names)"
        case .except: lock.fieldCount == 0 ? "all fields" : "all fields except \(names)"
        }
    }

    private func levelRows(_ signature: VerifiedSignature) -> [Row] {
        guard let explained = signature.levelExplained else { return [] }
        // The command of a fix comes first: it may be another one.
        let hasFix = signature.problems.contains {
            $0.verdict != nil && $0.hint?.contains(": signet ") == true
        }
        let next = explained.nextLevel.map { "for \($0.rawValue): " } ?? ""
        return [
            ("Validation", explained.certificates.map { StyledText($0.description) }),
            ("Missing", explained.missing.map { StyledText(next + $0) }),
            (
                "Next step",
                hasFix
                    ? []
                    : explained.command.map {
                        StyledText.hint(RepeatedOptions().extending($0.text))
                    } ?? []
            ),
        ]
    }
}
