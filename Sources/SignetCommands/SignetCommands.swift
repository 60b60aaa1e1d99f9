package import ArgumentParser

/// The `signet` command and its subcommands.
package struct Signet: ParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "signet", abstract: "Sign documents, and check what others signed.",
        version: "0.1.0")
    package init() {}
}
