import Foundation
import SignetTestSupport
import Testing

/// How large the pages of photos become, what else than JPEG they are made of, and what is left out
/// of copies.
@Suite struct PhotoPageTests {
    private func page(
        _ workspace: Workspace, _ photo: String, _ options: String...
    ) throws -> JSON {
        let outcome = try workspace.succeed("convert \(photo) -o out.pdf --force --json \(options)")
        return try #require(try outcome.json().pages.first)
    }

    @Test("a density that squeezes a photo to a line is told and not used") func squeezed() throws {
        let workspace = try Workspace()
        try workspace.copyVector("jpeg/gray.jpg")
        var bytes = [UInt8](try workspace.read("gray.jpg"))
        try #require(bytes[2...3] == [0xFF, 0xE0])
        bytes.replaceSubrange(13..<18, with: [1, 0, 72, 28, 32])
        try workspace.write(Data(bytes), to: "photo.jpg")
        let page = try page(workspace, "photo.jpg", "--page", "photo")
        #expect(page.photoWidth.number / page.photoHeight.number < 20)
        #expect(page.warnings.contains { $0.contains("72 x 7200 dpi in the image is implausible") })
    }

    /// A photo whose JFIF marker says so many dots an inch; nil says nothing.
    private func photo(_ name: String, dpi: UInt8?) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.copyVector("jpeg/\(name)")
        var bytes = [UInt8](try workspace.read(name))
        #expect(bytes[2...3] == [0xFF, 0xE0])
        bytes.replaceSubrange(13..<18, with: [dpi == nil ? 0 : 1, 0, dpi ?? 1, 0, dpi ?? 1])
        try workspace.write(Data(bytes), to: "photo.jpg")
        return workspace
    }

    private static let a4 = [595, 842]

    @Test func aPhotoWithoutAMeasureStandsOnA4() throws {
        let workspace = try photo("orientation-1.jpg", dpi: nil)
        let page = try page(workspace, "photo.jpg")
        #expect(
            [page.pageWidth, page.pageHeight].map { Int($0.number.rounded()) }.sorted() == Self.a4)
        // It is not blown up.
        #expect([page.photoWidth, page.photoHeight] == [48, 32] && page.dpi == 72)
        #expect(page.warnings.contains { $0.contains("--page photo") }, "\(page.warnings)")
        let own = try self.page(workspace, "photo.jpg", "--page", "photo")
        #expect([own.pageWidth, own.pageHeight] == [48, 32] && own.warnings.isEmpty)
        let told = try workspace.signet("convert photo.jpg -o out.pdf --force")
        #expect(told.output.contains("A4, photo 17 x 11 mm at 72 dpi"), "\(told.output)")
    }

    @Test(arguments: [72, 96] as [UInt8]) func camerasKnowNothingOfSizes(dpi: UInt8) throws {
        let workspace = try photo("orientation-1.jpg", dpi: dpi)
        // Small enough to be meant.
        let small = try page(workspace, "photo.jpg")
        #expect(Int(small.dpi.number.rounded()) == Int(dpi) && small.pageWidth == small.photoWidth)
        // The frame header's height and width; the data is of the first rows.
        var bytes = [UInt8](try workspace.read("photo.jpg"))
        let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
        bytes.replaceSubrange(frame + 5..<frame + 9, with: [0x08, 0, 0x0C, 0])
        try workspace.write(Data(bytes), to: "photo.jpg")
        let shown = try workspace.succeed("show photo.jpg")
        #expect(shown.output.contains("3072 x 2048 pixels"), "\(shown.output)")
        #expect(shown.output.contains("density      \(dpi) dpi"), "\(shown.output)")
        #expect(shown.output.contains("page size    A4, photo 297 x 198 mm"), "\(shown.output)")
        #expect(shown.output.contains("--page photo"), "\(shown.output)")
    }

    @Test func showTellsWhatAPhotoSays() throws {
        let workspace = try Workspace()
        try workspace.copyVector("jpeg/gps.jpg")
        let outcome = try workspace.succeed("show gps.jpg --json")
        let shown = try outcome.json()
        #expect(shown.schema == "signet.photo/1" && shown.density.x == 144)
        #expect(shown.hasLocation == true)
        try workspace.write(Data([0xFF, 0xD8, 0xFF, 0xE0, 0]), to: "torn.jpg")
        try workspace.signet("show torn.jpg").expectRefusal(.malformedInput, naming: "torn.jpg")
    }

    @Test func whatReadersStumbleOverIsLeftOut() throws {
        let workspace = try Workspace()
        try workspace.copyVector("jpeg/orientation-1.jpg")
        let whole = [UInt8](try workspace.read("orientation-1.jpg"))
        let stray = Array(whole[..<20]) + [1, 2, 3, 4, 5] + whole[20...]
        let profile = Array("ICC_PROFILE\0".utf8) + [1, 1] + Array(repeating: 7, count: 200)
        let broken =
            Array(whole[..<20]) + [0xFF, 0xE2, 0, UInt8(profile.count + 2)] + profile + whole[20...]
        let adobe =
            Array(whole[..<20]) + [0xFF, 0xEE, 0, 14] + Array("Adobe".utf8)
            + [0, 100, 0, 0, 0, 0, 0] + whole[20...]
        for (name, bytes) in [("stray", stray), ("broken", broken), ("adobe", adobe)] {
            try workspace.write(Data(bytes), to: "\(name).jpg")
            let page = try page(workspace, "\(name).jpg")
            #expect(page.data == "cleaned", "\(name)")
            let pdf = try workspace.read("out.pdf")
            #expect(pdf.range(of: Data(whole)) != nil, "\(name): not what the photo was before")
            try workspace.tool("qpdf --check out.pdf")?.expect(.done)
        }
    }

    @Test func pngPicturesBecomePages() throws {
        let workspace = try Workspace()
        var plain = SamplePNG.quarters(600, 300)
        plain.pixelsPerMetre = (11_811, 11_811)
        try workspace.write(Data(plain.bytes), to: "plain.png")
        let clear = SamplePNG(40, 40, colorType: 6) { x, _ in [255, 0, 0, x < 20 ? 0 : 255] }
        try workspace.write(Data(clear.bytes), to: "clear.png")
        try workspace.copyVector("jpeg/orientation-1.jpg")

        let page = try page(workspace, "plain.png")
        #expect(page.data == "untouched" && Int(page.dpi.number.rounded()) == 300)
        #expect(abs(page.pageWidth.number - 144) < 0.1 && abs(page.pageHeight.number - 72) < 0.1)
        let half = try self.page(workspace, "clear.png", "--gray", "--page", "photo", "--pdfa")
        #expect(half.data == "lossless" && half.warnings.contains { $0.contains("white") })

        let outcome = try workspace.succeed(
            "convert plain.png orientation-1.jpg clear.png -o all.pdf --page photo")
        #expect(outcome.output.contains("3 pages") && outcome.output.contains("sizes"))
        if let drawn = try workspace.tool("pdftoppm -r 72 -f 3 -l 3 -singlefile all.pdf") {
            let pixels = drawn.outputBytes.suffix(40 * 40 * 3)
            #expect(drawn.errors.isEmpty && Array(pixels.prefix(3)) == [255, 255, 255])
            #expect(Array(pixels.suffix(3)) == [255, 0, 0])
        }
        try workspace.tool("qpdf --check all.pdf")?.expect(.done)
        try workspace.signet("convert plain.png -o x.pdf --quality 50")
            .expectRefusal(.usage, naming: "plain.png", "PNG")
        try workspace.write(Data(plain.bytes.prefix(60)), to: "torn.png")
        try workspace.signet("convert torn.png -o x.pdf")
            .expectRefusal(.malformedInput, naming: "torn.png")
        #expect(!workspace.exists("x.pdf"))
    }
}
