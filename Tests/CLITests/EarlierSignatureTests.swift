import Foundation
import SignetTestSupport
import Testing

/// What a new signature or timestamp would do to those that are there.
@Suite struct EarlierSignatureTests {
    private static func added(_ stamping: StampingWorkspace, to file: String) throws
        -> [CommandOutcome]
    {
        [
            try stamping.sign(file, "-o", "signed.pdf", "--force"),
            try stamping.workspace.signet(
                "timestamp \(file) --tsa \(stamping.server.url("ok")) -o stamped.pdf --force"),
        ]
    }

    @Test func whatWouldBreakThemIsRefused() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.signLetter()
        let signed = try workspace.read("letter.signed.pdf")
        // Readers that search a file for its objects find one that nobody has listed.
        try workspace.write(signed + Data("7 0 obj\n(x)\nendobj\n".utf8), to: "more.pdf")
        let reasons = [
            "the earlier signature 'Signature1' is invalid",
            "objects follow the last startxref",
        ]
        for (outcome, reason) in zip(try Self.added(stamping, to: "more.pdf"), reasons) {
            outcome.expectRefusal(.malformedInput, naming: reason)
        }
        #expect(!workspace.exists("signed.pdf") && !workspace.exists("stamped.pdf"))
    }

    /// A stamp is no consent: what fails is told, and stamped all the same.
    @Test func timeStampsTellOfWhatFails() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        try workspace.signLetter()
        var changed = try workspace.read("letter.signed.pdf")
        let place = try #require(changed.firstRange(of: Data("thank you".utf8)))
        changed.replaceSubrange(place, with: Data("thank yOu".utf8))
        try workspace.write(changed, to: "changed.pdf")
        let outcome = try workspace.succeed(
            "timestamp changed.pdf --tsa \(stamping.server.url("ok")) -o stamped.pdf --force")
        #expect(
            outcome.errors.contains("the earlier signature 'Signature1' is invalid"),
            "\(outcome.errors)")
    }

    @Test func whatWouldMakeThemDoubtfulIsSaid() throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        // Nobody can tell what an object refers to that cannot be read.
        try workspace.write(Data(SamplePDF(extraObjects: [")"]).bytes), to: "in.pdf")
        try stamping.sign("in.pdf", "-o", "once.pdf").expect(.done)
        let verify = ["verify", "--trust", "valid.pem"]
        try workspace.succeed("\(verify) once.pdf")
        for outcome in try Self.added(stamping, to: "once.pdf") {
            outcome.expect(.done)
            #expect(
                outcome.errors.contains("the earlier signature 'Signature1' will be indeterminate"))
        }
        // As it was said.
        let later = try workspace.signet("\(verify) signed.pdf").expect(.indeterminate)
        #expect(later.output.contains("an object cannot be read"))
    }
}
