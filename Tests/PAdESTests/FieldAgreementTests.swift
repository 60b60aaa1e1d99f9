import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Fields whose value says another thing than what is seen of them.
struct FieldAgreementTests {
    private static func look(_ text: String) -> String {
        let content = "BT /F1 12 Tf 4 6 Td (\(text)) Tj ET"
        return "<</Type /XObject /Subtype /Form /BBox [0 0 200 20] /Length \(content.utf8.count) "
            + "/Resources <</Font <</F1 <</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>>>>>>>"
            + "\nstream\n\(content)\nendstream"
    }

    /// - Parameter kids: from object 10 on; 7 to 9 are looks of "100", "x" and nothing.
    private func contradiction(of field: String, _ kids: [String] = []) throws -> String? {
        let sample = SamplePDF(
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</T (t) \(field)>>", Self.look("100"), Self.look("x"), Self.look(" "),
            ] + kids)
        let document = try PDFDocument(source: MemorySource(sample.bytes))
        let lines = try DocumentStructure.doubts(
            about: document, form: AcroForm(of: document), effort: .quick
        ).lines
        return lines.first { $0.contains("readers show the one or the other") }
    }

    private static let widget = "/Type /Annot /Subtype /Widget /Rect [9 9 209 29] /F 4"

    @Test(arguments: [
        ("/FT /Ch /Ff 131072 /V (100) /I [0] /Opt [(100) (900)]", true),
        ("/FT /Ch /Ff 131072 /V (100) /I [1] /Opt [(100) (900)]", false),
        ("/FT /Ch /V (a) /I [1] /Opt [[(a) (100)] [(b) (900)]]", false),
        ("/FT /Ch /V (a) /I [0] /Opt [[(a) (100)] [(b) (900)]]", true),
        ("/FT /Ch /V [(a) (b)] /I [0 2] /Opt [(a) (b) (c)]", false),
        ("/FT /Ch /V (100) /I [7] /Opt [(100) (900)]", true),
        ("/FT /Btn /Ff 65536 /MK <</CA (100)>>", true), ("/FT /Btn /Ff 65536", true),
        ("/FT /Btn /Ff 65536 /MK <</CA (900)>>", false),
    ]) func widgets(entries: String, isAgreed: Bool) throws {
        let found = try contradiction(of: "\(entries) \(Self.widget) /AP <</N 7 0 R>>")
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test(arguments: [
        ("/V /A", "/A", "/Off", true), ("", "/Off", "/Off", true), ("/V /B", "/A", "/Off", false),
        ("/V /A", "/A", "/B", false), ("", "/A", "/Off", false), ("/V /A", "/Off", "/Off", false),
        ("/V (B)", "/A", "/Off", false), ("/V (A)", "/A", "/Off", true),
        ("/V /X", "/A", "/Off", false), ("/V /X", "/Off", "/Off", true),
        ("/V /Off", "/Off", "/B", false),
    ]) func groups(value: String, first: String, second: String, isAgreed: Bool) throws {
        func button(_ name: String, _ state: String) -> String {
            "<<\(Self.widget) /Parent 6 0 R /AS \(state) /AP <</N <</\(name) 8 0 R /Off 9 0 R>>>>>>"
        }
        let found = try contradiction(
            of: "/FT /Btn /Ff 49152 \(value) /Kids [10 0 R 11 0 R]",
            [button("A", first), button("B", second)])
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test("a widget may say again what its field does, however long")
    func entriesOfWidgets() throws {
        let options = "[" + String(repeating: "(100) ", count: 1100) + "]"
        let text = "(" + String(repeating: "1", count: 70_000) + ")"
        for (field, own, isAgreed) in [
            ("/FT /Ch /Ff 131072 /V (100) /Opt \(options)", "/Opt \(options)", true),
            ("/FT /Tx /V \(text)", "/V \(text)", true),
            ("/FT /Tx /V \(text)", "/V \(text.replacing("1)", with: "2)"))", false),
        ] {
            let found = try contradiction(
                of: field + " /Kids [10 0 R]",
                ["<<\(Self.widget) /Parent 6 0 R \(own) /AP <</N 7 0 R>>>>"])
            #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
        }
    }

    @Test(
        "what is written from left to right among other letters",
        arguments: [
            ("9100 EUR א", "אב 9100 EUR", true), ("0019 EUR א", "9100 EUR א", false),
            ("12.50–א", "א-12.50", true), ("50.12 א", "א 12.50", false), ("א ١٢", "א ٢١", false),
            ("٢١ א", "א ٢١", true), ("٥٫٣٤ א", "א ٣٤٫٥", false), ("٠٠٠٬١ א", "א ١٬٠٠٠", false),
            ("٣٤٫٥ א", "א ٣٤٫٥", true),
        ])
    func rightToLeft(shown: String, value: String, isLike: Bool) {
        #expect(LookWords(shown).mayShow(value) == isLike)
    }
}
