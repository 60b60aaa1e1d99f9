import ArgumentParser
import SignetKit

struct DoctorCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "List installed libraries, viewers, fonts, tokens and trust stores.",
        discussion: """
            Shows version, commit and compiler of Signet, the version of each part, what it is \
            for, and the package of each missing part. Works offline.

            Examples:
              signet doctor
              signet doctor --json
            """)

    @OptionGroup(title: "General") var messages: OutputOptions

    func run(_ reporter: Reporter) throws {
        let installation = CheckInstallation(BuildText.build).run()
        for line in BuildText.text(installation.signet).split(separator: "\n") {
            try reporter.line(String(line))
        }
        var kind: Installation.Kind?
        for part in installation.parts {
            if part.kind != kind { try reporter.result("\n\(part.kind.title)") }
            kind = part.kind
            try reporter.line(Self.text(part))
        }
        try reporter.result(json: installation)
    }

    private static func text(_ part: Installation.Part) -> String {
        let state = part.found ? part.version ?? "found" : "missing"
        let place = part.place.map { " (\($0))" } ?? ""
        let package = part.package.map { "; to install it: apt install \($0)" } ?? ""
        return "  " + part.name.padding(to: 28) + state.padding(to: 12)
            + part.purpose.text + (part.found ? place : package)
    }
}

extension Installation.Kind {
    fileprivate var title: String {
        switch self {
        case .library: "Libraries"
        case .program: "Programs"
        case .font: "Fonts"
        case .token: "Tokens"
        case .tokenModule: "PKCS#11 modules"
        case .keyProgram: "Programs for keys"
        case .trustStore: "Trust stores"
        case .trustedLists: "Trusted lists"
        }
    }
}
