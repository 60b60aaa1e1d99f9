import ByteKit
import FileBridge
import Foundation
import SignetTestSupport
import Testing

/// Runs `body` and returns the code of the error it throws.
private func errorCode(_ body: () throws -> Void) -> FileError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? FileError)?.code
    }
}

struct InputFileTests {
    @Test func readsAnyPart() throws {
        let folder = try TemporaryFolder()
        let file = try InputFile(path: folder.file("a", [1, 2, 3, 4, 5], permissions: 0o640))
        #expect(file.byteCount == 5)
        #expect(file.permissions == 0o640)
        #expect(try file.bytes(at: 1, count: 2) == [2, 3])
        #expect(try file.bytes(at: 4, count: 99) == [5])
        #expect(throws: SourceError(.outOfRange, detail: "", offset: 0)) {
            try file.bytes(at: 6, count: 1)
        }
    }

    @Test func streamsARange() throws {
        let folder = try TemporaryFolder()
        let content = (0..<100).map { UInt8($0) }
        let file = try InputFile(path: folder.file("a", content))
        var seen: [UInt8] = []
        try file.stream(range: 10..<95) { part in
            for index in part.indices { seen.append(part[index]) }
        }
        #expect(seen == Array(content[10..<95]))
        #expect(errorCode { try file.stream(range: 0..<101) { _ in } } == .io)
    }

    @Test func theSameFileHasTheSameIdentity() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a", [1])
        try FileManager.default.linkItem(atPath: path, toPath: folder.file("b"))
        let other = folder.file("c", [1])
        let identity = try InputFile(path: path).identity
        #expect(try InputFile(path: folder.file("b")).identity == identity)
        #expect(try InputFile(path: other).identity != identity)
    }

    @Test func tellsWhyAFileCannotBeRead() throws {
        let folder = try TemporaryFolder()
        #expect(errorCode { _ = try InputFile(path: folder.file("none")) } == .missing)
        #expect(errorCode { _ = try InputFile(path: folder.path) } == .notAFile)
        let inFile = folder.file("a", [1]) + "/b"
        #expect(errorCode { _ = try InputFile(path: inFile) } == .missing)
        if geteuid() != 0 {
            let secret = folder.file("secret", [1], permissions: 0)
            #expect(errorCode { _ = try InputFile(path: secret) } == .unreadable)
        }
    }

    @Test func readsSmallFilesWhole() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a", [1, 2, 3])
        #expect(try FileSystem.readAll(path, limit: 3) == [1, 2, 3])
        #expect(errorCode { _ = try FileSystem.readAll(path, limit: 2) } == .tooLarge)
        #expect(try FileSystem.readAll("/dev/null", limit: 2) == [])
    }
}

struct AtomicOutputTests {
    @Test func appearsOnlyWhenCommitted() throws {
        let folder = try TemporaryFolder()
        let output = try AtomicOutput(path: folder.file("out"), mode: .normal, replace: false)
        try output.write([1, 2])
        try output.write([3])
        try output.overwrite(at: 1, [9])
        #expect(folder.content("out") == nil)
        try output.commit()
        #expect(folder.content("out") == [1, 9, 3])
        #expect((try folder.names) == ["out"])
        #expect(errorCode { try output.commit() } == .io)
    }

    @Test func leavesNothingBehindWithoutACommit() throws {
        let folder = try TemporaryFolder()
        do {
            let output = try AtomicOutput(path: folder.file("out"), mode: .normal, replace: false)
            try output.write([1])
            #expect((try folder.names).count == 1)
        }
        #expect((try folder.names).isEmpty)
    }

    @Test func neverOverwritesUnlessTold() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("out", [7])
        #expect(
            errorCode { _ = try AtomicOutput(path: path, mode: .normal, replace: false) } == .exists
        )
        let output = try AtomicOutput(path: path, mode: .normal, replace: true)
        try output.write([8])
        #expect(folder.content("out") == [7])
        try output.commit()
        #expect(folder.content("out") == [8])
        #expect((try folder.names) == ["out"])
    }

    @Test func losesARaceWithoutHarm() throws {
        let folder = try TemporaryFolder()
        let output = try AtomicOutput(path: folder.file("out"), mode: .normal, replace: false)
        try output.write([1])
        _ = folder.file("out", [2])
        #expect(errorCode { try output.commit() } == .exists)
        #expect(folder.content("out") == [2])
        #expect((try folder.names) == ["out"])
    }

    @Test func setsPermissions() throws {
        let folder = try TemporaryFolder()
        let model = try InputFile(path: folder.file("model", [1], permissions: 0o604))
        for (name, mode) in [("secret", AtomicOutput.Mode.secret), ("like", .like(model))] {
            let output = try AtomicOutput(path: folder.file(name), mode: mode, replace: false)
            try output.commit()
        }
        #expect(try folder.permissions("secret") == 0o600)
        #expect(try folder.permissions("like") == 0o604)
    }

    @Test func followsLinksThatAreReplaced() throws {
        let folder = try TemporaryFolder()
        let target = folder.file("target", [1])
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let output = try AtomicOutput(path: link, mode: .normal, replace: true)
        try output.write([2])
        try output.commit()
        #expect(folder.content("target") == [2])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == target)
    }

    @Test func tellsWhyAFileCannotBeCreated() throws {
        let folder = try TemporaryFolder()
        func code(_ path: String) -> FileError.Code? {
            errorCode { _ = try AtomicOutput(path: path, mode: .normal, replace: true) }
        }
        #expect(code(folder.file("none") + "/out") == .folderMissing)
        #expect(code(folder.path) == .notAFile)
        #expect(code("/proc/signet") != nil)
    }

    @Test func copiesAndShowsEveryByteInOnePass() throws {
        let folder = try TemporaryFolder()
        let content = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 &* 13) }
        let input = try InputFile(path: folder.file("in", content))
        let output = try AtomicOutput(path: folder.file("out"), mode: .normal, replace: false)
        var count = 0
        try output.copy(from: input, range: 5..<content.count) { count += $0.count }
        try output.commit()
        #expect(count == content.count - 5)
        #expect(folder.content("out") == Array(content[5...]))
    }

    @Test func reportsAFullDevice() throws {
        let output = try AtomicOutput(path: "/dev/full", mode: .normal, replace: false)
        try output.write([UInt8](repeating: 1, count: 100))
        #expect(errorCode { try output.commit() } == .diskFull)
    }

    @Test func writesToDevices() throws {
        let output = try AtomicOutput(path: "/dev/null", mode: .normal, replace: false)
        try output.write([1])
        try output.commit()
        #expect(FileManager.default.fileExists(atPath: "/dev/null"))
    }
}

struct ProcessTests {
    @Test func readsTheEnvironment() {
        unsafe setenv("SIGNET_TEST_VALUE", "abc", 1)
        #expect(ProcessEnvironment.value("SIGNET_TEST_VALUE") == [97, 98, 99])
        #expect(ProcessEnvironment.value("SIGNET_TEST_NONE") == nil)
    }

    @Test func theClockRuns() {
        #expect(SystemClock.now() > CalendarTime(secondsSinceEpoch: 1_700_000_000))
    }
}
