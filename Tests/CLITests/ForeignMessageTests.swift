import Foundation
import SignetTestSupport
import Testing

/// Messages and certificates as other programs write them.
@Suite struct ForeignMessageTests {
    private struct Report: Decodable {
        struct Signature: Decodable {
            struct Problem: Decodable {
                var code: String
                var verdict: String?
            }
            var verdict: String
            var claimedTime: String?
            var problems: [Problem]
        }
        var signatures: [Signature]
    }

    /// `m.p7s` over `order.txt` by `me.crt`, changed in its structure and signed again with `me.pem`.
    private func message(
        _ keyType: String, _ change: (inout DERNode) -> Void, signs: (DERNode) -> Data
    ) throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write("100 pieces\n", to: "order.txt")
        try workspace.succeed("key generate --type \(keyType) -o me.pem --no-passphrase")
        try workspace.succeed("cert create --key me.pem --subject CN=Me -o me.crt")
        try workspace.succeed("cms sign order.txt --key me.pem --cert me.crt -o m.p7s")
        var tree = DERNode([UInt8](try workspace.read("m.p7s")))
        change(&tree)
        try workspace.write(signs(tree), to: "signed.bin")
        try workspace.succeed("hash sign signed.bin --key me.pem -o value.bin")
        let last = tree.signerInfo.children.count - 1
        tree.signerInfo[last] = .leaf(0x04, [UInt8](try workspace.read("value.bin")))
        try workspace.write(Data(tree.bytes), to: "m.p7s")
        return workspace
    }

    /// RFC 8419 §3.1: without signed attributes the signature is over the content itself.
    @Test(arguments: ["ed25519", "ed448"]) func contentSignedByEdDSA(keyType: String) throws {
        let workspace = try message(keyType) {
            $0.signerInfo.children.remove(at: 3)
        } signs: { _ in
            Data("100 pieces\n".utf8)
        }
        try workspace.succeed("verify m.p7s --content order.txt --trust me.crt")
        try workspace.succeed("cms verify m.p7s --content order.txt --trust me.crt")
        try workspace.write("900 pieces\n", to: "order.txt")
        try workspace.signet("verify m.p7s --content order.txt --trust me.crt").expect(.invalid)
    }

    /// RFC 5652 §11.3 requires UTC; the time is understood all the same.
    @Test func signingTimeWithAnOffset() throws {
        let time = Array("261129120000+0200".utf8)
        let workspace = try message("ec:P-256") { tree in
            // 1.2.840.113549.1.9.5
            guard let index = tree.attributeIndex([1, 9, 5]) else { return }
            tree.attributes[index][1][0] = .leaf(0x17, time)
            tree.attributes.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
        } signs: {
            Data(DERNode.branch(0x31, $0.attributes).bytes)
        }
        let outcome = try workspace.succeed(
            "verify m.p7s --content order.txt --trust me.crt --json")
        let signature = try #require(outcome.json(Report.self).signatures.first)
        #expect(signature.verdict == "passed")
        #expect(signature.claimedTime == "2026-11-29T10:00:00Z")
        let problem = signature.problems.first { $0.code == "attribute-malformed" }
        #expect(problem != nil && problem?.verdict == nil, "\(signature.problems)")
    }

    @Test("a negative serial number is a valid answer")
    func negativeSerialNumbers() throws {
        let workspace = try signingWorkspace()
        try workspace.openssl(
            """
            req -x509 -newkey rsa:2048 -nodes -subj /CN=N -keyout n.pem -out n.crt -days 9 \
            -set_serial -4660 -addext keyUsage=digitalSignature -addext basicConstraints=CA:FALSE
            """)
        try workspace.succeed("sign letter.pdf --key n.pem --cert n.crt -o s.pdf")
        let outcome = try workspace.succeed("verify s.pdf --trust n.crt --json")
        let serial = try outcome.json(VerifyReport.self).signatures.first?.signer?.serial
        #expect(serial == "-1234")
        // The pattern in the schema takes it too.
        let schema = try workspace.succeed("schema verify-1").output
        let line = try #require(schema.split(separator: "\n").first { $0.contains("\"serial\"") })
        let pattern = try #require(line.firstMatch(of: /"pattern": "(.*?)"/)).output.1
        #expect(try Regex(String(pattern)).wholeMatch(in: "-1234") != nil)
    }
}
