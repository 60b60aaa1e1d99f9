import Foundation
import SignetTestSupport
import Testing

/// Documents that readers lay out in different ways: a stamp shows where it was asked for, and
/// nowhere else, or there is none.
@Suite struct StampPlaceTests {
    private static let atCorner: ShellWords = "--at 1:bottom-right"

    /// What signing appended, as text.
    private func appended(_ workspace: Workspace) throws -> String {
        String(
            decoding: try workspace.read("out.pdf").dropFirst(try workspace.read("in.pdf").count),
            as: Unicode.ASCII.self)
    }

    // MARK: Arrays with two uses

    private static let text = "<</Subtype /Text /Rect [72 600 92 620]>>"
    private static let field =
        "<</Type /Annot /Subtype /Widget /FT /Tx /T (a) /Rect [72 600 92 620] /F 4>>"
    private static let otherPage = "<</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842]"

    /// Two pages; objects 6 and 7 are an array and an annotation.
    private static func pair(
        page: String, other: String, catalog: String = "", annotation: String = text
    ) -> [UInt8] {
        var sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] \(page)", catalogEntries: catalog,
            extraObjects: ["[7 0 R]", annotation, "\(otherPage) \(other)>>"])
        sample.objects[1] = "<</Type /Pages /Kids [3 0 R 8 0 R] /Count 2>>"
        return sample.bytes
    }

    static let shared = [
        pair(
            page: "", other: "/Annots 6 0 R", catalog: "/AcroForm <</Fields 6 0 R>>",
            annotation: field), pair(page: "/Annots 6 0 R", other: "/Annots 6 0 R"),
        pair(
            page: "/Annots 6 0 R", other: "", catalog: "/AcroForm <</Fields [9 0 R]>>",
            annotation: field),
    ]

    @Test(arguments: shared.indices) func arraysThatAreObjectsAreLeftAlone(index: Int) throws {
        let (workspace, outcome) = try sign(Self.shared[index], Self.atCorner)
        outcome.expect(.done)
        #expect(try !appended(workspace).contains("\n6 0 obj"))
        #expect(try appended(workspace).contains(/\n3 0 obj\n.*\/Annots \[/.dotMatchesNewlines()))
        // The next one does not change them either.
        for options in [["--at", "1:top-left"], []] {
            let again = ["--new-field", "-o", "again.pdf", "--force"] + options
            try workspace.succeed("sign out.pdf --key key.pem --cert valid.pem \(again)")
            try workspace.succeed("verify again.pdf --trust valid.pem")
        }
    }

    /// There may be too many pages to look whether one has the same array.
    @Test func manyPagesThatShareAnnotationsDoNotShareTheStamp() throws {
        let count = 2001
        var sample = SamplePDF(extraObjects: ["[7 0 R]", Self.text])
        sample.objects += [String](repeating: "\(Self.otherPage) /Annots 6 0 R>>", count: count)
        let kids = (0..<count).map { "\($0 + 8) 0 R" }.joined(separator: " ")
        sample.objects[1] = "<</Type /Pages /Kids [\(kids)] /Count \(count)>>"
        let (workspace, outcome) = try sign(sample.bytes, Self.atCorner)
        outcome.expect(.done)
        #expect(try !appended(workspace).contains("\n6 0 obj"))
    }

    // MARK: Pages that readers show in different ways

    static let disputedPages = [
        "/Rotate 60", "/Rotate 135", "/Rotate 90.0", "/Rotate 90.6", "/Rotate (90)",
        "/CropBox [99 0 R 0 300 300]", "/CropBox [100 100 300]", "/CropBox [1000 1000 1200 1200]",
        "/CropBox [0 0 0 0]",
    ]

    private func expectDispute(_ bytes: [UInt8], _ words: String) throws {
        let (workspace, outcome) = try sign(bytes, Self.atCorner)
        outcome.expectRefusal(.malformedInput, naming: words, "--rect")
        #expect(!workspace.exists("out.pdf"))
        // In the page's own units the place is certain.
        let (_, certain) = try sign(bytes, "--rect 1:20,20,200,80")
        certain.expect(.done)
        #expect(certain.errors.contains("viewers display page 1 differently"))
        let (_, invisible) = try sign(bytes)
        invisible.expect(.done)
    }

    @Test(arguments: disputedPages) func placesOnDisputedPagesAreRefused(entries: String) throws {
        try expectDispute(
            SamplePDF(pageEntries: "/MediaBox [0 0 595 842] \(entries)").bytes,
            entries.contains("Rotate") ? "Rotate" : "CropBox")
    }

    @Test(arguments: ["[0 0 300 300 500]", "[0 0 (x) 300]", "[0 0 0 0]"])
    func placesInDisputedBoxesAreRefused(box: String) throws {
        try expectDispute(SamplePDF(pageEntries: "/MediaBox \(box)").bytes, "MediaBox")
    }

    @Test(arguments: [
        "/Rotate -90", "/Rotate 450", "/Rotate 0.0", "/CropBox null", "/CropBox 9 0 R",
    ])
    func placesOnPlainPagesAreNot(entries: String) throws {
        let (_, outcome) = try sign(
            SamplePDF(pageEntries: "/MediaBox [0 0 595 842] \(entries)").bytes, Self.atCorner)
        outcome.expect(.done)
        #expect(!outcome.errors.contains("viewers display page 1 differently"))
    }

    /// Some readers inherit from the node that lists a page, some from the one that it names.
    @Test func pagesWithAnotherParentAreRefused() throws {
        func sample(_ parent: String) -> [UInt8] {
            var sample = SamplePDF(extraObjects: [
                "<</Type /Pages /Kids [3 0 R] /Count 1 /Parent 2 0 R \(parent)>>"
            ])
            sample.objects[1] = "<</Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 595 842]>>"
            sample.objects[2] = "<</Type /Page /Parent 6 0 R /Contents 4 0 R>>"
            return sample.bytes
        }
        try expectDispute(sample("/Rotate 180"), "Parent")
        try expectDispute(sample("/MediaBox [0 0 300 300]"), "Parent")
        // What comes out the same is no matter.
        let (_, outcome) = try sign(sample("/Lang (x)"), Self.atCorner)
        outcome.expect(.done)
    }

    @Test(arguments: [("20", false), ("50", false), ("5", true), ("1", true)])
    func unitsAreSaidAndMayBeTooLarge(unit: String, isSigned: Bool) throws {
        let bytes = SamplePDF(pageEntries: "/MediaBox [0 0 595 842] /UserUnit \(unit)").bytes
        let (_, outcome) = try sign(bytes, Self.atCorner)
        guard isSigned else {
            outcome.expectRefusal(.usage, naming: "UserUnit", "--rect", "--size")
            return
        }
        outcome.expect(.done)
        #expect(outcome.errors.contains("UserUnit") == (unit != "1"))
    }

    // MARK: Page trees that readers count in different ways

    /// Three pages, 3, 6 and 7, and more objects.
    private static func tree(
        _ root: String, first: String = "<</Type /Page /MediaBox [0 0 595 842] /Parent 2 0 R>>",
        objects: [String] = []
    ) -> [UInt8] {
        let page = "<</Type /Page /MediaBox [0 0 595 842] /Parent 2 0 R>>"
        var sample = SamplePDF(extraObjects: [page, page] + objects)
        sample.objects[1] = "<</Type /Pages \(root)>>"
        sample.objects[2] = first
        return sample.bytes
    }

    private static let kids = "/Kids [3 0 R 6 0 R 7 0 R]"
    private static let inner = "<</Type /Pages /Parent 2 0 R /Kids [3 0 R 6 0 R] /Count 1>>"

    /// A tree, a page of which readers show different ones, and one on which they agree.
    static let trees: [(bytes: [UInt8], disputed: String, agreed: String?)] = [
        (tree("/Kids [null 3 0 R 6 0 R 7 0 R] /Count 3"), "1", nil),
        (tree("/Kids [3 0 R null 6 0 R 7 0 R] /Count 3"), "2", "1"),
        (tree("/Kids [3 0 R 99 0 R 6 0 R 7 0 R] /Count 4"), "2", "1"),
        (tree("/Kids [3 0 R <</Type /Page>> 6 0 R 7 0 R] /Count 4"), "2", "1"),
        (tree("\(kids) /Count 2"), "last", "2"), (tree("\(kids) /Count 5"), "last", "3"),
        (tree("\(kids)"), "1", nil),
        (
            tree(
                "\(kids) /Count 3",
                first: "<</Type /Page /Kids [8 0 R] /Count 1 /MediaBox [0 0 595 842]>>",
                objects: ["<</Type /Page /Parent 3 0 R /MediaBox [0 0 595 842]>>"]),
            "1", nil
        ),
        (tree("\(kids) /Count 3", first: "<</Type /Pages /MediaBox [0 0 9 9]>>"), "1", nil),
        (tree("/Kids [8 0 R 7 0 R] /Count 3", objects: [inner]), "2", "1"),
    ]

    @Test(arguments: trees.indices) func numbersOfDisputedPagesAreRefused(index: Int) throws {
        let (bytes, disputed, agreed) = Self.trees[index]
        for option in [["--at", "\(disputed):center"], ["--rect", "\(disputed):9,9,99,99"]] {
            let (workspace, outcome) = try sign(bytes, "\(option)")
            outcome.expectRefusal(.malformedInput, naming: "viewers differ about")
            #expect(!workspace.exists("out.pdf"))
        }
        guard let agreed else { return }
        let (_, outcome) = try sign(bytes, "--at \(agreed):center")
        outcome.expect(.done)
    }

    @Test(arguments: [
        tree("\(kids) /Count 3"),
        tree(
            "/Kids [8 0 R 7 0 R] /Count 3",
            objects: [inner.replacing("/Count 1", with: "/Count 2")]),
        tree("\(kids) /Count 3", first: "<</MediaBox [0 0 595 842] /Parent 2 0 R>>"),
    ]) func numbersOfSoundTreesAreNot(bytes: [UInt8]) throws {
        for page in ["1", "2", "last"] {
            let (_, outcome) = try sign(bytes, "--at \(page):center")
            outcome.expect(.done)
        }
    }

    // MARK: Existing fields

    private static let box = "/Rect [100 100 300 150]"

    private static func form(
        field: String, annotations: String, page: String = "", objects: [String] = []
    ) -> [UInt8] {
        SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [\(annotations)] \(page)",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</FT /Sig /T (Sig) \(field)>>"] + objects
        ).bytes
    }

    private static func covered(by annotation: String) -> [UInt8] {
        form(
            field: "/Type /Annot /Subtype /Widget /F 4 \(box)", annotations: "6 0 R 7 0 R",
            objects: [
                "<</Type /Annot /F 4 \(annotation)>>",
                "<</Type /XObject /Subtype /Form /BBox [0 0 1 1] /Length 0>>\nstream\n\nendstream",
            ])
    }

    private static func kid(_ entries: String) -> [UInt8] {
        form(field: "/Kids [7 0 R]", annotations: "7 0 R", objects: ["<</F 4 \(box) \(entries)>>"])
    }

    private static let look = "/AP <</N 8 0 R>>"
    private static let away = "/Rect [500 500 502 502]"

    static let doubtful: [(bytes: [UInt8], words: String)] = [
        (covered(by: "/Subtype /Link \(box) \(look)"), "(Link) covers"),
        (covered(by: "/Subtype /Popup \(box) \(look)"), "(Popup) covers"),
        (covered(by: "/Subtype /Stamp /Rect [null null 300 160] \(look)"), "(Stamp) covers"),
        (covered(by: "/Subtype /Ink \(away) /InkList [[1 130 400 130]] /BS <</W 60>>"), "(Ink)"),
        (covered(by: "/Subtype /Line \(away) /L [1 130 400 130] /Border [0 0 60]"), "(Line)"),
        (covered(by: "/Subtype /Line \(away) /L [1 160 400 160] /LL 30"), "(Line)"),
        (covered(by: "/Subtype /Polygon \(away) /Vertices [1 1 400 1 400 400]"), "(Polygon)"),
        (
            covered(by: "/Subtype /Highlight \(away) /QuadPoints [1 150 400 150 1 1 400 1]"),
            "(Highlight)"
        ),
        (
            form(field: "/Subtype /Widget /F 20 \(box)", annotations: "6 0 R", page: "/Rotate 90"),
            "NoRotate"
        ), (kid("/Subtype /Popup /Parent 6 0 R"), "is not a widget, but an annotation (Popup)"),
        (kid("/Parent 6 0 R"), "is not a widget, but something"),
        (kid("/Subtype /Widget /Parent 3 0 R"), "another field"),
        (
            form(field: "/Subtype /Widget /F 4 /Rect [1 2 99 0 R 100]", annotations: "6 0 R"),
            "its rectangle cannot be read"
        ),
        (
            form(field: "/Subtype /Widget /F 4 /Rect [1 2 99 100 300 400]", annotations: "6 0 R"),
            "its rectangle cannot be read"
        ),
    ]

    /// The entries of `doubtful` whose kid is no widget of the field: they need consent.
    private static let refused = 9...11

    @Test(arguments: doubtful.indices)
    func fieldsThatAreSeenElsewhereAreNoted(index: Int) throws {
        let (bytes, words) = Self.doubtful[index]
        let (_, outcome) = try sign(bytes)
        if Self.refused.contains(index) {
            outcome.expectRefusal(.usage, naming: words, "--allow-hidden")
            return
        }
        outcome.expect(.done)
        #expect(outcome.errors.hasPrefix("signet: note: in.pdf: the field 'Sig': "))
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    /// An annotation may stand behind several references.
    @Test func aWidgetBehindAReferenceIsFound() throws {
        var sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: [
                "<</FT /Sig /T (Sig) /Subtype /Widget /F 4 \(Self.box)>>",
                "\(Self.otherPage) /Annots [8 0 R]>>", "6 0 R",
            ])
        sample.objects[1] = "<</Type /Pages /Kids [3 0 R 7 0 R] /Count 2>>"
        let (_, outcome) = try sign(sample.bytes)
        outcome.expectRefusal(.usage, naming: "several pages (1, 2)")
    }

    @Test func aFieldOnAPageThatIsListedTwiceNeedsConsent() throws {
        var sample = SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
            extraObjects: ["<</FT /Sig /T (Sig) /Subtype /Widget /F 4 \(Self.box)>>"])
        let kids = String(repeating: "3 0 R ", count: 20)
        sample.objects[1] = "<</Type /Pages /Kids [\(kids)] /Count 20>>"
        let (_, outcome) = try sign(sample.bytes)
        outcome.expectRefusal(.usage, naming: "several pages (1, 2, 3, 4, 5, 6, 7, 8, ...)")
    }

    static let plain: [(bytes: [UInt8], warning: String?)] = [
        (covered(by: "/Subtype /Link \(box)"), nil), (covered(by: "/Subtype /Popup \(box)"), nil),
        (covered(by: "/Subtype /Ink \(away) /InkList [[1 230 400 230]] /BS <</W 60>>"), nil),
        (covered(by: "/Subtype /Ink \(away) \(look) /InkList [[1 130 400 130]]"), nil),
        (form(field: "/Subtype /Widget /F 20 \(box)", annotations: "6 0 R"), nil),
        (form(field: "/Subtype /Widget /F 12 \(box)", annotations: "6 0 R"), "NoZoom"),
        (form(field: "/Subtype /Widget \(box)", annotations: "6 0 R"), "is not printed"),
        (
            form(field: "/Subtype /Widget /F 4 /Rect [100 100 100.5 160]", annotations: "6 0 R"),
            "too small to display anything"
        ), (form(field: "/Subtype /Widget /F 4 /Rect [0 0 0 0]", annotations: "6 0 R"), nil),
        (
            form(
                field: "/Subtype /Widget /F 4 /Rect [9 9 12 11]", annotations: "6 0 R",
                page: "/UserUnit 75"), "3.0 x 2.0 pt"
        ), (kid("/Subtype /Widget /Parent 6 0 R"), nil), (kid("/Subtype /Widget"), nil),
    ]

    @Test("--verbose tells the position as a viewer shows it", arguments: ["--dry-run", "--force"])
    func positionsAreToldInMillimeters(mode: String) throws {
        let sample = SamplePDF(pageEntries: "/MediaBox [0 0 595 842] /Rotate 90")
        let (_, outcome) = try sign(sample.bytes, "--at 1:30mm,45mm -v \(mode)")
        outcome.expect(.done)
        let place = "visible on page 1, 60 x 20 mm at 30 x 45 mm from the top left"
        #expect(outcome.errors.contains(place), "\(outcome.errors)")
        #expect(!outcome.output.contains(" mm"))
    }

    @Test(arguments: plain.indices) func plainFieldsAreSigned(index: Int) throws {
        let (bytes, warning) = Self.plain[index]
        let (_, outcome) = try sign(bytes)
        outcome.expect(.done)
        if let warning {
            #expect(outcome.errors.contains(warning), "\(outcome.errors)")
        } else {
            #expect(outcome.errors.isEmpty, "\(outcome.errors)")
        }
    }

    /// A name that is null is none: others look for the signature in the field, not in its widget.
    @Test func aKidWithANameThatIsNullIsAWidget() throws {
        let (workspace, outcome) = try sign(
            Self.kid("/Subtype /Widget /Parent 6 0 R /T null"), ["--json"])
        outcome.expect(.done)
        #expect(try appended(workspace).contains(/\n6 0 obj\n[^\n]*\/V [0-9]/))
        #expect(outcome.output.contains("\"field\":\"Sig\""))
    }
}
