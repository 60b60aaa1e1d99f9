import Base
import Testing

@testable import Containers

@Suite("ZIP archives")
struct ZIPArchiveTests {
    /// An archive with stored entries.
    static func archive(_ files: [(String, String)]) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var writer = ZIPWriter { part in for index in part.indices { bytes.append(part[index]) } }
        for (name, content) in files { try writer.add(name, Array(content.utf8)) }
        try writer.finish()
        return bytes
    }

    private static func open(_ bytes: [UInt8]) throws -> ZIPArchive {
        try ZIPArchive(MemorySource(bytes))
    }

    @Test func whatIsWrittenIsRead() throws {
        let archive = try Self.open(
            try Self.archive([("mimetype", "x"), ("ä/b.txt", "content"), ("empty", "")]))
        #expect(archive.entries.map(\.name) == ["mimetype", "ä/b.txt", "empty"])
        let entry = try #require(archive.entry("ä/b.txt"))
        #expect(try archive.bytes(of: entry, limit: 10) == Array("content".utf8))
        #expect(throws: ContainerError(.limitExceeded, "")) {
            try archive.bytes(of: entry, limit: 6)
        }
    }

    @Test func addingKeepsEntriesByteForByte() throws {
        let old = try Self.archive([("mimetype", "x"), ("a.txt", "content")])
        let archive = try Self.open(old)
        var bytes: [UInt8] = []
        var writer = ZIPWriter { part in for index in part.indices { bytes.append(part[index]) } }
        try writer.copy(archive)
        try writer.add("META-INF/b", [1, 2, 3])
        try writer.finish(comment: archive.comment)
        #expect(bytes.starts(with: old.prefix(archive.directoryOffset)))
        let new = try Self.open(bytes)
        #expect(new.entries.map(\.name) == ["mimetype", "a.txt", "META-INF/b"])
        for entry in new.entries { _ = try new.bytes(of: entry, limit: 100) }
    }

    /// Names that two file systems or programs may understand differently.
    @Test(arguments: [
        ["a", "a"], ["a", "A"], ["\u{E9}", "e\u{301}"], ["a", "a/b"], ["A/b", "a/B"],
        ["ß", "SS"],
    ])
    func refusesNamesThatAreTheSame(_ names: [String]) throws {
        let bytes = try Self.archive(names.map { ($0, "") })
        #expect(throws: ContainerError(.malformed, "")) { try Self.open(bytes) }
    }

    @Test(arguments: [
        "../a", "/a", "a/../b", "a//b", "./a", "C:a", "a\\b", "a\u{0}b", "", "a\u{202E}b", "a\nb",
    ])
    func refusesNamesThatLeadElsewhere(_ name: String) {
        #expect(throws: ContainerError.self) { try Self.archive([(name, "")]) }
    }

    /// Every changed byte of the structure is noticed, or has no effect on names and content.
    @Test func noticesEveryChangedByte() throws {
        let files = [("mimetype", "x"), ("a.txt", "content"), ("META-INF/b", "{}")]
        let bytes = try Self.archive(files)
        for index in bytes.indices {
            for bit in [0, 3, 7] {
                var changed = bytes
                changed[index] ^= 1 << UInt8(bit)
                guard let archive = try? Self.open(changed) else { continue }
                let read = archive.entries.map { entry in
                    (entry.name, (try? archive.bytes(of: entry, limit: 100)) ?? [])
                }
                let isSame = zip(read, files).allSatisfy {
                    $0.0 == $1.0 && ($0.1 == Array($1.1.utf8) || $0.1.isEmpty)
                }
                #expect(isSame, "byte \(index)")
            }
        }
    }

    @Test func refusesASecondReading() throws {
        let inner = try Self.archive([("a.txt", "other")])
        let bytes = try Self.archive([("a.txt", "content")])
        #expect(throws: ContainerError.self) { try Self.open(inner + bytes) }
        #expect(throws: ContainerError.self) { try Self.open([0] + bytes) }
        #expect(throws: ContainerError.self) { try Self.open(bytes + [0]) }
        #expect(throws: ContainerError.self) { try Self.open(Array(bytes.dropLast())) }
        // The comment of the first archive is the second one.
        var nested = bytes
        nested[nested.count - 2] = UInt8(inner.count)
        #expect(throws: ContainerError.self) { try Self.open(nested + inner) }
    }
}
