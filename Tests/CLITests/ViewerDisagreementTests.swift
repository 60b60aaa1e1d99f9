import Foundation
import SignetTestSupport
import Testing

/// Documents that viewers display differently: signing needs an option, and `verify` is indeterminate.
@Suite struct ViewerDisagreementTests {
    private static func stream(_ entries: String, _ content: String) -> String {
        "<<\(entries) /Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
    }

    /// A page with this content, after the font in its resources.
    private static func page(
        _ content: String, _ entries: String = "", page: String = "", objects: [String] = []
    ) -> [UInt8] {
        var sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] \(page)", extraObjects: objects)
        sample.objects[3] = stream(entries, content)
        return sample.bytes
    }

    private static func annotation(_ entries: String, _ objects: String...) -> [UInt8] {
        page(text, page: "/Annots [6 0 R]", objects: ["<<\(entries) /Rect [9 9 99 99]>>"] + objects)
    }

    private static let text = "BT /F1 24 Tf 72 720 Td (Sample) Tj ET"
    private static let box = "/Type /XObject /Subtype /Form /BBox [0 0 90 90]"

    static let disputed: [(bytes: [UInt8], code: String, words: String)] = [
        (
            annotation("/Subtype /Stamp /AP <</N 4294967303 0 R>>", stream(box, "0 0 90 90 re f")),
            "object-unreadable", "it refers to object 4294967303"
        ),
        (
            annotation("/Subtype /Stamp /AP <</N 7 0 R>>", stream("\(box) /BBox [0 0 1 1]", "")),
            "duplicate-key-shown", "the entry /BBox occurs twice in object"
        ), (page("(endstream ) Tj \(text)"), "stream-length", "contains 'endstream'"),
    ]

    @Test(arguments: disputed.indices) func doubtsAreRefusedWithoutConsent(index: Int) throws {
        let (bytes, code, words) = Self.disputed[index]
        let (_, refused) = try sign(bytes, "--new-field")
        refused.expectRefusal(.malformedInput, naming: words, "--allow-damaged")
        let (workspace, outcome) = try sign(bytes, "--json --new-field --allow-damaged")
        outcome.expect(.done)
        let signed = try outcome.json()
        #expect(signed.warnings.contains { $0.contains(words) })
        let shown = try workspace.signet("show in.pdf --json").json()
        #expect(shown.dynamicContent.findings.contains { $0.message.contains(words) })
        let verified = try workspace.signet("verify out.pdf --trust valid.pem --json")
        verified.expect(.indeterminate)
        let problems = try verified.json().problems
        #expect(problems.contains { $0.code.text == code && $0.message.contains(words) })
        let (_, strict) = try sign(bytes, "--strict --new-field")
        strict.expectRefusal(.malformedInput, naming: words, "--strict")
    }

    /// Content that viewers may draw differently, in files whose structure has one reading.
    static let agreed: [[UInt8]] = [
        SamplePDF().bytes, page("Q Q \(text)"), page("/G 9 Tf (x) Tj 8 Tr \(text)"),
        page(text, "/Filter /Foo"), page("BI EI \(text)"),
        annotation("/Subtype /Stamp /AP <</N 7 0 R>>", stream("/Subtype /Form", "0 0 9 9 re f")),
        page(text, page: "/X [0 0 R 99999 0 null]"),
    ]

    @Test(arguments: agreed.indices) func whatViewersDisplayAlikeIsSignedWithoutANote(index: Int)
        throws
    {
        let (workspace, outcome) = try sign(Self.agreed[index], "--json --new-field")
        outcome.expect(.done)
        let findings = try outcome.json().dynamicContent.findings
        #expect(!findings.contains { $0.code == "readers-disagree" })
        try workspace.succeed("verify out.pdf --trust valid.pem")
    }

    @Test(arguments: ["-1", "0", "(1)"]) func unitsThatAreNoneAreDisputed(unit: String) throws {
        let bytes = SamplePDF(pageEntries: "/MediaBox [0 0 595 842] /UserUnit \(unit)").bytes
        let (_, outcome) = try sign(bytes, "--at 1:bottom-right")
        outcome.expectRefusal(.malformedInput, naming: "UserUnit is not a number above 0")
    }

    /// Printed content and appearances that depend on the viewer, by their codes.
    static let dependent: [(bytes: [UInt8], code: String)] = {
        func object(_ entries: String) -> [UInt8] {
            var sample = SamplePDF(extraObjects: [stream(entries, "0 0 9 9 re f")])
            sample.objects[2] =
                "<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources <</XObject "
                + "<</X 6 0 R>>>>>>"
            return sample.bytes
        }
        func state(_ entries: String) -> [UInt8] {
            var sample = SamplePDF(extraObjects: [
                "<</Type /ExtGState \(entries)>>",
                stream("/FunctionType 4 /Domain [0 1] /Range [0 1]", "{1 exch sub}"),
            ])
            sample.objects[2] =
                "<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources <</ExtGState "
                + "<</G 6 0 R>>>>>>"
            return sample.bytes
        }
        func mark(_ entries: String) -> [UInt8] { annotation(entries) }
        return [
            (object("/Subtype /PS"), "postscript"),
            (object("\(box) /Subtype2 /PS"), "postscript"),
            (object("\(box) /PS 4 0 R"), "postscript"),
            (object("\(box) /OPI <</2.0 <</F (x.tif)>>>>"), "print-replacement"),
            (state("/TR 7 0 R"), "transfer-function"),
            (state("/TR2 [7 0 R 7 0 R 7 0 R /Identity]"), "transfer-function"),
            (mark("/Subtype /Line /L [0 0 9 9]"), "no-appearance"),
            (mark("/Subtype /Polygon /Vertices [0 0 9 9 0 9]"), "no-appearance"),
            (mark("/Subtype /Stamp /Name /Void /AP <</D 4 0 R>>"), "no-appearance"),
            (mark("/Subtype /Text /Contents (x)"), "no-appearance"),
            (
                SamplePDF(
                    catalogEntries: "/Outlines <</First <</A <</S 6 0 R /F (x) /K 0>>>>>>",
                    extraObjects: ["/Launch"]
                ).bytes, "action"
            ),
        ]
    }()

    @Test(arguments: dependent.indices) func whatViewersGenerateOrPrintIsListed(index: Int) throws {
        let (bytes, code) = Self.dependent[index]
        let (workspace, outcome) = try sign(bytes, "--json --new-field")
        outcome.expect(.done)
        let shown = try workspace.signet("show in.pdf --json").json()
        let finding = try #require(shown.dynamicContent.findings.first { $0.code.text == code })
        let (_, strict) = try sign(bytes, "--strict --new-field")
        if ["postscript", "print-replacement", "action"].contains(code) {
            strict.expectRefusal(.malformedInput, naming: finding.message.text)
        } else {
            strict.expect(.done)
        }
    }

    /// Thin frames of links, plain functions, names of structure elements.
    @Test(arguments: [
        annotation("/Subtype /Link /Border [0 0 1] /C [1 0 0]"), annotation("/Subtype /Line /F 2"),
        page(text, page: "/X <</TR /Identity>> /Y <</TR /Sect /S /Span /K 0>>"),
    ]) func ordinaryEntriesAreNotNamed(bytes: [UInt8]) throws {
        let (_, outcome) = try sign(bytes, "--json --new-field")
        let codes = try outcome.json().dynamicContent.findings.map(\.code)
        #expect(
            Set(codes).isDisjoint(with: [
                "no-appearance", "transfer-function", "action", "readers-disagree",
            ]))
    }
}
