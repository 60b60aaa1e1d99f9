import Testing

@testable import SignetCommands

@Suite struct DecisiveProblemsTests {
    private let start = "the signer is not confirmed: no revocation data for the certificate"

    /// A clause is not cut at parentheses in its middle.
    @Test func longProblemsEndWithAClause() {
        let middle =
            "\(start): the OCSP response (2000-02-13 11:00:00 UTC) was ignored by this validation: "
            + "it was issued before the certificate"
        #expect(DecisiveProblems.shortened(middle) == start)
        let end = "\(start) of the signer (\(String(repeating: "detail ", count: 9)))"
        #expect(DecisiveProblems.shortened(end) == "\(start) of the signer")
        #expect(DecisiveProblems.shortened("short (text) here") == "short (text) here")
    }
}
