import Testing
import TextBridge

@Suite("Text in two directions")
struct BidiTextTests {
    /// Capitals stand for letters from right to left, as in the examples of UAX #9, and angle
    /// brackets for isolates.
    private func shown(_ text: String, isRightToLeft: Bool? = nil) throws -> String {
        let characters = Array(text)
        let scalars = try characters.map { character -> Unicode.Scalar in
            if character == "<" { return "\u{2068}" }
            if character == ">" { return "\u{2069}" }
            let scalar = try #require(character.unicodeScalars.first)
            guard ("A"..."Z").contains(scalar) else { return scalar }
            return try #require(Unicode.Scalar(0x5D0 + scalar.value - 0x41))
        }
        let bidi = try #require(BidiText(scalars, isRightToLeft: isRightToLeft))
        let mirror: [Character: Character] = ["(": ")", ")": "("]
        return String(
            BidiText.visualOrder(bidi.levels).filter { !"<>".contains(characters[$0]) }.map {
                let character = characters[$0]
                return bidi.levels[$0] % 2 == 1 ? mirror[character] ?? character : character
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
    func order(logical: String, visual: String) throws {
        #expect(try shown(logical) == visual)
    }

    @Test(
        "what is isolated has its own order, and no say in that around it",
        arguments: [
            ("abc ABC <2026-11-21 10:30 UTC> DEF", "abc FED 2026-11-21 10:30 utc CBA"),
            ("ABC <12 34>", "12 34 CBA"), ("<abc> DEF", "FED abc"),
            ("abc <DEF (ghi).> jkl", "abc .(ghi) FED jkl"),
            ("ABC <abc (DEF)>. GHI", "IHG .abc (FED) CBA"), ("<12 34>", "12 34"),
        ])
    func isolates(logical: String, visual: String) throws {
        #expect(try shown(logical.replacing("UTC", with: "utc")) == visual)
    }

    @Test("a direction that is given counts for text without one, or with another")
    func givenDirection() throws {
        #expect(try shown("abc: DEF", isRightToLeft: true) == "FED :abc")
        #expect(try shown("12 <34 ab>", isRightToLeft: true) == "34 ab 12")
        #expect(try shown("ABC: <d.>", isRightToLeft: true) == "d. :CBA")
        #expect(try shown("ABC.", isRightToLeft: false) == "CBA.")
    }

    @Test("marks stay with their letters, and say nothing of the direction")
    func marks() throws {
        let bidi = try #require(BidiText(["\u{5D0}", "\u{5B7}", " ", "\u{5D1}", "\u{5B0}"]))
        #expect(bidi.levels == [1, 1, 1, 1, 1] && bidi.isRightToLeft == true)
        #expect(try #require(BidiText(["1", "."])).isRightToLeft == nil)
        #expect(try #require(BidiText(["\u{2068}", "a", "\u{2069}"])).isRightToLeft == nil)
        #expect(try #require(BidiText([])).levels.isEmpty)
    }
}
