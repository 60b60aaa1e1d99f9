import Foundation
import SignetTestSupport
import Testing

@Suite struct PictureTests {
    static let strokes = Data(
        #"{"strokes":[[[0,40,0.3],[20,0,0.8],[40,40,0.5],[60,10,0.9],[90,35,0.2]]]}"#.utf8)
    private static let svg = Data(
        """
        <?xml version="1.0"?>
        <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 40">
        <path d="M5 35C20-20 30 60 45 10S70 40 95 5" fill="none" stroke="navy" stroke-width="3"/></svg>
        """.utf8)

    private static let place = ["--at", "1:top-right"]

    private func sign(
        _ options: [String], _ files: [String: Data], environment: [String: String] = [:]
    ) throws -> (Workspace, CommandOutcome) {
        let workspace = try signingWorkspace()
        for (name, data) in files { try workspace.write(data, to: name) }
        let outcome = try workspace.signet(
            "sign letter.pdf --key key.pem --cert valid.pem \(options)", environment: environment)
        return (workspace, outcome)
    }

    /// What signing appended, as text.
    private func appended(_ workspace: Workspace) throws -> String {
        let count = try workspace.read("letter.pdf").count
        return String(
            decoding: try workspace.read("letter.signed.pdf").dropFirst(count),
            as: Unicode.ASCII.self)
    }

    @Test func transparentPicturesKeepTheirTransparency() throws {
        let png = SamplePNG(40, 20, colorType: 6) { x, y in [200, 0, 0, x * 6 + y] }
        let (workspace, outcome) = try sign(
            Self.place + ["--image", "a.png"], ["a.png": Data(png.bytes)])
        outcome.expect(.done)
        let text = try appended(workspace)
        #expect(text.contains("/SMask") && text.contains("/Width 40 /Height 20"))
        try workspace.outsidersAccept("letter.signed.pdf")
    }

    @Test func plainPicturesAreNotCompressedAnew() throws {
        let png = Data(SamplePNG.quarters(20, 10).bytes)
        let (workspace, outcome) = try sign(Self.place + ["--image", "a.png"], ["a.png": png])
        outcome.expect(.done)
        // The file's own data, between the headers of its chunks.
        let start = try #require(png.range(of: Data("IDAT".utf8))).upperBound
        let end = try #require(png.range(of: Data("IEND".utf8))).lowerBound - 8
        #expect(try workspace.read("letter.signed.pdf").range(of: png[start..<end]) != nil)
    }

    @Test(arguments: [
        "orientation-1", "orientation-6", "gray", "cmyk", "arithmetic", "progressive",
    ])
    func photosAreTakenAsTheyAre(name: String) throws {
        let photo = try Data(contentsOf: TestVectors.url("jpeg/\(name).jpg"))
        let (workspace, outcome) = try sign(Self.place + ["--image", "a.jpg"], ["a.jpg": photo])
        outcome.expect(.done)
        let text = try appended(workspace)
        #expect(text.contains("/DCTDecode"))
        #expect(text.contains("/Decode [1 0 1 0 1 0 1 0]") == (name == "cmyk"))
        try workspace.outsidersAccept("letter.signed.pdf")
    }

    @Test func strokesAreDrawnAsCurves() throws {
        let (workspace, outcome) = try sign(
            Self.place + ["--ink", "me.json", "--no-text"], ["me.json": Self.strokes])
        outcome.expect(.done)
        let text = try appended(workspace)
        #expect(text.contains("/Picture Do") && !text.contains("/Subtype /Image"))
        try workspace.outsidersAccept("letter.signed.pdf")
    }

    /// The curve fills most of its view; the margin is cut off.
    @Test func drawingsBecomeTransparentPixels() throws {
        guard try ExternalTool.find("rsvg-convert") != nil else { return }
        let (workspace, outcome) = try sign(
            Self.place + ["--ink", "me.svg", "--no-text"], ["me.svg": Self.svg])
        outcome.expect(.done)
        let text = try appended(workspace)
        let size = try #require(text.firstMatch(of: /\/Width (\d+) \/Height (\d+)/))
        #expect(text.contains("/SMask"))
        #expect((1600..<1900).contains(Int(size.output.1) ?? 0), "\(size.output)")
        #expect((400..<760).contains(Int(size.output.2) ?? 0), "\(size.output)")
        try workspace.outsidersAccept("letter.signed.pdf")
    }

    @Test func drawingsThatCannotBeDrawnAreRefused() throws {
        guard try ExternalTool.find("rsvg-convert") != nil else { return }
        let empty = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 9 9'>"
        let cases = [
            (empty, "rsvg-convert cannot read the file"),
            (empty + "</svg>", "contains no drawing"),
            // What is in other files is not drawn.
            (
                empty + "<image width='9' height='9' href='file:///usr/share/a.png'/></svg>",
                "contains no drawing"
            ),
        ]
        for (svg, reason) in cases {
            let (workspace, outcome) = try sign(Self.place + ["--ink", "x"], ["x": Data(svg.utf8)])
            outcome.expectRefusal(.malformedInput, naming: "x: ", reason)
            #expect(!workspace.exists("letter.signed.pdf"))
        }
    }

    /// Grey paper with a dark zigzag.
    private var photo: SamplePNG {
        SamplePNG(240, 120, colorType: 0) { x, y in
            let way = abs(y - 40 - abs(x % 40 - 20))
            return (40..<200).contains(x) && way < 4 ? [40] : [170 + x / 10]
        }
    }

    @Test func inkIsTakenFromAPhoto() throws {
        let (workspace, outcome) = try sign(
            Self.place + ["--image", "a.png", "--ink-from-photo"], ["a.png": Data(photo.bytes)])
        outcome.expect(.done)
        #expect(try appended(workspace).contains("/SMask"))
        let added =
            try workspace.read("letter.signed.pdf").count - workspace.read("letter.pdf").count
        #expect(added < 40 << 10)
        let paper = SamplePNG(100, 100, colorType: 0) { _, _ in [200] }
        let (_, refused) = try sign(
            Self.place + ["--image", "a.png", "--ink-from-photo"], ["a.png": Data(paper.bytes)])
        refused.expectRefusal(.malformedInput, naming: "a.png", "no handwriting")
    }

    @Test func marksAreDrawnOnOtherPagesAndSaidToBeNoSignatures() throws {
        let pages = SamplePDF.pages(4)
        let options = ["--at", "last:bottom-right", "--mark", "all:bottom-left", "--json"]
        let (workspace, outcome) = try sign(options, ["letter.pdf": Data(pages)])
        outcome.expect(.done)
        let marks = try outcome.json().marks
        #expect(marks.pages == [1, 2, 3] && marks.kind.contains("not a signature"))
        try workspace.outsidersAccept("letter.signed.pdf")
        try workspace.succeed("verify letter.signed.pdf --trust valid.pem")
        // Signed again, invisibly: the first signature stays valid, and no further marks are made.
        try workspace.succeed(
            "sign letter.signed.pdf --key key.pem --cert valid.pem --new-field -o twice.pdf")
        try workspace.succeed("verify twice.pdf --trust valid.pem")
        try workspace.signet("sign twice.pdf --key key.pem --cert valid.pem --mark all:top")
            .expectRefusal(.malformedInput, naming: "already signed", "--mark")
    }

    @Test(arguments: [
        ("5:top", "page 5 does not exist"), ("3-2:top", "is reversed"),
        ("all:-5mm,0", "its corners would be -5,0"),
    ]) func marksThatCannotBeAreRefused(mark: String, reason: String) throws {
        let (workspace, outcome) = try sign(
            ["--mark", mark], ["letter.pdf": Data(SamplePDF.pages(4))])
        outcome.expectRefusal(.noSuchPlace, naming: reason)
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test func aStampCoversNoField() throws {
        let (workspace, outcome) = try sign(Self.place + ["--field", "First"], [:])
        outcome.expect(.done)
        try workspace.signet([
            "sign", "letter.signed.pdf", "--key", "key.pem", "--cert", "valid.pem", "--new-field",
            "--at", "1:top-right", "-o", "twice.pdf",
        ]).expectRefusal(.noSuchPlace, naming: "would overlap the field 'First'", "--at auto")
        try workspace.signet(
            "sign letter.signed.pdf --key key.pem --cert valid.pem --mark 1:top-right -o twice.pdf"
        ).expectRefusal(.malformedInput, naming: "already signed")
        #expect(!workspace.exists("twice.pdf"))
    }

    @Test func picturesThatCannotBeDrawnAreRefused() throws {
        let cases: [([String], Data, Int32, String)] = [
            (["--image", "x"], Data("no picture".utf8), ExitCode.malformedInput, "x: "),
            (
                ["--image", "x"], Data(SamplePNG.quarters(9, 9).bytes.prefix(50)),
                ExitCode.malformedInput, "x: "
            ), (["--ink", "x"], Data(#"{"strokes":3}"#.utf8), ExitCode.malformedInput, "JSON"),
            (["--image", "missing.png"], Data(), ExitCode.missingInput, "missing.png"),
        ]
        for (options, data, code, reason) in cases {
            let (workspace, outcome) = try sign(Self.place + options, ["x": data])
            outcome.expectRefusal(code, naming: reason)
            #expect(!workspace.exists("letter.signed.pdf"))
        }
        let contradictions: [[String]] = [
            ["--image", "a", "--ink", "b"], ["--ink-from-photo"], ["--mark-size", "9x9mm"],
            ["--mark", "all"], ["--image", "x"],
        ]
        for options in contradictions {
            let (_, outcome) = try sign(options, ["x": Data(SamplePNG.quarters(9, 9).bytes)])
            outcome.expect(.usage)
        }
    }

    @Test func missingLibrariesAndProgramsAreNamed() throws {
        // A file that is no library stands in front of the real one.
        let broken = try signingWorkspace()
        try broken.write(Data("none".utf8), to: "libpng16.so.16")
        let folder = broken.folder.path
        for (option, file, package) in [
            ("--image", "a.png", "libpng16-16"), ("--ink", "a.svg", "apt install librsvg2-bin"),
        ] {
            let (_, outcome) = try sign(
                Self.place + [option, file],
                ["a.svg": Self.svg, "a.png": Data(SamplePNG.quarters(9, 9).bytes)],
                environment: ["LD_LIBRARY_PATH": folder, "PATH": folder])
            outcome.expectRefusal(.missingInput, naming: package)
        }
        #expect(broken.exists("libpng16.so.16"))
    }
}
