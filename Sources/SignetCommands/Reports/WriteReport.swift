import Base
import SignetKit
import SystemBridge

/// Writes verification results: a self-contained HTML page for people, or the validation report of
/// one file for programs.
struct WriteReport {
    /// The chosen validation time; nil for the current time.
    var time: Moment?
    /// Whether revocation was checked online.
    var askedNetwork = false
    /// The rules of the verification: names and given values.
    var rules: [(name: ReportWord, value: ReportValue?)] = []
    /// Version of Signet on the page.
    var version = ""
    var language = Language.english
    /// Time zone of the page.
    var zone = ClockZone.utc
    /// Whether the machine-readable report embeds certificates and other objects, or only their
    /// hashes.
    var embedsObjects = true

    /// What the page says about a file, as markup.
    private struct Part {
        let path: String
        /// The row of the file in the overview.
        let row: String
        let content: String
    }

    private var parts: [Part] = []
    private var hasPictures = false

    /// The files to verify.
    var inputs: [String] = []
    /// Why files were not verified.
    private var failures: [String: String] = [:]
    /// Whether the page contains every file.
    var isComplete: Bool { parts.count >= inputs.count }
    /// Whether the page contains a file.
    var hasFile: Bool { !parts.isEmpty }

    /// Writes the validation report of a file.
    ///
    /// - Throws: ``SignetError``. No incomplete file remains.
    func write(_ document: VerifiedDocument, into destination: Destination) throws {
        var report = ValidationReport(at: time)
        report.validator = "Signet \(version)"
        report.embedsObjects = embedsObjects
        try write(try report.encoded(document), about: [document.file], into: destination)
    }

    /// Writes the page: for several files an overview, then each of them.
    ///
    /// - Throws: ``SignetError``. No incomplete file remains.
    func writePage(into destination: Destination) throws {
        let words = ReportWords(language)
        let isOne = inputs.count == 1
        let name = isOne ? FileSystem.name(of: parts[0].path) : ""
        let body =
            isOne
            ? [parts[0].content]
            : [words.heading("h1", .titleOfAll), overview(words)]
                + parts.enumerated().map {
                    "<article id=\"file\($0)\">\($1.content)</article>"
                }
        let page = ReportPage.page(
            title: isOne ? words(.title, name) : words(.titleOfAll), in: language,
            hasPictures: hasPictures, body.joined(separator: "\n"))
        try write(Array(page.utf8), about: parts.map(\.path), into: destination)
    }

    /// A row for each file: its result, signers and times, or why it was not verified.
    private func overview(_ words: ReportWords) -> String {
        let head = [words.say(.file), words.say(.result), words.say(.signer)]
            .map { ReportPage.element("th", $0) }.joined()
        let places = Dictionary(
            parts.enumerated().map { ($1.path, $0) }, uniquingKeysWith: { first, _ in first })
        let rows = inputs.map { path -> String in
            guard let place = places[path] else {
                let reason = failures[path].map { "<p>\(words.detail($0))</p>" } ?? ""
                return ReportPage.element("td", words.value(path))
                    + ReportPage.element(
                        "td",
                        ReportPage.element("strong", words.say(.notVerified), class: "failed")
                            + reason) + "<td></td>"
            }
            return "<td><a href=\"#file\(place)\">\(words.value(path))</a></td>"
                + parts[place].row
        }
        return ReportPage.element(
            "table",
            ReportPage.element("thead", ReportPage.element("tr", head))
                + ReportPage.element(
                    "tbody", rows.map { ReportPage.element("tr", $0) }.joined(separator: "\n")))
    }

    /// Notes that a file was not verified.
    mutating func fail(_ path: String, _ error: any Error) {
        failures[path] = SignetError(unforeseen: error).message
    }

    private func write(
        _ bytes: [UInt8], about files: [String], into destination: Destination
    ) throws {
        do {
            let output = try AtomicOutput(
                path: destination.path,
                mode: .atMost(FileSystem.commonPermissions(of: files)),
                replace: destination.replacesExisting)
            try output.write(bytes)
            try output.commit()
        } catch {
            throw SignetError(error)
        }
    }

