import Base
import PDFCore
import PDFSigning
import SignetTestSupport
import Testing

@testable import RevisionDiff

/// Whether two revisions hold the same, as far as that is compared.
@Suite struct EquivalenceTests {
    private func equivalence(_ budget: ValueBudget) throws -> Equivalence {
        let document = try PDFDocument(source: MemorySource(SamplePDF().bytes))
        return Equivalence(old: document, new: document, budget: budget)
    }

    private func array(_ count: Int, last: Int = 0) -> PDFObject {
        .array([PDFObject](repeating: .name("A"), count: count) + [.integer(last)])
    }

    @Test func largeObjectsAreCompared() throws {
        let equivalence = try equivalence(ValueBudget())
        #expect(try equivalence.holds(array(700_000), array(700_000)))
        #expect(try !equivalence.holds(array(700_000), array(700_000, last: 1)))
    }

    /// What is not compared is neither the same nor another.
    @Test func whatIsTooMuchIsUnknown() throws {
        let budget = ValueBudget(1000)
        let equivalence = try equivalence(budget)
        #expect(try equivalence.holds(array(400), array(400)))
        #expect(throws: TooMuchToCompare.self) { try equivalence.holds(array(700), array(700)) }
        // Nor is what comes later.
        #expect(throws: TooMuchToCompare.self) { try equivalence.holds(.null, .null) }
        #expect(throws: TooMuchToCompare.self) {
            try self.equivalence(ValueBudget(10)).changedKeys(["A": array(20)], ["A": array(20)])
        }
    }

    @Test(
        "programs write measures and texts anew in other spellings",
        arguments: [
            ("Rect", "[141.732283 700.334882]", "[141.73229 700.3349]", true),
            ("Rect", "[141.73 700.33]", "[141.731 700.33]", false),
            ("Rect", "[0 0 10 10]", "[0 0.006 10 10]", false),
            ("Rect", "[70.9198 730.285 220.9 752.285]", "[70.92 730.28 220.9 752.28]", true),
            ("Rect", "[70.9198 730.285 220.9 752.285]", "[70.92 730.28 220.9 752.27]", false),
            ("Rect", "[0 0 0.004 9]", "[0 0 0 9]", false),
            ("BG", "[0.7529 0.75 1]", "[0.75 0.75 1]", true), ("BG", "[0.7529]", "[0.76]", false),
            ("T", "<FEFF00680069>", "(hi)", true), ("T", "<FEFF00680069>", "(ho)", false),
            ("Matrix", "[1 0 0 1 0 0]", "[1.0 0 0 1 0 0]", true),
            ("Matrix", "[1 0 0 1 0 0]", "[1 0 0 1.00001 0 0]", false),
            ("Matrix", "[1 0 0 1 -100000000 0]", "[1 0 0 1 -100000090 0]", false),
            ("T", "[/Indexed <FEFF00680069>]", "[/Indexed (hi)]", false),
            ("D", "[141.732283 0]", "[141.73229 0]", false),
            ("TU", "<FEFF00680069>", "(hi)", true), ("TU", "<FEFF00680069>", "(Hi)", false),
            ("DV", "<617F>", "<619F>", false),
            ("Opt", "[[(a) <FEFF0062>]]", "[[(a) (b)]]", false),
            ("Opt", "[[(a) <FEFF0062>]]", "[[(a) (c)]]", false), ("V", "<FEFF0062>", "(b)", false),
        ])
    func spellings(key: String, before: String, after: String, isSame: Bool) throws {
        func dictionary(_ value: String) throws -> PDFDictionary {
            var sample = SamplePDF()
            sample.objects[3] = "<</\(key) \(value)>>"
            let document = try PDFDocument(source: MemorySource(sample.bytes))
            return try #require(try document.object(ObjectID(number: 4)).dictionaryValue)
        }
        let changed = try equivalence(ValueBudget()).changedKeys(
            dictionary(before), dictionary(after))
        #expect(changed.isEmpty == isSame)
    }
}
