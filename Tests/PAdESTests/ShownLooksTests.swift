import ByteKit
import PDFCore
import SignetTestSupport
import Testing

@testable import PAdES

/// Looks of annotations, groups, and matrices that readers do not follow alike.
@Suite struct ShownLooksTests {
    private static func form(_ entries: String, _ content: String) -> String {
        "<</Subtype /Form /BBox [0 0 9 9] \(entries) /Length \(content.utf8.count)>>\nstream\n"
            + "\(content)\nendstream"
    }

    private static let area = "0 0 9 9 re f"

    /// - Parameter objects: those of numbers 6 and so on, the last of which is looked at.
    private func doubt(_ objects: [String]) throws -> String? {
        let document = try PDFDocument(
            source: MemorySource(SamplePDF(extraObjects: objects).bytes))
        var shown = ShownContent(document, .thorough)
        let id = ObjectID(number: 5 + objects.count)
        try shown.look(at: #require(document.object(id).dictionaryValue), id)
        return shown.doubts.first?.text
    }

    private func pageDoubt(_ content: String, _ parts: [String]) throws -> String? {
        let stream = "<</Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
        return try doubt(
            parts + [
                stream,
                "<</Type /Page /Contents \(6 + parts.count) 0 R "
                    + "/Resources <</XObject <</X 6 0 R>>>>>>",
            ])
    }

    private static func expect(_ found: String?, _ isAgreed: Bool) {
        #expect((found == nil) == isAgreed, "\(found ?? "nothing")")
    }

    @Test("whose look it is, is said", arguments: ["/T (Name)", "/Parent <</T (Name)>>"])
    func owner(entries: String) throws {
        let found = try doubt([
            Self.form("", "BT /G 9 Tf (x) Tj ET"),
            "<</Subtype /Widget /Rect [0 0 9 9] /F 4 /AP <</N 6 0 R>> \(entries)>>",
        ])
        #expect(found?.hasSuffix("in the look of the field 'Name'") == true, "\(found ?? "")")
    }

    @Test(
        "a look is chosen by the dictionaries themselves",
        arguments: [
            ("Stamp", "/AP <</N <</On 6 0 R>>>> /AS /On", true),
            ("Stamp", "/AP 9 0 R /AS /On", true),
            ("Stamp", "/AP <</N 8 0 R>> /AS /On", false),
            ("Widget", "/AP <</N 8 0 R>> /AS /On", false),
            ("Widget", "/AP <</N 8 0 R>> /AS /Off", true),
            ("Stamp", "/AP <</N <</On 6 0 R>>>> /AS 7 0 R", false),
            ("Widget", "/AP <</N <</On 6 0 R>>>> /AS 7 0 R", false),
            ("Stamp", "/AP <</N 6 0 R>>", true),
        ]) func references(kind: String, entries: String, isAgreed: Bool) throws
    {
        let found = try doubt([
            Self.form("", Self.area), "/On", "<</On 6 0 R>>", "<</N <</On 6 0 R>>>>",
            "<</Subtype /\(kind) /FT /Btn /Rect [0 0 9 9] /F 4 \(entries)>>",
        ])
        Self.expect(found, isAgreed)
    }

    private static func blended(_ group: String, _ mode: String) -> String {
        let states = "/Resources <</ExtGState <</M <</BM \(mode)>>>>>>"
        return form(group + " " + states, "/M gs 0 g " + area)
    }

    @Test(
        "what is blended in a group",
        arguments: [
            ("", "/Multiply", true, true), ("/Group <</S /Transparency>>", "/Normal", true, true),
            ("/Group <</S /Transparency>>", "/Multiply", false, false),
            ("/Group <</S /Transparency>>", "[/Screen /Normal]", false, false),
            ("/Group <</S /Transparency /I false>>", "/Screen", false, false),
            ("/Group <</S /Transparency /I true>>", "/Screen", true, false),
            ("/Group <</S /Transparency /I true>>", "/Compatible", true, true),
        ]) func groups(group: String, mode: String, onPage: Bool, asLook: Bool) throws
    {
        let form = Self.blended(group, mode)
        Self.expect(try pageDoubt("/X Do", [form]), onPage)
        let annotation = "<</Subtype /Stamp /Rect [0 0 9 9] /F 4 /AP <</N 6 0 R>>>>"
        Self.expect(try doubt([form, annotation]), asLook)
    }

    @Test("what is blended in a form inside of a group")
    func innerForms() throws {
        let outer = Self.form(
            "/Group <</S /Transparency>> /Resources <</XObject <</X 7 0 R>>>>", "/X Do")
        Self.expect(try pageDoubt("/X Do", [outer, Self.blended("", "/Multiply")]), false)
        Self.expect(try pageDoubt("/X Do", [outer, Self.blended("", "/Normal")]), true)
        let group = Self.blended("/Group <</S /Transparency /I true>>", "/Multiply")
        Self.expect(try pageDoubt("/X Do", [outer, group]), true)
    }

    @Test(
        "matrices that leave nothing of what is painted, or squeeze its lines",
        arguments: [
            ("0 0 0 0 0 0 cm 0 0 9 9 re f", false), ("1 0 0 0 0 50 cm 0 0 9 9 re f", false),
            ("1 2 2 4 0 0 cm 0 0 9 9 re f", false), ("1 0 0 0 0 50 cm /X Do", false),
            ("1 0 0 0.001 0 0 cm 0 0 9 9 re f", true), ("1 0 0 0.001 0 0 cm 0 0 m 9 9 l S", false),
            ("0.001 0 0 1 0 0 cm 0 0 m 9 9 l S", false),
            ("0.001 0 0 0.001 0 0 cm 0 0 m 9 9 l S", true),
            ("0.1 0 0 1 0 0 cm 0.05 0 0 1 0 0 cm 0 0 m 9 9 l S", false),
            ("1 0 0 1000 0 0 cm 0 0 m 9 9 l S", true), ("0 0 9 9 re f 0 0 0 0 0 0 cm", true),
            ("q 0 0 0 0 0 0 cm Q 0 0 9 9 re f", true),
            ("q 1 0 0 0 0 0 cm BI /W 1 /H 1 /BPC 8 /CS /G ID a EI Q", true),
        ]) func matrices(content: String, isAgreed: Bool) throws
    {
        Self.expect(try pageDoubt(content, [Self.form("", Self.area)]), isAgreed)
    }

    @Test(
        "a page that says null for its resources",
        arguments: [
            ("", "<</ProcSet [/PDF]>>", true), ("/Resources <<>>", "<</ProcSet [/PDF]>>", true),
            ("/Resources null", "<</ProcSet [/PDF]>>", false), ("/Resources null", "<<>>", true),
        ]) func noResources(entries: String, inherited: String, isAgreed: Bool) throws
    {
        let found = try doubt([
            "<</Length 12>>\nstream\n0 0 9 9 re f\nendstream",
            "<</Type /Pages /Kids [8 0 R] /Count 1 /Resources \(inherited)>>",
            "<</Type /Page /Parent 7 0 R /Contents 6 0 R \(entries)>>",
        ])
        Self.expect(found, isAgreed)
    }

    @Test("matrices of forms", arguments: [("[1 0 0 1 0 0]", true), ("[1 1 1 1 0 0]", false)])
    func formMatrices(matrix: String, isAgreed: Bool) throws {
        let form = Self.form("/Matrix \(matrix)", Self.area)
        Self.expect(try pageDoubt("/X Do", [form]), isAgreed)
    }
}
