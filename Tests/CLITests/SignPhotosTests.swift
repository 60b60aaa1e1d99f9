import Foundation
import SignetTestSupport
import Testing

/// `signet sign --as-pdf`: photos become a PDF and are signed in one go.
@Suite struct SignPhotosTests {
    private let key = ["--key", "key.pem", "--cert", "valid.pem"]

    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        for path in ["jpeg/gps.jpg", "jpeg/progressive.jpg", "pki/key.pem", "pki/valid.pem"] {
            try workspace.copyVector(path)
        }
        return workspace
    }

    @Test func convertsAndSignsInOneGo() throws {
        let workspace = try workspace()
        let before = try workspace.names
        let outcome = try workspace.succeed(
            [
                "sign", "gps.jpg", "progressive.jpg", "--as-pdf", "--page", "A4", "--at",
                "last:bottom-right", "--field", "Receipt", "--json",
            ] + key)
        #expect(outcome.errors.contains("gps.jpg") && outcome.errors.contains("--strip"))
        let report = try outcome.json()
        #expect(report.output == "gps.signed.pdf" && report.field == "Receipt")
        #expect(report.pages.map(\.file) == ["gps.jpg", "progressive.jpg"])
        #expect(try workspace.names == (before + ["gps.signed.pdf"]).sorted())
        let pdf = try workspace.read("gps.signed.pdf")
        for name in ["gps.jpg", "progressive.jpg"] {
            #expect(pdf.range(of: try workspace.read(name)) != nil, "\(name)")
        }
        try workspace.succeed("verify gps.signed.pdf --trust valid.pem")
        try workspace.outsidersAccept("gps.signed.pdf")
    }

    /// The signed document keeps to the limit, with its signature.
    @Test func aLimitIncludesTheSignature() throws {
        let workspace = try workspace()
        try workspace.copyVector("jpeg/detailed.jpg")
        let limit = try workspace.read("detailed.jpg").count * 2 / 3
        try workspace.succeed("sign detailed.jpg --as-pdf --max-size \(limit) -o s.pdf \(key)")
        #expect(try workspace.read("s.pdf").count <= limit)
        let coarse = try workspace.succeed(
            "sign detailed.jpg --as-pdf --page A4 --max-size 7000 -o c.pdf \(key)")
        #expect(coarse.errors.contains("text may be unreadable"), "\(coarse.errors)")
        let scaled = try workspace.succeed(
            "sign detailed.jpg --as-pdf --scale 1/2 --quality 50 --json \(key)")
        #expect(try scaled.json().pages.first?.data == "re-encoded")
        try workspace.signet(["sign", "detailed.jpg", "--scale", "1/2"] + key)
            .expectRefusal(.usage, naming: "require --as-pdf")
    }

    @Test func theChosenOptionsReachThePages() throws {
        let workspace = try workspace()
        let outcome = try workspace.succeed(
            "sign gps.jpg --as-pdf --gray -o gray.pdf --json \(key)")
        #expect(try outcome.json().pages.map(\.data) == ["lossless"])
        let stripped = try workspace.succeed("sign gps.jpg --as-pdf --strip -o stripped.pdf \(key)")
        #expect(!stripped.errors.contains("GPS"))
        #expect(try workspace.read("stripped.pdf").range(of: Data("Exif\0".utf8)) == nil)
    }

    @Test func aPhotoThatCannotBeUsedIsNamedAndNothingIsLeft() throws {
        let workspace = try workspace()
        try workspace.write(try workspace.read("gps.jpg").dropLast(20), to: "short.jpg")
        let before = try workspace.names
        try workspace.signet("sign gps.jpg short.jpg --as-pdf -o out.pdf \(key)")
            .expectRefusal(.malformedInput, naming: "short.jpg", "not complete")
        try workspace.signet("sign gps.jpg --as-pdf --at 2:top -o out.pdf \(key)")
            .expectRefusal(.usage, naming: "page 2")
        try workspace.signet("sign gps.jpg --as-pdf -o gps.jpg --force \(key)")
            .expectRefusal(.cannotCreateOutput, naming: "gps.jpg")
        try workspace.succeed("sign gps.jpg --as-pdf --dry-run \(key)")
        #expect(try workspace.names == before)
    }

    @Test func readsAndWritesPipes() throws {
        let workspace = try workspace()
        let outcome = try workspace.succeed(
            "sign - --as-pdf \(key)", input: try workspace.read("progressive.jpg"))
        try workspace.write(outcome.outputBytes, to: "out.pdf")
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    @Test func withoutTheOptionAPhotoIsAFileLikeAnyOther() throws {
        let workspace = try workspace()
        try workspace.succeed("sign gps.jpg \(key)")
        #expect(workspace.exists("gps.jpg.p7s"))
        try workspace.signet("sign gps.jpg --at 1:top --force \(key)")
            .expectRefusal(.usage, naming: "gps.jpg", "--as-pdf")
    }

    /// A PDF never gets the name of another file type.
    @Test func aPDFIsNamedAsOne() throws {
        let workspace = try workspace()
        try workspace.write(Data(SamplePDF.pages(1)), to: "letter.pdf")
        for command in [
            "convert gps.jpg -o z.jpg", "convert gps.jpg -o z.PNG", "sign letter.pdf -o z.txt",
            "sign gps.jpg --as-pdf -o z.xml", "field add letter.pdf --field A --at 1:top -o z.txt",
            "remote prepare letter.pdf --cert valid.pem --to-sign h -o z.txt",
        ] {
            let key = command.hasPrefix("sign") ? key : []
            try workspace.signet(command.split(separator: " ").map(String.init) + key)
                .expectRefusal(.usage, naming: "use a name that ends in .pdf")
        }
        try workspace.succeed("convert gps.jpg -o z")
        try workspace.succeed("sign letter.pdf -o letter.pdf.tmp \(key)")
        try workspace.signet("sign gps.jpg progressive.jpg -o x.pdf \(key)")
            .expectRefusal(.usage, naming: "add --as-pdf")
        try workspace.signet("sign gps.jpg --as-pdf --max-size 2 \(key)")
            .expectRefusal(.usage, naming: "such as 2MB")
    }

    @Test(arguments: [
        ["--page", "A4"], ["--gray"], ["--strip"], ["--as-pdf", "--in-place"],
        ["--as-pdf", "--format", "cms"], ["--as-pdf", "--page", "nowhere"],
    ])
    func refusesNonsense(options: [String]) throws {
        let workspace = try workspace()
        let before = try workspace.names
        try workspace.signet("sign gps.jpg \(options) \(key)").expectRefusal(.usage)
        #expect(try workspace.names == before)
    }
}
