import SignetKit

/// The section of the HTML report about one signature, with the same rows as on a terminal.
struct SignatureSection {
    let words: ReportWords

    func markup(_ signature: VerifiedSignature) -> String {
        let isChanged = !signature.contentChanges.isEmpty && signature.verdict != .failed
        let parts = [
            ReportPage.element("h2", words.title(of: signature)),
            ReportPage.element(
                "p", ReportPage.element("strong", indication(of: signature)),
                class: isChanged ? "changed" : signature.verdict.rawValue),
            rows(signature), qualification(signature), certificate(of: signature),
        ]
        return ReportPage.element("section", parts.filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    /// The verdict with the sub-indication of ETSI EN 319 102-1.
    func indication(of signature: VerifiedSignature) -> String {
        // The words of ETSI EN 319 102-1, as on a terminal and in other reports.
        let code =
            switch signature.verdict {
            case .passed: "TOTAL-PASSED"
            case .indeterminate: "INDETERMINATE"
            case .failed: "TOTAL-FAILED"
            }
        let reason =
            DecisiveProblems(signature).subindication ?? signature.subindication
        let codes = [code, reason?.rawValue].compactMap(\.self).joined(separator: ", ")
        return "\(result(of: signature)) (\(words.value(codes)))"
    }

    func result(of signature: VerifiedSignature) -> String {
        words.say(Self.word(for: signature))
    }

    private static func word(for signature: VerifiedSignature) -> ReportWord {
        let isChanged = signature.verdict == .passed && !signature.contentChanges.isEmpty
        guard signature.kind == .timestamp else {
            return isChanged ? .passedChanged : word(for: signature.verdict)
        }
        return switch signature.verdict {
        case .passed: isChanged ? .stampPassedChanged : .stampPassed
        case .indeterminate: .stampIndeterminate
        case .failed: .stampFailed
        }
    }

    static func word(for verdict: Verdict) -> ReportWord {
        switch verdict {
        case .passed: .passed
        case .indeterminate: .indeterminate
        case .failed: .failed
        }
    }

    // MARK: Rows

    private func rows(_ signature: VerifiedSignature) -> String {
        let problems = DecisiveProblems(signature)
        let own = words.language.words
        let notes = signature.problems.filter { $0.verdict == nil && !$0.isAboutEncoding }
        let decisive = problems.mains.flatMap { problem in
            [
                (words.say(.problem), words.detail(problems.text(of: problem))),
                (words.say(.fix), problem.hint.map(fix)),
            ]
        }
        return ReportPage.facts(
            decisive + [
                (words.say(.document), extent(signature)),
                (words.say(.changes), changes(signature)),
                (
                    words.say(.note),
                    words.list(
                        words.grouped(
                            (signature.hasPermittedChanges
                                ? [VerifiedSignature.permittedChanges] : [])
                                + notes.map(\.message)))
                ),
                (
                    words.say(signature.kind == .timestamp ? .tsa : .signer),
                    words.signer(of: signature)
                ), (words.say(.certificate), signature.signer.map { issuer($0, of: signature) }),
                (words.say(.revocation), revocation(of: signature)),
                (
                    words.say(.signingTime),
                    signature.kind == .timestamp ? nil : words.claimedTime(of: signature)
                ), (words.say(.timestamp), timestamp(of: signature)),
                (words.say(.countersignature), words.list(countersignatures(of: signature))),
                (words.say(.reasonForSigning), signature.reason.map(words.value)),
                (ReportPage.escaped(own.location), signature.location.map(words.value)),
            ] + statements(of: signature) + [
                (words.say(.certification), signature.certification.map(permission)),
                (words.say(.lockedFields), signature.lock.flatMap(lock)),
                (words.say(.format), words.phrase(VerificationText.format(of: signature))),
                (words.say(.details), lines(problems.others)),
            ])
    }

    /// A hint, with each command on a line of its own.
    private func fix(_ hint: String) -> String {
        StyledText.hint(hint).map {
            StyledText.isCopied($0.plain)
                ? ReportPage.element(
                    "code",
                    $0.plain.contains(" ")
                        ? ReportPage.command($0.plain) : ReportPage.hash($0.plain))
                : words.detail($0.plain)
        }.joined(separator: "<br>")
    }

    /// English sentences; nil without any.
    private func lines(_ texts: [String]) -> String? {
        texts.isEmpty ? nil : words.list(texts.map(words.detail))
    }

    private func issuer(_ signer: VerifiedSignature.Signer, of signature: VerifiedSignature)
        -> String
    {
        let issuer =
            signer.issuer == signer.subject
            ? words.say(.selfSigned) : words.say(.issuedBy, words.value(signer.issuerName))
        return switch signature.anchor {
        case .authority: words.say(signature.isConfirmed ? .trusted : .rootTrusted, issuer)
        case .certificate: words.say(.trustedDirectly, issuer)
        case nil: words.say(signature.isTrustChecked ? .notTrusted : .trustNotChecked, issuer)
        }
    }

    private func revocation(of signature: VerifiedSignature) -> String? {
        guard let found = signature.revocation else {
            guard signature.anchor == .authority, signature.verdict == .passed else { return nil }
            return words.say(
                signature.record.needsNoRevocation
                    ? .revocationNotRequired
                    : signature.record.namesRevocationPlace
                        ? .revocationUnknown : .revocationWithoutURL)
        }
        // For a passed signature the revocation was later.
        let since: ReportWord = signature.verdict == .passed ? .revokedAfter : .revokedOn
        let status =
            found.revokedAt.map { words.say(since, words.moment($0)) } ?? words.say(.notRevoked)
        let text = words.say(
            found.source == .list ? .byCRL : .byOCSP, status, words.value(found.authority),
            words.moment(found.thisUpdate))
        return found.nextUpdate.map { words.say(.validUntil, text, words.moment($0)) } ?? text
    }

    /// Maximum number of listed files of a container.
    private static let fileLimit = 100

    /// The signed part of the file; nil if it is modified.
    private func extent(_ signature: VerifiedSignature) -> String? {
        guard signature.intact else { return nil }
        let isStamp = signature.kind == .timestamp
        if let files = signature.files, !files.isEmpty {
            let names = files.prefix(Self.fileLimit).joined(separator: ", ")
            return words.say(isStamp ? .stampIntactFile : .intactFile, words.value(names))
        }
        switch signature.coverage {
        case .wholeFile where signature.subfilter == nil:
            return signature.contentFile.map {
                words.say(isStamp ? .stampIntactFile : .intactFile, words.value($0))
            } ?? words.say(isStamp ? .stampIntactAttached : .intactAttached)
        case .wholeFile: return words.say(isStamp ? .stampIntact : .intact)
        case .partial: return words.say(isStamp ? .stampPartOfFile : .partOfFile)
        case .revision:
            let modified: ReportWord = isStamp ? .stampModifiedRevision : .modifiedRevision
            let intact: ReportWord = isStamp ? .stampIntactRevision : .intactRevision
            return words.say(signature.isModified ? modified : intact)
        }
    }

    private func changes(_ signature: VerifiedSignature) -> String? {
        guard signature.coverage == .revision else { return nil }
        return lines(signature.changesDetail) ?? words.say(.noChanges)
    }

    private func timestamp(of signature: VerifiedSignature) -> String? {
        if signature.kind == .signature, let proven = signature.provenTime {
            let by = signature.record.provenBy.map(words.value) ?? words.say(.unknownTSA)
            return words.say(.stampTrusted, words.say(.timestampedBy, words.moment(proven), by))
        }
        guard let timestamp = signature.timestamp else { return nil }
        let text = issue(of: timestamp)
        guard !timestamp.trusted else { return words.say(.stampTrusted, text) }
        let end = signature.problems.lazy.compactMap(\.proofEnded).first?.moment
        return end.map { words.say(.stampExpired, text, words.moment($0)) }
            ?? words.say(.timestampIgnored, text)
    }

    private func issue(of timestamp: VerifiedSignature.Timestamp) -> String {
        words.say(
            .timestampedBy, words.moment(timestamp.time),
            timestamp.tsa.map(words.value) ?? words.say(.unknownTSA))
    }

    // MARK: Statements and countersignatures

    private func statements(of signature: VerifiedSignature) -> [(String, String?)] {
        guard let stated = signature.statements else { return [] }
        let stamps = stated.contentTimestamps.map {
            words.say($0.trusted ? .stampTrusted : .timestampIgnored, issue(of: $0))
        }
        return [
            (words.say(.signaturePolicy), stated.policy.map(policy)),
            (words.say(.commitment), words.list(stated.commitments.map(words.value))),
            (words.say(.claimedRole), words.list(stated.roles.map(words.value))),
            (words.say(.contentStamp), words.list(stamps)),
        ]
    }

    private func policy(_ policy: VerifiedStatements.Policy) -> String {
        let name =
            (policy.id.map(words.value) ?? words.say(.policyImplied))
            + (policy.address.map { " (\(words.value($0)))" } ?? "")
        return policy.matches.map { words.say($0 ? .policyMatches : .policyUnconfirmed, name) }
            ?? name
    }

    private func countersignatures(of signature: VerifiedSignature) -> [String] {
        (signature.countersignatures ?? []).flatMap { inner in
            let name = words.signer(of: inner) ?? words.say(.unknownSigner)
            let result = words.say(.pair, name, words.say(Self.word(for: inner.verdict)))
            return [
                [result, words.claimedTime(of: inner)].compactMap(\.self).joined(separator: "<br>")
            ]
                + countersignatures(of: inner)
        }
    }

    private func permission(_ permission: DocMDPPermission) -> String {
        switch permission {
        case .noChanges: words.say(.permitsNothing)
        case .formFilling: words.say(.permitsForms)
        case .annotations: words.say(.permitsAnnotations)
        }
    }

    private static let nameLimit = 12

    private func lock(_ lock: VerifiedSignature.Lock) -> String? {
        let shown = lock.fields.prefix(Self.nameLimit)
        let rest = lock.fieldCount - shown.count
        let names =
            shown.map(words.value).joined(separator: ", ")
            + (rest > 0 ? " " + words.say(.more, "\(rest)") : "")
        return switch lock.scope {
        case .all: words.say(.allFields)
        case .only: lock.fieldCount == 0 ? nil : names
        case .except: lock.fieldCount == 0 ? words.say(.allFields) : words.say(.allFieldsBut, names)
        }
    }

    /// The details element is open, because closed details are not printed.
    private func certificate(of signature: VerifiedSignature) -> String {
        guard let signer = signature.signer else { return "" }
        let facts = ReportPage.facts([
            (words.say(.subject), words.value(signer.subject)),
            (words.say(.issuer), words.value(signer.issuer)),
            (words.say(.serial), words.value(signer.serial)),
            (
                words.say(.valid),
                words.say(.fromTo, words.moment(signer.notBefore), words.moment(signer.notAfter))
            ), (words.say(.certificateHash), ReportPage.hash(signer.sha256.asFingerprint)),
            (words.say(.anchor), signature.trustAnchor.map(words.certificate)),
            (
                "\(words.say(.anchor)) (\(words.say(.timestamp)))",
                signature.kind == .timestamp ? nil : signature.provenAnchor.map(words.certificate)
            ),
        ])
        return "<details open><summary>\(words.say(.certificate))</summary>\(facts)</details>"
    }

    // MARK: Qualification

    private func qualification(_ signature: VerifiedSignature) -> String {
        var parts: [String] = []
        if let found = signature.qualification {
            parts.append(
                ReportPage.facts([
                    (words.say(.level), words.level(found.level)),
                    (
                        words.say(.certificate),
                        answer(
                            found.certificate.qualified, .qualified, .notQualified,
                            .unknownQualified)
                    ),
                    (
                        words.say(.key),
                        answer(found.certificate.qscd, .inDevice, .notInDevice, .unknownDevice)
                    ),
                    (
                        words.say(.service),
                        found.service.map {
                            words.say(
                                .serviceSince, words.value($0.provider), words.value($0.name),
                                status($0.status), words.value($0.since.day))
                        }
                    ), (words.say(.list), found.list.map(list)),
                    (
                        words.say(.forTime),
                        words.say(
                            found.timeSource == "proven" ? .forProven : .forValidation,
                            words.moment(found.time))
                    ), (words.say(.limit), found.certificate.limit.map(words.value)),
                ]))
            parts.append(words.list(found.reasons.map(\.message).map(words.detail)))
        }
        if let found = signature.timestamp?.qualification {
            let text = answer(
                found.qualified, .stampQualified, .stampNotQualified, .stampUnknownQualified)
            parts.append(ReportPage.facts([(words.say(.timestamp), text)]))
            if found.qualified != true {
                parts.append(words.list(found.reasons.map(\.message).map(words.detail)))
            }
        }
        guard !parts.isEmpty else { return "" }
        return words.heading("h3", .byLists) + parts.joined()
    }

    func list(_ list: VerifiedQualification.List) -> String {
        let text = words.say(
            .listNumber, words.value(list.territory), "\(list.sequence)",
            words.value(list.issued.day))
        return list.stale ? words.say(.outOfDate, text) : text
    }

    /// The status of a trust service, as on the trusted list.
    private func status(_ name: String) -> String {
        switch name {
        case "granted": words.say(.granted)
        case "withdrawn": words.say(.withdrawn)
        default: words.value(name)
        }
    }

    private func answer(
        _ answer: Bool?, _ yes: ReportWord, _ no: ReportWord, _ unknown: ReportWord
    ) -> String {
        words.say(answer.map { $0 ? yes : no } ?? unknown)
    }
}
