import Foundation
import SignetTestSupport
import Testing

/// Documents made so that a signer signs something else than they meant.
@Suite struct HostileDocumentTests {
    private func sign(
        _ bytes: [UInt8], _ options: ShellWords = "", output: String = "out.pdf"
    ) throws -> (Workspace, CommandOutcome) {
        let workspace = try signingWorkspace()
        try workspace.write(Data(bytes), to: "in.pdf")
        try workspace.write(Data(#"{"strokes":[[[0,0],[40,20],[80,0]]]}"#.utf8), to: "ink.json")
        let outcome = try workspace.signet(
            "sign in.pdf --key key.pem --cert valid.pem -o \(output) \(options)")
        return (workspace, outcome)
    }

    /// Numbers of the objects that signing added.
    private func added(_ workspace: Workspace) throws -> Set<Int> {
        let text = String(
            decoding: try workspace.read("out.pdf").dropFirst(try workspace.read("in.pdf").count),
            as: Unicode.ASCII.self)
        return Set(text.matches(of: /([0-9]+) 0 obj/).compactMap { Int($0.output.1) })
    }

    static let waiting = (6...60).map { "\($0) 0 R" }

    /// The same trap, set in several ways: something that refers to numbers without objects.
    static let traps: [SamplePDF] = {
        let objects = waiting.enumerated().map { "/X\($0.offset) \($0.element)" }
            .joined(separator: " ")
        let packed = "70 0 <<\(objects)>>"
        var inStream = SamplePDF()
        inStream.crossReference = .stream
        inStream.objects[4] =
            "<</Type /ObjStm /N 1 /First 5 /Length \(packed.utf8.count)>>\nstream\n\(packed)"
            + "\nendstream"
        return [
            SamplePDF(pageEntries: "/MediaBox [0 0 595 842] /PieceInfo <<\(objects)>>"),
            SamplePDF(catalogEntries: "/Waiting [\(waiting.joined(separator: " "))]"),
            SamplePDF(catalogEntries: "/Waiting [\(waiting.joined(separator: "%\n"))]"),
            SamplePDF(
                catalogEntries: "/Waiting ["
                    + (6...60).map { "\($0) %\u{1}\n 0 % R\n R" }.joined(separator: " ") + "]"),
            SamplePDF(
                catalogEntries: "/Waiting ["
                    + (6...60).map { "00\($0)\u{0}0\u{C}R" }.joined(separator: " ") + "]"),
        ]
    }()

    @Test(arguments: traps.indices) func newObjectsTakeNoNumberThatIsReferredTo(index: Int) throws {
        let (workspace, outcome) = try sign(
            Self.traps[index].bytes, "--at 1:bottom-right --ink ink.json")
        outcome.expect(.done)
        let numbers = try added(workspace)
        #expect(numbers.isDisjoint(with: 6...60) && numbers.contains { $0 > 60 })
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    /// In an object stream of an earlier revision, and in bytes between objects.
    @Test func numbersReferredToElsewhereAreNotTakenEither() throws {
        let waiting = Self.waiting.joined(separator: " ")
        let packed = "70 0 [\(waiting)]"
        var sample = SamplePDF()
        sample.crossReference = .stream
        sample.objects.append(
            "<</Type /ObjStm /N 1 /First 5 /Length \(packed.utf8.count)>>\nstream\n\(packed)"
                + "\nendstream")
        var bytes = sample.bytes
        let start = bytes.count
        let previous = try #require(
            String(decoding: bytes, as: UTF8.self).matches(of: /startxref\n([0-9]+)/).last?.output.1
        )
        bytes += Array(
            """
            8 0 obj
            <</Type /XRef /Size 71 /Root 1 0 R /W [1 3 1] /Index [70 1] /Length 5 \
            /Prev \(previous)>>
            stream

            """.utf8)
        bytes += [2, 0, 0, 6, 0] + Array("\nendstream\nendobj\n".utf8)
        bytes += Array("startxref\n\(start)\n%%EOF\n".utf8)
        let stray = Array("\n99 0 obj [\(waiting)] endobj\n".utf8)
        for bytes in [bytes, SamplePDF().bytes + stray] {
            let (workspace, outcome) = try sign(bytes, "--at 1:bottom-right --allow-damaged")
            outcome.expect(.done)
            #expect(try added(workspace).isDisjoint(with: 9...60))
        }
    }

    @Test(arguments: [
        ("/MediaBox [0 0 612 792] /UserUnit 75000", "--at", "1:center", "UserUnit"),
        (
            "/MediaBox [0 0 1000000000000000000000000000000 100000000000000000000000000000]",
            "--rect", "1:-10,10,100,100", "too large"
        ), ("/MediaBox [-9000000000 0 10000000000 10]", "--at", "1:center", ""),
        ("/MediaBox [0 0 612 792]", "--rect", "1:10,10,10.5,100", "too small"),
        (
            "/MediaBox [0 0 612 792]", "--rect",
            "1:1,1,1000000000000000000000000000,99999999999999999999999999999999", ""
        ),
    ]) func boxesThatWouldCollapseAreRefused(
        entries: String, option: String, place: String, words: String
    ) throws {
        let (workspace, outcome) = try sign(
            SamplePDF(pageEntries: entries).bytes, "\(option) \(place)")
        outcome.expectRefusal(.usage, naming: words)
        #expect(!workspace.exists("out.pdf"))
        try workspace.succeed("show in.pdf")
    }

    @Test(arguments: [
        ("/Fields 6 0 R", "/Kids 6 0 R", "[3 0 R]"),
        ("/Fields [3 0 R]", "/Kids [3 0 R]", "null"),
        ("/Fields 6 0 R", "/Kids 6 0 R", "[7 0 R 3 0 R]"),
    ]) func aFormThatIsAPageTreeTooIsRefused(form: String, kids: String, array: String) throws {
        var sample = SamplePDF(
            catalogEntries: "/AcroForm <<\(form)>>",
            extraObjects: [array, "<</FT /Tx /T (a) /Subtype /Widget /Rect [0 0 1 1]>>"])
        sample.objects[1] = "<</Type /Pages \(kids) /Count 1>>"
        let (_, outcome) = try sign(sample.bytes, "--at 1:center")
        outcome.expectRefusal(.malformedInput, naming: "belongs to the form")
    }

    /// An empty array may have any number of uses.
    @Test func anArrayOfOtherThingsIsNotAddedTo() throws {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots 6 0 R",
            catalogEntries: "/AcroForm <</Fields 6 0 R>> /Waiting 6 0 R", extraObjects: ["[]"])
        let (workspace, outcome) = try sign(sample.bytes, "--at 1:center")
        outcome.expect(.done)
        #expect(try !added(workspace).contains(6))
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    // MARK: Fields that are not where they seem to be

    /// A page with a field of these entries, and more of the page, the catalog and the objects.
    private static func form(
        _ field: String, page: String = "/Annots [6 0 R]", catalog: String = "",
        objects: [String] = []
    ) -> [UInt8] {
        SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] \(page)",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>> \(catalog)",
            extraObjects: ["<</FT /Sig /T (Sig) \(field)>>"] + objects
        ).bytes
    }

