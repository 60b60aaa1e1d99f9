import ArgumentParser
import SignetKit

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Display settings, profiles and their sources.",
        discussion: """
            Settings in $XDG_CONFIG_HOME/signet/config.toml are defaults for options:

              identity = "work"
              tsa = ["https://tsa.example/ts"]
              [stamp]
              at = "last:bottom-right"
              [profile.company]
              key = "~/keys/company.p12"
              passphrase-file = "~/keys/company.pass"

            Options on the command line have priority, then the settings of --profile NAME (or \
            SIGNET_PROFILE), then all others. --config FILE (or SIGNET_CONFIG) uses another file.

            Settings, named like their options (stamp.at is --at, in the section [stamp]):

            """ + allKeys + """


                Examples:
                  signet config show
                  signet sign contract.pdf --profile company
                """, subcommands: [Show.self])

    /// All keys, four per line.
    private static var allKeys: String {
        let keys = Settings.Key.allCases.map(\.rawValue)
        let width = (keys.map(\.count).max() ?? 0) + 2
        return stride(from: 0, to: keys.count, by: 4).map { start in
            "  "
                + keys[start..<min(start + 4, keys.count)].map {
                    $0.padding(to: width)
                }.joined()
        }.joined(separator: "\n")
    }

    struct Show: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Display the settings and their sources.",
            discussion: """
                Examples:
                  signet config show
                  signet config show --profile company --json
                """)
        @OptionGroup(title: "General") var settings: SettingsOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        func run(_ reporter: Reporter) throws {
            let found = try Settings(file: settings.config, profile: settings.profile)
            let width = found.settings.map(\.key.rawValue.count).max() ?? 0
            for setting in found.settings {
                let name = setting.key.rawValue
                let from = setting.profile.map { " (profile \($0))" } ?? ""
                try reporter.line(
                    name.padding(to: width) + " = " + setting.values.joined(separator: ", ")
                        + "    line \(setting.line)\(from)")
            }
            try reporter.line(
                found.file.map { "from \($0)" } ?? "no settings: the file"
                    + (Settings.usualFile.map { " \($0)" } ?? "")
                    + " does not exist; see: signet help config")
            try reporter.result(json: found)
        }
    }
}
