import Foundation
import SignetTestSupport
import Testing

/// `--at auto`: the next place where nothing shows.
@Suite struct FreePlaceTests {
    private static let signing = [
        "sign", "in.pdf", "--key", "key.pem", "--cert", "valid.pem", "--in-place", "--new-field",
        "--no-text", "--image", "quarters.png", "--json",
    ]

    private func workspace(_ pdf: [UInt8]) throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.write(Data(pdf), to: "in.pdf")
        try workspace.write(Data(SamplePNG.quarters(30, 10).bytes), to: "quarters.png")
        return workspace
    }

    private func sign(
        _ workspace: Workspace, _ options: [String] = ["--at", "auto"]
    ) throws -> [Double] {
        let outcome = try workspace.succeed("\(Self.signing) \(options)")
        return try #require(try outcome.json().widgets.first).rect.numbers
    }

    private func draw(_ workspace: Workspace) throws -> PixelMap {
        try #require(try workspace.pixels("in.pdf"))
    }

    /// Where pixels are not white.
    private func ink(
        _ map: PixelMap, _ rect: [Double], height: Double = 842
    ) -> (inside: Int, share: Double) {
        var count = 0
        let columns = Int(rect[0])..<Int(rect[2])
        let rows = Int(height - rect[3])..<Int(height - rect[1])
        for y in rows { for x in columns where map.pixel(x, y) != [255, 255, 255] { count += 1 } }
        return (count, Double(count) / Double(columns.count * rows.count))
    }

    private static func page(_ content: String) -> [UInt8] {
        var sample = SamplePDF()
        sample.objects[3] = "<</Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
        return sample.bytes
    }

    /// Lines of text all over, but for a window; a footer; a picture where the first stamp would go.
    static let pages: [[UInt8]] = [
        page(
            "BT /F1 10 Tf 12 TL 40 800 Td "
                + (0..<62).map { line in
                    let words = String(repeating: "lorem ipsum ", count: 9)
                    return (20..<32).contains(line) ? "T*" : "(\(words)) '"
                }.joined(separator: " ") + " ET"),
        page(
            "BT /F1 9 Tf 60 50 Td ("
                + String(repeating: "a footer over the page ", count: 5) + ") Tj ET"),
        page("q 200 0 0 120 360 20 cm 0.5 g 0 0 1 1 re f Q"),
    ]

    @Test(arguments: pages.indices) func nothingIsCovered(index: Int) throws {
        let workspace = try workspace(Self.pages[index])
        let plain = try draw(workspace)
        var taken: [[Double]] = []
        for _ in 0..<3 {
            let rect = try sign(workspace)
            #expect(
                taken.allSatisfy { other in
                    rect[0] >= other[2] + 8 || rect[2] <= other[0] - 8 || rect[1] >= other[3] + 8
                        || rect[3] <= other[1] - 8
                })
            #expect(ink(plain, rect).inside == 0)
            taken.append(rect)
        }
        // Beside each other where there is room.
        if index < 2 { #expect(abs(taken[0][1] - taken[1][1]) < 0.01 && taken[1][2] < taken[0][0]) }
        let map = try draw(workspace)
        for rect in taken { #expect(ink(map, rect).share > 0.8) }
        try workspace.succeed("verify in.pdf --trust valid.pem")
    }

    /// On turned pages the place is the same to whoever looks.
    @Test(arguments: [0, 90, 180, 270]) func turnedPagesAreSeenUpright(turn: Int) throws {
        let workspace = try workspace(
            SamplePDF.pages(["/MediaBox [100 50 695 645] /Rotate \(turn)"], content: ""))
        let (first, second) = (try sign(workspace), try sign(workspace))
        let map = try draw(workspace)
        let margin = 15 * 72 / 25.4
        let (width, height) = (60 * 72 / 25.4, 20 * 72 / 25.4)
        #expect(first != second)
        for left in [595 - margin - width, 595 - margin - 2 * width - 3 * 72 / 25.4] {
            let box = [left, margin, left + width, margin + height]
            #expect(ink(map, box, height: 595).share > 0.8)
        }
    }

    /// The first signature is closer to the edge than the margin of the second one.
    @Test func placesNextToASignatureKeepTheMargin() throws {
        let workspace = try workspace(SamplePDF.pages(["/MediaBox [0 0 595 842]"], content: ""))
        let millimetre = 72 / 25.4
        let first = try sign(workspace, ["--at", "1:bottom-right", "--margin", "2mm"])
        let second = try sign(workspace)
        #expect(first[1] < 3 * millimetre)
        #expect(second[1] > 14.9 * millimetre && second[2] < 595 - 14.9 * millimetre)
    }

    @Test func fullPagesAreRefused() throws {
        let row = "(" + String(repeating: "lorem ipsum ", count: 12) + ") '"
        let content = "BT /F1 8 Tf 9 TL 20 840 Td " + String(repeating: row, count: 92) + " ET"
        let workspace = try workspace(Self.page(content))
        let outcome = try workspace.signet(
            Self.signing.filter { $0 != "--json" } + ["--at", "auto"])
        outcome.expectRefusal(
            .usage, naming: "page 1 has no free place of 60 x 20 mm", "use a smaller --size")
        // There is no other page to look at.
        #expect(!outcome.errors.contains("another page"), "\(outcome.errors)")
        try workspace.succeed([
            "sign", "in.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at", "1:auto", "--size",
            "3x2mm", "--margin", "0", "--no-text", "--image", "quarters.png",
        ])
    }

    /// The size in the hint was tried.
    @Test(arguments: ["auto", "last:bottom-right"])
    func theHintNamesASizeThatFits(position: String) throws {
        let workspace = try workspace(SamplePDF.pages(["/MediaBox [0 0 75 75]"], content: ""))
        let refused = try workspace.signet(
            Self.signing.filter { $0 != "--json" } + ["--at", position])
        refused.expectRefusal(.usage, naming: "--size 19x6mm --margin 2mm")
        if position != "auto" { #expect(refused.errors.contains("(26.5 x 26.5 mm)")) }
        _ = try sign(workspace, ["--at", position, "--size", "19x6mm", "--margin", "2mm"])
    }

    @Test func scansAreOrdinaryPages() throws {
        let workspace = try workspace(
            Self.page("q 595 0 0 842 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID \u{7F} EI Q"))
        let outcome = try workspace.succeed("\(Self.signing) --at auto")
        #expect(outcome.errors.isEmpty, "\(outcome.errors)")
    }

    /// Who names a place has seen it; who tries first is told.
    @Test(
        "stamps and marks over text",
        arguments: [
            (["--at", "1:center", "--size", "120x20mm"], "the signature covers content of page 1"),
            (["--at", "auto", "--mark", "1:center"], "the mark covers content of page 1"),
        ])
    func coveredContent(options: [String], words: String) throws {
        let workspace = try workspace(Self.page("BT /F1 12 Tf 270 421 Td (Both goods) Tj ET"))
        let plain = Self.signing.filter { $0 != "--json" } + options
        try workspace.signet("\(plain) --strict").expectRefusal(.usage, naming: words)
        let rehearsed = try workspace.signet("\(plain) --dry-run")
        #expect(rehearsed.errors.contains(words), "\(rehearsed.errors)")
        let signed = try workspace.succeed(plain)
        #expect(!signed.errors.contains("covers"), "\(signed.errors)")
    }

    /// Nobody chose the place of a field that the document brings.
    @Test func fieldsOverTextAreTold() throws {
        let workspace = try workspace(Self.page("BT /F1 12 Tf 270 421 Td (Both goods) Tj ET"))
        try workspace.succeed("field add in.pdf --field A --at 1:center -o field.pdf")
        let signing = ["sign", "field.pdf", "--key", "key.pem", "--cert", "valid.pem", "--force"]
        let signed = try workspace.succeed(signing)
        #expect(signed.errors.contains("the field 'A' covers content of page 1"))
        let named = try workspace.succeed("\(signing) --field A")
        #expect(!named.errors.contains("covers"), "\(named.errors)")
    }
}
