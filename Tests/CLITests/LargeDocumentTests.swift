import Foundation
import SignetTestSupport
import Testing

/// Documents so large that they are judged while they are still being hashed: the answers must be
/// those that small ones get.
@Suite struct LargeDocumentTests {
    private static let textByteCount = 3_000_000

    /// A page whose first object is a long text.
    private var document: Data {
        let text = String(
            repeating: "Terms and conditions apply. ", count: 1 + Self.textByteCount / 28)
        let bodies = [
            "<< /Length \(text.utf8.count) >>\nstream\n\(text)\nendstream",
            "<< /Type /Catalog /Pages 3 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Page /Parent 3 0 R /MediaBox [0 0 300 300] >>",
        ]
        var file = "%PDF-1.7\n"
        var offsets: [Int] = []
        for (index, body) in bodies.enumerated() {
            offsets.append(file.utf8.count)
            file += "\(index + 1) 0 obj\n\(body)\nendobj\n"
        }
        let start = file.utf8.count
        file += "xref\n0 5\n0000000000 65535 f \n"
        for offset in offsets { file += String(format: "%010d 00000 n \n", offset) }
        file += "trailer\n<< /Size 5 /Root 2 0 R >>\nstartxref\n\(start)\n%%EOF\n"
        return Data(file.utf8)
    }

    private func verify(
        _ workspace: Workspace, _ bytes: Data, _ anchors: [String]
    ) throws -> VerifyReport {
        try workspace.write(bytes, to: "judged.pdf")
        return try workspace.signet("verify judged.pdf --json \(anchors)").json(VerifyReport.self)
    }

    @Test func saysWhatWasSignedAndWhatWasChanged() throws {
        let workspace = try signingWorkspace()
        try workspace.write(document, to: "large.pdf")
        for _ in 0..<2 {
            try workspace.succeed(
                "sign large.pdf --key key.pem --cert valid.pem --in-place --new-field")
        }
        let signed = try workspace.read("large.pdf")
        let anchors = ["--trust", "valid.pem"]
        let good = try verify(workspace, signed, anchors)
        #expect(good.verdict == "passed")
        #expect(good.signatures.map(\.coverage) == ["revision", "whole-file"])

        var changed = signed
        changed[Self.textByteCount / 2] ^= 1
        let bad = try verify(workspace, changed, anchors)
        #expect(bad.verdict == "failed")
        #expect(bad.signatures.map(\.subindication) == ["HASH_FAILURE", "HASH_FAILURE"])
        #expect(bad.signatures.allSatisfy { !$0.intact })

        // Only the second signature covers its own revision.
        changed = signed
        let second = try #require(signed.range(of: Data("/M(D:".utf8), options: .backwards))
        changed[second.upperBound] ^= 1
        let mixed = try verify(workspace, changed, anchors)
        #expect(mixed.signatures.map(\.intact) == [true, false])
        #expect(mixed.verdict == "failed")
    }

    @Test func believesNoTimeThatWasNotProven() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.write(document, to: "large.pdf")
        try stamping.sign("large.pdf", "--in-place").expect(.done)
        try workspace.succeed("timestamp large.pdf --in-place --tsa \(stamping.server.url("ok"))")
        let stamped = try workspace.read("large.pdf")
        let good = try verify(workspace, stamped, ["--trust", "valid.pem"])
        #expect(good.signatures.map(\.intact) == [true, true])

        // The timestamp does not stamp this document: it proves nothing about the signature.
        var changed = stamped
        changed[Self.textByteCount / 2] ^= 1
        let bad = try verify(workspace, changed, ["--trust", "valid.pem"])
        #expect(bad.signatures.map(\.intact) == [false, false])
        #expect(bad.signatures.allSatisfy { $0.subindication == "HASH_FAILURE" }, "\(bad)")
        #expect(bad.signatures.first?.timestamp == nil, "\(bad)")
    }
}
