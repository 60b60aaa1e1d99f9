/// `signet help TOPIC`, for topics that are plain text.
enum HelpTopic: String, CaseIterable {
    case levels
    case exitCodes = "exit-codes"

    init?(_ arguments: [String]) {
        guard arguments.count == 2, arguments[0] == "help" else { return nil }
        self.init(rawValue: arguments[1])
    }

    var text: String {
        switch self {
        case .levels: EmbeddedFile.text("levels.txt")
        case .exitCodes: ExitStatus.help
        }
    }
}
