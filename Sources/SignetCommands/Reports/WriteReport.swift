import ByteKit
import FileBridge
import SignetKit

/// Writes what verification found: for people one page, complete in itself, that browsers show and
/// print; for programs a validation report. Both say only what the verification says.
struct WriteReport {
    /// The time that was chosen to judge at, in seconds since 1970; nil is now.
    var time: Int?
    /// Whether authorities were asked over the network about revocation.
    var askedNetwork = false
    /// By which rules it was judged: labels, and what was given.
    var rules: [(label: String, text: String?)] = []
    /// Named in the page.
    var version = ""

    /// - Parameter destination: where the report goes; its ending says which it is.
    /// - Throws: ``SignetError``; then nothing is left behind.
    func run(_ document: VerifiedDocument, into destination: Destination) throws {
        var bytes: [UInt8]
        if destination.path.lowercased().hasSuffix(".xml") {
            var report = ValidationReport(at: time)
            report.validator = "Signet \(version)"
            bytes = try report.encoded(document)
        } else {
            bytes = Array(page(document).utf8)
        }
        do {
            let output = try AtomicOutput(
                path: destination.path,
                mode: .atMost(FileSystem.commonPermissions(of: [document.file])),
                replace: destination.replacesExisting)
            try output.write(bytes)
            try output.commit()
        } catch {
            throw SignetError(error)
        }
    }

    private func page(_ document: VerifiedDocument) -> String {
        let checked = time.map { CalendarTime(secondsSinceEpoch: $0) } ?? SystemClock.now()
        let name = document.file.split(separator: "/").last.map(String.init) ?? document.file
        let timeline = ReportTimeline(document, checked: checked).svg
        var parts = [
            ReportPage.element("h1", "Signatures of \(ReportPage.escaped(name))"),
            fileFacts(document, checked), answer(document),
        ]
        if !timeline.isEmpty {
            parts.append(
                ReportPage.element("section", ReportPage.element("h2", "When") + timeline))
        }
        parts += document.signatures.map(section)
        parts.append(notChecked(document))
        return ReportPage.page(
            title: "Signatures of \(name)", parts.joined(separator: "\n"))
    }

    // MARK: The document

    private func fileFacts(_ document: VerifiedDocument, _ checked: CalendarTime) -> String {
        return ReportPage.facts(
            [
                ("SHA-256", document.content?.sha256),
                ("size", document.content.map { "\($0.byteCount) bytes" }),
                ("what is signed", document.signatures.lazy.compactMap(\.contentFile).first),
                ("its SHA-256", document.signedContent?.sha256),
                ("its size", document.signedContent.map { "\($0.byteCount) bytes" }),
                time == nil
                    ? ("checked", checked.rfc3339)
                    : ("judged as of", "\(checked.rfc3339), a time that was chosen"),
                ("checked by", "Signet \(version)"),
            ] + rules)
    }

    /// What is said on a terminal too.
    private func answer(_ document: VerifiedDocument) -> String {
        let all = Self.subject(document)
        let isChanged = document.signatures.contains { !$0.contentChanges.isEmpty }
        let words =
            switch document.verdict {
            case .passed:
                isChanged
                    ? "\(all) in order, but the document was CHANGED since: see what."
                    : "\(all) in order: unchanged, and by who is named below."
            case .indeterminate: "It cannot be said for certain that everything is in order."
            case .failed: "At least one signature is invalid: do not rely on it."
            case .unsigned: "The file is not signed."
            }
        let lines = document.signatures.map { signature in
            let sentence = SignatureSentence(signature).text.plain
            let level = signature.qualification.map { ", \($0.level)" } ?? ""
            return ReportPage.element("p", ReportPage.escaped(sentence + level))
        }
        let style = isChanged && document.verdict == .passed ? "changed" : document.verdict.rawValue
        return ReportPage.element(
            "div", ReportPage.element("p", words) + lines.joined(), class: "answer \(style)")
    }

    /// `All 2 signatures and the time stamp are`.
    private static func subject(_ document: VerifiedDocument) -> String {
        let stamps = document.signatures.count { $0.kind == .timestamp }
        let signed = document.signatures.count - stamps
        func part(_ count: Int, _ word: String) -> String? {
            switch count {
            case 0: nil
            case 1: "the \(word)"
            default: "all \(count) \(word)s"
            }
        }
        let parts = [part(signed, "signature"), part(stamps, "time stamp")].compactMap(\.self)
        let text = parts.joined(separator: " and ")
        return text.prefix(1).uppercased() + text.dropFirst()
            + (document.signatures.count == 1 ? " is" : " are")
    }

    private static func words(_ signature: VerifiedSignature) -> String {
        let isChanged = !signature.contentChanges.isEmpty
        return switch signature.verdict {
        case .passed: isChanged ? "in order, but the document was changed since" : "in order"
        case .indeterminate: "not certain"
        case .failed: "invalid"
        }
    }

    // MARK: Signatures

    private func section(_ signature: VerifiedSignature) -> String {
        let kind = signature.kind == .timestamp ? "Time stamp" : "Signature"
        var parts = [
            ReportPage.element("h2", "\(kind) \(ReportPage.escaped(signature.field))"),
            ReportPage.element(
                "p",
                ReportPage.element("strong", ReportPage.escaped(Self.words(signature))),
                class: signature.contentChanges.isEmpty || signature.verdict == .failed
                    ? signature.verdict.rawValue : "changed"),
            facts(signature), changes(signature), qualification(signature), reasons(signature),
        ]
        if let signer = signature.signer {
            parts.append(
                "<details><summary>Certificate</summary>"
                    + ReportPage.facts([
                        ("subject", signer.subject), ("issuer", signer.issuer),
                        ("serial number", signer.serial),
                        ("valid", "\(signer.notBefore) to \(signer.notAfter)"),
                        ("SHA-256", signer.sha256),
                    ]) + "</details>")
        }
        return ReportPage.element("section", parts.joined(separator: "\n"))
    }

