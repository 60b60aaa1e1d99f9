import Foundation
import SignetTestSupport
import Testing

/// `verify --viewers`: what installed viewers show of the signed state and of the whole file.
@Suite("Comparison by viewers") struct ViewerComparisonTests {
    private struct Report: Decodable {
        struct Viewers: Decodable {
            struct Difference: Decodable {
                let program: String
                let page: Int
                let isNamed: Bool
            }
            let programs: [String]
            let pages: Int
            let differences: [Difference]
        }
        let verdict: String
        let viewers: Viewers
    }

    /// A signed page, and the same with an update that appends these bytes to the file.
    private func signed(_ workspace: Workspace) throws -> Data {
        try workspace.succeed("sign letter.pdf --key key.pem --cert valid.pem -o signed.pdf")
        return try Data(contentsOf: workspace.url("signed.pdf"))
    }

    private func verify(_ workspace: Workspace, _ file: String) throws -> Report {
        let outcome = try workspace.signet("verify \(file) --trust valid.pem --viewers --json")
        return try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    }

    @Test("a second signature is a named change on its page")
    func secondSignature() throws {
        let workspace = try signingWorkspace()
        _ = try signed(workspace)
        try workspace.succeed(
            "sign signed.pdf --key key.pem --cert valid.pem --at 1:bottom-right -o twice.pdf")
        let report = try verify(workspace, "twice.pdf")
        #expect(report.verdict == "passed")
        #expect(report.viewers.pages == 1)
        #expect(!report.viewers.differences.isEmpty)
        #expect(report.viewers.differences.allSatisfy { $0.isNamed && $0.page == 1 })
        try workspace.succeed("verify twice.pdf --trust valid.pem --viewers --report twice.html")
        let page = try String(contentsOf: workspace.url("twice.html"), encoding: .utf8)
        // The page as it was signed and as it is.
        #expect(page.components(separatedBy: "data:image/png;base64").count > 2)
        let named = Set(report.viewers.differences.map(\.program))
        #expect(named == Set(report.viewers.programs))
    }

    @Test("nothing differs where the signature covers the whole file")
    func wholeFile() throws {
        let workspace = try signingWorkspace()
        _ = try signed(workspace)
        let report = try verify(workspace, "signed.pdf")
        #expect(report.verdict == "passed" && report.viewers.differences.isEmpty)
    }

    @Test("without a viewer its package is named")
    func noViewer() throws {
        let workspace = try signingWorkspace()
        _ = try signed(workspace)
        try workspace.signet(
            "verify signed.pdf --trust valid.pem --viewers",
            environment: ["PATH": workspace.url("").path]
        ).expectRefusal(.missingInput, naming: "apt install poppler-utils")
    }
}
