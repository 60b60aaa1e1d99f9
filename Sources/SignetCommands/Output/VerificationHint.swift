import Base
import SignetKit
import SystemBridge

/// Hints for the problems of a file.
struct VerificationHint {
    private let file: String
    /// The chosen validation time; nil for the current time.
    private let time: Moment?
    private let options = RepeatedOptions()
    /// Names and SHA-256 of the certificates that could be trusted, in the order of the output. The
    /// option --trust replaces other trust anchors, so a command must name all earlier ones.
    private var candidates: [(name: String, sha256: String)] = []
    /// Whether the system trust store, which --trust replaces, confirmed a signature.
    private var needsSystemStore = false

    /// Adds the hints to the problems of a report.
    ///
    /// - Parameter time: the chosen validation time; nil for the current time.
    static func advise(on report: inout VerifiedDocument, at time: Moment?) {
        var hint = Self(file: report.file, time: time)
        for signature in report.shownSignatures {
            for problem in signature.problems { hint.note(problem.missing) }
            hint.needsSystemStore = hint.needsSystemStore || signature.anchor == .authority
        }
        hint.advise(on: &report)
    }

    private init(file: String, time: Moment?) {
        (self.file, self.time) = (file, time)
    }

    private mutating func note(_ missing: MissingAuthority?) {
        switch missing {
        case .untrustedRoot(let name, let sha256)?, .untrustedCertificate(let name, let sha256)?:
            guard !candidates.contains(where: { $0.sha256 == sha256 }) else { return }
            candidates.append((name, sha256))
        case .unknownIssuer?, .otherKey?, nil: break
        }
    }

    private func advise(on report: inout VerifiedDocument) {
        // The time of later document timestamps, which prove the existence of older ones.
        var later: CalendarTime?
        for place in report.problems.indices {
            report.problems[place].hint = hint(for: report.problems[place], of: nil, number: 1)
        }
        let hasOldLists = report.trustLists?.isStale ?? false
        let proofs = possibleProofs(in: report)
        for index in report.signatures.indices.reversed() {
            let signature = report.signatures[index]
            let own = signature.problems.compactMap(\.proofEnded)
            let held = (own + [later].compactMap(\.self)).max()
            let isStamped = later != nil || signature.kind == .timestamp
            if signature.kind == .timestamp { later = held }
            for place in signature.problems.indices {
                let problem = signature.problems[place]
                guard !hasOldLists || !isListed(problem.missing) else {
                    report.signatures[index].problems[place].hint = Self.updateLists
                    continue
                }
                report.signatures[index].problems[place].hint =
                    held.flatMap {
                        hint(for: problem, of: signature, held: $0, isStamped: isStamped)
                    }
                    ?? hint(for: problem, of: signature, proofs)
                    ?? hint(for: problem, of: signature, number: index + 1)
            }
        }
    }

    private static let updateLists =
        "the trusted lists are missing or out of date; replace the given files or, for --trust-list eu, "
        + "run: signet trust update"

    /// A hint about how long timestamps prove the signature, and how to extend the proof.
    ///
    /// - Parameter isStamped: whether it is a document timestamp or a later one covers it.
    private func hint(
        for problem: VerificationProblem, of signature: VerifiedSignature, held: CalendarTime,
        isStamped: Bool
    ) -> String? {
        let isTooLate = hasExpired(signature) && held < SystemClock.now()
        guard
            problem.proofEnded != nil || problem.subindication == .outOfBoundsNoPOE
                || isTooLate && Self.statusCodes.contains(problem.code)
        else { return nil }
        if held > SystemClock.now() {
            let day = held.moment.day
            guard signature.level ?? .cms >= .lt || isStamped else {
                return "extend the signature before \(day): \(extending(signature))"
            }
            return "renew the timestamps before \(day): \(extending(signature, .renewFurther))"
        }
        return signature.kind == .timestamp
            ? Self.newerTimestamp(held.text)
            : "ask the signer for a new signature; the timestamp expired on \(held.text)"
    }

