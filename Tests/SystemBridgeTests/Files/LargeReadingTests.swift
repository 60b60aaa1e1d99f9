import Glibc
import SignetTestSupport
import Testing

@testable import SystemBridge

@Suite("Reading large files")
struct LargeReadingTests {
    private let size = 9 * 1024 * 1024 + 321

    @Test("the parts are the range, in order", arguments: [0, 5, 4096, 5_000_000])
    func reads(start: Int) throws {
        let folder = try TemporaryFolder()
        let content = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 17 &+ $0 >> 11) }
        let input = try InputFile(path: folder.write("in", content))
        var seen: [UInt8] = []
        try input.stream(range: start..<(size - 7)) { part in
            unsafe part.withUnsafeBufferPointer { unsafe seen.append(contentsOf: $0) }
        }
        #expect(seen == Array(content[start..<(size - 7)]))
    }

    @Test("an error of the reader ends it", arguments: [1, 2, 3])
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
        #expect(parts == part)
    }

    @Test("a file that becomes shorter gives an error, not a signal", arguments: [0, 1, 2])
    func truncated(afterPart: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("in", [UInt8](repeating: 7, count: size))
        let input = try InputFile(path: path)
        func cut(to count: Int) { _ = unsafe truncate(path, off_t(count)) }
        var parts = 0
        var sum = 0
        if afterPart == 0 { cut(to: 3) }
        #expect {
            try input.stream(range: 0..<size) { part in
                parts += 1
                if parts == afterPart { cut(to: part.count / 2) }
                for index in part.indices { sum += Int(part[index]) }
            }
        } throws: { error in (error as? FileError)?.detail == "the file became shorter" }
    }

    @Test("many threads read at a time")
    func threads() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("in", [UInt8](repeating: 1, count: size))
        let sums = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    var sum = 0
                    try InputFile(path: path).stream(range: 0..<size) { part in sum += part.count }
                    return sum
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(sums == [Int](repeating: size, count: 100))
    }
}
