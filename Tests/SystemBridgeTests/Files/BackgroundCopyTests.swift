import SignetTestSupport
import Testing

@testable import SystemBridge

@Suite("Copying large files")
struct BackgroundCopyTests {
    private let size = 20 * 1024 * 1024 + 12_345

    @Test("what is copied is what was seen")
    func copies() throws {
        let folder = try TemporaryFolder()
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
        let input = try InputFile(path: folder.write("in", content))
        let output = try AtomicOutput(path: folder.file("out"), mode: .normal, replace: false)
        var seen = 0
        try output.copy(from: input, range: 0..<size) { seen += $0.count }
        try output.commit()
        #expect(seen == size)
        #expect(try folder.read("out") == content)
    }

    @Test("a failure of the observer leaves nothing and does not hang")
    func failure() throws {
        struct Refusal: Error {}
        let folder = try TemporaryFolder()
        let input = try InputFile(path: folder.write("in", [UInt8](repeating: 7, count: size)))
        let output = try AtomicOutput(path: folder.file("out"), mode: .normal, replace: false)
        var parts = 0
        #expect(throws: Refusal.self) {
            try output.copy(from: input, range: 0..<size) { _ in
                parts += 1
                if parts == 30 { throw Refusal() }
            }
        }
        output.discard()
        #expect(try folder.names == ["in"])
    }

    @Test("a device that takes nothing more is reported")
    func fullDevice() throws {
        let folder = try TemporaryFolder()
        let input = try InputFile(path: folder.write("in", [UInt8](repeating: 7, count: size)))
        let descriptor = try #require(FileDescriptor.open("/dev/full", flags: 1))
        let writer = try #require(BackgroundWriter(descriptor))
        try input.stream(range: 0..<size, through: writer) { _ in }
        #expect(writer.finish() != 0)
    }
}