    /// One sentence, possibly with a command at its end; nil if only a new signature helps.
    ///
    /// - Parameters:
    ///   - signature: the signature with the problem; nil for a problem of the document.
    ///   - number: number of the signature, from 1.
    private func hint(
        for problem: VerificationProblem, of signature: VerifiedSignature?, number: Int
    ) -> String? {
        if let gap = problem.revocationGap { return Self.revocationHint(for: gap) }
        if let missing = problem.missing {
            let isTSA = signature?.kind == .timestamp || problem.code == .timestampUntrusted
            return hint(for: missing, isTSA: isTSA, of: signature)
        }
        if signature?.kind == .timestamp, Self.faultsOfTSA.contains(problem.code) {
            return "ask the sender for a file with a valid timestamp"
        }
        switch problem.code {
        case .certificateNotTrusted where problem.subindication == .outOfBoundsNoPOE,
            .expired where problem.subindication == .outOfBoundsNoPOE:
            return hintForExpiry()
        case .notYetValid where problem.subindication == .outOfBoundsNoPOE:
            return options.timeOption.map { "leave out \($0)" }
                ?? "check the date and time of this computer"
        case .changedAfterSigning, .changeNotPermitted, .lockedFieldChanged,
            .visibleSignatureAdded, .changedSinceSigned, .coveragePartial:
            return compare(number, isFailed: problem.verdict == .failed, signature)
        case .lookUncertain where problem.verdict != nil:
            return signature?.coverage == .revision
                ? compare(number, isFailed: true, signature) : Self.newCopy
        case .digestMismatch, .imprintMismatch:
            guard signature?.files == nil, let content = signature?.contentFile else { break }
            return
                "if \(ShellWord.quoted(content)) is the wrong file, \(options.contains("--content") ? "replace it in" : "add") --content FILE; otherwise do "
                + "not rely on the file, and ask the sender for a new copy"
        case .contentEmbedded where problem.verdict == .failed:
            return hintForOtherContent(signature?.contentFile)
        case .annotationMayCoverContent where problem.isFirst(of: signature):
            return compare(number, isFailed: false, signature)
        case .levelNotReached:
            if let hint = hintForLevel(problem, signature) { return hint }
        case .revocationUnknown where signature?.record.namesRevocationPlace == false:
            return
                "the certificate contains no OCSP or CRL URL: add the CRL of its CA with --crl FILE"
        case .signaturePending where file != "-":
            let option = signature?.signer == nil ? "cms" : "signature"
            return "to embed the signature, run: signet remote embed \(ShellWord.quoted(file)) "
                + "--\(option) FILE -o OUT.pdf"
        case .revocationUnknown where options.contains("--as-of"): return nil
        case .qualificationNotReached
        where signature?.qualification?.reasons.first.map({
            ["trust-list-missing", "trust-list-expired"].contains($0.code)
        }) == true:
            return Self.updateLists
        case .timestampUntrusted: return hintForTimestamp(problem)
        case .weakAlgorithm where problem.isAboutCertificate:
            return "ask for a signature with a stronger key: RSA 3072, EC P-256 or better"
        default: break
        }
        let hint = CodeExplanation.of(problem.code.rawValue)?.hint
        // A note has no effect on the verdict.
        return problem.verdict == nil && hint == Self.newCopy ? nil : hint
    }

    private static func revocationHint(for gap: VerificationProblem.RevocationGap) -> String {
        switch gap {
        case .unknownToResponder:
            "ask the CA whether it issued this certificate, or add the CRL of the CA with "
                + "--crl FILE"
        case .addressNotFetched: "download the CRL from this address, then add --crl FILE"
        }
    }

    /// A hint for a signature file with its own content.
    ///
    /// - Parameter file: the file next to it.
    private func hintForOtherContent(_ file: String?) -> String {
        "ask the sender for the signature of \(file?.inQuotes ?? "the other file"); to read the content "
            + "of the signature file, copy this file to another folder (here: COPY), then run: "
            + options.trusting("signet cms verify COPY -o CONTENT")
            // The content is written only if the signer is confirmed.
            + (options.contains("--trust") || options.contains("--signer") ? "" : " --trust FILE")
    }

