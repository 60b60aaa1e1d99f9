import Foundation
import SignetTestSupport
import Testing

/// What stands in the settings need not be typed.
@Suite struct SettingsTests {
    private func workspace(_ settings: String) throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.write(settings, to: "config.toml")
        return workspace
    }

    private func signet(
        _ workspace: Workspace, _ arguments: ShellWords, environment: [String: String] = [:]
    ) throws -> CommandOutcome {
        try workspace.signet(
            arguments,
            environment: ["SIGNET_CONFIG": workspace.url("config.toml").path].merging(environment) {
                $1
            })
    }

    /// As editors elsewhere write them.
    @Test func marksAndEndsOfLinesOfOtherSystemsAreRead() throws {
        let text = "\u{FEFF}" + Self.usual.replacing("\n", with: "\r\n") + "\r\n"
        let workspace = try workspace(text)
        try signet(workspace, "sign letter.pdf").expect(.done)
        try workspace.succeed("verify letter.signed.pdf --trust valid.pem")
    }

    private static let usual = """
        # who signs
        key = "key.pem"
        cert = 'valid.pem'
        trust = ["valid.pem"]
        reason = "Approved"
        [stamp]
        at = "last:bottom-right"
        [profile.plain]
        digest = "sha512"
        output = "out/"
        """

    @Test func outputsGoToTheUsersFolderToo() throws {
        let workspace = try workspace(
            "key = \"key.pem\"\ncert = \"valid.pem\"\noutput = \"~/signed/\"\n")
        let home = ["HOME": workspace.url("home").path]
        try workspace.makeFolder("home")
        try signet(workspace, "sign letter.pdf", environment: home).expect(.done)
        #expect(workspace.exists("home/signed/letter.signed.pdf"))
        #expect(!workspace.exists("~"))
    }

    @Test func whatIsSetNeedNotBeTyped() throws {
        let workspace = try workspace(Self.usual)
        let signed = try signet(workspace, "sign letter.pdf").expect(.done)
        #expect(signed.output.contains("on page 1"))
        let report = try signet(workspace, "verify letter.signed.pdf").expect(.done)
        #expect(report.output.contains("Approved"))
        // What is typed comes first, then the profile.
        try signet(workspace, "sign letter.pdf --profile plain --reason Seen --at 1:top")
            .expect(.done)
        let other = try signet(workspace, "verify out/letter.signed.pdf")
        #expect(other.output.contains("Seen") && other.output.contains("SHA-512"))
        let profile = try signet(
            workspace, "sign letter.pdf --force --json", environment: ["SIGNET_PROFILE": "plain"])
        #expect(profile.output.contains("sha512"))
        // Other files have no pages.
        try signet(workspace, "sign config.toml --reason ''").expect(.usage)
        try workspace.write(
            Data(Self.usual.replacing("reason", with: "location").utf8), to: "b.toml")
        try workspace.write(
            Data(Self.usual.replacing("reason = \"Approved\"", with: "").utf8), to: "c.toml")
        try workspace.succeed("sign b.toml --config c.toml")
        #expect(workspace.exists("b.toml.p7s"))
    }

    /// A level that is set holds wherever there are levels, and so does the authority for it.
    @Test func levelsAndAuthoritiesGoTogether() throws {
        guard let office = try LongTermOffice() else { return }
        let workspace = office.workspace
        func set(_ level: String?) throws {
            let tsa = "tsa = [\"\(office.server.authority("tsa"))\"]\n"
            let text = tsa + (level.map { "level = \"\($0)\"\n" } ?? "")
            try workspace.write(text, to: "config.toml")
        }
        func run(_ arguments: [String]) throws {
            try signet(workspace, "\(arguments) \(office.trust)").expect(.done)
        }
        try set(nil)
        try run(["sign", "letter.pdf", "--level", "LT", "-o", "lt.pdf"] + office.key())
        #expect(try office.levels("lt.pdf") == ["B-LT"])
        try set("LTA")
        try run(["cms", "sign", "letter.pdf", "-o", "lta.p7s"] + office.key())
        let message = ["lta.p7s", "--content", "letter.pdf", "--require-level", "LTA"]
        try workspace.succeed("verify \(message) \(office.trust)")
        try run(["sign", "letter.pdf", "-o", "typed.pdf"] + office.tsa() + office.key())
        #expect(try office.levels("typed.pdf") == ["B-LTA"])
        try office.sign("T", as: "t.pdf").expect(.done)
        try set("LT")
        try run(["extend", "t.pdf", "-o", "low.pdf"])
        #expect(try office.levels("low.pdf") == ["B-LT"])
        try run(["extend", "t.pdf", "--level", "LTA", "-o", "high.pdf"])
        #expect(try office.levels("high.pdf") == ["B-LTA"])
    }

    @Test func aFieldKeepsItsPlace() throws {
        let workspace = try workspace(Self.usual)
        try workspace.write(
            Data(
                SamplePDF(
                    pageEntries: "/MediaBox [0 0 595 842] /Annots [6 0 R]",
                    catalogEntries: "/AcroForm <</Fields [6 0 R]>>",
                    extraObjects: [
                        "<</Type /Annot /Subtype /Widget /FT /Sig /T (S) /F 4 /P 3 0 R "
                            + "/Rect [300 200 480 260]>>"
                    ]
                ).bytes), to: "form.pdf")
        let signed = try signet(workspace, "sign form.pdf --json").expect(.done)
        #expect(signed.output.contains("[300,200,480,260]"))
        try signet(workspace, "sign form.pdf --at 1:top -o x").expect(.usage)
    }

    @Test(arguments: [
        ("identity = \"a\"\nidentiy = \"b\"", "line 2", "identity"),
        ("[stamp]\nplace = \"x\"", "line 2", "stamp.place"),
        ("passphrase = \"x\"", "line 1", "passphrase-file"),
        ("level = T", "line 1", "quotation marks"),
        ("tsa = [\n\"a\"\n\"b\"]", "line 3", "comma"),
        ("key = \"a", "line 1", "no closing quotation mark"),
        ("key = \"a\"\nkey = \"b\"", "line 2", "key is defined twice"),
        ("[[x]]", "line 1", "tables"), ("level = [\"B\"]", "line 1", "must be a string"),
        ("level = \"\"", "line 1", "empty"), ("level = true", "line 1", "must be a string"),
    ])
    func mistakesAreErrorsWithTheirLine(settings: String, line: String, words: String) throws {
        let workspace = try workspace(settings)
        let outcome = try signet(workspace, "sign letter.pdf --key key.pem")
        outcome.expectRefusal(.malformedInput, naming: "config.toml: \(line)", words)
        try signet(workspace, "config show").expectRefusal(.malformedInput, naming: line)
    }

    static let wrongValues = [
        ("stamp.at = \"nowhere\"", "'nowhere' of 'stamp.at'"),
        ("level = \"X\"", "'X' of 'level'"),
        ("digest = \"md5\"", "'md5' of 'digest'"),
        ("stamp.at = \"auto\"\nstamp.lang = \"xx\"", "'xx' of 'stamp.lang'"),
        ("stamp.at = \"auto\"\nstamp.time-zone = \"Mars\"", "'Mars' of 'stamp.time-zone'"),
        ("stamp.at = \"auto\"\nstamp.size = \"big\"", "'big' of 'stamp.size'"),
        ("stamp.at = \"auto\"\nstamp.text = \"{nme}\"", "'{nme}' of 'stamp.text'"),
    ]

    /// Nobody typed the option that would be blamed.
    @Test(arguments: wrongValues) func wrongValuesAreTheSettingsFault(
        settings: String, words: String
    ) throws {
        let workspace = try workspace("# first\n" + settings)
        let line = 1 + settings.split(separator: "\n").count
        try signet(workspace, "sign letter.pdf --key key.pem --cert valid.pem")
            .expectRefusal(.malformedInput, naming: "config.toml: line \(line): ", words)
    }

    @Test func helpListsAllSettings() throws {
        let help = try signingWorkspace().signet("help config")
        help.expect(.done)
        for key in ["identity", "tsa-anchor", "stamp.at", "stamp.font", "output"] {
            #expect(help.output.contains(key))
        }
    }

    @Test func showsWhereValuesComeFrom() throws {
        let workspace = try workspace(Self.usual)
        let shown = try signet(workspace, "config show --profile plain").expect(.done)
        #expect(shown.output.contains(/reason +\= Approved +line 5/))
        #expect(shown.output.contains(/digest +\= sha512 +line 9 \(profile plain\)/))
        let answer = try signet(workspace, "config show --json").json()
        #expect(answer.settings.count == 5)
        #expect(answer.settings[0].values.map(\.text) == [workspace.url("key.pem").path])
        try signet(workspace, "config show --profile plan")
            .expectRefusal(.usage, naming: "did you mean 'plain'")
        try signet(workspace, "sign letter.pdf --config missing.toml")
            .expectRefusal(.missingInput, naming: "missing.toml")
        let none = try workspace.succeed(
            "config show", environment: ["XDG_CONFIG_HOME": workspace.folder.path])
        #expect(none.output.contains("no settings"))
    }
}
