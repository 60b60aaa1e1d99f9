import ArgumentParser
import SignetKit

struct ShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract:
            "Display a PDF, container, key, certificate or timestamp.",
        discussion: """
            Examples:
              signet show contract.pdf
              signet show me.crt --json
              signet show order.p7m
              signet show photo.jpg
              signet show me.pem --passphrase-file pass.txt
              signet show pkcs11:token=Jan                # same as: signet key list
            """)

    @Argument(help: ArgumentHelp("Files to display", valueName: "file"), completion: .file())
    var inputs: [String]
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Encrypted PDFs") var password: PasswordOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func run() throws {
        let documentPassword = password.source()
        try Reporter.handleAll(inputs, messages) { input, reporter in
            if ListKeys.canParse(input) {
                try KeyListCommand.show(
                    try ListKeys().run(input, passphrase: passphrase.source(for: "the token")),
                    to: reporter)
                return .done
            }
            let artefacts = try ShowFile(
                passphrase: passphrase.source(for: input), password: documentPassword
            ).run(.file(input))
            for artefact in artefacts { try reporter.artefact(artefact) }
            return .done
        }
    }
}

extension Reporter {
    func artefact(_ artefact: ShownArtefact) throws {
        try result(ArtefactText().lines(artefact).joined(separator: "\n"))
        try result(json: artefact)
    }
}