    /// A hint for a level that was not reached; nil if nothing raises it.
    private func hintForLevel(
        _ problem: VerificationProblem, _ signature: VerifiedSignature?
    ) -> String? {
        if problem.hasUntrustedTimestamp {
            return signature?.problems.first { $0.code == .timestampUntrusted }
                .flatMap(hintForTimestamp)
                ?? "if you trust the TSA, add its root certificate with --trust FILE"
        }
        if problem.lackedLevel == .t && isPDF {
            // `signet extend` requires trust anchors, so `signet timestamp` is suggested here.
            return
                "ask the signer for a signature with a timestamp; to prove at least that this "
                + "signature exists today, run: signet timestamp "
                + "\(ShellWord.quoted(file)) --tsa URL"
        }
        if signature?.anchor == .certificate {
            return
                "ask for a signature with a certificate of a CA: one that is trusted directly has no "
                + "revocation data"
        }
        guard problem.lackedLevel != nil, file != "-" else { return nil }
        let command = extending(signature)
        return signature?.record.namesRevocationPlace == false
            ? "ask the CA for its CRL (the certificate contains no OCSP or CRL URL), then extend the "
                + "signature: \(command)"
            : "extend the signature: \(command)"
    }

    /// The command that adds validation data to a signature.
    private func extending(
        _ signature: VerifiedSignature?, _ command: Sentence.Code = .extendFurther
    ) -> String {
        options.extending(Sentence(command, file).text)
            + (signature?.record.namesRevocationPlace == false ? " --crl FILE" : "")
    }

    /// Whether a trust anchor may be on a trusted list: the certificate of a person is not.
    private func isListed(_ missing: MissingAuthority?) -> Bool {
        switch missing {
        case .untrustedCertificate?, nil: false
        case .untrustedRoot?, .unknownIssuer?, .otherKey?: true
        }
    }

    /// Times of timestamps that lack only trust or revocation data, with the hint for each.
    private func possibleProofs(in report: VerifiedDocument) -> [(time: Moment, hint: String)] {
        report.signatures.compactMap { signature in
            let lack = signature.problems.first { problem in
                problem.missing != nil && problem.code == .timestampUntrusted
                    || problem.reason.map(Self.statusCodes.contains) ?? false
                    || signature.kind == .timestamp && !hasExpired(signature)
                        && (problem.missing != nil || Self.statusCodes.contains(problem.code))
            }
            guard let time = signature.timestamp?.time,
                let hint = lack.flatMap({ hint(for: $0, of: signature, number: 1) })
            else { return nil }
            return (time, hint)
        }
    }

    private func hasExpired(_ signature: VerifiedSignature) -> Bool {
        signature.signer.map { $0.notAfter.time < time?.time ?? SystemClock.now() } ?? false
    }

    /// A hint for a certificate that expired: how to confirm a timestamp that proves the signature
    /// older, or that trust and revocation data would not be enough. Nil for other problems.
    private func hint(
        for problem: VerificationProblem, of signature: VerifiedSignature,
        _ proofs: [(time: Moment, hint: String)]
    ) -> String? {
        let isLate = problem.subindication == .outOfBoundsNoPOE
        guard problem.verdict != nil, hasExpired(signature), let end = signature.signer?.notAfter,
            signature.provenTime.map({ $0.time > end.time }) ?? true,
            isLate || problem.missing != nil || Self.statusCodes.contains(problem.code)
                || problem.code == .timestampAuthorityExpired
        else { return nil }
        guard signature.kind == .signature else { return Self.newerTimestamp(end.text) }
        if let proof = proofs.first(where: { $0.time.time <= end.time }) {
            return isLate ? proof.hint : nil
        }
        return isLate
            ? hintForExpiry()
            : "the signing certificate expired on \(end.day), so adding trust or revocation data is "
                + "not enough: " + hintForExpiry()
    }

    private static let statusCodes: Set<ProblemCode> = [
        .revocationUnknown, .revocationUnusable, .revocationUnanswered, .revocationOutdated,
    ]

    private static func newerTimestamp(_ end: String) -> String {
        "ask the sender for a file with a newer timestamp; the timestamp expired on \(end)"
    }

    private func hintForTimestamp(_ problem: VerificationProblem) -> String? {
        problem.reason.flatMap { CodeExplanation.of($0.rawValue)?.hint }
    }

    /// A hint for a certificate that had expired, and no timestamp is older.
    private func hintForExpiry() -> String {
        let advice = "ask the signer for a new signature with a timestamp"
        guard let option = options.timeOption else {
            return
                "\(advice); if you can prove that the signature existed on an earlier day, add --at-time with this day"
        }
        let isLater = time.map { $0.time > SystemClock.now() } ?? false
        return isLater ? "\(advice), or leave out \(option)" : advice
    }

