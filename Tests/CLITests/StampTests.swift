import Foundation
import SignetTestSupport
import Testing

@Suite struct StampTests {
    /// Signs with a stamp of this text; nil, said loudly, where fonts or tools are missing.
    private func stamped(_ text: String, _ options: String...) throws -> Workspace? {
        guard try ExternalTool.file(DejaVu.path) != nil else { return nil }
        let workspace = try signingWorkspace()
        try workspace.succeed(
            [
                "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at",
                "last:bottom-right", "--text", text,
            ] + options)
        return workspace
    }

    private func run(_ tool: String, _ arguments: String...) throws -> String? {
        guard let path = try ExternalTool.find(tool) else { return nil }
        let result = try ExternalTool.run(path, arguments)
        #expect(result.status == 0, "\(tool): \(result.errors)")
        // Marks of direction around text from right to left are pdftotext's own.
        let marks: ClosedRange<Unicode.Scalar> = "\u{202A}"..."\u{202E}"
        var text = String.UnicodeScalarView()
        for scalar in String(decoding: result.output, as: UTF8.self).unicodeScalars
        where !marks.contains(scalar) { text.append(scalar) }
        return String(text)
    }

    @Test(arguments: [
        "Příliš žluťoučký kůň", "Ελληνικά, Ωμέγα", "Подпись: ёж", "مرحبا بالعالم", "السلام عليكم",
        "שלום עולם", "Nguyễn Văn Đức", "Jan (Jr.) — “ok” fi ffi",
    ])
    func textCanBeCopied(text: String) throws {
        guard let workspace = try stamped(text),
            let copied = try run("pdftotext", workspace.url("letter.signed.pdf").path, "-")
        else { return }
        #expect(copied.contains(text))
    }

    @Test func chineseJapaneseAndKoreanCanBeCopied() throws {
        let font = "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc"
        guard try ExternalTool.file(font) != nil, let workspace = try stamped("签名 日本語 한국어"),
            let copied = try run("pdftotext", workspace.url("letter.signed.pdf").path, "-")
        else { return }
        #expect(copied.contains("签名 日本語 한국어"))
    }

    @Test func lettersInTwoPartsAreWrittenAsOne() throws {
        guard let workspace = try stamped("Nova\u{301}k"),
            let copied = try run("pdftotext", workspace.url("letter.signed.pdf").path, "-")
        else { return }
        #expect(copied.unicodeScalars.contains("\u{E1}"))
    }

    @Test func fontsAreSmallEmbeddedSubsets() throws {
        guard let workspace = try stamped("{name}\\nPříliš žluťoučký kůň\\n{date}") else { return }
        let added =
            try workspace.read("letter.signed.pdf").count - workspace.read("letter.pdf").count
        #expect(added < 40 << 10)
        guard let listed = try run("pdffonts", workspace.url("letter.signed.pdf").path) else {
            return
        }
        let fonts = listed.split(separator: "\n").filter { $0.contains("+") }
        #expect(!fonts.isEmpty && fonts.allSatisfy { $0.contains("yes yes yes") }, "\(listed)")
        try workspace.outsidersAccept("letter.signed.pdf")
    }

    @Test func aNamedFontIsUsedForAllOfTheText() throws {
        let mono = "/usr/share/fonts/truetype/dejavu/DejaVuSansMono.ttf"
        guard try ExternalTool.file(mono) != nil,
            let workspace = try stamped("{name} {date}", "--font", mono),
            let listed = try run("pdffonts", workspace.url("letter.signed.pdf").path)
        else { return }
        #expect(listed.contains("+DejaVuSansMono"))
        #expect(listed.split(separator: "\n").filter { $0.contains("+") }.count == 1)
        try workspace.outsidersAccept("letter.signed.pdf")
    }

