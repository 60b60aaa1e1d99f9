import SignetKit
import Testing

@testable import SignetCommands

/// Nothing is missing in a language, and nothing is left over.
@Suite struct ReportWordsTests {
    private func places(_ text: String) -> [String] {
        text.matches(of: /\{\d\}/).map { String($0.output) }.sorted()
    }

    @Test(arguments: Language.allCases) func hasEveryWord(language: Language) {
        let english = ReportWords.texts(of: .english)
        let texts = ReportWords.texts(of: language)
        // Only where not all is English does the page say so.
        let expected = ReportWord.allCases.map(\.rawValue)
            .filter { language != .english || $0 != ReportWord.detailsInEnglish.rawValue }
        let sentences = ReportWords.sentences(of: .english).map(\.name)
        #expect(texts.keys.sorted() == (expected + sentences).sorted())
        for (word, text) in texts {
            #expect(!text.isEmpty && text.last != " ", "\(word)")
            guard let model = english[word] else { continue }
            #expect(places(text) == places(model), "\(word)")
        }
    }

    /// Sentences are translated with their values, which may be sentences.
    @Test func translatesSentences() {
        let words = ReportWords(.german)
        #expect(
            words.detail("modified after signing: 2 of 3 pages were removed")
                == "nach dem Signieren geändert: <bdi>2</bdi> von <bdi>3</bdi> Seiten wurden entfernt"
        )
        #expect(
            words.detail("the key is too weak from 2029-01-01 on (RSA 2048)")
                == "der Schlüssel ist ab <bdi>2029-01-01</bdi> zu schwach (<bdi>RSA 2048</bdi>)")
        #expect(
            words.detail("page 1: annotation (<b>) may hide signed content")
                == "Seite <bdi>1</bdi>: Kommentar (<bdi>&lt;b&gt;</bdi>) kann signierten Inhalt verdecken"
        )
        #expect(
            words.detail(
                "modified after signing, which the certification does not permit: "
                    + "field 'amount' changed from '100' to '900'; field 'b' was hidden")
                == "nach dem Signieren geändert, von der Zertifizierung nicht erlaubt: "
                + "Feld „<bdi>amount</bdi>“ von „<bdi>100</bdi>“ auf „<bdi>900</bdi>“ geändert; "
                + "Feld „<bdi>b</bdi>“ wurde ausgeblendet")
        #expect(
            words.detail(
                "no revocation data: the OCSP response (T) was ignored: x")
                == "keine Widerrufsdaten zum Zertifikat: die OCSP-Antwort (<bdi>T</bdi>) wurde nicht "
                + "berücksichtigt: <bdi>x</bdi>")
        #expect(
            words.grouped(["gap (byte 1)", "metadata updated", "gap (byte 2)"]) == [
                "\(ReportWords.englishMark) dir=\"ltr\">gap (byte 1)</span> "
                    + "(und 1 weitere dieser Art)",
                "Metadaten aktualisiert",
            ])
        #expect(words.detail("nothing known").hasPrefix(ReportWords.englishMark))
        #expect(ReportWords(.english).detail("metadata updated") == "metadata updated")
    }

    @Test func valuesAreNotLookedAt() {
        let words = ReportWords(.english)
        #expect(words(.timestampedBy, "{2}", "{1}") == "{2} by {1}")
        #expect(
            words.say(.timestampedBy, "<b>", words.value("<b>")) == "<b> by <bdi>&lt;b&gt;</bdi>")
    }
}
