import Foundation
import SignetTestSupport
import Testing

private let hasStrace = CommandRunner.find("strace") != nil || CommandRunner.toolsAreRequired

/// Journals know files by where they are, are nobody else's files, and belong to one run at a time.
@Suite struct JournalPlaceTests {
    private static let key = "--key $W/key.pem --cert $W/valid.pem"

    /// A line in which `$W` is the workspace, with `in/a/x.pdf` and `in/b/x.pdf`, which are alike.
    private func shell(_ workspace: Workspace, _ lines: String) throws -> CommandOutcome {
        try workspace.shell("set -e; W=$PWD; exec 2>&1; \(lines)")
    }

    private func workspace() throws -> Workspace {
        let workspace = try signingWorkspace()
        try shell(
            workspace, "mkdir -p in/a in/b; cp letter.pdf in/a/x.pdf; cp letter.pdf in/b/x.pdf"
        ).expect(0)
        return workspace
    }

    @Test(arguments: ["-o $O", "--in-place"])
    func itDoesNotMatterWhereARunIsStarted(place: String) throws {
        let workspace = try workspace()
        let options = "--recursive --journal $W/j \(Self.key)"
        let outcome = try shell(
            workspace,
            """
            O=out/; $S sign in \(options) \(place)
            cd in/a; O=../../out/; $S sign .. \(options) \(place)
            ln -s "$W" "$W/link"; cd "$W/link/in"; O=$W/link/out/; $S sign ../in \(options) \(place)
            """)
        outcome.expect(.done)
        #expect(outcome.output.components(separatedBy: "2 skipped").count == 3, "\(outcome.output)")
        #expect(!outcome.output.contains("with other options"), "\(outcome.output)")
    }

    /// The value of an option may be the name of an input.
    @Test func theInputFolderMayBeTheOutputFolder() throws {
        let workspace = try workspace()
        let sign =
            "$S sign in/a --recursive -o in/a --journal j --exclude '*.signed.pdf' \(Self.key)"
        let outcome = try shell(workspace, "\(sign); \(sign)")
        outcome.expect(.done)
        #expect(outcome.output.contains("done according to the journal"), "\(outcome.output)")
        #expect(!outcome.output.contains("with other options"), "\(outcome.output)")
    }

    /// Files of one name and content in two folders are two.
    @Test func relativeNamesOfTwoFoldersAreTwoFiles() throws {
        let workspace = try workspace()
        let outcome = try shell(
            workspace,
            """
            cd in/a; $S sign x.pdf -o o/ --journal $W/j \(Self.key)
            cd ../b; mkdir o; cp ../a/o/x.signed.pdf o/
            $S sign x.pdf -o o/ --journal $W/j \(Self.key) || echo code $?
            rm o/*; $S sign x.pdf -o o/ --journal $W/j \(Self.key)
            """)
        outcome.expect(.done)
        #expect(!outcome.output.contains("according to the journal"), "\(outcome.output)")
        #expect(outcome.output.contains("code 73"), "\(outcome.output)")
        let places = try workspace.text("j")
        #expect(places.contains("/in/a/x.pdf") && places.contains("/in/b/o/x.signed.pdf"))
    }

    /// Lines that say nothing of a folder are of an earlier version, and could be of any.
    @Test func linesWithoutAFolderArePassedOver() throws {
        let workspace = try workspace()
        let sign = "$S sign in/a/x.pdf -o out/ --journal j \(Self.key)"
        try shell(workspace, sign).expect(0)
        let outcome = try shell(workspace, "sed -i \"s,$W/,,g\" j; \(sign) || echo code $?")
        #expect(outcome.output.contains("lines from an earlier version"), "\(outcome.output)")
        #expect(outcome.output.contains("code 73"), "\(outcome.output)")
    }

    // MARK: Whose it is

    @Test(arguments: [
        "cp letter.pdf j", "cp key.pem j", "printf '{abc' >j", "printf '{\"schema\":\"x' >j",
        "head -c 3000000 /dev/zero >j", "printf 'a,b\\nc' >j", "printf '\\n\\n[]' >j",
        "printf '{\"basis\":\"0\"}' >j",
    ])
    func aFileOfSomebodyElseStaysAsItIs(make: String) throws {
        let workspace = try workspace()
        try shell(workspace, "\(make); cp j former").expect(0)
        try workspace.shell("$S sign in/a/x.pdf -o out/ --journal j $K")
            .expectRefusal(.malformedInput)
        #expect(try workspace.read("j") == workspace.read("former"))
        #expect(!workspace.exists("out"))
    }

    /// Whoever ended a run left a part of its first line.
    @Test(arguments: [1, 5, 40, 200]) func aPartOfTheFirstLineIsNone(length: Int) throws {
        let workspace = try workspace()
        let sign = "$S sign in --recursive -o out/ --journal j \(Self.key)"
        let outcome = try shell(
            workspace, "\(sign); head -c \(length) j >part; mv part j; rm -r out; \(sign); \(sign)")
        outcome.expect(0)
        #expect(outcome.output.contains("2 skipped"), "\(outcome.output)")
    }

    /// What was begun and not done replaces nothing: journals may be put together in any order.
    @Test func laterBeginningsUndoNothing() throws {
        let workspace = try workspace()
        let sign = "$S sign in --recursive -o out/ --journal j \(Self.key)"
        let outcome = try shell(
            workspace, "\(sign); grep begun j | grep -v outputSHA256 >late; cat late >>j; \(sign)")
        outcome.expect(0)
        #expect(outcome.output.contains("2 skipped"), "\(outcome.output)")
    }

    /// No output goes over the journal, not even where that is new.
    @Test func noOutputTakesItsPlace() throws {
        let workspace = try workspace()
        try workspace.shell("$S sign letter.pdf -o ./ --force --journal letter.signed.pdf $K")
            .expectRefusal(.usage, naming: "would overwrite an input file")
    }

    // MARK: Runs at once

    @Test func twoRunsDoNotShareIt() throws {
        let workspace = try workspace()
        try workspace.shell("flock j $S sign in/a/x.pdf -o out/ --journal j $K")
            .expectRefusal(.cannotCreateOutput, naming: "j: another program uses it")
    }

    @Test(.enabled(if: hasStrace), arguments: ["ENOLCK", "EINVAL", "ENOSYS", "EOPNOTSUPP"])
    func thatItCannotBeLockedIsSaid(error: String) throws {
        let workspace = try workspace()
        let outcome = try workspace.injecting(
            "-e inject=flock:error=\(error)", "sign in/a/x.pdf -o out/ --journal j $K")
        outcome.expect(0)
        #expect(outcome.errors.contains("j: the file cannot be locked"), "\(outcome.errors)")
    }
}
