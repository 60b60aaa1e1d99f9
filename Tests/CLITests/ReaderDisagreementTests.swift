import Foundation
import SignetTestSupport
import Testing

/// Documents whose signed bytes readers show differently: who signs is told what `verify` will doubt.
@Suite struct ReaderDisagreementTests {
    private struct Report: Decodable {
        struct Content: Decodable {
            struct Finding: Decodable {
                let code: String
                let message: String
            }
            let findings: [Finding]
        }
        let dynamicContent: Content
        let warnings: [String]?
    }

    private struct Verification: Decodable {
        struct Signature: Decodable {
            let problems: [Report.Content.Finding]
        }
        let signatures: [Signature]
    }

    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    /// A page with this content, after the font in its resources.
    private static func page(
        _ content: String, _ entries: String = "", page: String = "", objects: [String] = []
    ) -> [UInt8] {
        var sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] \(page)", extraObjects: objects)
        sample.objects[3] = stream(entries, content)
        return sample.bytes
    }

    private static func annotation(_ entries: String, _ objects: String...) -> [UInt8] {
        page(text, page: "/Annots [6 0 R]", objects: ["<<\(entries) /Rect [9 9 99 99]>>"] + objects)
    }

    private static let text = "BT /F1 24 Tf 72 720 Td (Sample) Tj ET"
    private static let otherText = "BT /G 24 Tf 72 720 Td (Sample) Tj ET"
    private static let box = "/Type /XObject /Subtype /Form /BBox [0 0 90 90]"

    static let disputed = disputedDocuments + oddlyContained + oddPages

    private static let disputedDocuments: [(bytes: [UInt8], code: String, words: String)] = [
        (page(text, "/Filter /Foo"), "object-unreadable", "filter Foo"),
        (page(text, "/Filter [/FlateDecode]"), "object-unreadable", "the filter FlateDecode takes"),
        (page(text, "/Filter /ASCIIHexDecode"), "object-unreadable", "cannot be decoded"),
        (
            annotation(
                "/Subtype /Stamp /AP <</N 7 0 R>>", stream("\(box) /Filter [/AHx /Foo]", "0>")),
            "object-unreadable", "filter Foo"
        ),
        (page("Q Q \(text)"), "content-ambiguous", "never saved (Q)"),
        (page("q Q (q) pop % q\nQ /N 1 gs <</q/q>> 0 0 9 9 re f"), "content-ambiguous", "(Q)"),
        (page(otherText), "content-ambiguous", "the font 'G'"),
        (page("/F1 9 Tf q /G#47 9 Tf (x) Tj Q"), "content-ambiguous", "the font 'GG'"),
        (
            annotation("/Subtype /Stamp /AP <</N 7 0 R>>", stream(box, otherText)),
            "content-ambiguous", "object 7, which is shown, has text in the font 'G'"
        ),
        (
            annotation(
                "/Subtype /Stamp /AS /On /AP <</N <</On 7 0 R>>>>", stream(box, "Q 0 0 9 9 re f")),
            "content-ambiguous", "object 7, which is shown, goes back"
        ),
        (
            annotation(
                "/Subtype /Stamp /AP <</N 4294967303 0 R>>", stream(box, "0 0 90 90 re f")),
            "content-ambiguous", "it refers to object 4294967303"
        ),
        (
            page(
                text, page: "/Annots [6 0 R]",
                objects: [
                    stream("/Subtype /Stamp /Rect [9 9 99 99] /AP <</N 7 0 R>>", " "),
                    stream(box, "0 0 90 90 re f"),
                ]), "object-unreadable", "leads to a stream (object 6), where a dictionary is due"
        ),
        (
            annotation(
                "/Subtype /Stamp /AP <</N 7 0 R>>", stream("/Subtype /Form", "0 0 9 9 re f")),
            "content-ambiguous", "what object 6, which is shown, draws has no box"
        ),
        (
            annotation(
                "/Subtype /Stamp /AP <</N 7 0 R>>", stream("\(box) /Matrix [1 0 0]", "9 9 9 9 re f")
            ),
            "content-ambiguous", "what object 6, which is shown, draws has no box"
        ),
        (
            annotation("/Subtype /Stamp /AP <</N 7 0 R>>", stream("\(box) /BBox [0 0 1 1]", "")),
            "duplicate-key-shown", "object 7, which is shown, has the key /BBox more than once"
        ),
    ]

    private static let oddlyContained: [(bytes: [UInt8], code: String, words: String)] =
        oddContents.map { (page($0), "content-ambiguous", "the content of object 3") }
        + oddEntries.map {
            (
                annotation(
                    "/Subtype /Stamp /AP <</N 7 0 R>> \($0)", stream(box, "0 0 9 9 re f")),
                "content-ambiguous", "some readers take"
            )
        }

    private static let oddEntries = [
        "/X#00 1", "/X#zz 1", "/X\u{80} 1", "/\(String(repeating: "#58", count: 100)) 1",
        "/X 4294967296",
    ]

    /// Operators without what they take, numbers that are none, and images whose ends nobody knows.
    private static let oddContents = [
        "BT /F1 24 Tf 60 Td (x) Tj ET", "1 g g \(text)", "1e2 w \(text)", "2-0 g \(text)",
        "2147483648 w \(text)", "3.0 Tr \(text)", "q W n \(text) Q", "BI EI \(text)",
        "<</A /B>> \(text)", "[1 \(text)", "/X\u{80} gs \(text)", "\(text) /X\u{80} Do",
        "BI /W 9 /H 1 /BPC 8 /CS /G ID A EI \(text) BI /W 1 /H 1 /BPC 8 /CS /G ID x EI",
        "BI /W 60 /H 1 /BPC 8 /CS /G ID AAAA EI \(text) EI",
        "8 Tr \(text)", "-1 Tr \(text)", "-5 w \(text)", "3 J \(text)", "[0 0] 0 d \(text)",
        "[3 -1] 0 d \(text)", "BT /F1 9 Tf [(x) /y (z)] TJ ET \(text)", "BI \(text)",
        "BT /F1 9 Tf [(x) [1] (z)] TJ ET \(text)", "endstream \(text)", ") \(text)", "} \(text)",
    ]

    /// A page with these entries and resources, besides the font.
    private static func page(
        entries: String, resources: String = "", content: String = text, objects: [String]
    ) -> [UInt8] {
        var sample = SamplePDF(extraObjects: objects)
        sample.objects[2] =
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] \(entries) /Resources <</Font "
            + "<</F1 5 0 R>> \(resources)>>>>"
        sample.objects[3] = stream("", content)
        return sample.bytes
    }

    private static func image(_ entries: String, _ data: String = "A", _ more: String...) -> [UInt8]
    {
        page(
            entries: "/Contents 4 0 R", resources: "/XObject <</I 6 0 R>>",
            content: "\(text) /I Do",
            objects: [stream("/Subtype /Image /Height 1 \(entries)", data)] + more)
    }

    private static let gray = "/Width 1 /BitsPerComponent 8 /ColorSpace /DeviceGray"

    /// Images whose entries do not agree with one another or with their data.
    private static let oddImages = [
        image("/BitsPerComponent 8 /ColorSpace /DeviceGray"),
        image("/Width 1 /BitsPerComponent 3 /ColorSpace /DeviceGray"),
        image("/Width 1 /ColorSpace /DeviceGray"), image("/Width 1 /BitsPerComponent 8"),
        image("/Width 1 /BitsPerComponent 8 /ColorSpace /Pattern"),
        image("/Width 1 /BitsPerComponent 8 /ColorSpace [/CalGray <<>>]"),
        image("/Width 1 /BitsPerComponent 8 /ColorSpace [/Indexed /DeviceRGB 1 (abc)]"),
        image("/Width 1 /BitsPerComponent 8 /ColorSpace [/Indexed /DeviceRGB 300 (abc)]"),
        image("/Width 1 /BitsPerComponent 8 /ColorSpace [/ICCBased 4 0 R]"),
        image("/Width 1 /BitsPerComponent 8 /ImageMask true"),
        image("/Width 1 /ImageMask true /Decode [0.6 0]"),
        image("/Width 1 /ImageMask true /ColorSpace /DeviceGray"),
        image("\(gray) /Decode [0]"), image("\(gray) /Mask [0 256]"), image("\(gray) /Mask [0]"),
        image("\(gray) /SMask 5 0 R"), image(gray, ""),
        image("\(gray) /SMask 7 0 R", "A", stream("/Subtype /Image /Height 1 \(gray)", "")),
        image("/Width 2 /BitsPerComponent 8 /ColorSpace /DeviceRGB", "ABCDE"),
    ]

    private static let oddPages: [(bytes: [UInt8], code: String, words: String)] =
        oddImages.map {
            ($0, "content-ambiguous", "an image, is shown by readers in different ways")
        }
        + ["[4 0 R null]", "[4 0 R 5 0 R]", "[4 0 R [4 0 R]]", "[4 0 R 7]"].map {
            (
                page(entries: "/Contents \($0)", objects: []), "content-ambiguous",
                "has a part that is no stream"
            )
        }
        + ["/ca /x", "/CA 2", "/BM [/Foo /Difference]", "/BM 5", "/SMask /x", "/LW -1"].map {
            (
                page(
                    entries: "/Contents 4 0 R", resources: "/ExtGState <</G <<\($0)>>>>",
                    objects: []), "content-ambiguous", "a graphics state of object 3"
            )
        }
        + [
            (
                page(
                    entries: "/Contents 4 0 R",
                    resources: "/ExtGState <</G <</SMask <</S /Luminosity /G 6 0 R>>>>>>",
                    objects: [stream(box, "Q Q 0 0 9 9 re f")]),
                "content-ambiguous", "object 6, which is shown, goes back"
            ),
            (
                page(
                    entries: "/Contents [4 0 R 6 0 R]", content: "\(text) 1",
                    objects: [stream("", "0 w")]),
                "content-ambiguous", "a word of the content of object 3"
            ),
        ]
        + ["/CropBox [9 9 9 99]", "/CropBox [900 900 999 999]", "/Rotate 45", "/Rotate 90.0"].map {
            (
                page(entries: "/Contents 4 0 R \($0)", objects: []), "content-ambiguous",
                "readers disagree how page 1 is shown"
            )
        }
        + [
            ("[3 0 R null] /Count 2", "which page is page 2"),
            ("[3 0 R] /Count 2", "which page is page 2"),
            ("[3 0 R 5 0 R] /Count 2", "how page 2 is shown"),
        ].map { (tree, what) in
            var sample = SamplePDF()
            sample.objects[1] = "<</Type /Pages /Kids \(tree)>>"
            return (sample.bytes, "content-ambiguous", "readers disagree \(what)")
        }

    private func sign(
        _ bytes: [UInt8], _ options: String...
    ) throws -> (Workspace, CommandOutcome) {
        let workspace = try signingWorkspace()
        try workspace.write(Data(bytes), to: "in.pdf")
        let outcome = try workspace.signet(
            ["sign", "in.pdf", "--key", "key.pem", "--cert", "valid.pem", "-o", "out.pdf"] + options
        )
        return (workspace, outcome)
    }

    @Test(arguments: disputed.indices) func doubtsAreSaidBeforeSigning(
        index: Int
    ) throws {
        let (bytes, code, words) = Self.disputed[index]
        let (workspace, outcome) = try sign(bytes, "--json", "--new-field")
        outcome.expect(ExitCode.done)
        let signed = try outcome.json(Report.self)
        let finding = try #require(
            signed.dynamicContent.findings.first {
                $0.code == "readers-disagree" && $0.message.contains(words)
            })
        #expect(signed.warnings?.contains(finding.message) == true)
        let shown = try workspace.signet("show", "in.pdf", "--json").json(Report.self)
        #expect(shown.dynamicContent.findings.contains { $0.message == finding.message })
        let verified = try workspace.signet("verify", "out.pdf", "--trust", "valid.pem", "--json")
        verified.expect(ExitCode.indeterminate)
        let problems = try verified.json(Verification.self).signatures.first?.problems ?? []
        // What is written anew for the signature cannot be disputed any more.
        #expect(problems.contains { $0.code == code && $0.message.contains(words) })
        let (_, strict) = try sign(bytes, "--strict", "--new-field")
        strict.expectRefusal(ExitCode.malformedInput, naming: words, "--strict")
    }

    /// Documents that signing would write anew in another way than some readers read them.
    private static let unlike: [(bytes: [UInt8], words: String)] = {
        let stamp = "<</Subtype /Stamp /Rect [9 9 99 99]>>"
        return [
            (page(text, page: "/Contents#00 4 0 R"), "about a name or number in it"),
            (page(text, page: "/X <</Y#zz 1>>"), "about a name or number in it"),
            (SamplePDF(catalogEntries: "/Pages\u{80} 9 0 R").bytes, "about a name or number in it"),
            (page(text, page: "/Annots 6 0 R", objects: ["7 0 R", "[8 0 R]", stamp]), "reference"),
            (page(text, page: "/Annots [6 0 R]", objects: ["7 0 R", stamp]), "a reference"),
            (page(text, page: "/Annots 6 0 R", objects: [stamp]), "no array but a dictionary"),
            (
                page(
                    text, page: "/Annots [6 0 R]",
                    objects: ["<</Subtype /Widget /FT /Tx /T (x) /Rect [9 9 99 99]>>"]),
                "a form field on page 1 that the form does not have"
            ),
            (oddTrailer, "about a name or number in the trailer"),
        ]
    }()

    private static var oddTrailer: [UInt8] {
        var bytes = SamplePDF().bytes
        let root = Array("/Root 1 0 R".utf8)
        let place = bytes.indices.last { bytes[$0...].starts(with: root) } ?? 0
        bytes.insert(contentsOf: "/Root#00 9 0 R ".utf8, at: place)
        return bytes
    }

    @Test(arguments: unlike.indices) func whatWouldBeWrittenInAnotherWayIsRefused(
        index: Int
    ) throws {
        let (bytes, words) = Self.unlike[index]
        let (workspace, outcome) = try sign(bytes)
        outcome.expectRefusal(ExitCode.malformedInput, naming: words)
        #expect(!workspace.exists("out.pdf"))
    }

    /// As many as the number of the sample.
    private static let colors = String(repeating: "abc", count: 66)

    static let agreed: [[UInt8]] = [
        SamplePDF().bytes,
        // Nothing is drawn behind what is restored too often, or shown in what is set only.
        page("\(text) Q Q"), page("/G 12 Tf \(text) q /H 9 Tf Q"),
        page("q q Q Q (Q) Tj <51> Tj % Q\n/Q gs \(text)"),
        page("BI /W 1 /H 1 /CS /G /BPC 8 ID Q EI \(text)"),
        // Nothing, by whatever filter.
        page("", "/Filter /FlateDecode"),
        // What a form lacks its page has.
        annotation("/P 3 0 R /Subtype /Stamp /AP <</N 7 0 R>>", stream(box, text)),
        annotation(
            "/Subtype /Stamp /AP <</N 7 0 R>>",
            stream("\(box) /Resources <</XObject <</X 8 0 R>> /Font <</G 5 0 R>>>>", "/X Do"),
            stream(box, otherText)),
        image(gray), image("/Width 1 /ImageMask true /Decode [1 0]"),
        image("/Width 1 /BitsPerComponent 8 /ColorSpace [/Indexed /DeviceRGB 65 (\(colors))]"),
        image("\(gray) /SMask 7 0 R", "A", stream("/Subtype /Image /Height 1 \(gray)", "A")),
        page("3 Tr 1 j [] 0 d [3] 0 d 0 w BT /F1 9 Tf [(x) -5 (z)] TJ ET \(text)"),
        page(
            entries: "/Contents [4 0 R 6 0 R]", content: "q \(text)", objects: [stream("", "Q")]),
        // Objects that no reader draws.
        page(text, page: "/X [0 0 R 99999 0 null]"),
    ]

    @Test(arguments: agreed.indices) func whatAllShowAlikeStaysSilent(index: Int) throws {
        let (workspace, outcome) = try sign(Self.agreed[index], "--json", "--new-field")
        outcome.expect(ExitCode.done)
        let findings = try outcome.json(Report.self).dynamicContent.findings
        #expect(!findings.contains { $0.code == "readers-disagree" })
        try workspace.signet("verify", "out.pdf", "--trust", "valid.pem").expect(ExitCode.done)
    }

    @Test(arguments: ["-1", "0", "(1)"]) func unitsThatAreNoneAreDisputed(unit: String) throws {
        let bytes = SamplePDF(pageEntries: "/MediaBox [0 0 595 842] /UserUnit \(unit)").bytes
        let (_, outcome) = try sign(bytes, "--at", "1:bottom-right")
        outcome.expectRefusal(ExitCode.malformedInput, naming: "UserUnit is not a number above 0")
    }

    /// Prints and looks that depend on the reader, by their codes.
    static let dependent: [(bytes: [UInt8], code: String)] = {
        func object(_ entries: String) -> [UInt8] {
            var sample = SamplePDF(extraObjects: [stream(entries, "0 0 9 9 re f")])
            sample.objects[2] =
                "<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources <</XObject "
                + "<</X 6 0 R>>>>>>"
            return sample.bytes
        }
        func state(_ entries: String) -> [UInt8] {
            var sample = SamplePDF(extraObjects: [
                "<</Type /ExtGState \(entries)>>",
                stream("/FunctionType 4 /Domain [0 1] /Range [0 1]", "{1 exch sub}"),
            ])
            sample.objects[2] =
                "<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources <</ExtGState "
                + "<</G 6 0 R>>>>>>"
            return sample.bytes
        }
        func mark(_ entries: String) -> [UInt8] { annotation(entries) }
        return [
            (object("/Subtype /PS"), "postscript"),
            (object("\(box) /Subtype2 /PS"), "postscript"),
            (object("\(box) /PS 4 0 R"), "postscript"),
            (object("\(box) /OPI <</2.0 <</F (x.tif)>>>>"), "print-replacement"),
            (state("/TR 7 0 R"), "transfer-function"),
            (state("/TR2 [7 0 R 7 0 R 7 0 R /Identity]"), "transfer-function"),
            (mark("/Subtype /Line /L [0 0 9 9]"), "no-appearance"),
            (mark("/Subtype /Polygon /Vertices [0 0 9 9 0 9]"), "no-appearance"),
            (mark("/Subtype /Stamp /Name /Void /AP <</D 4 0 R>>"), "no-appearance"),
            (mark("/Subtype /Link /Border [0 0 90]"), "no-appearance"),
            (mark("/Subtype /Text /Contents (x)"), "no-appearance"),
            (
                SamplePDF(
                    catalogEntries: "/Outlines <</First <</A <</S 6 0 R /F (x) /K 0>>>>>>",
                    extraObjects: ["/Launch"]
                ).bytes, "action"
            ),
        ]
    }()

    @Test(arguments: dependent.indices) func whatReadersDrawOrPrintThemselvesIsNamed(
        index: Int
    ) throws {
        let (bytes, code) = Self.dependent[index]
        let (workspace, outcome) = try sign(bytes, "--json", "--new-field")
        outcome.expect(ExitCode.done)
        let findings = try outcome.json(Report.self).dynamicContent.findings
        let finding = try #require(findings.first { $0.code == code })
        for command in [["show", "in.pdf"], ["verify", "out.pdf", "--trust", "valid.pem"]] {
            let report = try workspace.signet(command + ["--json"]).json(Report.self)
            #expect(report.dynamicContent.findings.contains { $0.message == finding.message })
        }
        let (_, strict) = try sign(bytes, "--strict", "--new-field")
        strict.expectRefusal(ExitCode.malformedInput, naming: finding.message)
    }

    /// Thin frames of links, plain functions, names of structure elements.
    @Test(arguments: [
        annotation("/Subtype /Link /Border [0 0 1] /C [1 0 0]"),
        annotation("/Subtype /Line /F 2"),
        page(text, page: "/X <</TR /Identity>> /Y <</TR /Sect /S /Span /K 0>>"),
    ]) func ordinaryEntriesAreNotNamed(bytes: [UInt8]) throws {
        let (_, outcome) = try sign(bytes, "--json", "--new-field")
        let codes = try outcome.json(Report.self).dynamicContent.findings.map(\.code)
        #expect(
            Set(codes).isDisjoint(with: [
                "no-appearance", "transfer-function", "action", "readers-disagree",
            ]))
    }
}
