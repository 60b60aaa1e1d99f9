import SignetTestSupport
import Testing

@testable import FileBridge

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

@Suite("Reading large files ahead")
struct BackgroundReaderTests {
    private let size = 9 * 1024 * 1024 + 321

    @Test("the parts are the range, in order")
    func reads() throws {
        let folder = try TemporaryFolder()
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 11) }
        let input = try InputFile(path: folder.write("in", content))
        var seen: [UInt8] = []
        try input.stream(range: 5..<(size - 7)) { part in
            unsafe part.withUnsafeBufferPointer { unsafe seen.append(contentsOf: $0) }
        }
        #expect(seen == Array(content[5..<(size - 7)]))
    }

    @Test("an error of the reader ends it", arguments: [1, 3, 30])
    func refusal(part: Int) throws {
        struct Refusal: Error {}
        let folder = try TemporaryFolder()
        let input = try InputFile(path: folder.write("in", [UInt8](repeating: 7, count: size)))
        var parts = 0
        #expect(throws: Refusal.self) {
            try input.stream(range: 0..<size) { _ in
                parts += 1
                if parts == part { throw Refusal() }
            }
        }
    }

    @Test("a file that became shorter is reported")
    func truncated() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("in", [UInt8](repeating: 7, count: size))
        let input = try InputFile(path: path)
        _ = try folder.write("in", [1, 2, 3])
        #expect { try input.stream(range: 0..<size) { _ in } } throws: { error in
            (error as? FileError)?.detail == "the file became shorter"
        }
    }
}
