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
    /// Language of the page.
    var language = Language.english
    /// Time zone of the page.
    var zone = ClockZone.utc
    /// Whether the machine-readable report embeds certificates and other objects, or only their
    /// hashes.
    var embedsObjects = true

    /// What the page says about a file, as markup.
    private struct Part {
        let path: String
        let verdict: String
        let content: String
    }

    private var parts: [Part] = []
    private var hasPictures = false

    /// The number of files that the page must contain.
    var expectedCount = 1
    /// Whether the page contains every file.
    var isComplete: Bool { parts.count >= expectedCount }

    /// Writes the validation report of a file.
    ///
    /// - Throws: ``SignetError``. No incomplete file remains.
    func write(_ document: VerifiedDocument, into destination: Destination) throws {
        var report = ValidationReport(at: time)
        report.validator = "Signet \(version)"
        report.embedsObjects = embedsObjects
        try write(try report.encoded(document), about: [document.file], into: destination)
    }

    /// Writes the page: for several files a table of verdicts, then each of them.
    ///
    /// - Throws: ``SignetError``. No incomplete file remains.
    func writePage(into destination: Destination) throws {
        let words = ReportWords(language)
        let isOne = parts.count == 1
        let name = isOne ? FileSystem.name(of: parts[0].path) : ""
        let table = ReportPage.facts(parts.map { (words.value($0.path), $0.verdict) })
        let body =
            isOne
            ? [parts[0].content]
            : [words.heading("h1", .titleOfAll), table]
                + parts.map { ReportPage.element("article", $0.content) }
        let page = ReportPage.page(
            title: isOne ? words(.title, name) : words(.titleOfAll), in: language,
            hasPictures: hasPictures, body.joined(separator: "\n"))
        try write(Array(page.utf8), about: parts.map(\.path), into: destination)
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
        parts += document.signatures.map(section.markup)
        if !timeline.isEmpty {
            parts.append(ReportPage.element("section", words.heading("h2", .when) + timeline))
        }
        if let pictures, document.verdict != .unsigned {
            parts.append(PicturesSection(words: words).markup(pictures, document))
        }
        parts.append(notChecked(document, words))
        let hasEnglish = parts.contains { $0.contains(ReportWords.englishMark) }
        parts.insert(answer(document, words, hasEnglish: hasEnglish), at: 1)
        let (sentence, style) = verdict(document)
        self.parts.append(
            Part(
                path: document.file,
                verdict: ReportPage.element("strong", words.say(sentence), class: style),
                content: parts.joined(separator: "\n")))
        hasPictures = hasPictures || pictures?.pages.isEmpty == false
    }

    // MARK: The document

    private func fileFacts(
        _ document: VerifiedDocument, _ checked: CalendarTime, _ words: ReportWords
    ) -> String {
        let signed = document.signatures.lazy.compactMap(\.contentFile).first
        let stamps = document.signatures.count { $0.kind == .timestamp }
        let signatures = document.signatures.count - stamps
        func count(_ number: Int) -> String? { number == 0 ? nil : "\(number)" }
        func size(_ content: (sha256: String, byteCount: Int)?) -> String? {
            content.map { words.say(.bytes, "\($0.byteCount)") }
        }
        let time = words.moment(checked.moment)
        return ReportPage.facts(
            [
                (words.say(.fileHash), document.content.map { words.value($0.sha256) }),
                (words.say(.size), size(document.content)),
                (words.say(.signedFile), signed.map(words.value)),
                (words.say(.itsHash), document.signedContent.map { words.value($0.sha256) }),
                (words.say(.itsSize), size(document.signedContent)),
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
        document.givenAnchors.isEmpty
            ? words.say(.systemAuthorities)
            : words.list(document.givenAnchors.map(words.certificate))
    }

    /// The list of lists, and the used ones.
    private func lists(_ lists: UsedTrustLists, _ words: ReportWords) -> [String] {
        let head = lists.lotl.map {
            let text = words.say(
                .listNumber, words.value("LOTL"), "\($0.sequence)", words.value($0.issued.day))
            return $0.stale ? words.say(.outOfDate, text) : text
        }
        return [head].compactMap(\.self) + lists.used.map(SignatureSection(words: words).list)
    }

    /// The verdict as a sentence, with its style.
    private func verdict(_ document: VerifiedDocument) -> (sentence: ReportWord, style: String) {
        let isChanged = document.signatures.contains { !$0.contentChanges.isEmpty }
        return switch document.verdict {
        case .passed: isChanged ? (.allChanged, "changed") : (.allPassed, "passed")
        case .indeterminate: (.notConfirmed, "indeterminate")
        case .failed: (document.signatures.isEmpty ? .macFailed : .anyFailed, "failed")
        case .unsigned: (.unsigned, "unsigned")
        }
    }

    /// The first sentence, and one for each signature, as in the terminal output.
    private func answer(
        _ document: VerifiedDocument, _ words: ReportWords, hasEnglish: Bool
    ) -> String {
        let (sentence, style) = verdict(document)
        var lines = document.signatures.map { signature in
            let level = signature.qualification.map { ", " + words.value($0.level) } ?? ""
            let kind = words.say(signature.kind == .timestamp ? .timestamp : .signature)
            let who =
                signature.signer.map {
                    let name = words.value($0.displayName)
                    return " (\(signature.isConfirmed ? name : words.say(.notConfirmedName, name)))"
                } ?? ""
            return "\(kind) \(words.value(signature.field))\(who): "
                + SignatureSection(words: words).indication(of: signature) + level
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
                + words.list(document.problems.map { words.detail($0.message) }))
    }

    // MARK: Checks not performed

    private func notChecked(_ document: VerifiedDocument, _ words: ReportWords) -> String {
        var items: [String] = []
        if !askedNetwork, document.verdict != .unsigned {
            let hasData = document.signatures.contains { $0.revocation != nil }
            items.append(words.say(hasData ? .notAsked : .noRevocationData))
        }
        if document.trustLists == nil, document.verdict != .unsigned {
            items.append(words.say(.noLists))
        }
        items.append(words.say(.notTruth))
        items += (document.warnings + (document.dynamicContent?.told ?? [])).map(words.detail)
        return ReportPage.element("section", words.heading("h2", .notChecked) + words.list(items))
    }
}

/// The value given for a rule.
enum ReportValue {
    case word(ReportWord)
    case text(String)
}

// Texts as markup.
extension ReportWords {
    /// The text of a word as markup, with markup for its placeholders.
    func say(_ word: ReportWord, _ values: String...) -> String {
        pieces(of: word).map { piece in
            switch piece {
            case .text(let text): ReportPage.escaped(text)
            case .place(let index): values.indices.contains(index) ? values[index] : ""
            }
        }.joined()
    }

    /// Marks up a value that may be in another language: its text direction must not affect the
    /// neighboring text.
    func value(_ text: String) -> String { ReportPage.element("bdi", ReportPage.escaped(text)) }

    func moment(_ moment: Moment) -> String { value(zone.text(of: moment)) }

    /// A certificate by name and fingerprint, with the complete name if it differs.
    func certificate(_ certificate: VerifiedSignature.Signer) -> String {
        let (name, subject) = (certificate.displayName, certificate.subject)
        return (name == subject ? value(name) : "\(value(name)) (\(value(subject)))")
            + "<br>SHA-256 " + value(certificate.sha256.asFingerprint)
    }

    /// A sentence in the language of the page; in English if it is not translated.
    func detail(_ text: String) -> String {
        guard language != .english else { return ReportPage.escaped(text) }
        return translation(of: text)
            ?? Self.englishMark + " dir=\"ltr\">\(ReportPage.escaped(text))</span>"
    }

    /// Marks up English text on a page in another language.
    static let englishMark = "<span lang=\"en\""

    /// The translation of an English sentence; nil if there is none. Its values may be sentences.
    private func translation(of text: String) -> String? {
        guard let found = SentencePattern.match(text) else { return nil }
        return pieces(of: found.name).map { piece in
            switch piece {
            case .text(let text): ReportPage.escaped(text)
            case .place(let index):
                found.values.indices.contains(index)
                    ? translation(of: found.values[index]) ?? value(found.values[index]) : ""
            }
        }.joined()
    }

    func heading(_ element: String, _ word: ReportWord) -> String {
        ReportPage.element(element, say(word))
    }

    private static let itemLimit = 100

    /// - Parameter items: markup.
    func list(_ items: [String]) -> String {
        guard !items.isEmpty else { return "" }
        var shown = items.prefix(Self.itemLimit).map { ReportPage.element("li", $0) }
        if items.count > Self.itemLimit {
            shown.append(ReportPage.element("li", say(.more, "\(items.count - Self.itemLimit)")))
        }
        return ReportPage.element("ul", shown.joined(separator: "\n"))
    }
}