    /// Adds a file to the page.
    ///
    /// - Parameter pictures: images of its pages; nil if not requested.
    mutating func add(_ document: VerifiedDocument, _ pictures: PagePictures?) {
        var document = document
        VerificationHint.advise(on: &document, at: time)
        let words = ReportWords(language, zone: zone)
        let checked = time?.time ?? SystemClock.now()
        let name = FileSystem.name(of: document.file)
        let timeline = ReportTimeline(document, checked: checked, in: words).svg
        let section = SignatureSection(words: words)
        var parts = [
            ReportPage.element("h1", words.say(.title, words.value(name))),
            fileFacts(document, checked, words),
        ]
        parts.append(documentProblems(document, words))
        parts += document.integrityCode.map { [integrityCode($0, words)] } ?? []
        parts += document.shownSignatures.map(section.markup)
        parts += [fileNotes(document, words), notChecked(document, words)]
        if !timeline.isEmpty {
            parts.append(ReportPage.element("section", words.heading("h2", .when) + timeline))
        }
        if let pictures, document.verdict != .unsigned {
            parts.append(PicturesSection(words: words).markup(pictures, document))
        }
        let hasEnglish = parts.contains { $0.contains(ReportWords.englishMark) }
        parts.insert(answer(document, words, hasEnglish: hasEnglish), at: 1)
        self.parts.append(
            Part(
                path: document.file, row: cells(document, words),
                content: parts.filter { !$0.isEmpty }.joined(separator: "\n")))
        hasPictures = hasPictures || pictures?.pages.isEmpty == false
    }

    // MARK: The document

    private func fileFacts(
        _ document: VerifiedDocument, _ checked: CalendarTime, _ words: ReportWords
    ) -> String {
        let signed = document.signatures.lazy.compactMap(\.contentFile).first
        let stamps = document.signatures.count { $0.kind == .timestamp }
        let isStamped = document.hasOnlyTimestamps
        let signatures = document.signatures.count - stamps
        func count(_ number: Int) -> String? { number == 0 ? nil : "\(number)" }
        func size(_ content: (sha256: String, byteCount: Int)?) -> String? {
            content.map { words.say(.bytes, "\($0.byteCount)") }
        }
        let time = words.moment(checked.moment)
        return ReportPage.facts(
            [
                (words.say(.fileHash), document.content.map { ReportPage.hash($0.sha256) }),
                (words.say(.size), size(document.content)),
                (words.say(isStamped ? .stampedFile : .signedFile), signed.map(words.value)),
                (
                    words.say(isStamped ? .stampedHash : .itsHash),
                    document.signedContent.map { ReportPage.hash($0.sha256) }
                ), (words.say(isStamped ? .stampedSize : .itsSize), size(document.signedContent)),
                (words.say(.signatures), count(signatures)),
                (words.say(.timestamps), count(stamps)),
                (words.say(.checked), self.time == nil ? time : words.say(.chosenTime, time)),
                (words.say(.checkedBy), words.value("Signet \(version)")),
                (words.say(.trustedRule), trustedRule(document, words)),
                (words.say(.list), document.trustLists.map { words.list(lists($0, words)) }),
                (words.say(.onlySigner), document.requiredSigner.map(words.certificate)),
            ]
                + rules.map { name, value in
                    (
                        words.say(name),
                        value.map {
                            switch $0 {
                            case .word(let word): words.say(word)
                            case .text(let text): words.value(text)
                            }
                        }
                    )
                })
    }

    /// The certificates that were trusted, whichever of them a signature needed.
    private func trustedRule(_ document: VerifiedDocument, _ words: ReportWords) -> String {
        guard document.givenAnchors.isEmpty else {
            return words.list(document.givenAnchors.map(words.certificate))
        }
        let imported = document.trustLists?.imported ?? []
        return imported.isEmpty
            ? words.say(.systemAuthorities)
            : words.list(imported.map { words.value("\($0.name), SHA-256 \($0.sha256)") })
    }

    private func lists(_ lists: UsedTrustLists, _ words: ReportWords) -> [String] {
        let head = lists.lotl.map {
            let text = words.say(
                .listNumber, words.value("LOTL"), "\($0.sequence)", words.value($0.issued.day))
            return $0.stale ? words.say(.outOfDate, text) : text
        }
        return [head].compactMap(\.self) + lists.used.map(SignatureSection(words: words).list)
    }

    private func verdict(_ document: VerifiedDocument) -> (sentence: ReportWord, style: String) {
        let isChanged = document.signatures.contains { !$0.contentChanges.isEmpty }
        let isStamped = document.hasOnlyTimestamps
        return switch document.verdict {
        case .passed where isChanged: (isStamped ? .stampsChanged : .allChanged, "changed")
        case .passed: (isStamped ? .stampsPassed : .allPassed, "passed")
        case .indeterminate: (isStamped ? .stampsNotConfirmed : .notConfirmed, "indeterminate")
        case .failed where document.signatures.isEmpty: (.macFailed, "failed")
        case .failed: (isStamped ? .stampsFailed : .anyFailed, "failed")
        case .unsigned: (.unsigned, "unsigned")
        }
    }

