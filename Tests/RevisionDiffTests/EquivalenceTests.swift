import ByteKit
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
        #expect(throws: TooMuchToCompare.self) {
            try equivalence.holds(array(700), array(700))
        }
        // Nor is what comes later.
        #expect(throws: TooMuchToCompare.self) { try equivalence.holds(.null, .null) }
        #expect(throws: TooMuchToCompare.self) {
            try self.equivalence(ValueBudget(10)).changedKeys(
                ["A": array(20)], ["A": array(20)])
        }
    }
}