    private static let widget = "/Type /Annot /Subtype /Widget /Rect [100 100 300 150] /P 3 0 R"
    private static let kid = "<</Type /Annot /Subtype /Widget /Parent 6 0 R /F 4 /Rect "

    static let hidden: [(bytes: [UInt8], words: String)] = [
        (form("\(widget) /F 2"), "hidden"), (form("\(widget) /F 36"), "hidden"),
        (form("\(widget) /F 260"), "hidden"),
        (
            form("/F 2 /Kids [7 0 R]", page: "/Annots [7 0 R]", objects: [kid + "[9 9 99 99]>>"]),
            "hidden"
        ), (form("\(widget) /F 4 /OC 7 0 R", objects: ["<</Type /OCG /Name (x)>>"]), "layer"),
        (
            form(
                "\(widget) /F 4 /OC <</Type /OCMD /OCGs 7 0 R>>",
                objects: ["<</Type /OCG /Name (x)>>"]),
            "layer"
        ),
        (form("\(widget) /F 4", page: ""), "it is not on a page"),
        (form("\(widget) /F 4", page: "/Annots []"), "it is not on a page"),
        (form("/Subtype /Widget /Rect [5000 5000 5200 5050] /F 4"), "outside the page"),
        (form("/Subtype /Widget /Rect [550 100 750 150] /F 4"), "outside the page"),
        (
            form("\(widget) /F 4", page: "/CropBox [0 300 595 842] /Annots [6 0 R]"),
            "outside the page"
        ),
        (
            form(
                "\(widget) /F 4", page: "/Annots [6 0 R 7 0 R]",
                objects: ["<</Type /Annot /Subtype /Square /Rect [90 90 310 160]>>"]),
            "(Square) covers"
        ),
    ]

