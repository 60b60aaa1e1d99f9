import Foundation
import SignetTestSupport
import Testing

/// Names of files are bytes: what Unicode takes for the same is another file.
@Suite struct PathNameTests {
    /// In `$A` and `$B` two names that are equivalent in Unicode.
    private static let pairs = [
        "A=$(printf 'caf\\303\\251'); B=$(printf 'cafe\\314\\201')",
        "A=K; B=$(printf '\\342\\204\\252')",
    ]

    private func shell(_ pair: String, _ lines: String) throws -> CommandOutcome {
        let workspace = try signingWorkspace()
        return try workspace.shell("set -e; \(pair); exec 2>&1; \(lines)")
    }

    @Test(arguments: pairs) func eachFileHasItsOwnHash(pair: String) throws {
        let outcome = try shell(
            pair,
            "printf one >\"$A\"; printf two >\"$B\"; "
                + "$S hash digest \"$A\" \"$B\" | cut -c1-64 >own; "
                + "sha256sum \"$A\" \"$B\" | cut -c1-64 | diff - own")
        outcome.expect(.done)
    }

    @Test(arguments: pairs) func eachFileIsSigned(pair: String) throws {
        let outcome = try shell(
            pair,
            """
            mkdir -p "in/$A" "in/$B"; cp letter.pdf "in/$A.pdf"; cat letter.pdf - >"in/$B.pdf" <<E

            E
            cp "in/$A.pdf" "in/$A/x.pdf"; cp "in/$B.pdf" "in/$B/x.pdf"
            for n in 1 2 3; do $S sign in --recursive -o out/ --journal j $K; done
            for f in "$A" "$B" "$A/x" "$B/x"; do
                cmp -n $(stat -c %s "in/$f.pdf") "in/$f.pdf" "out/$f.signed.pdf"
            done
            cp -r in own
            printf '%s\\0' "own/$A.pdf" "own/$B.pdf" | $S sign --files-from - --in-place $K
            $S verify "own/$A.pdf" "own/$B.pdf" --trust valid.pem
            rm "out/$B.signed.pdf"; $S sign in --recursive -o out/ --journal j $K
            """)
        outcome.expect(.done)
        #expect(outcome.output.contains("1 signed, 3 skipped"), "\(outcome.output)")
    }

    /// One that was altered does not pass for the other.
    @Test(arguments: pairs) func eachFileIsVerified(pair: String) throws {
        let outcome = try shell(
            pair,
            "$S sign letter.pdf $K -o \"$A\"; sed 's/^%PDF-1.7/%PDF-1.6/' \"$A\" >\"$B\"; "
                + "$S verify \"$A\" \"$B\" --trust valid.pem || echo code $?")
        #expect(outcome.output.contains("1 passed, 1 failed"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("code 4\n"), "\(outcome.output)")
    }

    /// A slash divides folders, whatever mark follows it.
    @Test func marksBehindASlash() throws {
        let outcome = try shell(
            "M=$(printf '\\314\\201x')",
            """
            mkdir -p "in/sub/$M" wide; cp letter.pdf "in/$M.pdf"; cp letter.pdf "in/sub/$M/$M.pdf"
            $S sign "in/$M.pdf" -o wide/ $K; test -f "wide/$M.signed.pdf"
            $S sign "in/$M.pdf" $K; rm "in/$M.signed.pdf"
            $S sign in --recursive -o out/ --journal j $K
            test -f "out/sub/$M/$M.signed.pdf"
            $S sign in --recursive -o out/ --journal j $K
            echo one >s; $S sign s $K; mkdir s.d; mv s.p7s "s.d/$M"
            $S verify "s.d/$M" --trust valid.pem && echo misled
            XDG_DATA_HOME=$PWD/data $S identity import "a/$M" $K || echo code $?
            """)
        outcome.expect(.done)
        #expect(outcome.output.contains("2 skipped"), "\(outcome.output)")
        #expect(!outcome.output.contains("misled"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("code 64\n"), "\(outcome.output)")
    }

    /// Words for people are readable, or refused; names of files may be any bytes.
    @Test(arguments: [
        "--reason \"$W\"", "--name=\"$W\"", "--at 1:center --text \"$W\"", "--field \"$W\"",
        "--location \"$W\" --reason fine",
    ])
    func wordsThatAreNoUTF8AreRefused(option: String) throws {
        let workspace = try signingWorkspace()
        try workspace.shell("W=$(printf 'caf\\351'); $S sign letter.pdf $K \(option)")
            .expectRefusal(.usage, naming: "is not UTF-8", "0xe9")
        #expect(try workspace.names == ["key.pem", "letter.pdf", "valid.pem"])
    }

    // MARK: Folders

    @Test func deepFoldersAreTold() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.shell(
            "mkdir in; cp letter.pdf in; cd in; for n in $(seq 205); do mkdir d; cd d; done; "
                + "cp ../letter.pdf . 2>/dev/null; cd \"$OLDPWD\"; cd '\(workspace.folder.path)'; "
                + "$S sign in --recursive -o out/ $K")
        outcome.expect(.missingInput)
        #expect(outcome.errors.contains("more than 200 nested folders"), "\(outcome.errors)")
        #expect(outcome.errors.contains("1 signed, 1 error"), "\(outcome.errors)")
    }

    @Test func entriesThatCannotBeLookedAtAreTold() throws {
        guard try ExternalTool.find("strace") != nil else { return }
        let workspace = try signingWorkspace()
        try workspace.shell("mkdir -p in/shut; cp letter.pdf in; cp letter.pdf in/shut/b.pdf")
            .expect(0)
        let outcome = try workspace.injecting(
            "-P in/shut/b.pdf -e trace=newfstatat,lstat,stat,openat "
                + "-e inject=newfstatat,lstat,stat,openat:error=EACCES",
            "sign in --recursive -o out/ $K")
        outcome.expect(.missingInput)
        #expect(outcome.errors.contains("in/shut/b.pdf: Permission denied"), "\(outcome.errors)")
        #expect(outcome.errors.contains("1 signed, 1 error"), "\(outcome.errors)")
    }

    @Test func linksToFoldersAreTold() throws {
        let workspace = try signingWorkspace()
        let outcome = try workspace.shell(
            "mkdir in other; cp letter.pdf in; ln -s ../other in/link; $S sign in --recursive $K")
        outcome.expect(.done)
        #expect(
            outcome.errors.contains("in/link: the link to a folder was skipped"),
            "\(outcome.errors)")
    }
}
