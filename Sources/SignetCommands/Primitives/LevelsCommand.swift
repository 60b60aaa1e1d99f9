import ArgumentParser

/// `signet help levels`: explains signature levels, with commands to try.
struct LevelsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "levels", abstract: "Explain the levels of signatures.", shouldDisplay: false)

    static func canParse(_ arguments: [String]) -> Bool { arguments == ["help", "levels"] }

    func run() throws {
        try Reporter(options: .defaults()).result(
            String(decoding: PackageResources.levels_txt.dropLast(), as: UTF8.self))
    }
}