    @Test(arguments: hidden.indices) func fieldsThatAreNotSeenAreTold(index: Int) throws {
        let (bytes, words) = Self.hidden[index]
        let (workspace, outcome) = try sign(bytes)
        outcome.expect(.done)
        #expect(outcome.errors.contains("note:") && outcome.errors.contains(words))
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    @Test func aFieldInTwoPlacesNeedsConsent() throws {
        let bytes = Self.form(
            "/Kids [7 0 R 8 0 R]", page: "/Annots [7 0 R 8 0 R]",
            objects: [Self.kid + "[9 9 99 99]>>", Self.kid + "[100 9 199 99]>>"])
        for options in [[], ["--field", "Sig"], ["--field", "Sig", "--dry-run"]] {
            let workspace = try signingWorkspace()
            try workspace.write(Data(bytes), to: "in.pdf")
            try workspace.signet("sign in.pdf --key key.pem --cert valid.pem -o out.pdf \(options)")
                .expectRefusal(
                    .usage, naming: "2 places", "--field Sig --allow-hidden", "--new-field")
            #expect(!workspace.exists("out.pdf"))
        }
        let (_, outcome) = try sign(bytes, "--field Sig --allow-hidden")
        outcome.expect(.done)
        let (_, nameless) = try sign(bytes, "--allow-hidden")
        nameless.expect(.usage)
    }

    @Test func aWidgetOnTwoPagesNeedsConsent() throws {
        var sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</FT /Sig /T (Sig) \(Self.widget) /F 4>>",
                "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Annots [6 0 R]>>",
            ])
        sample.objects[1] = "<</Type /Pages /Kids [3 0 R 7 0 R] /Count 2>>"
        let (_, outcome) = try sign(sample.bytes)
        outcome.expectRefusal(.usage, naming: "several pages (1, 2)")
    }

    @Test func everyWidgetGetsTheLook() throws {
        let attackers = "<</Subtype /Form /BBox [0 0 9 9] /Length 4>>\nstream\nEVIL\nendstream"
        let bytes = Self.form(
            "/Kids [7 0 R 8 0 R]", page: "/Annots [7 0 R 8 0 R]",
            objects: [
                Self.kid + "[0 0 0 0] /AP <</N 9 0 R>>>>",
                Self.kid + "[100 100 400 200] /AP <</N 9 0 R>>>>", attackers,
            ])
        let (workspace, outcome) = try sign(bytes)
        outcome.expect(.done)
        let text = String(
            decoding: try workspace.read("out.pdf").dropFirst(bytes.count), as: Unicode.ASCII.self)
        #expect(!text.contains("/N 9 0 R") && text.matches(of: /\/N [0-9]+ 0 R/).count == 2)
    }

    @Test func twoFieldsOfOneNameAreRefused() throws {
        let bytes = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R 7 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R 7 0 R]>>",
            extraObjects: ["Sig", "Tx"].map { "<</FT /\($0) /T (A) \(Self.widget) /F 4>>" }
        ).bytes
        for options in [[], ["--field", "A"], ["--field", "A", "--allow-hidden"]] {
            let workspace = try signingWorkspace()
            try workspace.write(Data(bytes), to: "in.pdf")
            try workspace.signet("sign in.pdf --key key.pem --cert valid.pem -o out.pdf \(options)")
                .expectRefusal(.usage, naming: "2 fields have the name 'A'", "--new-field")
        }
    }

    // MARK: Documents that can change

    private static let stream = "<</Subtype /Form /BBox [0 0 9 9] /Length 0>>\nstream\n\nendstream"

    static let dynamic: [(bytes: [UInt8], code: String)] = [
        (SamplePDF(catalogEntries: "/OpenAction <</S /JavaScript /JS (x)>>").bytes, "javascript"),
        (
            SamplePDF(
                catalogEntries: "/OpenAction <</S /GoTo /D [3 0 R] /Next <</S /JavaScript>>>>"
            ).bytes, "javascript"
        ),
        (
            SamplePDF(catalogEntries: "/Names <</JavaScript <</Names [(a) 9 0 R]>>>>").bytes,
            "javascript"
        ), (SamplePDF(pageEntries: "/AA <</O <</S /Hide /T (a)>>>>").bytes, "action"),
        (
            SamplePDF(
                catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
                extraObjects: ["<</T (x) /FT /Tx /AA <</F <</S /JavaScript /JS (x)>>>>>>"]
            ).bytes, "javascript"
        ),
        (
            SamplePDF(pageEntries: "/Annots [<</Subtype /Stamp /F 2 /AP <<>>>>]").bytes,
            "hidden-annotation"
        ),
        (SamplePDF(pageEntries: "/Annots [<</Subtype /FileAttachment>>]").bytes, "embedded-file"),
        (SamplePDF(catalogEntries: "/Collection <</View /D>>").bytes, "portfolio"),
        (
            SamplePDF(
                pageEntries: "/Annots [6 0 R]",
                catalogEntries: "/AcroForm <</Fields [6 0 R] /NeedAppearances true>>",
                extraObjects: ["<</Subtype /Widget /FT /Btn /T (b) /Rect [0 0 9 9]>>"]
            ).bytes, "need-appearances"
        ),
        (
            SamplePDF(
                catalogEntries: "/OCProperties <</OCGs [6 0 R] /D <</AS [<</Event /Print>>]>>>>",
                extraObjects: ["<</Type /OCG /Name (x)>>"]
            ).bytes, "layer-by-event"
        ), (SamplePDF(pageEntries: "/Annots [99 0 R]").bytes, "dangling-reference"),
        (SamplePDF(catalogEntries: "/Outlines <</First <</A <</JS (x)>>>>>>").bytes, "javascript"),
        (
            SamplePDF(
                catalogEntries: "/OpenAction "
                    + (0..<40).map { _ in "<</S /GoTo /Next " }.joined() + "<</S /JavaScript>>"
                    + String(repeating: ">>", count: 40)
            ).bytes, "javascript"
        ), (SamplePDF(catalogEntries: "/OpenAction <</S /URI /URI (x)>>").bytes, "action"),
        (SamplePDF(pageEntries: "/Annots [<</Subtype /Redact>>]").bytes, "action"),
        (
            SamplePDF(pageEntries: "/Annots [<</Subtype /FreeText /Contents (x)>>]").bytes,
            "no-appearance"
        ),
        (
            SamplePDF(
                pageEntries: "/Annots [<</Subtype /Stamp /AP <</N 6 0 R /R 7 0 R>>>>]",
                extraObjects: [stream, stream]
            ).bytes, "rollover"
        ),
        (
            SamplePDF(
                pageEntries: "/PieceInfo <</X 6 0 R>>",
                extraObjects: ["<</F (x) /Length 0>>\nstream\n\nendstream"]
            ).bytes, "external-stream"
        ),
        (
            SamplePDF(
                pageEntries: "/Annots [6 0 R]", catalogEntries: "/AcroForm <</Fields []>>",
                extraObjects: ["<</FT /Tx /T (x) /Subtype /Widget /Rect [9 9 99 99]>>"]
            ).bytes, "stray-field"
        ),
        // Pages that a later revision needs but name.
        (
            SamplePDF(extraObjects: ["<</Type /Page /Parent 2 0 R /Contents 4 0 R>>"]).bytes,
            "unused-page"
        ), (SamplePDF(extraObjects: ["<</Type /Catalog /Pages 2 0 R>>"]).bytes, "unused-page"),
        {
            var sample = SamplePDF()
            sample.objects[3] = "<</F (http://elsewhere/) /Length 0>>\nstream\n\nendstream"
            return (sample.bytes, "external-stream")
        }(),
        {
            var sample = SamplePDF()
            sample.objects[4] = "<</Type /Font /Subtype /TrueType /BaseFont /Arial>>"
            return (sample.bytes, "font-not-embedded")
        }(),
        {
            var sample = SamplePDF(extraObjects: [
                "<</Subtype /Form /BBox [0 0 9 9] /Ref <</F (x) /Page 0>> /Length 0>>\nstream\n\nendstream"
            ])
            sample.objects[2] =
                "<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources <</XObject <</X 6 0 R>>>>>>"
            return (sample.bytes, "reference-xobject")
        }(),
    ]

    private static let told: Set<String> = [
        "javascript", "action", "external-stream", "reference-xobject", "portfolio",
    ]

    @Test(arguments: dynamic.indices) func whatMayChangeIsSaid(index: Int) throws {
        let (bytes, code) = Self.dynamic[index]
        let (workspace, outcome) = try sign(bytes, "--json --new-field")
        outcome.expect(.done)
        let signed = try outcome.json()
        let finding = try #require(signed.dynamicContent.findings.first { $0.code.text == code })
        let isTold = Self.told.contains(code)
        #expect(signed.dynamicContent.complete == true && signed.warnings.items.isEmpty)
        #expect(signed.notes.items.contains(finding.message) == isTold)
        let shown = try workspace.signet("show in.pdf --json").json()
        #expect(shown.dynamicContent.findings.contains { $0.message == finding.message })
        let (_, strict) = try sign(bytes, "--strict --new-field")
        // Installed viewers draw some annotations differently.
        guard isTold else {
            strict.expect(
                strict.errors.contains("is displayed differently in") ? .malformedInput : .done)
            return
        }
        strict.expectRefusal(.malformedInput, naming: finding.message.text, "--strict")
    }

    @Test func longListsHideNothing() throws {
        let fields = (0..<3000).map { "<</FT /Tx /T (a\($0))>>" }
        let numbers = fields.indices.map { "\($0 + 6) 0 R" }.joined(separator: " ")
        let bytes = SamplePDF(
            pageEntries: "/MediaBox [0 0 9 9] /AA <</O <</S /JavaScript /JS (x)>>>>",
            catalogEntries: "/AcroForm <</Fields [\(numbers)]>>", extraObjects: fields
        ).bytes
        let (_, strict) = try sign(bytes, "--strict --new-field")
        strict.expectRefusal(.malformedInput, naming: "a script runs on page 1")
    }

    @Test func whatCannotChangeIsStrictlySigned() throws {
        let (_, outcome) = try sign(SamplePDF().bytes, "--strict --json")
        outcome.expect(.done)
        // Nobody is warned of fonts that every reader has.
        let report = try outcome.json()
        #expect(report.dynamicContent.findings.map(\.code) == ["standard-font"])
        #expect(report.warnings.isEmpty)
    }
}
