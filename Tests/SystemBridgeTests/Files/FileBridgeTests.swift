import Base
import Foundation
import SignetTestSupport
import SystemBridge
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
        try output.replace(at: 1, with: [9])
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
            // Not even under another name, where the file system can do without.
            #expect((try folder.names).isEmpty)
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

    /// Who puts a link into a folder does not choose what is overwritten.
    @Test(arguments: ["target", "none"]) func replacesLinksThemselves(name: String) throws {
        let folder = try TemporaryFolder()
        _ = folder.file("target", [1])
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(
            atPath: link, withDestinationPath: folder.file(name))
        #expect(
            errorCode { _ = try AtomicOutput(path: link, mode: .normal, replace: false) } == .exists
        )
        let output = try AtomicOutput(path: link, mode: .normal, replace: true)
        try output.write([2])
        try output.commit()
        #expect(folder.content("target") == [1] && folder.content("none") == nil)
        #expect(folder.content("link") == [2])
        #expect(throws: (any Error).self) {
            try FileManager.default.destinationOfSymbolicLink(atPath: link)
        }
    }

    /// What was read through a link is replaced where it was read.
    @Test func followsLinksThatWereRead() throws {
        let folder = try TemporaryFolder()
        let target = folder.file("target", [1])
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: target)
        let input = try InputFile(path: link, isReplaced: true)
        let output = try AtomicOutput(path: link, mode: .like(input), replace: true)
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
        #expect(code(folder.path) == .cannotCreate)
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

    @Test func removesWhatDeadProcessesLeft() throws {
        let folder = try TemporaryFolder()
        for name in [".signet-4194304-abc.tmp", ".signet-other", ".signet-1-2-3.tmp"] {
            _ = folder.file(name, [1])
        }
        _ = folder.file(".signet-\(getpid())-abc.tmp", [1])
        let path = folder.file("out", [1])
        let output = try AtomicOutput(path: path, mode: .normal, replace: true)
        try output.commit()
        #expect(
            (try folder.names)
                == [".signet-1-2-3.tmp", ".signet-\(getpid())-abc.tmp", ".signet-other", "out"]
                .sorted())
    }

    @Test func takesTheWholePlaceOfWhatItReplaces() throws {
        let folder = try TemporaryFolder()
        for (mode, expected) in [(AtomicOutput.Mode.normal, 0o640), (.secret, 0o600)] {
            let path = folder.file("out", [1], permissions: 0o640)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            let output = try AtomicOutput(path: path, mode: mode, replace: true)
            try output.commit()
            #expect(try folder.permissions("out") == expected)
        }
    }

    @Test func replacesOnlyWhatWasRead() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("in", [1, 2])
        let input = try InputFile(path: path, isReplaced: true)
        let output = try AtomicOutput(path: path, mode: .like(input), replace: true)
        try output.write([3])
        try FileManager.default.removeItem(atPath: path)
        _ = folder.file("in", [1, 2])
        #expect(errorCode { try output.commit() } == .changed)
        #expect(folder.content("in") == [1, 2])
    }

    @Test func takesBackWhatBelongsToAFailure() throws {
        let folder = try TemporaryFolder()
        let outputs = try ["a", "b"].map {
            try AtomicOutput(path: folder.file($0), mode: .normal, replace: false)
        }
        _ = folder.file("b", [7])
        #expect(errorCode { try AtomicOutput.commit(outputs) } == .exists)
        #expect((try folder.names) == ["b"])
    }

    @Test func outputsOfARunDoNotMeet() throws {
        let folder = try TemporaryFolder()
        let run = RunFiles()
        let path = folder.file("a")
        func begin(_ name: String) throws -> AtomicOutput {
            try AtomicOutput(path: folder.file(name), mode: .normal, replace: true, run: run)
        }
        let first = try begin("a")
        #expect(errorCode { _ = try begin("./a") } == .doubleOutput)
        first.discard()
        let again = try begin("a")
        try again.commit()
        #expect(errorCode { _ = try begin("a") } == .doubleOutput)
        try FileManager.default.linkItem(atPath: path, toPath: folder.file("b"))
        let other = folder.file("c", [1])
        #expect(
            errorCode {
                try RunFiles().plan(
                    outputs: [path, folder.file("b")], inputs: [], isInPlace: false)
            } == .doubleOutput)
        #expect(
            errorCode {
                try RunFiles().plan(outputs: [other], inputs: [other], isInPlace: false)
            } == .overInput)
        try RunFiles().plan(outputs: [other], inputs: [other], isInPlace: true)
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

struct PathTests {
    @Test func slashesDivideWhateverFollows() {
        let mark = "\u{301}x"
        #expect(FileSystem.name(of: "a/\(mark)") == mark)
        #expect(FileSystem.folder(of: "a/b/\(mark)") == "a/b")
        #expect(FileSystem.isAbsolute("/\(mark)"))
        #expect(FileSystem.below("a", "a/\(mark)") == mark)
        #expect(FileSystem.below("a", "ab/c") == nil)
        #expect(FileSystem.below("/", "/a") == "a")
        #expect(FileSystem.withoutEndingSlashes("a//") == "a")
        #expect(FileSystem.withoutEndingSlashes("/") == "/")
        #expect(FileSystem.without(ending: ".pdf", "a/x.PDF") == "a/x")
        #expect(FileSystem.without(ending: ".pdf", "pdf") == nil)
    }

    /// One place for all spellings, whether there is a file or not.
    @Test func placesAreOne() throws {
        let folder = try TemporaryFolder()
        let root = FileSystem.resolved(folder.path)
        _ = folder.file("a", [1])
        try FileSystem.makeFolder(root + "/in")
        for spelling in ["a", "./a", "in/../a", "in//..//a", "no/../a"] {
            #expect(FileSystem.place("\(root)/\(spelling)") == root + "/a")
        }
        #expect(FileSystem.place(root + "/no/x/../y.pdf") == root + "/no/y.pdf")
        #expect(FileSystem.place(root + "/in/.") == root + "/in")
        #expect(FileSystem.place("/") == "/")
        #expect(FileSystem.place("-") == "-")
    }
}

struct LogFileTests {
    /// Another run would not find what is noted in a file that has another name now.
    @Test func aFileThatWasMovedAwayTakesNoMore() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/log"
        let log = try LogFile(path)
        try log.append([1])
        try FileManager.default.moveItem(atPath: path, toPath: path + ".1")
        #expect(errorCode { try log.append([2]) } == .changed)
        _ = FileManager.default.createFile(atPath: path, contents: Data())
        #expect(errorCode { try log.append([2]) } == .changed)
        #expect(FileManager.default.contents(atPath: path + ".1") == Data([1, 10]))
    }

    /// What may be somebody else's stays as it is until a line comes.
    @Test func partsOfLinesAreEndedLate() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("log", [7])
        let log = try LogFile(path)
        var lines: [[UInt8]] = []
        try log.readLines { lines.append($0) }
        #expect(lines == [[7]])
        #expect(FileManager.default.contents(atPath: path) == Data([7]))
        try log.append([8])
        #expect(FileManager.default.contents(atPath: path) == Data([7, 10, 8, 10]))
    }
}
