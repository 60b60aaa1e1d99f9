import Foundation
import SignetTestSupport
import Testing

/// Messages with several signers, and countersignatures.
@Suite struct SignersOfMessageTests {
    /// `order.xml`, and for each name `NAME.pem` and `NAME.crt`.
    private func workspace() throws -> Workspace {
        let workspace = try Workspace()
        try workspace.write("<order>100 pieces</order>\n", to: "order.xml")
        for name in ["one", "two", "three"] {
            try workspace.makeKey(name, "ec:P-256")
            try workspace.shell(
                "$S cert create --key \(name).pem --subject CN=\(name) -o \(name).crt"
            ).expect(.done)
        }
        return workspace
    }

    private let trust = "--trust one.crt --trust two.crt --trust three.crt"

    private func signerInfo(_ workspace: Workspace, _ name: String) throws -> Data {
        Data(DERNode(Array(try workspace.read(name))).signerInfo.bytes)
    }

    @Test(arguments: ["", "--attached"])
    func addsSignersWithoutTouchingOthers(option: String) throws {
        let workspace = try workspace()
        let name = option.isEmpty ? "order.xml.p7s" : "order.xml.p7m"
        try workspace.shell("$S cms sign order.xml --key one.pem --cert one.crt \(option)").expect(
            .done)
        let first = try signerInfo(workspace, name)
        let content = option.isEmpty ? "--content order.xml" : ""
        let added = try workspace.shell(
            "$S cms sign --add \(name) --key two.pem --cert two.crt -o both.p7 --json \(content)"
        ).expect(.done)
        #expect(try added.json().attached == .bool(!option.isEmpty))
        try workspace.shell("$S cms sign --add \(name) --key three.pem --cert three.crt --in-place")
            .expect(.done)
        try workspace.shell("$S cms sign --add \(name) --key two.pem --cert two.crt --in-place")
            .expect(.done)
        for (file, count) in [("both.p7", 2), (name, 3)] {
            let message = try workspace.read(file)
            #expect(message.range(of: first) != nil)
            let infos = DERNode(Array(message)).signedData.children.last?.children.map(\.bytes)
            let sorted = infos?.sorted { $0.lexicographicallyPrecedes($1) }
            #expect(infos == sorted && infos?.count == count)
            let verified = try workspace.shell("$S cms verify \(file) \(content) \(trust) --json")
                .expect(.done)
            #expect(try verified.json(VerifyReport.self).signatures.count == count)
            try workspace.shell("cat one.crt two.crt three.crt > all.crt").expect(.done)
            try workspace.shell(
                "openssl cms -verify -in \(file) -inform DER -binary -CAfile all.crt -purpose any "
                    + "-cades -out /dev/null "
                    + (option.isEmpty ? "-content order.xml" : "")
            ).expect(.done)
        }
    }

    @Test func refusesOtherContentAndBrokenMessages() throws {
        let workspace = try workspace()
        try workspace.shell("$S cms sign order.xml --key one.pem --cert one.crt --pem").expect(
            .done)
        let add = "cms sign --add --key two.pem --cert two.crt"
        try workspace.write("<order>900 pieces</order>\n", to: "other.xml")
        try workspace.shell("$S \(add) order.xml.p7s --content other.xml -o both.p7s")
            .expectRefusal(.invalid, naming: "signer 1")
        #expect(!workspace.exists("both.p7s"))
        try workspace.shell("$S \(add) order.xml.p7s").expectRefusal(.cannotCreateOutput)
        try workspace.shell("$S \(add) order.xml -o both.p7s").expectRefusal(.malformedInput)
        try workspace.shell("$S \(add) order.xml.p7s --attached -o both.p7s").expectRefusal(.usage)
        try workspace.shell("$S \(add) order.xml.p7s --in-place").expect(.done)
        #expect(try workspace.text("order.xml.p7s").hasPrefix("-----BEGIN CMS-----"))
        try workspace.shell("$S verify order.xml.p7s \(trust)").expect(.done)
    }

    @Test func refusesTimestampTokens() throws {
        let workspace = try timestampWorkspace()
        try workspace.stampHello()
        try workspace.openssl("ts -reply -in hello.tsr -token_out -out hello.tst")
        try workspace.signet("cms sign --add hello.tst --key tsa.pem --cert tsa.crt -o both.tst")
            .expectRefusal(.malformedInput, naming: "exactly one signer")
    }

    /// Bouncy Castle countersigns and verifies what Signet added; a changed countersignature is
    /// never silently passed.
    @Test func tellsCountersignaturesOfBouncyCastle() throws {
        let workspace = try workspace()
        guard let castle = try workspace.bouncyCastle("Countersignatures") else { return }
        try workspace.shell("$S cms sign order.xml --key one.pem --cert one.crt").expect(.done)
        try workspace.openssl("pkcs8 -topk8 -nocrypt -in two.pem -outform DER -out two.der")
        try workspace.shell("\(castle) countersign order.xml.p7s two.der two.crt c.p7s")
            .expect(.done)
        let content = "--content order.xml"
        let report = try workspace.shell("$S verify c.p7s \(content) \(trust) --json").expect(.done)
            .json()
        let countersignature = report.signatures[0].countersignatures[0]
        #expect(countersignature.verdict == "passed" && countersignature.signer.subject == "CN=two")
        let text = try workspace.shell("$S cms verify c.p7s \(content) \(trust)").expect(.done)
            .output
        #expect(text.contains("Countersigned PASSED: two"))
        #expect(
            try workspace.shell("$S show c.p7s").expect(.done).output.contains(
                "countersigned by CN=two"))
        #expect(
            try workspace.shell("$S show c.p7s --json").expect(.done).json().signers[0]
                .countersigners
                .contains("CN=two"))
        try workspace.shell("$S verify c.p7s \(content) \(trust) --report c.html").expect(.done)
        #expect(
            try workspace.text("c.html").contains(
                "<dt>Countersignature</dt><dd><ul><li><bdi>two</bdi>: valid"))
        // An unknown countersigner is reported, and does not lower the verdict.
        let unknown = try workspace.shell("$S verify c.p7s \(content) --trust one.crt --json")
            .expect(.done)
        #expect(
            try unknown.json(VerifyReport.self).codes == ["countersignature-not-confirmed"])
        #expect(
            try unknown.json().signatures[0].countersignatures[0].verdict == "indeterminate")
        // Another signer is added, and the countersignature stays.
        try workspace.shell(
            "$S cms sign --add c.p7s \(content) --key three.pem --cert three.crt -o d.p7s"
        ).expect(.done)
        try workspace.shell("\(castle) verify d.p7s order.xml").expect(.done)
        try workspace.shell("$S verify d.p7s \(content) \(trust)").expect(.done)

        var broken = try workspace.read("c.p7s")
        broken[broken.count - 1] ^= 1
        try workspace.write(broken, to: "broken.p7s")
        let found = try workspace.shell("$S verify broken.p7s \(content) \(trust) --json")
            .expect(.indeterminate)
        #expect(try found.json(VerifyReport.self).codes == ["countersignature-invalid"])
        #expect(try found.json().signatures[0].countersignatures[0].verdict == "failed")
        try workspace.shell("$S cms verify broken.p7s \(content) \(trust) -o out")
            .expect(.indeterminate)
        #expect(!workspace.exists("out"))
    }
}
