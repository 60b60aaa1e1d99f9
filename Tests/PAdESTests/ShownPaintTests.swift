import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// What in functions, gradients and images leads readers to different colours.
@Suite struct ShownPaintTests {
    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    private func document(_ objects: [String]) throws -> PDFDocument {
        try PDFDocument(source: MemorySource(SamplePDF(extraObjects: objects).bytes))
    }

    private func functionDoubt(_ function: String) throws -> String? {
        let document = try document([function])
        return try Functions(document, FunctionMemory(upTo: 1 << 16)).doubt(
            about: .reference(ObjectID(number: 6)), inputs: [0, 1], outputs: 1)
    }

    private static let ramp = "<</FunctionType 2 /Domain [0 1] /N 1>>"

    @Test(arguments: [
        (ramp, true), ("<</FunctionType 2 /Domain [0 1] /N 2.2 /C0 [0.5] /C1 [1]>>", true),
        ("<</FunctionType 2 /Domain [0 1] /N -1>>", false), ("<</FunctionType 2 /N 1>>", false),
        ("<</FunctionType 2 /Domain [0 1]>>", false),
        ("<</FunctionType 2 /Domain [0 1] /N 1 /C0 [0 0]>>", false),
        ("<</FunctionType 3 /Domain [0 1] /Functions [\(ramp)] /Bounds [] /Encode [0 1]>>", true),
        ("<</FunctionType 3 /Domain [0 1] /Functions [\(ramp)] /Bounds []>>", false),
        ("<</FunctionType 3 /Domain [0 1] /Functions [6 0 R] /Bounds [] /Encode [0 1]>>", false),
        (
            stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2] /BitsPerSample 8", "ab"),
            true
        ),
        (
            stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [9] /BitsPerSample 8", "ab"),
            false
        ),
        (
            stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2] /BitsPerSample 3", "ab"),
            false
        ),
        // Asked for more than their domain, or beyond their range.
        ("<</FunctionType 2 /Domain [0 0.5] /N 1>>", false),
        ("<</FunctionType 2 /Domain [0 1] /N 1 /Range [0 1]>>", true),
        ("<</FunctionType 2 /Domain [0 1] /N 1 /Range [0 0.5]>>", false),
        ("<</FunctionType 2 /Domain [-1 2] /N 1 /Range [0 1]>>", false),
        (
            "<</FunctionType 3 /Domain [0 1] /Functions [\(ramp) \(ramp)] /Bounds [0.5] "
                + "/Encode [0 1 1 0] /Range [0 1]>>", true
        ),
        (
            "<</FunctionType 3 /Domain [0 1] /Functions [\(ramp)] /Bounds [] /Encode [0 2]>>",
            false
        ),
        (
            "<</FunctionType 3 /Domain [0 1] /Functions [\(ramp)] /Bounds [] /Encode [0 1] "
                + "/Range [0.5 1]>>", false
        ),
        (
            stream(
                "/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2] /BitsPerSample 8 "
                    + "/Encode [0 5]", "ab"), false
        ),
        (
            stream(
                "/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [2] /BitsPerSample 8 "
                    + "/Decode [0 5]", "ab"), false
        ),
        (
            stream(
                "/FunctionType 0 /Domain [0 1] /Range [0 1] /Size [65536] /BitsPerSample 8", "ab"),
            false
        ),
    ]) func functions(function: String, isAgreed: Bool) throws {
        let found = try functionDoubt(function)
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test(arguments: [
        ("{1 exch sub}", true), ("{dup 0.5 gt {pop 1} {2 mul} ifelse}", true),
        ("{2 copy pop pop}", false), ("{dup dup 3 1 roll pop pop}", true), ("{}", true),
        ("{sqrt ln pop 0}", false), ("{0.5 add ln sin cos neg}", true),
        ("{% }\n 1 exch sub}", true),
        ("{1 0 div}", false), ("{0 div}", false), ("{true}", false), ("{pop}", false),
        ("{-0.5 round pop}", false), ("{1 2 bitshift pop}", false), ("{1e0 pop}", false),
        ("{7.0 2 idiv pop}", false), ("{2147483647 2 mul pop}", false), ("{{pop}}", false),
        ("{dup 0.2 gt {dup 0.3 lt {pop true} if} if}", false),
        ("{0 exch {pop 1} if}", false), ("{1", false), ("1 }", false), ("{pop 1} {2}", false),
    ]) func programs(program: String, isAgreed: Bool) throws {
        let function = Self.stream("/FunctionType 4 /Domain [0 1] /Range [0 1]", program)
        #expect(try (functionDoubt(function) == nil) == isAgreed)
    }

    @Test(arguments: [
        ("/ShadingType 2 /Coords [0 0 9 9] /Extend [true false]", true),
        ("/ShadingType 2 /Coords [0 0 9 9] /Extend [true]", false),
        ("/ShadingType 2 /Coords [0 0 0.1 0.1]", true),
        ("/ShadingType 2 /Coords [0 0 0.05 0]", false),
        ("/ShadingType 3 /Coords [0 0 1 0 0 1.05]", false),
        ("/ShadingType 3 /Coords [6 5 3 6.4 5 2.5] /Extend [true true]", true),
        ("/ShadingType 3 /Coords [6 5 3 6.5 5 2.5] /Extend [true true]", false),
        ("/ShadingType 3 /Coords [6 5 3 6.5 5 2.5]", true),
        ("/ShadingType 2 /Coords [9 9 9 9]", false), ("/ShadingType 2 /Coords [0 0 9]", false),
        ("/ShadingType 3 /Coords [0 0 9 9 9 9]", true), ("/ShadingType 9", false),
        ("/ShadingType 3 /Coords [0 0 0 9 9 0]", false), ("/ShadingType 5", false),
        ("/ShadingType 2 /Coords [0 0 9 9] /Domain [0 0.5]", true),
        ("/ShadingType 2 /Coords [0 0 9 9] /Domain [0 2]", false),
        ("/ShadingType 2 /Coords [0 0 9 9] /BBox [0 0 9 9] /Background [1]", true),
        ("/ShadingType 2 /Coords [0 0 9 9] /BBox [0 0 9]", false),
        ("/ShadingType 2 /Coords [0 0 9 9] /BBox [9 0 0 9]", false),
        ("/ShadingType 2 /Coords [0 0 9 9] /Background [1 1 1]", false),
    ]) func gradients(entries: String, isAgreed: Bool) throws {
        let document = try document([
            "<<\(entries) /ColorSpace /DeviceGray /Function \(Self.ramp)>>"
        ])
        let shadings = Shadings(document, FunctionMemory(upTo: 1 << 16))
        let found = try shadings.doubt(about: document.object(ObjectID(number: 6)))
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    /// Powers, and whether they are as good as even.
    private static let tints = [
        ("/FunctionType 2 /N 1", true), ("/FunctionType 2 /N 0.9", true),
        ("/FunctionType 2 /N 1.2", true), ("/FunctionType 2 /N 2", false),
        ("/FunctionType 2 /N 0.5", false), ("/FunctionType 2 /N 999", false),
    ]
    /// Objects with samples, and whether these are even.
    private static let sampledTints = [
        (10, true), (11, false), (12, true), (13, false), (14, true),
    ]
    private static let samples = [
        ("/Size [2] /BitsPerSample 8", "00FF"), ("/Size [3] /BitsPerSample 8", "00FFFF"),
        ("/Size [2] /BitsPerSample 16", "0000FFFF"),
        ("/Size [3] /BitsPerSample 16", "0000FFFFFFFF"),
        ("/Size [2] /BitsPerSample 8 /Encode [1 0]", "00FF"),
    ].map {
        stream("/FunctionType 0 /Domain [0 1] /Range [0 1] /Filter /ASCIIHexDecode \($0)", $1 + ">")
    }

    private static let plainSteps = [
        ("/DeviceGray", "{}", true), ("/DeviceGray", "{1 exch sub}", true),
        ("/DeviceGray", "{0.5 gt {1} {0} ifelse}", false),
        ("/DeviceGray", "{8 mul cvi 8 div}", false),
        ("/DeviceGray", "{4 mul dup floor sub}", false),
        ("[/Separation /Foo /DeviceGray 7 0 R]", "{}", true),
        ("[/Separation /Foo /DeviceGray 8 0 R]", "{}", false),
        ("[/DeviceN [/Foo] /DeviceGray 8 0 R]", "{}", false),
        ("[/Indexed /DeviceGray 1 <00ff>]", "{}", false),
    ]
    private static let tintSteps =
        tints.map { ("[/Separation /Foo /DeviceGray <<\($0) /Domain [0 1]>>]", "{}", $1) }
        + sampledTints.map { ("[/Separation /Foo /DeviceGray \($0) 0 R]", "{}", $1) }

    /// A step of a program, or of what stands for a tint, is a line in one reader and nothing in
    /// another one.
    @Test(arguments: plainSteps + tintSteps)
    func steps(space: String, program: String, isAgreed: Bool) throws {
        let entries = "/FunctionType 4 /Domain [0 1] /Range [0 1]"
        for function in [
            "6 0 R",
            "<</FunctionType 3 /Domain [0 1] /Functions [6 0 R] /Bounds [] /Encode [0 1]>>",
        ] {
            let document = try document(
                [
                    Self.stream(entries, program), Self.stream(entries, "{1 exch sub}"),
                    Self.stream(entries, "{dup 0.4 gt exch 0.6 lt and {0} {1} ifelse}"),
                    "<</ShadingType 2 /Coords [0 0 9 9] /ColorSpace \(space) /Function \(function)>>",
                ] + Self.samples)
            let found = try Shadings(document, FunctionMemory(upTo: 1 << 16)).doubt(
                about: document.object(ObjectID(number: 9)))
            #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
        }
    }

    @Test("functions that are made of themselves are gone through once", .timeLimit(.minutes(1)))
    func circles() throws {
        let parts = String(repeating: "6 0 R ", count: 200)
        let bounds = (1..<200).map { "0.\(1000 + $0)" }.joined(separator: " ")
        let encode = String(repeating: "0 1 ", count: 200)
        let document = try document([
            "<</FunctionType 3 /Domain [0 1] /Functions [\(parts)] /Bounds [\(bounds)] "
                + "/Encode [\(encode)]>>",
            "<</ShadingType 2 /Coords [0 0 9 9] /ColorSpace /DeviceGray /Function 6 0 R>>",
        ])
        _ = try Shadings(document, FunctionMemory(upTo: 1 << 20)).doubt(
            about: document.object(ObjectID(number: 7)))
        let memory = FunctionMemory(upTo: 1 << 20)
        #expect(
            try !FunctionValues(document, memory).jumps(.reference(ObjectID(number: 6))))
    }

    @Test(
        "meshes whose points are whole bytes, and which go on from edges that there are",
        arguments: [
            (4, "/BitsPerFlag 8", "\u{0}abc\u{0}abc\u{0}abc", true),
            (4, "/BitsPerFlag 8", "\u{0}abc\u{0}abc\u{0}abc\u{2}abc", true),
            (4, "/BitsPerFlag 8", "\u{0}abc\u{0}abc\u{0}abc\u{3}abc", false),
            (4, "/BitsPerFlag 8", "\u{0}abc\u{0}abc\u{0}abc\u{7}abc", false),
            (4, "/BitsPerFlag 2", "\u{0}abc\u{0}abc\u{0}abc", false),
            (5, "/VerticesPerRow 2", "abcabcabcabc", true),
            (5, "/VerticesPerRow 3", "abcabcabcabc", false),
            (5, "/VerticesPerRow \(Int.max)", "abcabcabcabc", false),
            (6, "/BitsPerFlag 8", "\u{0}" + String(repeating: "a", count: 28), true),
            (6, "/BitsPerFlag 4", "\u{0}" + String(repeating: "a", count: 28), false),
            (7, "/BitsPerFlag 8", "\u{0}" + String(repeating: "a", count: 36), true),
            (7, "/BitsPerFlag 8", "\u{0}" + String(repeating: "a", count: 35), false),
            (7, "/BitsPerFlag 2", "\u{0}" + String(repeating: "a", count: 36), false),
        ]) func meshes(kind: Int, entries: String, data: String, isAgreed: Bool) throws
    {
        let all =
            "/ShadingType \(kind) /ColorSpace /DeviceGray /BitsPerCoordinate 8 "
            + "/BitsPerComponent 8 /Decode [0 9 0 9 0 1] \(entries)"
        let document = try document([Self.stream(all, data)])
        let shadings = Shadings(document, FunctionMemory(upTo: 1 << 16))
        let found = try shadings.doubt(about: document.object(ObjectID(number: 6)))
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test(arguments: [
        ("/XStep 9 /YStep 9", true), ("/XStep 0.1 /YStep 9", false),
        ("/XStep 9 /YStep 9 /Matrix [0.01 0 0 0.01 0 0]", false),
        ("/XStep 9 /YStep 9 /Matrix [1 0 1 0.001 0 0]", false),
        ("/XStep 9 /YStep 9 /Matrix [1 0]", false),
    ]) func tiles(entries: String, isAgreed: Bool) throws {
        let pattern = "<</PatternType 1 /PaintType 1 /BBox [0 0 5 5] \(entries)>>"
        let document = try document([pattern])
        let found = try ColorSpaces(document, FunctionMemory(upTo: 1 << 16)).doubt(
            aboutPattern: .reference(ObjectID(number: 6)))
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    /// - Parameter count: how often it is drawn.
    private static func strokesDots(_ content: String, _ count: Int = 1) -> Bool {
        let all = String(repeating: content + " ", count: count)
        let outline = ContentOutline(Array(all.utf8))
        #expect(!outline.drawsAfterOddOperands)
        return outline.oddities.contains { $0.contains("of no length") }
    }

    @Test(
        "strokes and dashes of no length",
        arguments: [
            ("1 J 5 5 m 5 5 l S", true), ("1 J 5 5 m 5.0 5 l h S", true),
            ("5 5 m 5 5 l S", false), ("2 J 5 5 m 5 5 l S", false), ("5 5 m 5.1 5 l S", true),
            ("1 J 5 5 m 5 5 5 5 5 5 c S", false), ("5 5 m 5 5 9 9 5 5 c S", true),
            ("1 J 5 5 m h S", false), ("5 5 m h S", true), ("1 J 5 5 0 0 re S", false),
            ("5 5 m 5 5 l 9 9 l S", true), ("5 5 m 5 5 l f", true),
            ("5 5 m 5 5 l 9 9 m 1 1 l s", false), ("q 1 J Q 5 5 m 5 5 l S", false),
            ("2 J [0 5] 0 d 1 1 m 9 9 l S", false), ("1 J [0 5] 0 d 1 1 m 9 9 l S", true),
            ("[5 0] 0 d 1 1 m 9 9 l S", true),
        ]) func strokes(content: String, isAgreed: Bool)
    {
        #expect(Self.strokesDots("4 w " + content) != isAgreed)
        #expect(Self.strokesDots("4 0 0 4 0 0 cm " + content) != isAgreed)
    }

    @Test("what is hardly seen counts where there is much of it")
    func manyStrokes() {
        for content in ["5 5 m 5 5 l S", "[0 5] 0 d 1 1 m 9 9 l S", "[0.001 5] 0 d 1 1 m 9 9 l S"] {
            #expect(!Self.strokesDots(content) && Self.strokesDots(content, 41))
        }
        #expect(!Self.strokesDots("0.1 w [0.001 5] 0 d 1 1 m 9 9 l S", 41))
    }

    // MARK: Images

    private func imageDoubt(_ entries: String, _ data: String, _ objects: [String] = []) throws
        -> String?
    {
        let document = try document([Self.stream("/Subtype /Image " + entries, data)] + objects)
        let image = try #require(document.object(ObjectID(number: 6)).streamValue)
        var budget = ShownImage.Budget(.quick)
        return try ShownImage.doubt(
            about: image, in: document, FunctionMemory(upTo: 1 << 16), within: &budget)
    }

    private static let gray = "/Width 2 /Height 2 /ColorSpace /DeviceGray /BitsPerComponent 8 "

    @Test(arguments: [
        ("", "abcd", true), ("", "abc", false), ("/Filter /RunLengthDecode", "\u{1}ab", false),
        ("/Mask 7 0 R", "abcd", true), ("/Mask 8 0 R", "abcd", false),
        ("/Mask <<>>", "abcd", false),
        ("/SMask 8 0 R", "abcd", true), ("/SMask 9 0 R", "abcd", false),
        ("/SMask 7 0 R", "abcd", false), ("/Mask 10 0 R", "abcd", false),
        ("/Filter /JPXDecode", "abcd", false),
        ("/Filter /DCTDecode", "abcd", false), ("/Filter [/ASCIIHexDecode /DCT]", "FF>", false),
        ("/Filter /CCITTFaxDecode", "abcd", false),
    ]) func images(entries: String, data: String, isAgreed: Bool) throws {
        let found = try imageDoubt(
            Self.gray + entries, data,
            [
                Self.stream("/Subtype /Image /Width 8 /Height 1 /ImageMask true", "a"),
                Self.stream("/Subtype /Image " + Self.gray, "abcd"),
                Self.stream("/Subtype /Image /Mask [0 1] " + Self.gray, "abcd"),
                Self.stream(
                    "/Subtype /Image /Width 8 /Height 1 /ImageMask true /SMask 8 0 R", "a"),
            ])
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test("images say how many bits they have, all but those whose data do")
    func depths() throws {
        let size = "/Width 2 /Height 2 /ColorSpace /DeviceGray "
        for filter in ["/DCTDecode", "/CCITTFaxDecode", "[/ASCIIHexDecode /DCT]"] {
            for depth in ["", "/BitsPerComponent null "] {
                let found = try imageDoubt(size + depth + "/Filter \(filter)", "abcd")
                #expect(found?.contains("no BitsPerComponent") == true, "\(found ?? "nothing")")
            }
        }
        let mask = "/Width 2 /Height 2 /ImageMask true /Filter /DCTDecode"
        #expect(try imageDoubt(mask, "abcd") == "it is a mask of JPEG data")
        let clear = Self.gray + "/Mask [0 9] "
        #expect(try imageDoubt(clear, "abcd") == nil)
        #expect(
            try imageDoubt(clear + "/Filter /DCTDecode", "abcd")?.contains("colours of JPEG")
                == true)
    }

    @Test(
        "faxes whose end is not marked",
        arguments: [("/Height 24", true), ("/Height 25", false), ("/Height 9", false)])
    func faxes(height: String, isAgreed: Bool) throws {
        let found = try imageDoubt(
            "/Width 8 \(height) /ColorSpace /DeviceGray /BitsPerComponent 1 /Filter "
                + "[/ASCIIHexDecode /CCITTFaxDecode] /DecodeParms [null <</K -1 /Columns 8>>]",
            "FFFFFF>")
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test(arguments: [
        ("/SMask <</S /Luminosity /G 7 0 R>>", true), ("/SMask /None", true),
        ("/SMask <</S /Alpha /G 7 0 R /TR /Identity>>", true),
        ("/SMask <</S /Alpha /G 7 0 R /TR 8 0 R>>", false), ("/SMask <</G 7 0 R>>", false),
        ("/SMask <</S /Foo /G 7 0 R>>", false), ("/SMask null", false), ("/BM null", true),
        ("/SMask <</S /Alpha /G 7 0 R /BC [1]>>", false),
        ("/SMask <</S /Luminosity /G 7 0 R /BC [1]>>", true),
        ("/BM /Multiply", true), ("/BM /ColorBurn", false), ("/BM /ColorDodge", false),
    ]) func graphicsStates(entries: String, isAgreed: Bool) throws {
        let state = try document(["<<\(entries)>>"]).object(ObjectID(number: 6)).dictionaryValue
        let values = try #require(state).entries.map { ($0.key, $0.value) }
        let found = GraphicsStateEntries.odd(in: Dictionary(uniqueKeysWithValues: values))
        #expect((found == nil) == isAgreed, "\(found.map { "\($0)" } ?? "nothing")")
    }

    /// A file of boxes around the beginning of a codestream.
    private func boxes(
        _ components: Int, colors: Int, opacity: Bool = false, subsampled: Bool = false
    ) throws -> JPXHeader {
        func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
            number(8 + content.count) + Array(kind.utf8) + content
        }
        let size = box("ihdr", number(4) + number(6) + number(components, 2) + [7, 7, 0, 0])
        let color = box("colr", [1, 0, 0] + number(colors))
        let more =
            opacity ? box("cdef", number(1, 2) + number(1, 2) + number(1, 2) + number(0, 2)) : []
        var stream: [UInt8] = [0xFF, 0x4F, 0xFF, 0x51]
        stream += number(38 + 3 * components, 2) + [0, 0]
        for field in [6, 4, 0, 0, 6, 4, 0, 0] { stream += number(field) }
        stream += number(components, 2)
        for _ in 0..<components { stream += [7, subsampled ? 2 : 1, 1] }
        stream += [0xFF, 0xD9]
        let bytes =
            box("jP  ", [13, 10, 0x87, 10]) + box("jp2h", size + color + more) + box("jp2c", stream)
        return try JPXHeader(ImageData(content: .memory(bytes)))
    }

    @Test func jpeg2000() throws {
        let plain = try boxes(3, colors: 16)
        #expect(plain.doubt == nil && plain.width == 6 && plain.height == 4 && plain.depth == 8)
        #expect(plain.componentCount == 3 && plain.colors == 16 && !plain.hasMore)
        #expect(try boxes(2, colors: 17, opacity: true).hasMore)
        #expect(try boxes(3, colors: 16, subsampled: true).isSubsampled && !plain.isSubsampled)
        #expect(
            try JPXHeader(ImageData(content: .memory(Array("junk".utf8)))).doubt
                == "its JPEG 2000 data have no size")
    }
}
