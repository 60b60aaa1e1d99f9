import Foundation
import SignetTestSupport
import Testing

/// Journals of runs that ended badly, or that wrote elsewhere.
@Suite struct JournalDamageTests {
    private static let sign = [
        "sign", "in", "--recursive", "--journal", "j", "--key", "key.pem", "--cert", "valid.pem",
    ]

    private func batch(_ count: Int) throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.makeFolder("in")
        for index in 0..<count {
            try workspace.write(try workspace.read("letter.pdf"), to: "in/\(index).pdf")
        }
        return workspace
    }

    /// A disk that is full leaves whole lines, wherever in the work on a file that is, and the next run
    /// does what is missing.
    @Test(arguments: 0..<8) func aFullDiskLeavesNoPartOfALine(nameLength: Int) throws {
        let count = 15
        let workspace = try batch(0)
        let names = (0..<count).map { String(repeating: "n", count: 9 * nameLength) + "\($0)" }
        for name in names {
            try workspace.write(try workspace.read("letter.pdf"), to: "in/\(name).pdf")
        }
        let full = try workspace.shell(
            "ulimit -f 16; exec $S sign in --recursive -o out/ --journal j --jobs 1 $K")
        #expect(full.exitCode != .done)
        let journal = try workspace.read("j")
        #expect(journal.count > 4096 && journal.last == 10)
        for line in journal.split(separator: 10) {
            #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line)) }
        }
        try workspace.succeed("\(Self.sign) -o out/")
        for name in names { #expect(workspace.exists("out/\(name).signed.pdf")) }
    }

    /// What a killed run left of a line, and journals put together: the line behind it counts.
    @Test(arguments: [1, 2, 20, 150]) func aLineBehindAPartOfOneIsRead(length: Int) throws {
        let workspace = try batch(2)
        try workspace.succeed("\(Self.sign) -o out/")
        let lines = try workspace.read("j").split(separator: 10)
        let first = try #require(lines.first)
        try workspace.write(
            Data(lines.map { Data(first.prefix(length)) + Data($0) + [10] }.joined()), to: "j")
        let again = try workspace.succeed("\(Self.sign) -o out/")
        #expect(again.errors.contains("2 skipped"), "\(again.errors)")
        try workspace.write("{\"a{\"b\":1}\n", to: "j")
        try workspace.signet("\(Self.sign) -o out/")
            .expectRefusal(.malformedInput, naming: "is not a journal")
    }

    /// However a file's path is written, it is signed in its place once.
    @Test func otherSpellingsAreTheSameFile() throws {
        let workspace = try batch(1)
        let sign = Array(Self.sign.dropFirst(3)) + ["--in-place"]
        try workspace.succeed("sign in/0.pdf \(sign)")
        let signed = try workspace.read("in/0.pdf")
        let absolute = workspace.url("in/0.pdf").path
        for input in [["./in/0.pdf"], [absolute], ["in/../in//0.pdf"], ["./in", "--recursive"]] {
            try workspace.succeed("sign \(input) \(sign)")
            #expect(try workspace.read("in/0.pdf") == signed, "\(input)")
        }
    }

    /// After a power failure there may be zeros where lines were to be.
    @Test func zerosAreNoLines() throws {
        let workspace = try batch(2)
        try workspace.succeed("\(Self.sign) -o out/")
        let zeros = Data(count: 4096)
        try workspace.write(zeros + [10] + (try workspace.read("j")) + zeros, to: "j")
        let again = try workspace.succeed("\(Self.sign) -o out/")
        #expect(again.errors.contains("2 skipped"), "\(again.errors)")
    }

    /// What is done for one folder says nothing about another one, and the other way round.
    @Test func eachOutputIsKnownByItself() throws {
        let workspace = try batch(2)
        for folder in ["o/", "p/", "o/", "p/", "o/"] {
            try workspace.succeed("\(Self.sign) -o \(folder)")
        }
        // An input that is another one now, and then the former one again: the output was not made.
        let former = try workspace.read("in/0.pdf")
        try workspace.write(former + Data("\n".utf8), to: "in/0.pdf")
        try workspace.signet("\(Self.sign) -o o/").expect(.cannotCreateOutput)
        try workspace.write(former, to: "in/0.pdf")
        let last = try workspace.succeed("\(Self.sign) -o o/")
        #expect(last.errors.contains("2 skipped"), "\(last.errors)")
    }

    /// What another command adds to an output, by the same journal, does not make it new.
    @Test(arguments: [true, false]) func stepsOfOneJournalFollowEachOther(inPlace: Bool) throws {
        guard let stamping = try StampingWorkspace() else { return }
        let workspace = stamping.workspace
        let key = ["--key", "key.pem", "--cert", "valid.pem"]
        let output = inPlace ? "letter.pdf" : "o/letter.signed.pdf"
        for _ in 0..<3 {
            try workspace.succeed(
                "sign letter.pdf --journal j \(key) \(inPlace ? ["--in-place"] : ["-o", "o/"])")
            try workspace.succeed(
                "timestamp \(output) --in-place --journal j --tsa \(stamping.server.url("ok"))")
        }
        let report = try workspace.signet("verify \(output) --json").json(VerifyReport.self)
        #expect(report.signatures.count == 2)
    }

    /// A trust anchor that is among the inputs is one of the rules all the same.
    @Test func anAnchorAmongTheInputsCounts() throws {
        let workspace = try signingWorkspace()
        try workspace.copyVector("pki/expired.pem")
        try workspace.succeed("sign letter.pdf -o s.pdf --key key.pem --cert valid.pem")
        try workspace.write(try workspace.read("valid.pem"), to: "ca.pem")
        let verify = ["verify", "ca.pem", "s.pdf", "--trust", "ca.pem", "--journal", "j"]
        let first = try workspace.signet(verify)
        #expect(first.output.contains("s.pdf") && !first.errors.contains("s.pdf: skipped"))
        #expect(try workspace.signet(verify).errors.contains("s.pdf: skipped"))
        try workspace.write(try workspace.read("expired.pem"), to: "ca.pem")
        #expect(try !workspace.signet(verify).errors.contains("s.pdf: skipped"))
    }

    /// A rehearsal counts as none that was signed.
    @Test func aRehearsalSignsNothing() throws {
        let workspace = try batch(2)
        let outcome = try workspace.succeed(
            "sign in/0.pdf in/1.pdf --dry-run --key key.pem --cert valid.pem")
        #expect(outcome.errors.contains("2 can be signed"), "\(outcome.errors)")
    }
}
