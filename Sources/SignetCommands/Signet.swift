package import ArgumentParser

/// The `signet` command.
package struct Signet: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "signet",
        abstract: "Sign documents, and check what others signed.",
        discussion: """
            A PDF gets a PAdES signature inside the file, which every PDF reader shows.

            Examples:
              signet key generate -o me.pem
              signet cert create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.crt
              signet sign contract.pdf --key me.pem --cert me.crt
              signet verify contract.signed.pdf --trust me.crt

            Exit codes:
              0   done; for verify: every signature passed
              3   indeterminate: intact, but trust or time could not be established
              4   invalid: at least one signature failed
              5   nothing to verify: no signature in the file
              64  usage
              65  input malformed
              66  input missing or unreadable
              70  internal error (a bug)
              73  output cannot be created (exists without --force, folder missing)
              74  input/output error (disk full)
              77  credential refused (passphrase, key, certificate; no terminal to ask on)
            """,
        version: "0.1.0",
        groupedSubcommands: [
            CommandGroup(
                name: "Documents",
                subcommands: [SignCommand.self, VerifyCommand.self, ShowCommand.self]),
            CommandGroup(
                name: "Keys and certificates", subcommands: [KeyCommand.self, CertCommand.self]),
        ])

    package init() {}
}

extension Signet {
    /// Parses the arguments, runs the command, and ends the process with its exit code.
    package static func start() -> Never {
        do {
            var command = try parseAsRoot()
            try command.run()
            exit(withError: nil)
        } catch let outcome as ExitStatus {
            exit(withError: ExitCode(outcome.rawValue))
        } catch {
            exit(withError: error)
        }
    }
}