    private static let faultsOfTSA: Set<ProblemCode> = [
        .keyUsage, .extendedKeyUsage, .revoked, .authorityRevoked, .weakAlgorithm,
        .timestampAuthorityExpired,
    ]

    private static let newCopy = "do not rely on this file; ask the sender for a new copy"

    private var isPDF: Bool { file != "-" && (try? FileKind.isPDF(file)) == true }

    /// How to compare the document with its signed version, if that is intact.
    private func compare(
        _ number: Int, isFailed: Bool, _ signature: VerifiedSignature?
    ) -> String? {
        guard file != "-", signature?.intact ?? true else { return isFailed ? Self.newCopy : nil }
        let stem = FileSystem.without(ending: ".pdf", file) ?? file
        let name = signature?.field.inQuotes ?? "the first signature"
        return (isFailed ? Self.newCopy + "; to" : "to")
            + " compare, save the version that \(name) signed, and open both in a PDF viewer: "
            + options.verify(
                file,
                ["--extract-revision", "\(number)", "-o", "\(stem).signed-version-\(number).pdf"])
    }

    /// Hint for a certificate that is not trusted. It asks for a comparison with the fingerprint
    /// from an independent source, because the file itself cannot establish trust.
    private func hint(
        for missing: MissingAuthority, isTSA: Bool, of signature: VerifiedSignature?
    ) -> String {
        switch missing {
        case .untrustedRoot(let name, let sha256):
            let isQualified = signature?.record.claimsQualified ?? false
            return "compare this SHA-256 fingerprint with the one that the CA \(name.inQuotes) "
                + "publishes: " + trust(name, sha256) + (isQualified ? lists("; or ") : "")
        case .untrustedCertificate(let name, let sha256) where isTSA:
            return "compare this SHA-256 fingerprint with the one that the TSA \(name.inQuotes) "
                + "publishes: " + trust(name, sha256)
        case .untrustedCertificate(let name, let sha256):
            return "ask the signer by phone or in person for the SHA-256 fingerprint of the "
                + "certificate, and compare it with this one: " + trust(name, sha256)
        case .otherKey(let name):
            return
                "add the certificate of \(name.inQuotes) with the matching key: --trust FILE for a "
                + "root CA you trust, --chain FILE for an intermediate CA"
        case .unknownIssuer(let name):
            return
                "get the certificate of the CA \(name.inQuotes) from this CA: if it is a root CA "
                + "that you trust, add --trust FILE; if it is an intermediate CA, add --chain FILE"
                + lists("; ")
        }
    }

    /// The commands that trust the CAs on European trusted lists; empty if they are used.
    private func lists(_ separator: String) -> String {
        guard !options.contains("--trust-list"), file != "-" else { return "" }
        return separator + "if the CA is on an EU trusted list, run: signet trust update; "
            + options.verify(file, ["--trust-list", "eu"])
    }

    /// The fingerprint of a certificate in `file`, and the commands that trust it.
    private func trust(_ name: String, _ sha256: String) -> String {
        let fingerprint = sha256.asFingerprint
        guard file != "-" else {
            return "\(fingerprint); if the fingerprints match, add --trust FILE"
        }
        let folder = "certs"
        let last = candidates.firstIndex { $0.sha256 == sha256 } ?? candidates.endIndex - 1
        let system =
            needsSystemStore && !options.contains("--trust") && !options.contains("--trust-list")
            ? VerificationOptions.systemTrustStore.flatMap { ["--trust", $0] } : []
        let trusting =
            candidates.prefix(through: last).flatMap {
                ["--trust", "\(folder)/\(SaveCertificates.name(of: $0.name, sha256: $0.sha256))"]
            } + system
        return "\(fingerprint); if the fingerprints match, run: "
            + "\(options.verify(file, ["--save-certs", folder])); \(options.verify(file, trusting))"
    }
}

extension VerificationProblem {
    /// Whether no earlier problem of the signature has this code: one hint is enough.
    fileprivate func isFirst(of signature: VerifiedSignature?) -> Bool {
        signature?.problems.first { $0.code == code }?.message == message
    }
}

extension String {
    /// A hash in hexadecimal as `6D:56:78…`.
    var asFingerprint: String {
        stride(from: 0, to: count, by: 2)
            .map { dropFirst($0).prefix(2).uppercased() }.joined(separator: ":")
    }
}
