import Base
import Testing

@testable import PDFCore

struct ObjectParserTests {
    /// Short names are kept otherwise than long ones.
    @Test func namesOfAnyLengthKeepTheirBytes() throws {
        var seen: Set<PDFName> = []
        for count in 0...40 {
            for filler in [UInt8(ascii: "a"), 0, 0xC3] {
                let bytes = [UInt8](repeating: filler, count: count)
                let name = PDFName(bytes: bytes)
                #expect(name.bytes == bytes)
                #expect(seen.insert(name).inserted == (count > 0 || filler == UInt8(ascii: "a")))
                #expect(name != PDFName(bytes: bytes + [0]))
                guard filler == UInt8(ascii: "a") else { continue }
                let text = String(repeating: "a", count: count)
                #expect(name == PDFName(text) && name.description == text)
                // As it is, with an escape, and where no more bytes stand in memory.
                for spelled in [
                    "/\(text) ", "/\(text)", count == 0 ? "/ " : "/#61\(text.dropFirst()) ",
                ] { #expect(try parse(spelled) == .name(name)) }
            }
        }
        #expect(PDFName("Contents") == "Contents" && PDFName("Contents") != "Content")
    }

    @Test func namesAreReadAcrossBlocks() throws {
        let text = "[" + (0..<9000).map { "/N\($0)" }.joined(separator: " ") + "]"
        let source = BlockCache(MemorySource(Array(text.utf8)))
        var parser = ObjectParser(Lexer(source, at: 0))
        let names = try parser.parse().arrayValue?.map(\.nameValue)
        #expect(names == (0..<9000).map { PDFName("N\($0)") })
    }

    @Test(arguments: [
        ("17", PDFObject.integer(17)),
        ("+17", .integer(17)),
        ("-98", .integer(-98)),
        ("0", .integer(0)),
        ("007", .integer(7)),
        ("9223372036854775807", .integer(.max)),
        ("-9223372036854775808", .integer(.min)),
        ("true", .boolean(true)),
        ("false", .boolean(false)),
        ("null", .null),
        ("/Name1", .name("Name1")),
        ("/", .name("")),
        ("/A#42", .name("AB")),
        ("/paired#28#29parentheses", .name("paired()parentheses")),
        ("/A#", .name("A#")),
        ("/A#4", .name("A#4")),
        ("/A#4G", .name("A#4G")),
        ("/a%comment", .name("a")),
        ("12 0 R", .reference(ObjectID(number: 12))),
        ("12 3 R", .reference(ObjectID(number: 12, generation: 3))),
        ("12 65536 R", .integer(12)),
        ("0 0 R", .null),
        ("99999999 0 R", .null),
        ("[]", .array([])),
        (
            "[1 2 0 R 3 null]",
            .array([.integer(1), .reference(ObjectID(number: 2)), .integer(3), .null])
        ), ("[1%x\n2]", .array([.integer(1), .integer(2)])), ("<<>>", .dictionary([:])),
        ("<</A/B/C[1]>>", .dictionary(["A": .name("B"), "C": .array([.integer(1)])])),
        (
            "<</A 1 0 R/B 2>>",
            .dictionary(["A": .reference(ObjectID(number: 1)), "B": .integer(2)])
        ),
        (
            "<</A<</B<41>>>>>",
            .dictionary([
                "A": .dictionary(["B": .string(PDFString(bytes: [65], isHexadecimal: true))])
            ])
        ),
    ])
    func parsesObjects(text: String, expected: PDFObject) throws {
        #expect(try parse(text) == expected)
    }

    @Test(arguments: [
        ("(text)", "text"),
        ("()", ""),
        ("(a(b(c))d)", "a(b(c))d"),
        (#"(\n\r\t\b\f\(\)\\)"#, "\n\r\t\u{8}\u{C}()\\"),
        (#"(\101\1012\7)"#, "AA2\u{7}"),
        (#"(\53x\053)"#, "+x+"),
        (#"(\400)"#, "\0"),
        (#"(\x)"#, "x"),
        ("(a\\\nb)", "ab"),
        ("(a\\\r\nb)", "ab"),
        ("(a\\\rb)", "ab"),
        ("(a\r\nb\rc\nd)", "a\nb\nc\nd"),
        ("<48656C6c6F>", "Hello"),
        ("<48 65\n6>", "He`"),
        ("<>", ""),
    ])
    func parsesStrings(text: String, expected: String) throws {
        #expect(try parse(text).stringValue == Array(expected.utf8))
    }

    @Test(arguments: [
        ("34.5", 34.5), ("-3.62", -3.62), ("+123.6", 123.6), ("4.", 4), ("-.002", -0.002),
        (".5", 0.5), ("0.0", 0), ("-0", 0), ("1.1", 1.1),
        ("123456789012345678901.5", 1.234567890123456789e20),
        ("9223372036854775808", 9223372036854775808),
    ])
    func parsesNumbers(text: String, expected: Double) throws {
        #expect(try parse(text).numberValue == expected)
    }

    @Test(arguments: ["1.50", "-.002", "4.", "9223372036854775808", "0.10000000000000000001"])
    func keepsTheTextOfReals(text: String) throws {
        let object = try parse(text)
        guard case .real = object else {
            Issue.record("\(object) is no real")
            return
        }
        #expect(PDFWriter.bytes(object) == Array(text.utf8))
    }

    @Test(arguments: [
        "", "]", ">>", ">", ")", "{", "(open", "<41", "<4X>", "[1", "[1 >>", "<</A>>", "<<1 2>>",
        "<</A 1]", "hello", "--5", "1-2", "1.2.3", "[R]", "[1 R]", "[/A 0 R]", "<</A 1", "+", "-",
        "endobj", "[endobj]", "<</A obj>>",
    ])
    func rejectsMalformedObjects(text: String) {
        #expect(errorCode { _ = try parse(text) } == .malformedObject)
    }

    @Test func acceptsNestingUpToTheLimit() throws {
        let depth = PDFLimits.nestingDepth
        let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        #expect(throws: Never.self) { try parse(text) }
        #expect(errorCode { _ = try parse("[" + text + "]") } == .limitExceeded)
    }

    @Test(arguments: ["[", "<</A", "("])
    func survivesAMillionOpeningBrackets(opening: String) {
        let text = String(repeating: opening, count: 1_000_000)
        let code = errorCode { _ = try parse(text) }
        #expect(code == (opening == "(" ? .malformedObject : .limitExceeded))
    }

    @Test func recordsDuplicateKeysAfterDecodingNames() throws {
        let dictionary = try #require(
            try parse("<</Contents 1/A 2/#43ontents 3/A 4/B 5>>").dictionaryValue)
        #expect(dictionary.duplicateKeys == ["Contents", "A"])
        #expect(dictionary["Contents"] == .integer(3))
        #expect(dictionary.count == 5)
    }

    @Test func treatsNullAsAbsentButKeepsIt() throws {
        let dictionary = try #require(try parse("<</A null/B 1>>").dictionaryValue)
        #expect(dictionary["A"] == nil)
        #expect(PDFWriter.bytes(.dictionary(dictionary)) == Array("<< /A null /B 1 >>".utf8))
    }

    // MARK: Leniency

    @Test(arguments: [
        ("<< 2 0 R /A 1 >>", "<< /A 1 >>"),
        ("<< /A 1 /B >>", "<< /A 1 >>"),
        ("<< /A 1 (x) [2] << /C 3 >> /B 4 >>", "<< /A 1 /B 4 >>"),
        ("<< /A 1 ] /B 2 >>", "<< /A 1 /B 2 >>"),
        ("<< /A ] /B 2 >>", "<< /A null /B 2 >>"),
        ("<< /A junk /B 2 >>", "<< /A null /B 2 >>"),
        ("<< R /A 1 R /B 2 99999 R >>", "<< /A 1 /B 2 >>"),
        ("<< /A <4142zz> /B 2 >>", "<< /A null /B 2 >>"),
        ("<< /A ) } > /B 2 >>", "<< /A null /B 2 >>"),
        ("[ 1 junk 2 >> 3 ]", "[ 1 null 2 null 3 ]"),
        ("<< /A << 1 /B 2 /C >> >>", "<< /A << /B 2 >> >>"),
        ("<< /A << /B [ 1 2 endobj", "<< /A << /B [ 1 2 ] >> >>"),
        ("<< /A 1 /B 2 >>", "<< /A 1 /B 2 >>"),
    ])
    func passesOverDamage(text: String, meaning: String) throws {
        var parser = ObjectParser(Lexer(Array(text.utf8)), recordsRanges: true)
        parser.retryLeniently(from: 0)
        #expect(try parser.parse() == parse(meaning))
        if text != meaning { #expect(errorCode { _ = try parse(text) } == .malformedObject) }
    }

    @Test(arguments: [
        "<< /A 1", "<< /A [ 1 >>", "[ 1 2 stream", "<< /A (x >>", "<< /A <41",
        "<< /A 1 obj << >> >>", "junk", "",
    ])
    func refusesWhatHasNoEnd(text: String) {
        var parser = ObjectParser(Lexer(Array(text.utf8)))
        parser.retryLeniently(from: 0)
        #expect(errorCode { _ = try parser.parse() } == .malformedObject)
    }

    @Test func limitsWhatIsPassedOver() {
        let junk = String(repeating: "] ", count: PDFLimits.valuesPerObject + 1)
        var parser = ObjectParser(Lexer(Array("<< \(junk) >>".utf8)))
        parser.retryLeniently(from: 0)
        #expect(errorCode { _ = try parser.parse() } == .limitExceeded)
    }

    @Test func limitsTokens() {
        let name = "/" + String(repeating: "a", count: PDFLimits.tokenByteCount + 1)
        #expect(errorCode { _ = try parse(name) } == .limitExceeded)
        let digits = String(repeating: "1", count: PDFLimits.tokenByteCount + 1)
        #expect(errorCode { _ = try parse(digits) } == .limitExceeded)
    }

    /// A window of the lexer holds one block: tokens across its end must come out whole.
    @Test(arguments: -12...4)
    func readsTokensAcrossBlocks(shift: Int) throws {
        let text = "<</Key#31(st\\)ring)/B[1.25 -17 12 0 R<4142>]>>"
        let padding = 16_384 + shift - text.utf8.count / 2
        let bytes = [UInt8](repeating: 32, count: padding) + Array(text.utf8)
        let expected = try parse(text)
        var parser = ObjectParser(Lexer(BlockCache(MemorySource(bytes)), at: 0))
        #expect(try parser.parse() == expected)
    }

    @Test(
        "values that some viewers read differently are noted",
        arguments: [
            ("(b\\377nk)", false), ("(b\\541nk)", true), ("(1\\47100)", true),
            ("<3930>", false), ("<39303>", true),
            ("[0 -.5 1.]", false), ("[-.]", true), ("[0 .]", true),
            (String(repeating: "[", count: 60) + String(repeating: "]", count: 60), false),
            (String(repeating: "[", count: 61) + String(repeating: "]", count: 61), true),
            ("6 0 R", false), ("[6 0 R 12 0\nR]", false), ("<</A 6 0 R/B[1 2 R]>>", false),
            ("[/XYZ null 7 null]", false), ("<</Filter null>>", true), ("[<</A 0 0 R>>]", true),
            ("6 +0 R", true), ("06 0 R", true), ("[6  0 R]", true), ("<</A 6 00 R>>", true),
        ])
    func oddSpelling(text: String, isOdd: Bool) throws {
        var parser = ObjectParser(Lexer(Array(text.utf8)))
        _ = try parser.parse()
        #expect(parser.lexer.hasOddSpelling == isOdd)
    }

    @Test(
        "cross-reference streams of unusual form",
        arguments: [
            ("/W [1 4 3] /Filter /FlateDecode", true), ("/W [1 8 2]", true),
            ("/W [1 2 1] /DecodeParms <</Columns 4 /Predictor 12>>", true), ("/W [3 3 3]", false),
            ("/W [1 2 1] /DecodeParms [<</Columns 4>>]", false),
            ("/W [1 2 1] /DecodeParms <</Columns 4 /BitsPerComponent 8>>", true),
            ("/W [1 2 1] /DecodeParms <</Columns 4 /BitsPerComponent 4>>", false),
            ("/W [1 2 1] /DecodeParms <</Columns 5>>", false), ("/W [1 2 1] /Filter [/LZW]", false),
        ])
    func crossReferenceStreams(entries: String, isUsual: Bool) throws {
        var parser = ObjectParser(Lexer(Array("<<\(entries)>>".utf8)))
        let dictionary = try #require(try parser.parse().dictionaryValue)
        #expect(CrossReferenceStream.hasUsualForm(dictionary) == isUsual)
    }
}
