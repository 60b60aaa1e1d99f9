import Base
import PDFCore
import SignetKit
import SignetTestSupport
import Testing

/// References to objects that are not there: some viewers rebuild the file to look for them.
@Suite("References to missing objects")
struct MissingObjectTests {
    /// A form (6) with a field (7).
    private static let objects = [
        "<</Fields [7 0 R]>>",
        "<</Type /Annot /Subtype /Widget /FT /Tx /T (amount) /Rect [0 0 0 0]>>",
    ]
    private static let plain = SamplePDF(catalogEntries: "/AcroForm 6 0 R", extraObjects: objects)

    /// The same, with other page content that no section lists.
    private static let ambiguous: SamplePDF = {
        var sample = plain
        sample.objects[6] += "\nendobj\n4 0 obj\n<</Length 1>>\nstream\nq\nendstream"
        return sample
    }()

    private func update(
        _ bytes: [UInt8], _ number: Int, _ key: String, to target: ObjectID = ObjectID(number: 900)
    ) throws -> [UInt8] {
        let document = try PDFDocument(source: MemorySource(bytes))
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        let id = ObjectID(number: number)
        var dictionary = try #require(try document.object(id).dictionaryValue)
        dictionary[PDFName(key)] = .reference(target)
        update.set(id, .dictionary(dictionary))
        return try bytes + update.serialize(fileIdentifier: [UInt8](repeating: 7, count: 16)).bytes
    }

    @Test(
        "a later revision that refers to what does not exist is not passed",
        arguments: [(6, "DR"), (7, "MK")])
    func added(number: Int, key: String) throws {
        let signer = try Signer()
        for sample in [Self.plain, Self.ambiguous] {
            let signed = try signer.sign(sample.bytes)
            #expect(try signer.verify(signed).verdict == .passed)
            let report = try signer.verify(update(signed, number, key))
            #expect(report.verdict == .indeterminate)
            let problem = try #require(
                report.signatures[0].problems.first { $0.code == .rebuiltDifferently })
            #expect(problem.message.contains("missing object 900"))
        }
    }

    @Test("a later revision may repeat a reference of the signed part, but not add one")
    func signed() throws {
        let signer = try Signer()
        var sample = Self.plain
        sample.objects[6] = "<</MK 900 0 R " + sample.objects[6].dropFirst(2)
        let signed = try signer.sign(sample.bytes)
        #expect(try signer.verify(update(signed, 7, "MK")).verdict == .passed)
        #expect(try signer.verify(update(signed, 7, "Parent")).verdict != .passed)
        let added = try signer.verify(update(signed, 6, "DR"))
        #expect(added.signatures[0].problems.contains { $0.code == .rebuiltDifferently })
        #expect(added.verdict == .indeterminate)
    }

    @Test("an object of another generation does not exist")
    func otherGeneration() throws {
        let signer = try Signer()
        let other = ObjectID(number: 5, generation: 1)
        let report = try signer.verify(update(signer.sign(Self.plain.bytes), 6, "DR", to: other))
        #expect(report.verdict != .passed)
    }

    @Test("an object that is null does not exist")
    func null() throws {
        let signer = try Signer()
        let sample = SamplePDF(
            catalogEntries: "/AcroForm 6 0 R", extraObjects: Self.objects + ["null"])
        let signed = try signer.sign(sample.bytes)
        let report = try signer.verify(update(signed, 7, "BS", to: ObjectID(number: 8)))
        #expect(report.signatures[0].problems.contains { $0.code == .rebuiltDifferently })
        #expect(report.verdict == .indeterminate)
    }

    @Test("an update lists what the catalog or form refers to and is missing", arguments: [0, 5])
    func listed(index: Int) throws {
        let signer = try Signer()
        for sample in [Self.plain, Self.ambiguous] {
            var sample = sample
            sample.objects[index] = "<</Lang 900 0 R " + sample.objects[index].dropFirst(2)
            #expect(try signer.verify(signer.sign(sample.bytes)).verdict == .passed)
        }
    }
}
