import Testing

@testable import Pages

@Suite("Text in two directions")
struct BidiTextTests {
    /// Capitals stand for letters from right to left, as in the examples of UAX #9.
    private func shown(_ text: String, isRightToLeft: Bool? = nil) -> String {
        let characters = Array(text)
        let kinds: [BidiText.Kind] = characters.map { character in
            if character == "<" { return .isolateStart }
            if character == ">" { return .isolateEnd }
            if character.isNumber { return .digit }
            if character.isUppercase { return .rightToLeft }
            if character.isLetter { return .leftToRight }
            return ".,:/-+".contains(character) ? .digitSeparator : .neutral
        }
        var brackets: [Int: Int] = [:]
        if let open = characters.firstIndex(of: "("), let close = characters.firstIndex(of: ")") {
            brackets[open] = close
        }
        let bidi = BidiText(kinds, brackets: brackets, isRightToLeft: isRightToLeft)
        let mirror: [Character: Character] = ["(": ")", ")": "("]
        return String(
            BidiText.visualOrder(bidi.levels).filter { !kinds[$0].isIsolateMark }.map { index in
                let character = characters[index]
                return bidi.levels[index] % 2 == 1 ? mirror[character] ?? character : character
            })
    }

    @Test(
        "the order of drawing",
        arguments: [
            ("", ""), ("abc def", "abc def"), ("ABC", "CBA"), ("ABC DEF", "FED CBA"),
            ("car is THE CAR in arabic", "car is RAC EHT in arabic"),
            ("ABC car DEF", "FED car CBA"), ("ABC 12:30 DEF", "FED 12:30 CBA"),
            ("on 2026-11-21 ABC", "on 2026-11-21 CBA"), ("reason: ABC (DEF)", "reason: (FED) CBA"),
            ("ABC (def)", "(def) CBA"), ("ABC, 12.", ".12 ,CBA"),
            ("abc (DEF) ghi", "abc (FED) ghi"),
        ])
    func order(logical: String, visual: String) {
        #expect(shown(logical) == visual)
    }

    @Test(
        "what is isolated has its own order, and no say in that around it",
        arguments: [
            ("abc ABC <2026-11-21 10:30 UTC> DEF", "abc FED 2026-11-21 10:30 utc CBA"),
            ("ABC <12 34>", "12 34 CBA"), ("<abc> DEF", "FED abc"),
            ("abc <DEF (ghi).> jkl", "abc .(ghi) FED jkl"),
            ("ABC <abc (DEF)>. GHI", "IHG .abc (FED) CBA"), ("<12 34>", "12 34"),
        ])
    func isolates(logical: String, visual: String) {
        #expect(shown(logical.replacing("UTC", with: "utc")) == visual)
    }

    @Test("a direction that is given counts for text without one, or with another")
    func givenDirection() {
        #expect(shown("abc: DEF", isRightToLeft: true) == "FED :abc")
        #expect(shown("12 <34 ab>", isRightToLeft: true) == "34 ab 12")
        #expect(shown("ABC: <d.>", isRightToLeft: true) == "d. :CBA")
        #expect(shown("ABC.", isRightToLeft: false) == "CBA.")
    }

    @Test("marks stay with their letters")
    func marks() {
        let bidi = BidiText([.rightToLeft, .mark, .neutral, .rightToLeft, .mark])
        #expect(bidi.levels == [1, 1, 1, 1, 1])
    }
}