    @Test func whatCannotBeSetIsRefused() throws {
        guard try ExternalTool.file(DejaVu.path) != nil else { return }
        let workspace = try signingWorkspace()
        let sign = [
            "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at", "1:top",
        ]
        try workspace.signet("\(sign) --font missing.ttf")
            .expectRefusal(.missingInput, naming: "missing.ttf")
        try workspace.signet("\(sign) --font letter.pdf")
            .expectRefusal(.malformedInput, naming: "no TrueType or OpenType font")
        try workspace.signet("\(sign) --text 你好 --font \(DejaVu.path)")
            .expectRefusal(.usage, naming: "U+4F60", "--font")
        // A character of the private use area is in none of the installed fonts.
        try workspace.signet(sign + ["--text", "\u{F8D07}"])
            .expectRefusal(.missingInput, naming: "U+F8D07", "apt install")
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test func withoutTheLibraryLatinTextIsSetInHelvetica() throws {
        let workspace = try signingWorkspace()
        // A file that is no library stands in front of the real one.
        try workspace.write("none", to: "libharfbuzz.so.0")
        let missing = ["LD_LIBRARY_PATH": workspace.folder.path]
        let sign = [
            "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at", "1:top",
            "--force",
        ]
        try workspace.succeed("\(sign) --text Příliš", environment: missing)
        #expect(try workspace.text("letter.signed.pdf").contains("/Helvetica"))
        try workspace.signet("\(sign) --text Подпись", environment: missing)
            .expectRefusal(.missingInput, naming: "harfbuzz", "libharfbuzz0b")
    }

    @Test func anArchivalFileKeepsItsClaim() throws {
        guard try ExternalTool.file(DejaVu.path) != nil else { return }
        let workspace = try signingWorkspace()
        let letter = String(decoding: try workspace.read("letter.pdf"), as: Unicode.ASCII.self)
        let xmp = "<rdf:Description pdfaid:part=\"1\" pdfaid:conformance=\"B\"/>"
        // In an update of its own: metadata, and a catalog that names it.
        let catalog = try #require(letter.firstMatch(of: /(\d+) 0 obj\s*<<[^>]*\/Type \/Catalog/))
        let number = catalog.output.1
        let body = try #require(
            letter[catalog.range.lowerBound...].split(separator: "endobj").first)
        let extended = body.replacing("/Type /Catalog", with: "/Type /Catalog /Metadata 999 0 R")
        var bytes = try workspace.read("letter.pdf")
        let first = bytes.count
        bytes += Data("\(extended)endobj\n".utf8)
        let second = bytes.count
        bytes += Data(
            "999 0 obj\n<< /Type /Metadata /Length \(xmp.count) >>\nstream\n\(xmp)\nendstream\nendobj\n"
                .utf8)
        func entry(_ offset: Int) -> String {
            String(repeating: "0", count: 10 - "\(offset)".count) + "\(offset) 00000 n \n"
        }
        let previous = try #require(letter.matches(of: /startxref\s+(\d+)/).last).output.1
        let table = bytes.count
        bytes += Data(
            """
            xref
            \(number) 1
            \(entry(first))999 1
            \(entry(second))trailer
            << /Size 1000 /Root \(number) 0 R /Prev \(previous) >>
            startxref
            \(table)
            %%EOF

            """.utf8)
        try workspace.write(bytes, to: "archival.pdf")
        let sign = [
            "sign", "archival.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at", "1:top",
            "--force",
        ]
        try workspace.succeed(sign)
        let signed = String(
            decoding: try workspace.read("archival.signed.pdf").dropFirst(bytes.count),
            as: Unicode.ASCII.self)
        #expect(signed.contains("/CIDSet") && signed.contains("/CalGray"))
        #expect(!signed.contains("/Helvetica") && !signed.contains("/SMask"))
        try workspace.write("none", to: "libharfbuzz.so.0")
        try workspace.signet(sign, environment: ["LD_LIBRARY_PATH": workspace.folder.path])
            .expectRefusal(.missingInput, naming: "harfbuzz", "libharfbuzz0b")
    }

    /// Text is made to fit, and whoever chose the size is told what becomes of it.
    @Test(arguments: [([], false), (["--size", "25x8mm"], true)])
    func smallPrintIsTold(options: [String], isTold: Bool) throws {
        let outcome = try signingWorkspace().signet(
            [
                "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at", "1:top",
                "--reason", "Read and approved by the board of directors", "-o", "out.pdf",
            ] + options)
        outcome.expect(.done)
        #expect(outcome.errors.contains("use a larger appearance") == isTold, "\(outcome.errors)")
    }
}
