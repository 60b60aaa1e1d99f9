import Foundation
import SignetTestSupport
import Testing

/// `verify --viewers`: what installed viewers show of the signed state and of the whole file.
@Suite("Comparison by viewers") struct ViewerComparisonTests {
    /// A signed page.
    private func workspace() throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.signLetter("-o signed.pdf")
        return workspace
    }

    private func verify(_ workspace: Workspace, _ file: String) throws -> JSON {
        try workspace.signet("verify \(file) --trust valid.pem --viewers --json").json()
    }

    @Test("a second signature is a named change on its page")
    func secondSignature() throws {
        let workspace = try workspace()
        try workspace.succeed(
            "sign signed.pdf --key key.pem --cert valid.pem --at 1:bottom-right -o twice.pdf")
        let report = try verify(workspace, "twice.pdf")
        #expect(report.verdict == "passed")
        #expect(report.viewers.pages == 1)
        #expect(!report.viewers.differences.isEmpty)
        #expect(report.viewers.differences.allSatisfy { $0.isNamed == true && $0.page == 1 })
        try workspace.succeed("verify twice.pdf --trust valid.pem --viewers --report twice.html")
        let page = try workspace.text("twice.html")
        // The page as it was signed and as it is.
        #expect(page.components(separatedBy: "data:image/png;base64").count > 2)
        let named = Set(report.viewers.differences.map(\.program.text))
        #expect(named == Set(report.viewers.programs.map(\.text)))
    }

    @Test("nothing differs where the signature covers the whole file")
    func wholeFile() throws {
        let workspace = try workspace()
        let report = try verify(workspace, "signed.pdf")
        #expect(report.verdict == "passed" && report.viewers.differences.isEmpty)
    }

    @Test("without a viewer its package is named")
    func noViewer() throws {
        let workspace = try workspace()
        try workspace.signet(
            "verify signed.pdf --trust valid.pem --viewers",
            environment: ["PATH": workspace.url("").path]
        ).expectRefusal(.missingInput, naming: "apt install poppler-utils")
    }
}
