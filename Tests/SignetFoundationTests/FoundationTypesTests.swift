import Foundation
import SignetFoundation
import SignetKit
import SignetTestSupport
import Testing

@Suite("Types of Foundation")
struct FoundationTypesTests {
    @Test("data and files by URL are inputs and outputs")
    func inputs() async throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.file("a file.pdf"))
        let text = Data("what was agreed".utf8)
        try text.write(to: file)
        let hash = try await DigestFile().run(.file(file))
        #expect(try await DigestFile().run(.data(text)).value == hash.value)
        let request = OutputBytes()
        _ = try CreateTimestampRequest().run(.content(.data(text)), into: Destination(request))
        let named = URL(filePath: folder.file("a request.tsq"))
        _ = try CreateTimestampRequest().run(
            .content(.data(text)), into: try Destination(url: named))
        #expect(try Data(contentsOf: named).count == request.data.count && !request.data.isEmpty)
        let web = try #require(URL(string: "https://example.com/a.pdf"))
        #expect(throws: SignetError(.usage, "")) { try InputSource.file(web) }
    }

    @Test("dates", arguments: [0, -1.5, 1_767_225_600.75])
    func dates(seconds: Double) {
        let moment = Moment(Date(timeIntervalSince1970: seconds))
        #expect(moment.date.timeIntervalSince1970 == seconds.rounded(.down))
        #expect(Moment(Date.distantFuture.addingTimeInterval(.infinity)).description < "9999-99")
    }
}
