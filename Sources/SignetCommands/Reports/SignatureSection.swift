import SignetKit

/// The section of the HTML report about one signature.
struct SignatureSection {
    let words: ReportWords

    func markup(_ signature: VerifiedSignature) -> String {
        let kind: ReportWord = signature.kind == .timestamp ? .timestamp : .signature
        let isChanged = !signature.contentChanges.isEmpty && signature.verdict != .failed
        var parts = [
            ReportPage.element("h2", words.say(kind) + " " + words.value(signature.field)),
            ReportPage.element(
                "p", ReportPage.element("strong", words.say(Self.verdict(of: signature))),
                class: isChanged ? "changed" : signature.verdict.rawValue),
            facts(signature), changes(signature), qualification(signature), reasons(signature),
        ]
        if let signer = signature.signer {
            parts.append(
                // Open, because closed details are not printed.
                "<details open><summary>\(words.say(.certificate))</summary>"
                    + ReportPage.facts([
                        (words.say(.subject), words.value(signer.subject)),
                        (words.say(.issuer), words.value(signer.issuer)),
                        (words.say(.serial), words.value(signer.serial)),
                        (
                            words.say(.valid),
                            words.say(
                                .fromTo, words.moment(signer.notBefore),
                                words.moment(signer.notAfter))
                        ), ("SHA-256", words.value(signer.sha256)),
                    ]) + "</details>")
        }
        return ReportPage.element("section", parts.filter { !$0.isEmpty }.joined(separator: "\n"))
    }

    static func verdict(of signature: VerifiedSignature) -> ReportWord {
        signature.verdict == .passed && !signature.contentChanges.isEmpty
            ? .inOrderChanged : word(for: signature.verdict)
    }

    static func word(for verdict: Verdict) -> ReportWord {
        switch verdict {
        case .passed: .inOrder
        case .indeterminate: .uncertain
        case .failed: .invalid
        }
    }

    // MARK: Facts

    private func facts(_ signature: VerifiedSignature) -> String {
        let own = words.language.words
        func claimed(_ label: String, _ text: String?) -> (label: String, value: String?) {
            (ReportPage.escaped(label), text.map(words.value))
        }
        return ReportPage.facts([
            (words.say(.signer), signature.signer.map { words.value($0.subject) }),
            (words.say(.issuer), signature.signer.map { issuer($0.issuer, of: signature) }),
            (words.say(.revoked), revocation(of: signature)),
            (
                words.say(.covers),
                words.say(signature.intact ? .unchanged : .notUnchanged, extent(signature))
            ),
            (
                words.say(.signedAt),
                signature.claimedTime.map { words.say(.asClaimed, words.moment($0)) }
            ),
            (
                words.say(.existedAt),
                signature.provenTime.map { words.say(.asProven, words.moment($0)) }
            ), (words.say(.timestamp), signature.timestamp.map { stamp($0, of: signature) }),
            claimed(own.reason, signature.reason), claimed(own.location, signature.location),
            (words.say(.certifies), signature.certification.map(permission)),
            (words.say(.locks), signature.lock.flatMap(lock)),
            (
                words.say(.method),
                words.value(
                    [signature.level?.rawValue, signature.algorithm, signature.digest]
                        .compactMap { $0 }.joined(separator: ", "))
            ),
        ])
    }

    /// The same addition after the issuer's name as on the terminal.
    private func issuer(_ name: String, of signature: VerifiedSignature) -> String {
        guard signature.verdict != .failed else { return words.value(name) }
        let trust: ReportWord =
            switch signature.anchor {
            case .authority: .believed
            case .certificate: .itselfBelieved
            case nil: .notBelieved
            }
        return words.say(trust, words.value(name))
    }

    private func revocation(of signature: VerifiedSignature) -> String? {
        guard let found = signature.revocation else {
            guard signature.anchor == .authority, signature.verdict == .passed else { return nil }
            return words.say(
                signature.record.needsNoRevocation ? .revocationNotNeeded : .revocationUnknown)
        }
        // For a passed signature the revocation was later.
        let since: ReportWord = signature.verdict == .passed ? .revokedAfter : .revokedSince
        let answer =
            found.revokedAt.map { words.say(since, words.moment($0)) } ?? words.say(.notRevoked)
        let word = words.say(
            found.source == .list ? .byList : .byAnswer, answer, words.value(found.authority),
            words.moment(found.thisUpdate))
        return found.nextUpdate.map { words.say(.countsUntil, word, words.moment($0)) } ?? word
    }

