import Foundation
import SignetTestSupport
import Testing

/// What a stamp says in other languages, at other clocks, and in other styles.
@Suite struct StampLanguageTests {
    private static let moment = "2026-07-05T22:04:09Z"

    /// The stamp's lines, as a check tells them.
    private func lines(_ options: [String], environment: [String: String] = [:]) throws -> [String]
    {
        let workspace = try signingWorkspace()
        let outcome = try workspace.succeed(
            [
                "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--dry-run",
                "--json", "--at-time", Self.moment, "--at", "1:top", "--name", "Jan",
            ] + options, environment: environment)
        return try outcome.json().stampText.items.map(\.text)
    }

    private func date(_ options: String..., environment: [String: String] = [:]) throws -> String? {
        try lines(options, environment: environment).dropFirst(2).first
    }

    private func heading(_ options: String..., environment: [String: String]) throws -> String? {
        try lines(options, environment: environment).first
    }

    @Test(arguments: [
        ("ar", "وقّعه رقميًا", "2026-07-05 22:04:09 UTC", "السبب: ok"),
        ("cs", "Digitálně podepsal", "5.\u{A0}7.\u{A0}2026 22:04:09 UTC", "Důvod: ok"),
        ("de-AT", "Digital signiert von", "05.07.2026 22:04:09 UTC", "Grund: ok"),
        ("en", "Digitally signed by", "2026-07-05 22:04:09 UTC", "Reason: ok"),
        ("es", "Firmado digitalmente por", "05/07/2026 22:04:09 UTC", "Motivo: ok"),
        ("fr_CA.UTF-8", "Signé numériquement par", "05/07/2026 22:04:09 UTC", "Motif\u{A0}: ok"),
        ("it", "Firmato digitalmente da", "05/07/2026 22:04:09 UTC", "Motivo: ok"),
        ("pl", "Podpisane cyfrowo przez", "05.07.2026 22:04:09 UTC", "Powód: ok"),
        ("sk", "Digitálne podpísal", "5.\u{A0}7.\u{A0}2026 22:04:09 UTC", "Dôvod: ok"),
        ("uk", "Цифровий підпис", "05.07.2026 22:04:09 UTC", "Підстава: ok"),
        ("zh-Hans", "数字签名人", "2026年7月5日 22:04:09 UTC", "原因：ok"),
    ])
    func words(tag: String, heading: String, date: String, reason: String) throws {
        #expect(try lines(["--lang", tag, "--reason", "ok"]) == [heading, "Jan", date, reason])
    }

