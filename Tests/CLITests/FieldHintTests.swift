import Foundation
import SignetTestSupport
import Testing

/// What is told of fields and places that somebody signs in: all that is needed, and nothing untrue.
@Suite struct FieldHintTests {
    private static let key = ["--key", "key.pem", "--cert", "valid.pem"]

    private func fields(_ options: String...) throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.succeed("field add letter.pdf -o form.pdf \(options)")
        return workspace
    }

    private static func sign(_ options: String...) -> [String] {
        ["sign", "form.pdf"] + key + options
    }

    @Test func allThatAFieldDemandsIsToldAtOnce() throws {
        let workspace = try fields(
            "--field", "A", "--reason", "Seen", "--reason", "Agreed", "--lock", "all", "--digest",
            "sha512")
        try workspace.signet(Self.sign())
            .expectRefusal(.usage, naming: "one of the reasons 'Seen', 'Agreed'", "--reason REASON")
        try workspace.signet(Self.sign("--reason", "No"))
            .expectRefusal(.malformedInput, naming: "one of the reasons 'Seen', 'Agreed'")
        let signed = try workspace.succeed(Self.sign("--reason", "Seen"))
        #expect(signed.errors.contains("note:") && signed.errors.contains("sha512"))
    }

    @Test(arguments: [
        ("all", true), ("only:B", true), ("except:A", true), ("except:B", false), ("only:X", false),
    ])
    func otherSignersFieldsThatALockCloses(lock: String, isTold: Bool) throws {
        let workspace = try fields("--field", "A", "--field", "B")
        let signed = try workspace.succeed(Self.sign("--field", "A", "--lock", lock))
        let words = "the locked fields can no longer be signed: 'B'"
        #expect(signed.errors.contains(words) == isTold, "\(signed.errors)")
        let next = try workspace.signet("sign form.signed.pdf --field B -o next.pdf \(Self.key)")
        #expect((next.exitCode == .done) != isTold)
    }

    @Test(arguments: [("no-changes", true), ("form-filling", false)])
    func otherSignersFieldsThatACertificationCloses(_ permission: String, _ isTold: Bool) throws {
        let workspace = try fields("--field", "A", "--field", "B")
        let signed = try workspace.succeed(Self.sign("--field", "A", "--certify", permission))
        let words = "after this certification, these fields cannot be signed: 'B'"
        #expect(signed.errors.contains(words) == isTold, "\(signed.errors)")
    }

    @Test func aFieldThatIsNotThereIsTold() throws {
        let signed = try signingWorkspace().signet("sign letter.pdf --field Approval \(Self.key)")
        signed.expect(.done)
        #expect(signed.errors.contains("no field 'Approval': a new field is created"))
    }

    @Test func aLevelOfNoLockIsLeftOut() throws {
        let workspace = try fields("--field", "A", "--lock", "all")
        try workspace.signet(Self.sign("--lock", "all", "--lock-level", "form-filling"))
            .expectRefusal(.malformedInput, naming: "leave out --lock-level")
    }

    @Test(arguments: [
        (["--at", "1:20,30"], true), (["--at", "1:20mm,30mm"], false),
        (["--at", "1:20mm,30"], true), (["--at", "1:bottom"], false),
    ])
    func placesWithoutUnit(options: [String], isTold: Bool) throws {
        let signed = try signingWorkspace().signet("sign letter.pdf \(Self.key) \(options)")
        signed.expect(.done)
        #expect(
            signed.errors.contains("has no unit: points are used") == isTold, "\(signed.errors)")
    }

    @Test func theLastUnitHoldsForAll() throws {
        func stamped(_ place: String) throws -> String {
            let workspace = try signingWorkspace()
            try workspace.succeed("sign letter.pdf --at \(place) \(Self.key)")
            let text = try workspace.text("letter.signed.pdf")
            return try #require(text.components(separatedBy: "/Rect [").last?.prefix { $0 != "]" })
                .description
        }
        #expect(try stamped("1:20,30mm") == stamped("1:20mm,30mm"))
        #expect(try stamped("1:20,30mm") != stamped("1:20pt,30mm"))
    }

    @Test(arguments: [
        ["--at", "1:999999999999999999999999999999,10"], ["--at", "1:10mm,-1e300mm"],
        ["--at", "1:auto", "--size", "999999999999999999999x20mm"],
        ["--at", "1:bottom", "--margin", "nanmm"], ["--rect", "1:0,0,1e300,1e300"],
        ["--field", "a", "--at", "1:1e19,1e19"],
    ])
    func placesFarOut(options: [String]) throws {
        try signingWorkspace().signet("sign letter.pdf \(Self.key) \(options)")
            .expectRefusal(.usage, naming: "is invalid for '--")
    }

    /// A hidden field is seen nowhere, on screens neither.
    @Test(arguments: [(2, false), (0, true)]) func hiddenFields(
        flags: Int, isOnScreens: Bool
    ) throws {
        let sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</Type /Annot /Subtype /Widget /FT /Sig /T (A) /Rect [72 500 250 560] /P 3 0 R "
                    + "/F \(flags)>>"
            ])
        let workspace = try signingWorkspace()
        try workspace.write(Data(sample.bytes), to: "form.pdf")
        let signed = try workspace.succeed(Self.sign("--field", "A", "--allow-hidden"))
        #expect(signed.errors.contains("on screen") == isOnScreens, "\(signed.errors)")
    }

    @Test func picturesAndReportsAreWhatTheirNamesSay() throws {
        let workspace = try signingWorkspace()
        try workspace.signet("sign letter.pdf --at 1:top --preview page.jpg \(Self.key)")
            .expectRefusal(.usage, naming: ".png")
        try workspace.succeed("sign letter.pdf \(Self.key)")
        let verified = try workspace.succeed(
            "verify letter.signed.pdf --trust valid.pem --report answer.html")
        #expect(
            verified.output.contains("answer.html: wrote validation report"), "\(verified.output)")
    }
}