    private func facts(_ signature: VerifiedSignature) -> String {
        let extent =
            switch signature.coverage {
            case .wholeFile where signature.subfilter == nil:
                signature.contentFile ?? "what the signature itself carries"
            case .wholeFile: "the whole file"
            case .revision: "the file as it was then (what came later is below)"
            case .partial: "only a part of the file"
            }
        let stamp = signature.timestamp.map { stamp in
            "\(stamp.time) by \(stamp.tsa ?? "an unnamed authority")"
                + (stamp.trusted
                    ? ""
                    : signature.problems.lazy.compactMap(\.endedProof).first
                        .map { ", which proves nothing after \($0.time)" }
                        ?? ", not trusted: proves nothing")
        }
        return ReportPage.facts([
            ("who", signature.signer?.subject),
            (
                "issued by",
                signature.signer.map { $0.issuer + Self.trust(signature) }
            ),
            ("revoked", VerificationText.revoked(signature)),
            (
                "covers",
                extent + (signature.intact ? ": these bytes are unchanged" : ": not unchanged")
            ),
            ("signed at", signature.claimedTime.map { "\($0), as the signer says" }),
            ("existed at", signature.provenTime.map { "\($0), proven" }), ("time stamp", stamp),
            ("reason", signature.reason), ("location", signature.location),
            ("certifies", signature.certification.map(VerificationText.permission)),
            (
                "locks",
                signature.lock.map(VerificationText.locked).flatMap { $0.isEmpty ? nil : $0 }
            ),
            (
                "method",
                [signature.level?.rawValue, signature.algorithm, signature.digest]
                    .compactMap { $0 }.joined(separator: ", ")
            ),
        ])
    }

    /// What the terminal says behind the issuer's name.
    private static func trust(_ signature: VerifiedSignature) -> String {
        guard signature.verdict != .failed else { return "" }
        return switch signature.anchor {
        case .authority: ", trusted"
        case .certificate: " (not checked: this very certificate is trusted)"
        case nil: ", not trusted"
        }
    }

    private func changes(_ signature: VerifiedSignature) -> String {
        guard signature.coverage == .revision else { return "" }
        let items =
            signature.changesDetail.isEmpty ? ["nothing changed"] : signature.changesDetail
        return ReportPage.element("h3", "Since then")
            + list(items, limit: Self.itemLimit)
    }

    private func qualification(_ signature: VerifiedSignature) -> String {
        var parts: [String] = []
        if let found = signature.qualification {
            parts.append(
                ReportPage.facts([
                    ("level", found.level),
                    ("certificate", Self.answer(found.certificate.qualified, "qualified")),
                    (
                        "its key",
                        Self.answer(found.certificate.qscd, "in a qualified device")
                    ),
                    (
                        "service",
                        found.service.map {
                            "\($0.provider): \($0.name), \($0.status) since \($0.since.prefix(10))"
                        }
                    ),
                    (
                        "list",
                        found.list.map {
                            "\($0.territory) number \($0.sequence) of \($0.issued.prefix(10))"
                                + ($0.stale ? ", out of date" : "")
                        }
                    ),
                    ("for the time", "\(found.time) (\(found.timeSource))"),
                    ("limit", found.certificate.limit),
                ]))
            parts.append(list(found.reasons.map(\.message), limit: Self.itemLimit))
        }
        if let found = signature.timestamp?.qualification {
            parts.append(
                ReportPage.facts([("time stamp", Self.answer(found.qualified, "qualified"))]))
        }
        guard !parts.isEmpty else { return "" }
        return ReportPage.element("h3", "By the European trusted lists") + parts.joined()
    }

    private static func answer(_ answer: Bool?, _ word: String) -> String {
        switch answer {
        case true?: word
        case false?: "not \(word)"
        case nil: "cannot be told whether \(word)"
        }
    }

    private func reasons(_ signature: VerifiedSignature) -> String {
        let decisive = signature.problems.filter { $0.verdict != nil }.map(\.message)
        let remarks = signature.problems.filter { $0.verdict == nil }.map(\.message)
        return
            (decisive.isEmpty
            ? "" : ReportPage.element("h3", "Why") + list(decisive, limit: Self.itemLimit))
            + (remarks.isEmpty
                ? "" : ReportPage.element("h3", "Remarks") + list(remarks, limit: Self.itemLimit))
    }

    private static let itemLimit = 100

    private func list(_ items: [String], limit: Int) -> String {
        guard !items.isEmpty else { return "" }
        var shown = items.prefix(limit).map { ReportPage.element("li", ReportPage.escaped($0)) }
        if items.count > limit {
            shown.append(ReportPage.element("li", "and \(items.count - limit) more"))
        }
        return ReportPage.element("ul", shown.joined(separator: "\n"))
    }

    // MARK: What was not asked

    private func notChecked(_ document: VerifiedDocument) -> String {
        var items: [String] = []
        if !askedNetwork, document.verdict != .unsigned {
            items.append(
                "Authorities were not asked over the network whether certificates were revoked: only "
                    + "what the file itself brings, and what was given, is known.")
        }
        if document.trustLists == nil, document.verdict != .unsigned {
            items.append(
                "No trusted lists were asked: whether a signature is qualified is not said here.")
        }
        items.append("Whether the content is true, and whether the signer was allowed to sign it.")
        items += document.warnings
        items += document.dynamicContent?.lines ?? []
        return ReportPage.element(
            "section",
            ReportPage.element("h2", "What was not checked, and what else was noticed")
                + list(items, limit: Self.itemLimit))
    }
}
