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
        #expect(texts.keys.sorted() == expected.sorted())
        for (word, text) in texts {
            #expect(!text.isEmpty && text.last != " ", "\(word)")
            guard let model = english[word] else { continue }
            #expect(places(text) == places(model), "\(word)")
        }
    }

    @Test func valuesAreNotLookedAt() {
        let words = ReportWords(.english)
        #expect(words(.timestampedBy, "{2}", "{1}") == "{2} by {1}")
        #expect(
            words.say(.timestampedBy, "<b>", words.value("<b>")) == "<b> by <bdi>&lt;b&gt;</bdi>")
    }
}
