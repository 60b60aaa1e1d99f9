import ArgumentParser
import SignetKit

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Settings kept in a file.",
        discussion: """
            What would have to be typed each time stands in $XDG_CONFIG_HOME/signet/config.toml:

              identity = "work"
              tsa = ["https://tsa.example/ts"]
              [stamp]
              at = "last:bottom-right"
              [profile.company]
              key = "~/keys/company.p12"
              passphrase-file = "~/keys/company.pass"

            Options that are typed come first, then the settings of --profile NAME (or \
            SIGNET_PROFILE), then the others. --config FILE, or SIGNET_CONFIG, names another file.

            What can be set, each what the option of its name says (stamp.at: --at, under [stamp]):

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
            commandName: "show", abstract: "Say what is set, and where.",
            discussion: """
                Examples:
                  signet config show
                  signet config show --profile company --json
                """ + ExitStatus.help(.making))
        @OptionGroup(title: "Settings") var settings: SettingsOptions
        @OptionGroup(title: "Messages") var messages: OutputOptions

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
                found.file.map { "from \($0)" } ?? "nothing is set: there is no file"
                    + (Settings.usualFile.map { " \($0)" } ?? "")
                    + "; what can be set: signet help config")
            try reporter.result(json: found)
        }
    }
}
