import SignetTestSupport
import SystemBridge
import Testing

@testable import Witness

@Suite("Installed viewers")
struct ViewerTests {
    @Test("every installed viewer draws a page", arguments: Viewer.installed)
    func draws(viewer: Viewer) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("page.pdf", SamplePDF().bytes)
        let pictures = try viewer.pictures(of: 1...3, in: InputFile(path: path), resolution: 36)
        #expect(pictures.count == 1)
        #expect(pictures[0].lightness.contains { $0 < 128 })
    }

    @Test("a file that is not a PDF is an error")
    func malformed() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("text.pdf", Array("no document".utf8))
        let viewer = try #require(Viewer.installed.first)
        #expect(throws: WitnessError.self) {
            try viewer.pictures(of: 1...1, in: InputFile(path: path), resolution: 36)
        }
    }
}