    @Test func theEnvironmentDecidesOnlyWhenAsked() throws {
        let czech = ["LC_ALL": "cs_CZ.UTF-8"]
        #expect(try heading(environment: czech) == "Digitally signed by")
        #expect(try heading("--lang", "auto", environment: czech) == "Digitálně podepsal")
        #expect(
            try heading("--lang", "auto", environment: ["LC_ALL": "xx"]) == "Digitally signed by")
    }

    @Test(arguments: [
        ("+02:00", "2026-07-06 00:04:09 UTC+02:00"), ("-03:30", "2026-07-05 18:34:09 UTC-03:30"),
        ("UTC", "2026-07-05 22:04:09 UTC"),
    ])
    func fixedZones(name: String, date: String) throws {
        #expect(try self.date("--time-zone", name) == date)
    }

    @Test func zonesOfTheSystem() throws {
        guard try ExternalTool.file("/usr/share/zoneinfo/Europe/Prague") != nil else { return }
        let prague = "2026-07-06 00:04:09 UTC+02:00"
        #expect(try date("--time-zone", "Europe/Prague") == prague)
        #expect(try date("--time-zone", "local", environment: ["TZ": "Europe/Prague"]) == prague)
    }

    @Test(arguments: [
        ("en", "{date:yyyy-MM-dd}", "2026-07-05"), ("en", "{date:short}", "2026-07-05"),
        ("en", "{date:long}", "5\u{A0}July 2026"), ("cs", "{date:long}", "5.\u{A0}července 2026"),
        ("es", "{date:long}", "5 de julio de 2026"),
        ("uk", "{date:long}", "5\u{A0}липня 2026\u{A0}р."), ("zh", "{date:long}", "2026年7月5日"),
        ("fr", "le {date:d MMMM yyyy 'à' H:mm:ss z}", "le 5 juillet 2026 à 22:04:09 UTC"),
        ("de", "**{name}**, {date:dd.MM. HH 'Uhr'}", "Jan, 05.07. 22 Uhr"),
        ("en", "{{name} 2**3 \\*\\*x", "{name} 2**3 **x"),
    ])
    func templates(tag: String, template: String, expected: String) throws {
        #expect(try lines(["--lang", tag, "--text", template]) == [expected])
    }

    @Test func boldWordsAreInABoldFont() throws {
        guard try ExternalTool.file(DejaVu.path) != nil,
            let fonts = try ExternalTool.find("pdffonts")
        else { return }
        let workspace = try signingWorkspace()
        try workspace.signLetter(
            "--at 1:top --text 'plain **strong** plain\\n**{name}** {date:long}'")
        let listed = try ExternalTool.run(fonts, [workspace.url("letter.signed.pdf").path])
        let names = String(decoding: listed.output, as: UTF8.self)
        let embedded = names.split(separator: "\n").filter { $0.contains("+") }
        #expect(embedded.count == 2 && embedded.count { $0.contains("Bold") } == 1, "\(names)")
    }

    @Test func whatIsNotKnownIsRefused() throws {
        let workspace = try signingWorkspace()
        let sign = [
            "sign", "letter.pdf", "--key", "key.pem", "--cert", "valid.pem", "--at", "1:top",
        ]
        for (options, words) in [
            (["--lang", "tlh"], ["tlh", "cs"]), (["--lang", "zh-TW"], ["zh-TW"]),
            (["--time-zone", "Europe/Prgue"], ["Europe/Prgue", "Europe/Prague"]),
            (["--time-zone", "../../etc/passwd"], ["unknown time zone"]),
            (["--time-zone", "+2"], ["'+2'", "+02:00"]), (["--time-zone", ""], ["''"]),
            (["--text", "{date:YYYY}"], ["'YYYY'", "yyyy"]), (["--text", "{date:}"], ["empty"]),
            (["--text", "{name:short}"], ["{name}"]),
            (["--text", "{date:d 'de}"], ["quotation mark"]),
            (["--background", "red"], ["red", "white"]),
        ] {
            let refused = try workspace.signet("\(sign) \(options)")
            refused.expectRefusal(.usage)
            for word in words { #expect(refused.errors.contains(word), "\(refused.errors)") }
        }
        #expect(!workspace.exists("letter.signed.pdf"))
    }

    @Test func settingsSayItOnce() throws {
        let workspace = try signingWorkspace()
        try workspace.write(
            Data(
                """
                key = "key.pem"
                cert = "valid.pem"
                [stamp]
                at = "1:top"
                lang = "de"
                time-zone = "+01:00"
                background = "white"
                """.utf8), to: "config.toml")
        let told = try workspace.succeed(
            "sign letter.pdf --config config.toml --at-time \(Self.moment) --dry-run")
        #expect(told.output.contains("  text  Digital signiert von\n"))
        #expect(told.output.contains("05.07.2026 23:04:09 UTC+01:00"))
        try workspace.succeed("sign letter.pdf --config config.toml")
        let signed = try workspace.text("letter.signed.pdf")
        #expect(!signed.contains("/ca 0.92"))
    }

    @Test func lettersWithoutAnyFontAreTold() throws {
        let workspace = try signingWorkspace()
        try workspace.write("none", to: "libharfbuzz.so.0")
        let told = try workspace.succeed(
            "sign letter.pdf --key key.pem --cert valid.pem --at 1:top",
            environment: ["LD_LIBRARY_PATH": workspace.folder.path])
        #expect(told.errors.contains("Helvetica") && told.errors.contains("libharfbuzz0b"))
    }
}
