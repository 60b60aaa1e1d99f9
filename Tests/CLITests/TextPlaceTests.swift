import CodecBridge
import Foundation
import SignetTestSupport
import Testing

/// Stamps beside words of the document, and the picture of a page before it is signed.
@Suite struct TextPlaceTests {
    private static let signing = [
        "sign", "in.pdf", "--key", "key.pem", "--cert", "valid.pem", "--no-text", "--image",
        "quarters.png", "--size", "60x20pt",
    ]

    private func workspace(_ pages: [String], _ content: String) throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.write(Data(SamplePDF.pages(pages, content: content)), to: "in.pdf")
        try workspace.write(Data(SamplePNG.quarters(60, 20).bytes), to: "quarters.png")
        return workspace
    }

    private func widget(
        _ workspace: Workspace, _ place: String, _ more: String...
    ) throws -> JSON {
        let outcome = try workspace.succeed("\(Self.signing) --at \(place) --force --json \(more)")
        return try #require(try outcome.json().widgets.first)
    }

    /// In Helvetica, 12 points; what pdftotext finds below the line.
    private static let (wordWidth, descent) = (40.02, 2.484)
    private static let gap = 2 * 72 / 25.4

    static let pages: [(entries: String, x: Double, y: Double, unit: Double)] = [
        ("/MediaBox [0 0 420 300]", 0, 0, 1),
        ("/MediaBox [-120 -20 500 480] /CropBox [-20 10 400 310]", -20, 10, 1),
        ("/MediaBox [0 0 420 300] /UserUnit 2", 0, 0, 2),
    ]

    /// A page with a form that draws others `count` times, and so on.
    private static func nestedForms(depth: Int, count: Int) -> [UInt8] {
        var sample = SamplePDF()
        func form(_ content: String, _ dictionary: String) -> String {
            "<<\(dictionary) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
        }
        sample.objects[3] = form("/X Do", "")
        let first = sample.objects.count + 2
        let page = "/MediaBox [0 0 595 842] /Resources <</XObject <</X \(first) 0 R>>>>"
        sample.objects.append("<</Type /Page /Parent 2 0 R \(page) /Contents 4 0 R>>")
        sample.objects[1] = "<</Type /Pages /Kids [\(first - 1) 0 R] /Count 1>>"
        for level in 1...depth {
            let content = level < depth ? "/X Do " : "BT /F1 1 Tf 9 9 Td (word) Tj ET "
            let below = "/XObject <</X \(first + level) 0 R>>"
            sample.objects.append(
                form(
                    String(repeating: content, count: count),
                    "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources "
                        + "<</Font <</F1 5 0 R>> \(level < depth ? below : "")>>"))
        }
        return sample.bytes
    }

    /// Forms in forms that draw billions of words keep a program busy for hours.
    @Test func theSearchForWordsIsLimited() throws {
        guard try ExternalTool.find("pdftotext") != nil else { return }
        let workspace = try signingWorkspace()
        try workspace.write(Data(Self.nestedForms(depth: 8, count: 12)), to: "in.pdf")
        let began = ContinuousClock.now
        try workspace.signet("sign in.pdf --key key.pem --cert valid.pem --at below:Podpis")
            .expectRefusal(.malformedInput, naming: "pdftotext", "5 seconds")
        #expect(began.duration(to: .now) < .seconds(15))
    }

    @Test(arguments: pages.indices) func stampsStandBesideWords(index: Int) throws {
        guard try ExternalTool.find("pdftotext") != nil else { return }
        let (entries, x, y, unit) = Self.pages[index]
        let workspace = try workspace(
            [entries], "BT /F1 12 Tf 50 100 Td (Date: 1. 2. Podpis: ) Tj ET")
        let lead = 12 * 4.67  // Whatever stands before on the line.
        for place in ["text:Podpis:", "1:text:Podpis:", "text:last:Podpis:"] {
            let rect = try widget(workspace, place).rect.numbers
            #expect(rect[0] > 50 + lead + Self.wordWidth + Self.gap / unit - 6)
            #expect(rect[0] < 50 + lead + Self.wordWidth + Self.gap / unit + 20)
            #expect(abs(rect[1] - (100 - Self.descent)) < 0.1)
            #expect(abs(rect[2] - rect[0] - 60 / unit) < 0.01)
        }
        let rect = try widget(workspace, "text:Podpis:").rect.numbers
        guard let map = try workspace.pixels("in.signed.pdf") else { return }
        let scale = Double(map.width) / 420
        func color(_ dx: Double, _ dy: Double) -> [UInt8] {
            map.pixel(Int((rect[0] + dx - x) * scale), Int((300 - (rect[1] + dy - y)) * scale))
        }
        #expect(color(4 / unit, 16 / unit) == [255, 0, 0])
        #expect(color(56 / unit, 16 / unit) == [0, 255, 0])
        #expect(color(4 / unit, 4 / unit) == [0, 0, 255])
        #expect(color(56 / unit, 4 / unit) == [0, 0, 0])
    }

    /// Where the words of [50 97.5 90 108.6] are seen on turned pages, and what is to their right.
    @Test(arguments: [(90, 280.0), (180, 150.0), (270, 30.0)])
    func turnedPagesAreSeenUpright(turn: Int, right: Double) throws {
        guard try ExternalTool.find("pdftotext") != nil else { return }
        let workspace = try workspace(
            ["/MediaBox [0 0 420 300] /Rotate \(turn)"], "BT /F1 12 Tf 150 100 Td (Podpis:) Tj ET")
        let rect = try widget(workspace, "text:Podpis:").rect.numbers
        // In user space, beside as seen is above, left or below.
        switch turn {
        case 90: #expect(abs(rect[1] - (108.616 + Self.gap)) < 0.1 && rect[3] - rect[1] > 59)
        case 180: #expect(abs(rect[2] - (150 - Self.gap)) < 0.1 && rect[2] - rect[0] > 59)
        default: #expect(abs(rect[3] - (97.516 - Self.gap)) < 0.1 && rect[3] - rect[1] > 59)
        }
    }

    @Test func wordsAreChosenOrRefused() throws {
        guard try ExternalTool.find("pdftotext") != nil else { return }
        let workspace = try workspace(
            ["/MediaBox [0 0 420 300]", "/MediaBox [0 0 420 300]"],
            """
            BT /F1 12 Tf 50 200 Td (Podpis kupuj) Tj (\\355c) Tj (\\355ho: x) Tj \
            0 -100 Td (Name & <Podpis> here) Tj ET
            """)
        func refusal(_ place: String, _ words: String) throws {
            let outcome = try workspace.signet("\(Self.signing) --at \(place)")
            outcome.expectRefusal(.usage, naming: words)
        }
        try refusal("text:Unterschrift", "was not found")
        try refusal("text:Name & <Podpis>", "was found 2 times")
        try refusal("1:text:Podpis", "was found 2 times on page 1")
        try refusal("text:5:Podpis", "was found 4 times")
        try refusal("7:text:Podpis", "page 7 does not exist")
        try refusal("text: ", "--at")
        #expect(try widget(workspace, "text:1:Name & <Podpis>").page == 1)
        #expect(try widget(workspace, "text:last:Name & <Podpis>").page == 2)
        #expect(try widget(workspace, "2:text:Name & <Podpis>").page == 2)
        let (above, below) = (
            try widget(workspace, "1:above:Name &").rect.numbers,
            try widget(workspace, "1:below:Name &").rect.numbers
        )
        #expect(abs(above[0] - 50) < 0.1 && above[1] > 108 && above[1] < 120)
        #expect(abs(below[0] - 50) < 0.1 && below[3] < 98 && below[3] > 85)
    }

    @Test(
        "words that nobody sees are no place for a stamp",
        arguments: [
            ("1 g BT /F1 12 Tf 50 100 Td (Podpis:) Tj ET", false),
            ("0 0 0 0.01 k BT /F1 12 Tf 50 100 Td (Podpis:) Tj ET", false),
            ("BT /F1 12 Tf 50 100 Td (Podpis:) Tj ET 1 g 0 0 400 200 re f", false),
            ("0 0 10 10 re W n BT /F1 12 Tf 50 100 Td (Podpis:) Tj ET", false),
            ("0.2 g 0 0 400 200 re f 1 g BT /F1 12 Tf 50 100 Td (Podpis:) Tj ET", true),
            ("1 g 0 0 400 200 re f 0 g BT /F1 12 Tf 50 100 Td (Podpis:) Tj ET", true),
        ]) func unseen(content: String, isSeen: Bool) throws
    {
        guard try ExternalTool.find("pdftotext") != nil else { return }
        let workspace = try workspace(["/MediaBox [0 0 420 300]"], content)
        let outcome = try workspace.signet("\(Self.signing) --at text:Podpis:")
        if isSeen {
            outcome.expect(.done)
        } else {
            outcome.expectRefusal(.usage, naming: "displays nothing at the position of the words")
        }
    }

    @Test func withoutTheProgramItsPackageIsNamed() throws {
        let workspace = try workspace(["/MediaBox [0 0 420 300]"], "")
        for (options, program) in [
            (["--at", "text:Podpis"], "pdftotext"),
            (["--at", "auto"], "pdftoppm or mutool"),
            (["--at", "1:center", "--preview", "page.png"], "pdftoppm or mutool"),
        ] {
            let outcome = try workspace.signet(
                "\(Self.signing) \(options)", environment: ["PATH": workspace.url("").path])
            outcome.expectRefusal(.missingInput, naming: program, "apt install poppler-utils")
        }
        #expect(!workspace.exists("page.png"))
    }

    /// Whoever finds the words must see the pages that are signed.
    @Test func documentsThatOthersCannotReadAreRefused() throws {
        guard try ExternalTool.find("pdftotext") != nil else { return }
        let workspace = try signingWorkspace()
        let line: ShellWords = "qpdf --encrypt opensesame closesesame 256 -- letter.pdf locked.pdf"
        guard let run = try workspace.tool(line) else { return }
        run.expect(.done)
        try workspace.signet(
            "sign locked.pdf --key key.pem --cert valid.pem --at text:Order --password-env SECRET",
            environment: ["SECRET": "opensesame"]
        ).expectRefusal(
            .malformedInput, naming: "locked.pdf", "pdftotext cannot read the file", "password")
        #expect(!workspace.exists("locked.signed.pdf"))
    }

    @Test func pagesAreShownBeforeTheyAreSigned() throws {
        guard try ExternalTool.find("pdftoppm") != nil else { return }
        let workspace = try workspace(["/MediaBox [0 0 420 300]", "/MediaBox [0 0 420 300]"], "")
        try workspace.succeed(
            "key generate -o locked.pem --passphrase-env SECRET", environment: ["SECRET": "secret"])
        // Another key's certificate: nobody looks at the key, and nobody asks for its passphrase.
        let preview = [
            "sign", "in.pdf", "--key", "locked.pem", "--cert", "valid.pem", "--no-text", "--image",
            "quarters.png", "--size", "60x20pt", "--margin", "15", "--at", "2:top-left",
            "--preview", "page.png",
        ]
        let outcome = try workspace.succeed("\(preview) --json")
        let shown = try outcome.json()
        #expect(shown.output == .null && shown.preview == "page.png")
        #expect(shown.widgets.first?.page == 2)
        #expect(!workspace.exists("in.signed.pdf"))
        let picture = try PNGFile([UInt8](workspace.read("page.png"))).pixels()
        #expect(max(picture.width, picture.height) == 1600)
        let scale = 1600.0 / 420
        func color(_ x: Double, _ y: Double) -> [UInt8] {
            let index = (Int(y * scale) * picture.width + Int(x * scale)) * picture.componentCount
            return Array(picture.samples[index..<(index + picture.componentCount)])
        }
        #expect(color(20, 20) == [255, 0, 0])
        #expect(color(70, 30) == [0, 0, 0])
        #expect(color(200, 200) == [255, 255, 255])

        try workspace.signet(preview).expectRefusal(.cannotCreateOutput, naming: "--force")
        try workspace.succeed("\(preview) --force")
        try workspace.signet("sign in.pdf --key key.pem --cert valid.pem --preview none.png")
            .expectRefusal(.usage, naming: "invisible", "--at")
        try workspace.signet(preview.map { $0 == "in.pdf" ? "quarters.png" : $0 } + ["--force"])
            .expect(.malformedInput)
    }
}
