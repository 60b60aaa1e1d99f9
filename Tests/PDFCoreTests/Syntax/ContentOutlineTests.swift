import Testing

@testable import PDFCore

@Suite("Content at a glance")
struct ContentOutlineTests {
    private func outline(_ content: String) -> ContentOutline {
        ContentOutline(Array(content.utf8))
    }

    @Test("fonts count when text is shown in them") func fonts() {
        #expect(
            Set(outline("/A 9 Tf (x) Tj /B 9 Tf /C 9 Tf [(x)] TJ").shownFonts.keys) == ["A", "C"])
        #expect(Set(outline("/A 9 Tf q /B 9 Tf Q (x) ' q (y) Tj Q").shownFonts.keys) == ["A"])
        #expect(Set(outline("/A#42 9 Tf 0 0 (x) \"").shownFonts.keys) == ["AB"])
        #expect(outline("(x) Tj / 9 Tf (x) Tj").shownFonts.isEmpty)
        #expect(outline("/A 9 Tf(x)Tj/X Do/Y Do").drawnObjects == ["X", "Y"])
    }

    @Test(
        "a device's colour space without a colour matters where something is painted in it",
        arguments: [
            ("1 g /DeviceRGB cs (x) Tj", true), ("1 G /DeviceGray CS 0 0 9 9 re S", true),
            ("0 G /DeviceGray CS 0 0 9 9 re S", false), ("0 0 0 rg /DeviceGray cs (x) Tj", false),
            ("1 g q /DeviceCMYK cs 0 0 9 9 re B Q", true), ("1 g /DeviceRG#42 cs (x) Tj", true),
            ("1 g /DeviceRGB cs 0 0 1 sc (x) Tj", false), ("/DeviceRGB cs (x) Tj", false),
            ("1 g q /DeviceRGB cs Q (x) Tj", false), ("1 g /Own cs (x) Tj", true),
            ("1 g /DeviceRGB cs 0 0 9 9 re S", false),
        ]) func initialColors(content: String, isDisputed: Bool)
    {
        #expect(outline(content).paintsInitialColor == isDisputed)
    }

    @Test("colours have as many components as their space") func components() {
        #expect(outline("/DeviceRGB cs 0 sc (x) Tj").drawsAfterOddOperands)
        #expect(!outline("/DeviceCMYK cs 0 0 0 1 scn (x) Tj").drawsAfterOddOperands)
        #expect(!outline("/Own cs 0 sc (x) Tj").drawsAfterOddOperands)
    }

    @Test("text that is raised or stretched matters to forms") func textState() {
        let found = outline("5 Ts /A Do 0 Ts /B Do q 90 Tz /C Do Q /D Do 100 Tz /E Do")
        #expect(found.objectsInShiftedText == ["A", "C"])
        #expect(outline("(x) Tj").inheritsTextState && outline("0 Ts (x) Tj").inheritsTextState)
        #expect(!outline("0 Ts 100 Tz (x) Tj").inheritsTextState)
    }

    @Test(
        "patterns around text and areas, and where they are clipped to",
        arguments: [
            ("/Pattern CS /P SCN 1 Tr (x) Tj", true), ("/Pattern CS /P SCN (x) Tj", false),
            ("/Pattern cs /P scn 0 0 9 9 re W f", true), ("/Pattern cs /P scn 0 0 9 9 re f", false),
            ("/Pattern cs /P scn 0 0 9 9 re W n", false), ("/Pattern CS /P SCN 0 0 9 9 re b", true),
            ("/Pattern CS /P SCN 0 0 9 9 re S", false),
            ("/Pattern CS /P SCN 0 G 0 0 9 9 re B", false),
        ]) func patterns(content: String, isDisputed: Bool)
    {
        #expect(outline(content).paintsOddPattern == isDisputed)
    }

    @Test("text that is mirrored at an angle") func mirroredText() {
        #expect(outline("BT /F 9 Tf .7 .7 .7 -.7 9 9 Tm (x) Tj ET").showsFlatText)
        #expect(!outline("BT /F 9 Tf .7 .7 -.7 .7 9 9 Tm (x) Tj ET").showsFlatText)
        #expect(!outline("1 0 0 -1 0 99 cm BT /F 9 Tf 1 0 0 1 9 9 Tm (x) Tj ET").showsFlatText)
    }

    @Test("names are known by what they are looked up in") func names() {
        let found = outline("/G gs /C cs /P scn /P scn /S sh /DeviceRGB CS 1 0 0 SC")
        #expect(
            found.usedNames == [
                "ExtGState": ["G"], "ColorSpace": ["C"], "Pattern": ["P"], "Shading": ["S"],
            ])
    }

    @Test(
        "a state that was never saved matters where something is drawn behind it",
        arguments: [
            ("Q (x) Tj", true), ("q Q Q 0 0 9 9 re f", true), ("Q /X Do", true), ("Q /S sh", true),
            ("q Q Q BI /W 1 ID x EI", true), ("(q) Tj Q S", true), ("<71> Tj Q b*", true),
            ("% q\rQ B", true), ("/q gs Q F", true), ("(\\(q) Tj Q s", true),
            ("((q)q) Tj Q f*", true),
            ("q 0 0 9 9 re f Q Q", false), ("q q Q 0 0 9 9 re f", false), ("Q 0 0 9 9 re n", false),
            ("(Q) Tj", false), ("/Q Do % Q\n(x) Tj", false), ("BI ID Q EI (x) Tj", false),
            ("QQ (x) Tj", false), ("<</Q /Q>> BDC (x) Tj", false), ("", false), ("Q", false),
        ]) func restores(content: String, isDisputed: Bool)
    {
        #expect(outline(content).drawsAfterExtraRestore == isDisputed)
    }

    @Test(
        "what has no end is read to the end",
        arguments: ["(", "((\\", "<", "<<", "/", "BI ID", "%"])
    func unfinished(content: String) {
        #expect(!outline(content).drawsAfterExtraRestore)
    }

    @Test("many states are counted") func manyStates() {
        let many = 10_000
        let saves = String(repeating: "q ", count: many)
        let restores = String(repeating: "Q ", count: many)
        #expect(!outline(saves + restores + "S").drawsAfterExtraRestore)
        #expect(outline(saves + restores + "Q S").drawsAfterExtraRestore)
    }

    @Test("the codes that are shown are known") func codes() throws {
        let shown = outline("/A 9 Tf (c\\144) Tj [(e) 9 <66>] TJ (x) pop /B 9 Tf <0102030> Tj")
            .shownFonts
        let first = try #require(shown["A"])
        #expect("cdef".utf8.allSatisfy(first.contains) && !first.contains(UInt8(ascii: "x")))
        #expect(try #require(shown["B"]).highestPair == 0x0300)
        let escaped = outline("/A 9 Tf (\\7\\53\\n\\\n\\(z) Tj").shownFonts
        #expect(try #require(escaped["A"]).highestPair == 0x0A28)
    }

    @Test(
        "what is where it may not be is told",
        arguments: [
            ("BT q (x) Tj Q ET S", true), ("0 0 9 9 re /X Do f", true), ("[9] -9 d S", true),
            ("[9 9] 2000000 d S", true), ("9999 Tz S", true),
            ("<4x> Tj", true), ("BI /W 1 /H 1 /BPC 8 ID x EI", true),
            ("BI /W 1 /H 1 /CS /G ID x EI", true), ("BT (x) Tj ET q S Q", false),
            ("0 0 9 9 re f /X Do", false), ("1 J [0 9] 0 d S", false), ("2 J [9 0] 9 d S", false),
            ("< 4 1\n> Tj", false), ("BI /W 1 /H 1 /BPC 8 /CS /G ID x EI", false),
            ("BI /W 8 /H 1 /IM true ID x EI", false),
        ]) func places(content: String, isTold: Bool)
    {
        #expect(outline(content).drawsAfterOddOperands == isTold)
    }

    @Test(
        "inline images end where all readers find it",
        arguments: [
            ("/W 4 /H 1 /BPC 8 /CS /G ID abcd EI", false),
            ("/W 9 /H 1 /BPC 8 /CS /G ID abcd EI Q EI", true),
            ("/W 32 /H 1 /BPC 8 /CS /G ID abcdEI Q BT (x) Tj ET q aaaaaaaa EI", true),
            ("/W 4 /H 1 /BPC 8 /CS /G /F /AHx ID 61626364> EI", false),
            ("/W 4 /H 1 /CS /G /F /AHx ID 61626364> EI", true),
            ("/W 2147483647 /H 715827883 /BPC 12 /CS /CMYK ID x EI", true),
            ("/W 4 /H 1 /BPC 8 /CS /G /F /AHx ID 6162 EI Q q %64>EI", true),
            ("/W 4 /H 1 /BPC 8 /CS /G /F [/A85] ID z~> EI", false),
            ("/W 4 /H 1 /BPC 8 /CS /G /F /RL ID \u{3}abcd EI Q", true),
            ("/W 4 /H 1 /BPC 8 /CS /G /F /Fl ID abcd EI", true),
            ("/W 4 /H 1 /BPC 8 /CS /G /ColorSpace /G ID abcd EI", true),
            ("/W 4 /H 1 /BPC 8 /CS /G /F null ID abcd EI", true),
            ("/W 4 /H 1 /BPC 8 /CS /G ID\r\nabcd EI", true),
            ("/DP << /K -1 >> /W 4 /H 1 /BPC 8 /CS /G ID abcd EI", false),
        ]) func images(image: String, isTold: Bool)
    {
        #expect(outline("q BI " + image + " Q").drawsAfterOddOperands == isTold)
    }

    @Test("how far lines go and how small text is") func places() throws {
        #expect(outline("9 9 m 300 9 l S BT /F 9 Tf (x) Tj ET").farPlace == nil)
        let far = outline("q 2 0 0 2 0 0 cm 9 9 m 30000 9 l S Q").farPlace
        #expect(far == 60_000)
        let near = outline("q .01 0 0 .01 0 0 cm 9 9 m 30000 9 l S Q").farPlace
        #expect(try #require(near) < 301)
        let small = outline("BT /F .001 Tf 10 0 0 10 0 0 Tm (x) Tj ET").leastTextSize
        #expect(abs(try #require(small) - 0.01) < 1e-9)
        #expect(outline("BT /F 9 Tf 3 Tr .001 0 0 .001 0 0 Tm (x) Tj ET").leastTextSize == nil)
        #expect(outline("BT /F 9 Tf .01 0 0 1 0 0 Tm (x) Tj ET").showsFlatText)
        #expect(!outline("BT /F 200 Tf .06 0 0 .06 0 0 Tm (x) Tj ET").showsFlatText)
    }

    @Test("what is pressed flat or drawn askew is told") func angles() {
        let text = " 20 60 Tm (x) Tj ET"
        for matrix in ["1 0 0 .01", ".01 0 0 1", "1 .2 1 .21", ".05 1 .5 10"] {
            #expect(outline("BT /F 9 Tf " + matrix + text).showsFlatText, "\(matrix)")
        }
        for matrix in ["1 0 0 1", "0 1 -1 0", ".7 .7 -.7 .7", "1 .03 -.03 1", "1 0 .3 1"] {
            #expect(!outline("BT /F 9 Tf " + matrix + text).showsFlatText, "\(matrix)")
        }
        #expect(outline("q 39 1 51 71 20 20 cm /I Do Q").skewedObjects == ["I"])
        let slight = outline("q -39.47 0.18 51.65 -71.51 20 20 cm /I Do Q")
        #expect(slight.skewedObjects == ["I"])
        #expect(outline("q 40 0 50 70 20 20 cm /I Do Q").skewedObjects.isEmpty)
        #expect(outline("q 30 40 -40 30 20 20 cm /I Do Q").skewedObjects.isEmpty)
        #expect(outline("9 9 9 9 re W f").paintsClip && !outline("9 9 9 9 re W n").paintsClip)
        #expect(outline("BT 7 Tr (x) Tj 0 Tr ET S").drawsAfterOddOperands)
    }
}