    /// The result and the signers of a file, for the overview.
    private func cells(_ document: VerifiedDocument, _ words: ReportWords) -> String {
        let decisive =
            document.shownSignatures.first {
                $0.verdict == .passed && !$0.contentChanges.isEmpty
                    && document.verdict == .passed
            }
            ?? document.shownSignatures.first { $0.verdict == document.verdict.verdict }
        let reason = decisive.flatMap { signature -> String? in
            let problems = DecisiveProblems(signature)
            return problems.main.map { words.detail(problems.text(of: $0)) }
        }
        // A file without a signature, and one with only a MAC, have a result of their own.
        let (sentence, style) = verdict(document)
        let result = decisive.map { SignatureSection(words: words).result(of: $0) }
        let signers = document.shownSignatures.filter { $0.signer != nil }.map { signature in
            let proven = signature.provenTime ?? signature.timestamp?.time
            let time =
                signature.kind == .signature && signature.provenTime == nil
                ? words.claimedTime(of: signature) : proven.map(words.moment)
            let level = signature.qualification.map { words.level($0.level) }
            let who = words.signer(of: signature) ?? ""
            return ReportPage.element(
                "p",
                signature.kind == .timestamp ? words.say(.pair, words.say(.timestamp), who) : who)
                + [time, level].compactMap(\.self)
                .map { ReportPage.element("p", $0, class: "pale") }.joined()
        }
        return ReportPage.element(
            "td",
            ReportPage.element("strong", result ?? words.say(sentence), class: style)
                + (reason.map { ReportPage.element("p", $0) } ?? ""))
            + ReportPage.element("td", signers.joined())
    }

    /// The first sentence, and one for each signature, as in the terminal output.
    private func answer(
        _ document: VerifiedDocument, _ words: ReportWords, hasEnglish: Bool
    ) -> String {
        let (sentence, style) = verdict(document)
        var lines = document.shownSignatures.map { signature in
            let level = signature.qualification.map { ", " + words.level($0.level) } ?? ""
            let who = words.signer(of: signature).map { " (\($0))" } ?? ""
            return words.say(
                .pair, words.title(of: signature) + who,
                SignatureSection(words: words).indication(of: signature) + level)
        }
        if hasEnglish {
            lines.append(ReportPage.element("small", words.say(.detailsInEnglish)))
        }
        return ReportPage.element(
            "div", ([words.say(sentence)] + lines).map { ReportPage.element("p", $0) }.joined(),
            class: "answer \(style)")
    }

    /// The result for the document's MAC, also without signatures.
    private func integrityCode(
        _ code: VerifiedDocument.IntegrityCode, _ words: ReportWords
    ) -> String {
        guard let verdict = code.verdict else { return "" }
        let word = words.say(SignatureSection.word(for: verdict))
        return ReportPage.element(
            "section",
            words.heading("h2", .mac)
                + ReportPage.element(
                    "p", ReportPage.element("strong", word), class: verdict.rawValue))
    }

    /// The problems of the document itself, once for all signatures.
    private func documentProblems(_ document: VerifiedDocument, _ words: ReportWords) -> String {
        guard document.verdict != .unsigned, !document.problems.isEmpty else { return "" }
        return ReportPage.element(
            "section",
            words.heading("h2", .document)
                + words.list(words.grouped(document.problems.map(\.message))))
    }

    /// Facts about the file that are not results of the verification.
    private func fileNotes(_ document: VerifiedDocument, _ words: ReportWords) -> String {
        let notes = document.warnings + (document.dynamicContent?.told ?? [])
        guard !notes.isEmpty else { return "" }
        return ReportPage.element(
            "section", words.heading("h2", .fileNotes) + words.list(words.grouped(notes)))
    }

    // MARK: Checks not performed

    private func notChecked(_ document: VerifiedDocument, _ words: ReportWords) -> String {
        guard document.verdict != .unsigned else { return "" }
        var items: [String] = []
        if !askedNetwork {
            let hasData = document.signatures.contains { $0.revocation != nil }
            let isTrusted = document.signatures.contains { $0.anchor != nil }
            items.append(
                words.say(
                    hasData ? .notAsked : isTrusted ? .noRevocationData : .noTrustedRevocation))
        }
        if document.trustLists == nil { items.append(words.say(.noLists)) }
        items.append(words.say(.notTruth))
        return ReportPage.element(
            "section", words.heading("h2", .notChecked) + words.list(items), class: "brief")
    }
}

extension VerifiedDocument {
    fileprivate var hasOnlyTimestamps: Bool {
        !signatures.isEmpty && signatures.allSatisfy { $0.kind == .timestamp }
    }
}

/// The value given for a rule.
enum ReportValue {
    case word(ReportWord)
    case text(String)
}
