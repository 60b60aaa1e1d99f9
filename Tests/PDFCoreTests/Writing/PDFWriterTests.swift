import Testing

@testable import PDFCore

struct PDFWriterTests {
    @Test(arguments: [
        (PDFObject.real(0.5), "0.5"), (.real(PDFReal(-12)), "-12"),
        (.real(PDFReal(1.0 / 3)), "0.333333"),
        (.real(PDFReal(1e-9)), "0"), (.real(PDFReal(.nan)), "0"), (.real(PDFReal(.infinity)), "0"),
        (.real(PDFReal(1e300)), "1000000000000000"),
        (.name(""), "/"), (.name("A B#/é"), "/A#20B#23#2F#C3#A9"),
        (.string(PDFString(bytes: Array("a(b)\\c\rd\n".utf8))), "(a\\(b\\)\\\\c\\rd\n)"),
        (.string(PDFString(bytes: [0, 255], isHexadecimal: true)), "<00ff>"),
        (.array([.integer(1), .reference(ObjectID(number: 2)), .null]), "[1 2 0 R null]"),
        (.dictionary(["A": .verbatim(Array("[0 1]   ".utf8))]), "<< /A [0 1]    >>"),
        (
            .stream(PDFStream(dictionary: ["Length": .integer(9)], data: [65])),
            "<< /Length 1 >>\nstream\nA\nendstream"
        ),
    ])
    func writes(object: PDFObject, expected: String) {
        #expect(PDFWriter.bytes(object) == Array(expected.utf8))
    }

    @Test func readsBackWhatItWrote() throws {
        let everyByte = (0...255).map { UInt8($0) }
        let object = PDFObject.array([
            .string(PDFString(bytes: everyByte)),
            .string(PDFString(bytes: everyByte, isHexadecimal: true)),
            .name(PDFName(bytes: Array(everyByte.dropFirst()))),
            .dictionary(["A": .real(PDFReal(1.25)), "B": .dictionary([:]), "C": .boolean(false)]),
            .integer(-5), .reference(ObjectID(number: 7, generation: 2)), .integer(6), .integer(0),
        ])
        #expect(try parse(PDFWriter.bytes(object)) == object)
    }

    @Test(arguments: ["Max Mustermann", "Ünïcödé", "日本語 \u{1F600}", "", "a\tb\nc"])
    func textStringsRoundTrip(text: String) { #expect(PDFString.text(text).text == text) }

    @Test(arguments: [
        ([0x80, 0x41, 0xA0, 0x18] as [UInt8], "\u{2022}A\u{20AC}\u{02D8}"),
        ([0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
        ([0xFE, 0xFF, 0x00, 0x41, 0x00], "A"),
        ([0xFF, 0xFE, 0x41, 0x00], "A"),
        ([0xFE, 0xFF, 0x00, 0x1B, 0x00, 0x65, 0x00, 0x6E, 0x00, 0x1B, 0x00, 0x41], "A"),
    ])
    func decodesTextStrings(bytes: [UInt8], expected: String) {
        #expect(PDFString(bytes: bytes).text == expected)
    }
}

struct PDFDictionaryTests {
    @Test func keepsTheOrderWhenChanged() throws {
        var dictionary: PDFDictionary = ["C": .integer(1), "A": .integer(2), "B": .integer(3)]
        dictionary["A"] = .integer(9)
        dictionary["D"] = .null
        dictionary["C"] = nil
        #expect(dictionary.keys == ["A", "B", "D"])
        #expect(dictionary["A"] == .integer(9))
    }

    @Test func settingARepeatedKeyLeavesOneEntry() throws {
        var dictionary = try #require(try parse("<</A 1/B 2/A 3>>").dictionaryValue)
        dictionary["A"] = .integer(4)
        #expect(dictionary.duplicateKeys.isEmpty)
        #expect(dictionary["A"] == .integer(4))
        #expect(dictionary.count == 2)
    }

    @Test func findsKeysInLargeDictionaries() {
        var dictionary = PDFDictionary()
        for number in 0..<1000 { dictionary[PDFName("K\(number)")] = .integer(number) }
        #expect(dictionary["K999"] == .integer(999))
        dictionary["K500"] = nil
        #expect(dictionary["K500"] == nil)
        #expect(dictionary["K501"] == .integer(501))
        #expect(dictionary.count == 999)
    }
}