    private func extent(_ signature: VerifiedSignature) -> String {
        switch signature.coverage {
        case .wholeFile where signature.subfilter == nil:
            signature.contentFile.map(words.value) ?? words.say(.carried)
        case .wholeFile: words.say(.wholeFile)
        case .revision: words.say(.earlierState)
        case .partial: words.say(.partOfFile)
        }
    }

    private func stamp(
        _ stamp: VerifiedSignature.Timestamp, of signature: VerifiedSignature
    ) -> String {
        let text = words.say(
            .stampedBy, words.moment(stamp.time),
            stamp.tsa.map(words.value) ?? words.say(.unnamedAuthority))
        guard !stamp.trusted else { return text }
        let end = signature.problems.lazy.compactMap(\.proofEnded).first?.moment
        return end.map { words.say(.provesUntil, text, words.moment($0)) }
            ?? words.say(.provesNothing, text)
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
        case .only: lock.fieldCount == 0 ? nil : words.say(.theseFields, names)
        case .except: lock.fieldCount == 0 ? words.say(.allFields) : words.say(.allFieldsBut, names)
        }
    }

    private func changes(_ signature: VerifiedSignature) -> String {
        guard signature.coverage == .revision else { return "" }
        let items = signature.changesDetail.map(words.detail)
        return words.heading("h3", .sinceThen)
            + words.list(items.isEmpty ? [words.say(.nothingChanged)] : items)
    }

    // MARK: Qualification

    private func qualification(_ signature: VerifiedSignature) -> String {
        var parts: [String] = []
        if let found = signature.qualification {
            parts.append(
                ReportPage.facts([
                    (words.say(.level), words.value(found.level)),
                    (words.say(.certificate), qualified(found.certificate.qualified)),
                    (
                        words.say(.itsKey),
                        answer(found.certificate.qscd, .inDevice, .notInDevice, .unknownDevice)
                    ),
                    (
                        words.say(.service),
                        found.service.map {
                            words.say(
                                .serviceSince, words.value($0.provider), words.value($0.name),
                                words.value($0.status), words.value($0.since.day))
                        }
                    ), (words.say(.list), found.list.map(list)),
                    (
                        words.say(.forTime),
                        "\(words.moment(found.time)) (\(words.value(found.timeSource)))"
                    ), (words.say(.limit), found.certificate.limit.map(words.value)),
                ]))
            parts.append(words.list(found.reasons.map(\.message).map(words.detail)))
        }
        if let found = signature.timestamp?.qualification {
            parts.append(ReportPage.facts([(words.say(.timestamp), qualified(found.qualified))]))
        }
        guard !parts.isEmpty else { return "" }
        return words.heading("h3", .byLists) + parts.joined()
    }

    private func list(_ list: VerifiedQualification.List) -> String {
        let text = words.say(
            .listNumber, words.value(list.territory), "\(list.sequence)",
            words.value(list.issued.day))
        return list.stale ? words.say(.outOfDate, text) : text
    }

    private func qualified(_ answer: Bool?) -> String {
        self.answer(answer, .qualified, .notQualified, .unknownQualified)
    }

    private func answer(
        _ answer: Bool?, _ yes: ReportWord, _ no: ReportWord, _ unknown: ReportWord
    ) -> String {
        words.say(answer.map { $0 ? yes : no } ?? unknown)
    }

    // MARK: Reasons

    private func reasons(_ signature: VerifiedSignature) -> String {
        func part(_ heading: ReportWord, isDecisive: Bool) -> String {
            let messages = signature.problems.filter { ($0.verdict != nil) == isDecisive }
                .map(\.message)
            guard !messages.isEmpty else { return "" }
            return words.heading("h3", heading) + words.list(messages.map(words.detail))
        }
        return part(.why, isDecisive: true) + part(.remarks, isDecisive: false)
    }
}
