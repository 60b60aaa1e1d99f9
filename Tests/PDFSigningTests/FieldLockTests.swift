import Base
import PDFCore
import SignetTestSupport
import Testing

@testable import PDFSigning

/// What a signature's references say of fields (ISO 32000-2 §12.8.2.4).
struct FieldLockTests {
    private static func transform(_ entries: String) -> String {
        "<</TransformMethod /FieldMDP /TransformParams <<\(entries)>>>>"
    }

    private func document(_ references: String...) throws -> (PDFDocument, PDFDictionary) {
        let signature = "<</Type /Sig /Reference [\(references.joined(separator: " "))]>>"
        let document = try PDFDocument(
            source: MemorySource(SamplePDF(extraObjects: [signature]).bytes))
        return (document, try #require(try document.object(ObjectID(number: 6)).dictionaryValue))
    }

    private func covers(_ field: String, _ references: String...) throws -> Bool {
        let (document, signature) = try document(references.joined(separator: " "))
        var allowance = FieldLock.nameAllowance
        let lock = try #require(FieldLock(of: signature, in: document, &allowance))
        return lock.covers(ExactText(field))
    }

    @Test func namesAndWhatIsBelowThemAreLocked() throws {
        let only = Self.transform("/Action /Include /Fields [(a) (K)]")
        #expect(try covers("a", only) && covers("a.b", only) && covers("a.\u{301}b", only))
        #expect(try !covers("ab", only) && !covers("b", only) && !covers("\u{212A}", only))
        let others = Self.transform("/Action /Exclude /Fields [(a) (K)]")
        #expect(try !covers("a.b", others) && covers("ab", others) && covers("\u{212A}", others))
    }

    /// Readers take the one or the other.
    @Test func whatIsSaidTwiceLocksAll() throws {
        let (one, other) = (
            Self.transform("/Action /Include /Fields [(a)]"),
            Self.transform("/Action /Include /Fields [(b)]")
        )
        #expect(try covers("c", one, other))
        #expect(try covers("c", Self.transform("/Action /Include /Fields [(a)] /Fields [(b)]")))
        #expect(try !covers("c", one))
    }

    @Test func theLeastOfSeveralCertificationsCounts() throws {
        func permission(_ p: Int) -> String {
            "<</TransformMethod /DocMDP /TransformParams <</P \(p)>>>>"
        }
        for order in [[3, 1], [1, 3], [2, 1, 3]] {
            let (document, signature) = try document(order.map(permission).joined(separator: " "))
            #expect(try SigningPermission.certification(by: signature, in: document) == .noChanges)
        }
    }
}
