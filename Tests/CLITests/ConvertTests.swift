import Foundation
import SignetTestSupport
import Testing

/// `signet convert`: photos to PDF.
@Suite struct ConvertTests {
    private func workspace(_ photos: String...) throws -> Workspace {
        let workspace = try Workspace()
        for photo in photos { try workspace.copyVector("jpeg/\(photo)") }
        return workspace
    }

    /// The middle of each quarter of the first page, as poppler draws it.
    private func corners(_ workspace: Workspace, _ pdf: String) throws -> [[UInt8]]? {
        try workspace.pixels(pdf).map { map in
            [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
                map.pixel(map.width * x / 4, map.height * y / 4).map { $0 > 127 ? 255 : 0 }
            }
        }
    }

    private static let upright: [[UInt8]] = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255],
    ]

    /// A PNG file turned by its Exif data, and one with 16 bits.
    @Test func turnsAndKeepsPNGFiles() throws {
        let workspace = try Workspace()
        var png = SamplePNG.quarters(60, 40)
        // Orientation 6: to be turned clockwise.
        png.extraChunks = [
            (
                "eXIf",
                [
                    0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0,
                    0, 0, 0,
                ]
            )
        ]
        try workspace.write(Data(png.bytes), to: "turned.png")
        let turned = try workspace.succeed("convert turned.png --page photo -o t.pdf --json")
        let page = try #require(try turned.json().pages.first)
        #expect(page.orientation == 6 && page.pageWidth.number < page.pageHeight.number)
        // Blue is below red in the file, and left of it on the page.
        if let corners = try corners(workspace, "t.pdf") {
            #expect(corners == [[0, 0, 255], [255, 0, 0], [0, 0, 0], [0, 255, 0]])
        }
        let shown = try workspace.succeed("show turned.png")
        #expect(shown.output.contains("orientation  6"))

        var deep = SamplePNG(4, 4, colorType: 0) { x, y in [x * 16_000 + y] }
        deep.bits = 16
        try workspace.write(Data(deep.bytes), to: "deep.png")
        try workspace.succeed("convert deep.png -o deep.pdf")
        #expect(
            try workspace.read("deep.pdf").range(of: Data("/BitsPerComponent 16".utf8)) != nil)
        deep.isInterlaced = true
        try workspace.write(Data(deep.bytes), to: "deep.png")
        let reduced = try workspace.succeed("convert deep.png -o reduced.pdf")
        #expect(reduced.errors.contains("16 bits per sample were reduced to 8"))
    }

    @Test func saysWhyAPNGFileKeepsItsSize() throws {
        let workspace = try Workspace()
        try workspace.write(Data(SamplePNG.quarters(60, 40).bytes), to: "a.png")
        let outcome = try workspace.signet("convert a.png --max-size 100 -o a.pdf")
        outcome.expectRefusal(
            .usage, naming: "PNG images keep their size", "convert a.png a.png.jpg")
        #expect(!outcome.errors.contains("fewer"))
    }

    @Test func foldersGivePhotosWithRareNames() throws {
        let workspace = try workspace("gps.jpg")
        let photo = try workspace.read("gps.jpg")
        for name in ["a.jfif", "b.JPE"] { try workspace.write(photo, to: "in/\(name)") }
        try workspace.succeed("convert in --recursive -o out/")
        #expect(workspace.exists("out/a.pdf") && workspace.exists("out/b.pdf"))
    }

    @Test func copiesPhotosByteForByte() throws {
        let workspace = try workspace("gps.jpg", "progressive.jpg", "cmyk.jpg")
        let outcome = try workspace.succeed("convert gps.jpg progressive.jpg cmyk.jpg -o out.pdf")
        #expect(outcome.errors.contains("gps.jpg") && outcome.errors.contains("--strip"))
        let pdf = try workspace.read("out.pdf")
        for name in ["gps.jpg", "progressive.jpg", "cmyk.jpg"] {
            #expect(pdf.range(of: try workspace.read(name)) != nil, "\(name)")
        }
        try workspace.tool("qpdf --check out.pdf")?.expect(.done)
    }

    @Test func pagesAreUpright() throws {
        for value in 1...8 {
            // The stored picture is the same, so the page shows it turned: turn it back.
            let name = "orientation-\(value).jpg"
            let workspace = try workspace(name)
            try workspace.succeed("convert \(name) -o out.pdf --page photo")
            guard let seen = try corners(workspace, "out.pdf") else { return }
            // Where the stored top left, top right, bottom left and bottom right must appear;
            // 5 to 8 are stored with rows and columns exchanged.
            let places = [
                1: [0, 1, 2, 3], 2: [1, 0, 3, 2], 3: [3, 2, 1, 0], 4: [2, 3, 0, 1],
                5: [0, 1, 2, 3], 6: [1, 0, 3, 2], 7: [3, 2, 1, 0], 8: [2, 3, 0, 1],
            ]
            let expected = (places[value] ?? []).map { Self.upright[$0] }
            #expect(seen == expected, "orientation \(value)")
        }
    }

    @Test func makesSmaller() throws {
        let workspace = try workspace("orientation-6.jpg")
        let cases: [([String], JSON, JSON, JSON)] = [
            (["--scale", "1/2"], 16, 24, "re-encoded"), (["--scale", "25%"], 8, 12, "re-encoded"),
            (["--max-pixels", "24x100"], 16, 24, "re-encoded"),
            (["--max-pixels", "5x100"], 2, 3, "re-encoded"), (["--gray"], 32, 48, "lossless"),
            (["--quality", "50"], 32, 48, "re-encoded"), (["--strip"], 32, 48, "stripped"),
            ([], 32, 48, "untouched"),
        ]
        for (options, width, height, data) in cases {
            let outcome = try workspace.succeed(
                "convert orientation-6.jpg -o out.pdf --force --json --page photo \(options)")
            let page = try #require(try outcome.json().pages.first)
            #expect(page.data == data, "\(options)")
            if !options.contains("5x100") {
                #expect((page.width, page.height) == (width, height), "\(options)")
            }
            // The page keeps its size.
            #expect((page.pageWidth, page.pageHeight) == (48, 32), "\(options)")
        }
    }

    @Test func keepsToASize() throws {
        let workspace = try workspace("detailed.jpg", "progressive.jpg")
        let all = ["detailed.jpg", "progressive.jpg", "-o", "out.pdf", "--force"]
        try workspace.succeed("convert \(all)")
        let own = try workspace.read("out.pdf").count
        for limit in [own, own * 2 / 3, own / 3] {
            try workspace.succeed("convert --max-size \(limit) \(all)")
            #expect(try workspace.read("out.pdf").count <= limit)
        }
        try workspace.signet("convert --max-size 100 \(all)").expectRefusal(.usage, naming: "100")
        for (limit, isReadable) in [(own, true), (own / 8, false)] {
            let outcome = try workspace.succeed("convert --page A4 --max-size \(limit) \(all)")
            #expect(
                outcome.errors.contains("text may be unreadable") != isReadable, "\(outcome.errors)"
            )
        }
    }

    @Test func refusesWhatIsNoPhoto() throws {
        let workspace = try workspace("orientation-1.jpg")
        try workspace.write("GIF89a and more", to: "named.jpg")
        try workspace.write(try workspace.read("orientation-1.jpg").dropLast(30), to: "short.jpg")
        let before = try workspace.names
        for (name, word) in [("named.jpg", "GIF"), ("short.jpg", "not complete")] {
            try workspace.signet("convert orientation-1.jpg \(name) -o out.pdf")
                .expectRefusal(.malformedInput, naming: name, word)
        }
        try workspace.signet("convert none.jpg -o out.pdf")
            .expectRefusal(.missingInput, naming: "none.jpg")
        #expect(try workspace.names == before)
        let outcome = try workspace.signet(
            "convert named.jpg orientation-1.jpg short.jpg --keep-going -o out.pdf")
        outcome.expect(.malformedInput)
        #expect(outcome.errors.contains("named.jpg") && outcome.errors.contains("short.jpg"))
        #expect(workspace.exists("out.pdf"))
    }

    @Test func theOrderStaysWithManyJobs() throws {
        let names = (1...8).map { "orientation-\($0).jpg" }
        let workspace = try Workspace()
        for name in names { try workspace.copyVector("jpeg/\(name)") }
        let outcome = try workspace.succeed(
            "convert \(names) -o out.pdf --scale 1/2 --jobs 4 --json")
        #expect(try outcome.json().pages.map(\.orientation.number) == (1...8).map(Double.init))
    }

    @Test func neverReplacesUnasked() throws {
        let workspace = try workspace("orientation-1.jpg")
        let photo = try workspace.read("orientation-1.jpg")
        try workspace.signet("convert orientation-1.jpg -o orientation-1.jpg --force")
            .expectRefusal(.usage, naming: "orientation-1.jpg")
        #expect(try workspace.read("orientation-1.jpg") == photo)
        try workspace.write(Data(), to: "out.pdf")
        try workspace.signet("convert orientation-1.jpg -o out.pdf")
            .expectRefusal(.cannotCreateOutput, naming: "--force")
    }

    @Test func readsAndWritesPipes() throws {
        let workspace = try workspace("orientation-1.jpg")
        let outcome = try workspace.succeed(
            "convert - -o -", input: try workspace.read("orientation-1.jpg"))
        #expect(outcome.outputBytes.starts(with: Data("%PDF-1.7".utf8)))
    }

    @Test(arguments: [
        ["--scale", "0"], ["--scale", "1/0"], ["--scale", "3"], ["--scale", "50"],
        ["--scale", "9/8"], ["--quality", "0"], ["--quality", "101"],
        ["--max-pixels", "12"], ["--page", "nowhere"], ["--margin", "-1"], ["--dpi", "0"],
        ["--fit", "stretch"], ["--orientation", "up"], ["--max-size", "much"], ["--jobs", "0"],
        ["--page", "A4", "--margin", "200mm"], ["--margin", "1e300mm"],
    ])
    func refusesNonsense(options: [String]) throws {
        let workspace = try workspace("orientation-1.jpg")
        try workspace.signet("convert orientation-1.jpg -o out.pdf \(options)")
            .expectRefusal(.usage)
        #expect(!workspace.exists("out.pdf"))
    }

    @Test func archivesSayWhatTheyAre() throws {
        let workspace = try workspace("orientation-1.jpg", "cmyk.jpg")
        try workspace.succeed("convert orientation-1.jpg -o out.pdf --pdfa --title 'Účet <1>'")
        let text = try workspace.text("out.pdf")
        for part in ["GTS_PDFA1", "<pdfaid:part>2</pdfaid:part>", "Účet &lt;1&gt;"] {
            #expect(text.contains(part), "\(part)")
        }
        try workspace.signet("convert cmyk.jpg -o ink.pdf --pdfa")
            .expectRefusal(.malformedInput, naming: "cmyk.jpg", "--gray")
        try workspace.succeed("convert cmyk.jpg -o ink.pdf --pdfa --gray")
    }
}
