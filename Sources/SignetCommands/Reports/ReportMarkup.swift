import SignetKit

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
            + "<br>SHA-256 " + ReportPage.hash(certificate.sha256.asFingerprint)
    }

    /// A sentence in the language of the page; in English if it is not translated.
    func detail(_ text: String) -> String {
        guard language != .english else { return ReportPage.sentence(text) }
        return translation(of: text)
            ?? Self.englishMark + " dir=\"ltr\">\(ReportPage.sentence(text))</span>"
    }

    /// Marks up English text on a page in another language.
    static let englishMark = "<span lang=\"en\""

    /// The translation of an English sentence; nil if there is none. Its values may be sentences.
    private func translation(of text: String) -> String? {
        guard let found = SentencePattern.match(text) else { return nil }
        return pieces(of: found.name).map { piece in
            switch piece {
            case .text(let text): ReportPage.sentence(text)
            case .place(let index):
                found.values.indices.contains(index) ? phrase(found.values[index]) : ""
            }
        }.joined()
    }

    /// A value: a sentence, several of them, or a name.
    func phrase(_ text: String) -> String {
        let parts = text.split(separator: "; ").map(String.init)
        let translated = parts.map(translation)
        guard translated.count < 2 || translated.contains(nil) else {
            return translated.compactMap(\.self).joined(separator: "; ")
        }
        return translation(of: text)
            ?? zip(parts, translated).map { $1 ?? value($0) }.joined(separator: "; ")
    }

    /// Sentences of the same kind as one item with their count.
    func grouped(_ texts: [String]) -> [String] {
        Kinds.grouped(texts).map { first, count in
            count == 1 ? detail(first) : say(.moreOfKind, detail(first), "\(count - 1)")
        }
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

// Texts about a signature.
extension ReportWords {
    /// What a signature is called, as plain text. Signatures of other files than PDFs have no field:
    /// they are numbered.
    func name(of signature: VerifiedSignature) -> (kind: String, field: String?) {
        let kind = self(signature.kind == .timestamp ? .timestamp : .signature)
        guard signature.subfilter == nil else { return (kind, signature.field) }
        let number = signature.field.split(separator: " ").last.map(String.init)
        return (kind, signature.kind == .timestamp ? nil : number)
    }

    func title(of signature: VerifiedSignature) -> String {
        let name = name(of: signature)
        return ReportPage.escaped(name.kind) + (name.field.map { " " + value($0) } ?? "")
    }

    /// The signer or TSA; nil if unknown.
    func signer(of signature: VerifiedSignature) -> String? {
        signature.signer.map {
            let name = value($0.displayName)
            guard !signature.isConfirmed else { return name }
            let isStamp = signature.kind == .timestamp
            let text = say(isStamp ? .tsaNotConfirmed : .notConfirmedName, name)
            guard signature.isInvalidByItself else { return text }
            // The certificate is trusted: the reason is the signature itself.
            let reason = say(
                .pair, say(isStamp ? .timestamp : .signature), say(isStamp ? .stampFailed : .failed)
            )
            return "\(text) (\(reason))"
        }
    }

    func claimedTime(of signature: VerifiedSignature) -> String? {
        let hasStamp = signature.timestamp != nil || signature.provenTime != nil
        return signature.claimedTime.map { say(hasStamp ? .claimed : .claimedOnly, moment($0)) }
    }

    /// The level of qualification in words, with its name in European validators.
    func level(_ name: String) -> String {
        let word: ReportWord? =
            switch name {
            case "QESig": .qualifiedSignature
            case "QESeal": .qualifiedSeal
            case "AdESig-QC": .advancedSignature
            case "AdESeal-QC": .advancedSeal
            case _ where name.hasPrefix("Indeterminate"): .undetermined
            case "N/A": .unqualified
            default: nil
            }
        return word.map { say($0, value(name)) } ?? value(name)
    }
}
