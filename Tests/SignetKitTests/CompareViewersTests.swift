import SignetTestSupport
import Testing

@testable import SignetKit

@Suite("Comparison of signed states by viewers")
struct CompareViewersTests {
    /// Signed twice, the second time visibly: to viewers the page changed after the first signature.
    private func verified(_ signer: Signer) throws -> VerifiedDocument {
        let once = try signer.sign(SamplePDF().bytes)
        _ = try signer.sign(once) {
            var stamp = StampOptions()
            stamp.page = 1
            $0.stamp = stamp
        }
        var task = try VerifyDocument(
            VerificationOptions(trust: [signer.certificateFile], time: Signer.signingTime))
        task.keepsHash = true
        task.findsChangedPages = true
        return try task.run(.file(signer.folder.file("out.pdf")))
    }

    @Test("a page that looks different without a named change is indeterminate")
    func unnamedChange() throws {
        let signer = try Signer()
        var report = try verified(signer)
        #expect(report.verdict == .passed)
        let source = InputSource.file(signer.folder.file("out.pdf"))
        let named = try CompareViewers().run(source, report)
        #expect(named.verdict == .passed && named.viewers?.differences.isEmpty == false)

        report.signatures[0].record.changedPages = []
        let unnamed = try CompareViewers().run(source, report)
        #expect(unnamed.verdict == .indeterminate)
        #expect(
            unnamed.signatures[0].problems.contains {
                $0.code == .lookUncertain
                    && $0.message.hasPrefix("page 1 is displayed differently in ")
            })
    }
}
