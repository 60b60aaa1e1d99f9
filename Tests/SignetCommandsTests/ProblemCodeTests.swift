import Foundation
import SignetKit
import Testing

@testable import SignetCommands

@Suite("The table of problem codes")
struct ProblemCodeTests {
    /// Of problems: what is called like one among the findings follows in other sections.
    private static let explanations = CodeExplanation.sections.dropLast(2).flatMap(\.explanations)

    @Test("explains each code once", arguments: ProblemCode.allCases)
    func explained(code: ProblemCode) throws {
        let found = Self.explanations.filter { $0.code == code.rawValue }
        #expect(found.count == 1)
        let explanation = try #require(found.first)
        #expect(explanation.meaning.hasSuffix(".") && explanation.meaning.count > 10)
        #expect(explanation.hint?.hasSuffix(".") != true)
    }

    @Test("is what the JSON schema lists")
    func schema() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Scripts/schema/verify-1.json")
        let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let lists = Self.codeLists(in: schema).filter { $0.contains("digest-mismatch") }
        #expect(!lists.isEmpty)
        for list in lists { #expect(list == ProblemCode.allCases.map(\.rawValue)) }
    }

    @Test("explains what else programs are told")
    func others() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Scripts/schema/verify-1.json")
        let schema = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
        let contents = Self.codeLists(in: schema).filter { $0.contains("standard-font") }
        // The schema keeps codes that are no longer given.
        let codes =
            try #require(contents.first).filter { !["overlay", "unsigned-look"].contains($0) }
            + SubIndication.allCases.map(\.rawValue)
        let explained = CodeExplanation.sections.flatMap(\.explanations).map(\.code)
        #expect(Set(explained).isSuperset(of: codes))
        #expect(codes.allSatisfy { CodeExplanation.of($0)?.meaning.hasSuffix(".") == true })
    }

    /// The values of all properties named `code`.
    private static func codeLists(in schema: Any) -> [[String]] {
        if let items = schema as? [Any] { return items.flatMap(codeLists) }
        guard let object = schema as? [String: Any] else { return [] }
        let own = (object["code"] as? [String: Any])?["enum"] as? [String]
        return [own].compactMap { $0 } + object.values.flatMap(codeLists)
    }
}
