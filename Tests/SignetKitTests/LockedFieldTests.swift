import Base
import PDFCore
import SignetKit
import SignetTestSupport
import Testing

/// Fields that a signature locks, among others that look like them or lie over them.
@Suite("Locked fields")
struct LockedFieldTests {
    /// The page with text fields: 6 at the left, 7 beside it, 8 over a part of it; 9 below `form`
    /// (10), 11 a note elsewhere.
    private static func sample(_ first: String, _ second: String) -> [UInt8] {
        func field(_ name: String, _ rect: String, _ more: String = "") -> String {
            "<</Type /Annot /Subtype /Widget /FT /Tx /T \(name) /V (1) /Rect [\(rect)] /F 4 \(more)>>"
        }
        return SamplePDF(
            pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R 7 0 R 8 0 R 9 0 R 11 0 R]",
            catalogEntries: "/AcroForm <</Fields [6 0 R 7 0 R 8 0 R 10 0 R]>>",
            extraObjects: [
                field(first, "72 600 172 620"), field(second, "200 600 300 620"),
                field("(over)", "160 600 190 620"),
                field("<FEFF03010078>", "400 600 500 620", "/Parent 10 0 R"),
                "<</T (form) /Kids [9 0 R]>>",
                "<</Type /Annot /Subtype /Square /Rect [10 10 30 30] /C [1 0 0]>>",
            ]
        ).bytes
    }

    /// Changes entries of an object that is there, or gives a new one.
    private func update(
        _ bytes: [UInt8], _ entries: [Int: [PDFName: String]], new: [Int: String] = [:]
    ) throws -> [UInt8] {
        let document = try PDFDocument(source: MemorySource(bytes))
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        for (number, text) in new {
            update.set(ObjectID(number: number), .verbatim(Array(text.utf8)))
        }
        for (number, changed) in entries {
            let id = ObjectID(number: number)
            var dictionary = try #require(try document.object(id).dictionaryValue)
            for (key, value) in changed { dictionary[key] = .verbatim(Array(value.utf8)) }
            update.set(id, .dictionary(dictionary))
        }
        return try bytes
            + update.serialize(fileIdentifier: [UInt8](repeating: 7, count: 16)).bytes
    }

    private func answer(
        _ bytes: [UInt8], locking lock: SignatureLock,
        _ entries: [Int: [PDFName: String]], new: [Int: String] = [:]
    ) throws -> VerifiedSignature {
        let signer = try Signer()
        let signed = try signer.sign(bytes) { $0.lock = lock }
        #expect(try signer.verify(signed).verdict == .passed)
        let report = try signer.verify(update(signed, entries, new: new))
        return try #require(report.signatures.first)
    }

    private func isBreach(
        _ names: (String, String), _ lock: SignatureLock, changing number: Int
    ) throws -> Bool {
        let signature = try answer(
            Self.sample(names.0, names.1), locking: lock, [number: [PDFName("V"): "(2)"]])
        #expect(signature.changes == .formFilling)
        return signature.problems.contains { $0.code == .lockedFieldChanged }
    }

    /// The Kelvin sign is a K to Unicode, and another name to readers.
    @Test(arguments: [
        ("(K)", "<FEFF212A>", "K", "\u{212A}"), ("<FEFF00E9>", "<FEFF00650301>", "é", "e\u{301}"),
    ])
    func namesAreComparedExactly(_ first: String, _ second: String, one: String, other: String)
        throws
    {
        let names = (first, second)
        #expect(try isBreach(names, .only([one]), changing: 6))
        #expect(try !isBreach(names, .only([one]), changing: 7))
        #expect(try isBreach(names, .only([other]), changing: 7))
        #expect(try isBreach(names, .except([one]), changing: 7))
        #expect(try !isBreach(names, .except([one]), changing: 6))
    }

    @Test func combiningMarksStandBelowTheirParents() throws {
        let names = ("(a)", "(b)")
        #expect(try isBreach(names, .only(["form"]), changing: 9))
        #expect(try !isBreach(names, .except(["form"]), changing: 9))
        #expect(try isBreach(names, .only(["form.\u{301}x"]), changing: 9))
    }

    /// Halves of surrogates are all one character to some, and different names to others.
    @Test func unclearNamesLeaveNothingOpen() throws {
        let names = ("<FEFFD800>", "<FEFFD801>")
        #expect(try isBreach(names, .except(["\u{FFFD}"]), changing: 6))
        #expect(try isBreach(names, .only(["\u{FFFD}"]), changing: 7))
    }

    private static let names = ("(a)", "(b)")

    private func covers(
        _ lock: SignatureLock, _ entries: [Int: [PDFName: String]], new: [Int: String] = [:]
    ) throws -> Bool {
        let signature = try answer(
            Self.sample(Self.names.0, Self.names.1), locking: lock, entries, new: new)
        let found = signature.problems.contains {
            $0.code == .annotationMayCoverContent && $0.verdict == .indeterminate
        }
        #expect(signature.verdict != .passed || !found)
        return found
    }

    private static let list = "[6 0 R 7 0 R 8 0 R 9 0 R 11 0 R 100 0 R"
    private static func square(_ rect: String) -> String {
        "<</Type /Annot /Subtype /Square /Rect [\(rect)] /IC [1 1 1]>>"
    }

    @Test func annotationsOverLockedFieldsAreDoubted() throws {
        let list: [Int: [PDFName: String]] = [3: ["Annots": Self.list + "]"]]
        let over = [100: Self.square("72 600 74 620")]
        #expect(try covers(.only(["a"]), list, new: over))
        #expect(try covers(.all, list, new: over))
        #expect(try !covers(.only(["b"]), list, new: over))
        #expect(try !covers(.only(["a"]), list, new: [100: Self.square("172 600 180 620")]))
        // One that was there, moved; several, one inside the other; one that is no object.
        #expect(try covers(.only(["a"]), [11: ["Rect": "[60 590 200 640]"]]))
        #expect(
            try covers(
                .only(["a"]), [3: ["Annots": Self.list + " 101 0 R]"]],
                new: [100: Self.square("0 0 1 1"), 101: Self.square("100 610 101 611")]))
        #expect(
            try covers(
                .only(["a"]),
                [3: ["Annots": "[6 0 R 7 0 R 8 0 R 9 0 R 11 0 R \(Self.square("72 600 99 620"))]"]])
        )
        #expect(try covers(.only(["a"]), [3: ["Annots": "[7 0 R 8 0 R 6 0 R 9 0 R 11 0 R]"]]))
    }

    /// What lies over a locked field may show something else now.
    @Test func otherFieldsOverLockedFieldsAreDoubted() throws {
        #expect(try covers(.only(["a"]), [8: ["V": "(9)"]]))
        #expect(try !covers(.only(["b"]), [8: ["V": "(9)"]]))
    }

    @Test(
        arguments: [
            [3: ["Annots": "[7 0 R 8 0 R 9 0 R 11 0 R]"]], [6: ["F": "2"]], [6: ["Ff": "8192"]],
            [6: ["MK": "<</BG [0 0 0]>>"]], [6: ["Rect": "[0 0 1 1]"]],
            [6: ["OC": "<</Type /OCG>>"]],
            [6: ["DA": "(/Helv 0.01 Tf)"]],
        ] as [[Int: [String: String]]])
    func lockedFieldsStayWhereTheyAre(entries: [Int: [String: String]]) throws {
        let signature = try answer(
            Self.sample(Self.names.0, Self.names.1), locking: .only(["a"]),
            entries.mapValues { Dictionary(uniqueKeysWithValues: $0.map { (PDFName($0), $1) }) })
        #expect(signature.verdict == .failed)
    }
}
