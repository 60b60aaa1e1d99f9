import Foundation
import SignetTestSupport
import Testing

/// References by another generation than the object has: some readers look at the number alone, and
/// find what others do not.
@Suite struct GenerationTests {
    private static let field = "<</FT /Sig /T (S) /Subtype /Widget /Rect [9 9 99 99] /F 4>>"

    /// A page that some readers count and others do not, a page's content, the form, a field, its
    /// lock, an annotation over the text.
    static let misnamed: [[UInt8]] = [
        {
            var sample = SamplePDF(extraObjects: ["<</Type /Page /Parent 2 0 R>>"])
            sample.objects[1] = "<</Type /Pages /Kids [6 1 R 3 0 R] /Count 1>>"
            return sample.bytes
        }(),
        {
            var sample = SamplePDF()
            sample.objects[2] = sample.objects[2].replacing("4 0 R", with: "4 1 R")
            return sample.bytes
        }(),
        SamplePDF(
            catalogEntries: "/AcroForm 6 1 R", extraObjects: ["<</Fields [7 0 R]>>", field]
        ).bytes,
        SamplePDF(catalogEntries: "/AcroForm <</Fields [6 65535 R]>>", extraObjects: [field]).bytes,
        SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</FT /Sig /T (S) /Lock 7 2 R>>", "<</Type /SigFieldLock /Action /All /P 1>>",
            ]
        ).bytes,
        SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 3 R]",
            extraObjects: ["<</Subtype /Square /Rect [72 700 200 760] /IC [1 1 1]>>"]
        ).bytes,
        // The object has another generation than everybody thinks.
        {
            let text = String(decoding: SamplePDF().bytes, as: Unicode.ASCII.self)
            return Array(text.replacing("4 0 obj", with: "4 2 obj").utf8)
        }(),
    ]

    @Test(arguments: [0, 1, 3, 5, 6]) func isNotSigned(index: Int) throws {
        let (workspace, outcome) = try sign(Self.misnamed[index], "--at 1:center")
        outcome.expectRefusal(.malformedInput, naming: "in.pdf")
        #expect(!workspace.exists("out.pdf"))
    }

    @Test(arguments: [0, 1, 3, 5]) func isSpecified(index: Int) throws {
        let (workspace, outcome) = try sign(Self.misnamed[index], "--new-field")
        outcome.expectRefusal(.malformedInput, naming: "--allow-damaged")
        // Only what nobody can add a field to is not shown with a warning.
        let shown = try workspace.signet("show in.pdf")
        #expect((shown.output + shown.errors).contains("a reference names"))
    }

    /// A signature that some readers do not have.
    @Test func isADoubtInASignedDocument() throws {
        let (workspace, outcome) = try sign(
            SamplePDF(catalogEntries: "/AcroForm <</Fields [6 0 R]>>", extraObjects: [Self.field])
                .bytes, ["--field", "S", "--allow-hidden"])
        outcome.expect(.done)
        try workspace.succeed("verify out.pdf --trust valid.pem")
        // A second field, before anything is signed: the form names it by a wrong generation.
        let hidden = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R] /DR 7 4 R>>",
            extraObjects: [Self.field, "<</Font <</F1 5 0 R>>>>"]
        ).bytes
        try workspace.write(Data(hidden), to: "in.pdf")
        let stamped = try workspace.signet(
            "sign in.pdf --key key.pem --cert valid.pem -o other.pdf --field S --allow-hidden")
        stamped.expectRefusal(.malformedInput, naming: "--allow-damaged")
    }

    // MARK: Flags

    @Test(arguments: ["/F 6.0", "/F (x)", "/F -2", "/F [2]", "/F 99999999999"])
    func flagsOnWhichViewersDisagreeAreTold(flags: String) throws {
        let bytes = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                Self.field.replacing("/F 4", with: flags).replacing("9 9 99 99", with: "9 9 99 60")
            ]
        ).bytes
        let (_, outcome) = try sign(bytes)
        outcome.expect(.done)
        #expect(outcome.errors.contains("note:") && outcome.errors.contains("its flags are"))
    }

    /// Hidden for some: others see it under the stamp, or above it.
    @Test func aStampKeepsClearOfFieldsThatSomeReadersShow() throws {
        let bytes = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</FT /Tx /T (Amount) /V (9) /Subtype /Widget /Rect [100 100 400 700] /F 2.0>>"
            ]
        ).bytes
        let (_, outcome) = try sign(bytes, "--at 1:center")
        outcome.expectRefusal(.usage, naming: "'Amount'")
    }

    @Test(arguments: [
        ("/Subtype /Square /Rect [9 9 99 99] /F 2", "a hidden annotation (Square)"),
        ("/Subtype /Stamp /Rect [9 9 99 99] /F 2.5 /AP <</N 4 0 R>>", "its flags are"),
    ]) func annotationsInWaitAreSaid(entries: String, words: String) throws {
        let bytes = SamplePDF(pageEntries: "/MediaBox [0 0 595 842] /Annots [<<\(entries)>>]").bytes
        let (workspace, outcome) = try sign(bytes)
        outcome.expect(.done)
        #expect(outcome.errors.isEmpty)
        #expect(try workspace.signet("show in.pdf").output.contains(words))
    }

    // MARK: Pages

    @Test func aPageThatIsTwoGetsNoStamp() throws {
        var sample = SamplePDF()
        sample.objects[1] = "<</Type /Pages /Kids [3 0 R 3 0 R] /Count 2>>"
        for options in [["--at", "2:center"], ["--mark", "2:center", "--mark-text", "x"]] {
            let (_, outcome) = try sign(sample.bytes, "\(options)")
            outcome.expectRefusal(.malformedInput, naming: "the pages 1, 2 are the same object")
        }
        let (_, both) = try sign(sample.bytes, "--mark all:center --mark-text x")
        both.expect(.done)
    }

    /// Each marked page gets a list of annotations of its own.
    @Test func sharedAnnotationsCostLittle() throws {
        let list = String(repeating: "6 0 R ", count: 200_000)
        var sample = SamplePDF(extraObjects: ["<</Subtype /Link /Rect [0 0 1 1]>>", "[\(list)]"])
        let pages = (0..<100).map { _ in
            "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots 7 0 R>>"
        }
        sample.objects[1] =
            "<</Type /Pages /Count 100 /Kids ["
            + pages.indices.map { "\($0 + 8) 0 R" }.joined(separator: " ") + "]>>"
        sample.objects += pages
        let (_, outcome) = try sign(
            sample.bytes, ["--mark", "all:bottom-left", "--mark-text", "x"])
        outcome.expectRefusal(.malformedInput, naming: "annotations", "use fewer pages")
    }

    @Test func aLockOfNothingIsSaid() throws {
        let (_, outcome) = try sign(SamplePDF().bytes, "--lock only:nosuch,Signature1")
        outcome.expect(.done)
        #expect(outcome.errors.contains("'nosuch'") && !outcome.errors.contains("'Signature1'"))
    }
}
