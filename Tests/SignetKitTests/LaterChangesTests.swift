import Base
import PDFCore
import SignetKit
import SignetTestSupport
import Testing

/// What a revision after the signature changes, and what `verify` makes of it.
@Suite("Changes after signing")
struct LaterChangesTests {
    /// Page 3 with the field `amount` (6, its look 7), an annotation (8), and a form (9) that
    /// refers to what is not there (50).
    private static let sample = SamplePDF(
        pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R 8 0 R]",
        catalogEntries: "/AcroForm 9 0 R /PieceInfo <</Private 50 0 R>>",
        extraObjects: [
            """
            <</Type /Annot /Subtype /Widget /FT /Tx /T (amount) /V (100) /Rect [72 600 172 620]
            /F 4 /P 3 0 R /AP <</N 7 0 R>>>>
            """, look("100"),
            "<</Type /Annot /Subtype /Text /Rect [10 10 30 30] /Contents (note)>>",
            "<</Fields [6 0 R] /DR <</Font <</F1 5 0 R>>>>>>",
        ])

    private static func look(_ text: String, font: String = "5 0 R") -> String {
        let content = "/Tx BMC BT /F1 12 Tf 2 5 Td (\(text)) Tj ET EMC"
        return """
            <</Type /XObject /Subtype /Form /BBox [0 0 100 20] /Resources <</Font <</F1 \(font)>>>>
            /Length \(content.utf8.count)>>
            stream
            \(content)
            endstream
            """
    }

    /// A later revision: objects by number, and entries of dictionaries that change.
    struct Change: CustomTestStringConvertible, Sendable {
        let name: String
        var objects: [Int: String] = [:]
        var entries: [Int: [(key: String, value: String?)]] = [:]
        let level: ChangeLevel
        /// Whether what is seen cannot be told for certain.
        var isDoubtful = false
        var words = ""
        var testDescription: String { name }
    }

    private static let changes: [Change] = [
        Change(
            name: "a field filled", objects: [100: look("900")],
            entries: [6: [("V", "(900)"), ("AP", "<</N 100 0 R>>")]], level: .formFilling,
            words: "field 'amount' changed from '100' to '900'"),
        Change(
            name: "a field filled, its appearance in place", objects: [7: look("900")],
            entries: [6: [("V", "(900)")]], level: .formFilling,
            words: "field 'amount' changed from '100' to '900'"),
        Change(
            name: "an appearance in place that the page shows too", objects: [7: look("900")],
            entries: [6: [("V", "(900)")], 3: [("Resources", "<</XObject <</X 7 0 R>>>>")]],
            level: .forbidden, words: "page 1: fonts or images replaced"),
        Change(
            name: "another appearance for the same value", objects: [100: look("900")],
            entries: [6: [("AP", "<</N 100 0 R>>")]], level: .formFilling, isDoubtful: true,
            words: "field 'amount' was rewritten with the same value"),
        Change(
            name: "an appearance that shows another value", objects: [100: look("900")],
            entries: [6: [("V", "(500)"), ("AP", "<</N 100 0 R>>")]], level: .formFilling,
            isDoubtful: true, words: "field 'amount' changed from '100' to '500'"),
        Change(
            name: "a font that shows other digits",
            objects: [
                100: look("100", font: "101 0 R"),
                101: """
                <</Type /Font /Subtype /Type1 /BaseFont /Helvetica
                /Encoding <</Differences [49 /nine]>>>>
                """,
            ], entries: [6: [("AP", "<</N 100 0 R>>")]], level: .formFilling, isDoubtful: true,
            words: "field 'amount' was rewritten with the same value"),
        Change(
            name: "a font of which nobody knows what it shows",
            objects: [
                100: look("100", font: "101 0 R"),
                101: """
                <</Type /Font /Subtype /Type1 /BaseFont /Helvetica
                /Encoding <</Differences [49 /u0039]>>>>
                """,
            ], entries: [6: [("AP", "<</N 100 0 R>>")]], level: .formFilling, isDoubtful: true,
            words: "field 'amount' was rewritten with the same value"),
        Change(
            name: "a value without its appearance", entries: [6: [("V", "(900)")]],
            level: .formFilling,
            isDoubtful: true, words: "field 'amount' changed from '100' to '900'"),
        Change(
            name: "a value that viewers draw",
            entries: [
                6: [("V", "(900)")], 9: [("NeedAppearances", "true")],
            ], level: .formFilling, isDoubtful: true,
            words: "/NeedAppearances was set: viewers generate the appearances of form fields"),
        Change(
            name: "a field hidden", entries: [6: [("F", "6")]], level: .formFilling,
            isDoubtful: true, words: "field 'amount' was hidden"),
        Change(
            name: "how viewers draw a field", entries: [6: [("MK", "<</BG [1 1 1]>>")]],
            level: .annotations, isDoubtful: true,
            words: "the entry /MK of field 'amount' was changed"),
        Change(
            name: "a rollover appearance", objects: [100: look("900")],
            entries: [6: [("AP", "<</N 7 0 R /R 100 0 R>>")]], level: .formFilling,
            isDoubtful: true, words: "field 'amount' was rewritten with the same value"),
        Change(
            name: "an annotation that runs a script",
            entries: [8: [("A", "<</S /JavaScript /JS (x)>>")]], level: .forbidden,
            words: "page 1: annotation (Text) has an action"),
        Change(
            name: "a field moved", entries: [6: [("Rect", "[0 0 595 842]")]], level: .forbidden,
            words: "the entry /Rect of the form field 'amount' was changed"),
        Change(
            name: "a font of the form exchanged", objects: [100: font("Courier")],
            entries: [9: [("DR", "<</Font <</F1 100 0 R>>>>")]], level: .forbidden,
            words: "the font /F1 of the form was replaced"),
        Change(
            name: "page content replaced", objects: [4: "<</Length 1>>\nstream\nq\nendstream"],
            level: .forbidden, words: "page 1: content replaced"),
        Change(
            name: "page content exchanged", objects: [100: "<</Length 1>>\nstream\nq\nendstream"],
            entries: [3: [("Contents", "100 0 R")]], level: .forbidden,
            words: "page 1: content replaced"),
        Change(
            name: "a font of the page replaced", objects: [5: font("Courier")],
            level: .forbidden, words: "page 1: font /F1 replaced"),
        Change(
            name: "a page turned", entries: [3: [("Rotate", "90")]], level: .forbidden,
            words: "page 1: size or position changed"),
        Change(
            name: "a page added",
            objects: [100: "<</Type /Page /Parent 2 0 R /MediaBox [0 0 9 9]>>"],
            entries: [2: [("Kids", "[3 0 R 100 0 R]"), ("Count", "2")]], level: .forbidden,
            words: "pages were added: 2 instead of 1"),
        Change(
            name: "an annotation changed", entries: [8: [("Contents", "(other)")]],
            level: .annotations, words: "page 1: annotation (Text) changed: 'other'"),
        Change(
            name: "an action when opening", entries: [1: [("OpenAction", "[3 0 R /Fit]")]],
            level: .forbidden, words: "the catalog entry /OpenAction was changed"),
        Change(
            name: "what is shown next to the pages", entries: [1: [("PageMode", "/UseNone")]],
            level: .formFilling, words: "the entry /PageMode was changed"),
        Change(
            name: "what a reference lacked", objects: [50: "<</Anything true>>"], level: .forbidden,
            words:
                "a later change adds object 50, which signed objects use: this change "
                + "can alter the signed content"
        ),
        Change(
            name: "content taken for metadata",
            objects: [4: "<</Type /Metadata /Subtype /XML /Length 1>>\nstream\nq\nendstream"],
            entries: [1: [("Metadata", "4 0 R")]], level: .forbidden,
            words: "the metadata was replaced by another object"),
        Change(
            name: "validation data", objects: [100: "<</Certs [101 0 R]>>", 101: "(x)"],
            entries: [1: [("DSS", "100 0 R")]], level: .archival,
            words: "validation data (DSS) added"),
        Change(
            name: "content taken for validation data", objects: [100: "<</Certs [4 0 R]>>"],
            entries: [1: [("DSS", "100 0 R")]], level: .forbidden,
            words: "the validation data (DSS) refers to a signed object (object 4)"),
        Change(name: "nothing new", objects: [5: font("Helvetica")], level: .none),
        Change(name: "what nobody needs", objects: [150: "(x)"], level: .none),
    ]

    private static func font(_ name: String) -> String {
        "<</BaseFont /\(name) /Type /Font /Subtype /Type1>>"
    }

    /// `bytes` with a revision more.
    private func updating(_ bytes: [UInt8], _ change: Change) throws -> [UInt8] {
        let document = try PDFDocument(source: MemorySource(bytes))
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        for (number, text) in change.objects {
            update.set(ObjectID(number: number), .verbatim(Array(text.utf8)))
        }
        for (number, entries) in change.entries {
            let id = ObjectID(number: number)
            var dictionary = try #require(try document.object(id).dictionaryValue)
            for (key, value) in entries {
                dictionary[PDFName(key)] = value.map { .verbatim(Array($0.utf8)) }
            }
            update.set(id, .dictionary(dictionary))
        }
        let random = [UInt8](repeating: 7, count: 16)
        return try bytes + update.serialize(fileIdentifier: random).bytes
    }

    @Test("told and judged", arguments: changes)
    func change(_ change: Change) throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes)
        #expect(try signer.verify(signed).verdict == .passed)
        let report = try signer.verify(updating(signed, change))
        let signature = try #require(report.signatures.first)
        #expect(signature.intact && signature.coverage == .revision)
        #expect(signature.changes == change.level, "\(signature.changesDetail)")
        if !change.words.isEmpty {
            #expect(signature.changesDetail.contains(change.words), "\(signature.changesDetail)")
        }
        #expect(
            report.verdict
                == (change.level == .forbidden
                    ? .failed : change.isDoubtful ? .indeterminate : .passed))
        let codes = signature.problems.map(\.code)
        #expect(codes.contains(.lookUncertain) == change.isDoubtful)
        #expect(codes.contains(.changedAfterSigning) == (change.level == .forbidden))
        #expect(codes.contains(.unusedObjects) == (change.name == "what nobody needs"))
    }

    @Test("a catalog that nothing uses is indeterminate", arguments: [0, 1])
    func unusedCatalog(generation: Int) throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes)
        var update = IncrementalUpdate(
            document: try PDFDocument(source: MemorySource(signed)), avoiding: ObjectNumberSet())
        update.set(
            ObjectID(number: 160, generation: generation),
            .verbatim(Array("<</Pages 2 0 R>>".utf8)))
        let bytes =
            try signed + update.serialize(fileIdentifier: [UInt8](repeating: 7, count: 16)).bytes
        let report = try signer.verify(bytes)
        #expect(report.verdict == .indeterminate)
        #expect(
            report.signatures[0].problems.contains {
                $0.code == .unusedObjects && $0.verdict == .indeterminate
            })
    }

    @Test("a certification limits what may change", arguments: DocMDPPermission.allCases, changes)
    func certified(kind: DocMDPPermission, _ change: Change) throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes) { $0.certification = kind }
        let report = try signer.verify(updating(signed, change))
        let permitted: ChangeLevel =
            switch kind {
            case .noChanges: .archival
            case .formFilling: .formFilling
            case .annotations: .annotations
            }
        let isPermitted = change.level <= permitted
        #expect((report.verdict == .passed) == (isPermitted && !change.isDoubtful), "\(report)")
        if !isPermitted { #expect(report.signatures[0].subindication == .formatFailure) }
    }

    @Test("a lock covers its fields", arguments: [["amount"], ["other"]])
    func lock(names: [String]) throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes) { $0.lock = .only(names) }
        let report = try signer.verify(updating(signed, Self.changes[0]))
        let isLocked = names == ["amount"]
        #expect(report.verdict == (isLocked ? .failed : .passed))
        #expect(
            report.signatures[0].problems.contains { $0.code == .lockedFieldChanged } == isLocked)
    }

    @Test("every change counts, also one that was undone")
    func undone() throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes)
        let original = "BT /F1 24 Tf 72 720 Td (Sample) Tj ET"
        let changed = try updating(
            signed,
            Change(name: "", objects: [4: "<</Length 1>>\nstream\nq\nendstream"], level: .none))
        let restored = try updating(
            changed,
            Change(
                name: "",
                objects: [4: "<</Length \(original.utf8.count)>>\nstream\n\(original)\nendstream"],
                level: .none))
        #expect(try signer.verify(restored).signatures.first?.changes == .forbidden)
    }

    @Test("what is put on or listed twice is named")
    func repeated() throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes)
        let document = try PDFDocument(source: MemorySource(signed))
        for (number, key, words) in [
            (3, "Annots", "page 1: the form field 'amount' added again"),
            (9, "Fields", "the form contains the field 'amount' twice"),
        ] {
            let holder = try #require(document.object(ObjectID(number: number)).dictionaryValue)
            let elements = try #require(document.value(holder, PDFName(key)).arrayValue)
            let references = elements.compactMap(\.referenceValue?.number) + [6]
            let list = "[" + references.map { "\($0) 0 R" }.joined(separator: " ") + "]"
            let report = try signer.verify(
                updating(signed, Change(name: "", entries: [number: [(key, list)]], level: .none)))
            #expect(report.verdict == .passed)
            #expect(report.signatures[0].changesDetail.contains(words))
        }
    }

    @Test("a signature that the newest revision lost fails")
    func lost() throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes)
        let report = try signer.verify(
            updating(signed, Change(name: "", entries: [9: [("Fields", "[6 0 R]")]], level: .none)))
        #expect(report.verdict == .failed)
        #expect(report.signatures.first?.problems.first?.code == .signatureRemoved)
    }

    @Test("a new signature under the same name does not hide a lost one")
    func lostAndSignedAgain() throws {
        let signer = try Signer()
        let lost = try updating(
            signer.sign(Self.sample.bytes),
            Change(name: "", entries: [9: [("Fields", "[6 0 R]")]], level: .none))
        let report = try signer.verify(
            signer.sign(lost) { ($0.allowsFailed, $0.allowsDamaged) = (true, true) })
        #expect(report.verdict == .failed)
        #expect(report.signatures.map(\.field) == ["Signature1", "Signature1"])
        #expect(
            report.signatures.map { $0.problems.contains { $0.code == .signatureRemoved } }
                == [false, true])
    }

    @Test("a signature that loses its field to one changed bit fails the older one too")
    func fieldDamaged() throws {
        let signer = try Signer()
        let signed = try signer.sign(signer.sign(Self.sample.bytes))
        #expect(try signer.verify(signed).verdict == .passed)
        let start = try #require(signed.lastRange(of: Array("/FT /Sig".utf8))).lowerBound
        let end = try #require(signed[start...].firstRange(of: Array("/Rect".utf8))).lowerBound
        for position in start..<end {
            var damaged = signed
            damaged[position] ^= 1 << UInt8(position % 8)
            let verdict = try? signer.verify(damaged).verdict
            #expect(verdict != .passed, "bit at byte \(position)")
        }
    }

    @Test("the revision that was signed comes out as it was")
    func extract() throws {
        let signer = try Signer()
        let signed = try signer.sign(Self.sample.bytes)
        let changed = try updating(signed, Self.changes[0])
        let report = try signer.verify(changed)
        let output = Destination(path: signer.folder.file("as-signed.pdf"))
        let input = InputSource.file(signer.folder.file("check.pdf"))
        try ExtractRevision().run(input, signature: 1, of: report, into: output)
        #expect(try signer.folder.read("as-signed.pdf") == signed)
        #expect(throws: SignetError.self) {
            try ExtractRevision().run(input, signature: 2, of: report, into: output)
        }
    }

    @Test("a level that is asked for must be reached", arguments: SignatureLevel.allCases)
    func requiredLevel(_ level: SignatureLevel) throws {
        let signer = try Signer()
        let file = try signer.folder.write("level.pdf", try signer.sign(Self.sample.bytes))
        var task = try VerifyDocument(
            VerificationOptions(trust: [signer.certificateFile], time: Signer.signingTime))
        task.requiredLevel = level
        let report = try task.run(.file(file))
        #expect(report.verdict == (level <= .b ? .passed : .indeterminate))
        let codes = report.signatures[0].problems.map(\.code)
        #expect(codes.contains(.levelNotReached) == (level > .b))
    }
}
