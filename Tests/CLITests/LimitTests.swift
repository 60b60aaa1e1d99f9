import Foundation
import SignetTestSupport
import Testing

/// What costs nothing to make must not cost much to verify.
struct LimitTests {
    /// Appends a section that lists nothing.
    private func appendEmptySection(_ data: inout Data, previous: Int) -> Int {
        let start = data.count
        data += Data(
            ("xref\n0 1\n0000000000 65535 f \ntrailer\n<</Size 100/Root 1 0 R/Prev \(previous)>>\n"
                + "startxref\n\(start)\n%%EOF\n").utf8)
        return start
    }

    @Test(.timeLimit(.minutes(15)))
    func manySectionsCostNoMoreThanTheirNumber() throws {
        let workspace = try signingWorkspace()
        try workspace.signLetter()
        var data = try workspace.read("letter.signed.pdf")
        let text = String(decoding: data, as: UTF8.self)
        let digits = try #require(text.components(separatedBy: "startxref\n").last)
            .prefix { $0.isNumber }
        var previous = try #require(Int(digits))
        for _ in 0..<4000 { previous = appendEmptySection(&data, previous: previous) }
        try workspace.write(data, to: "many.pdf")
        let start = ContinuousClock.now
        let outcome = try workspace.signet("verify many.pdf --trust valid.pem")
        #expect(outcome.exitCode != .invalid, "\(outcome.output)")
        // Slow machines and builds without optimisation included; it took minutes.
        #expect(ContinuousClock.now - start < .seconds(20))
    }
}
