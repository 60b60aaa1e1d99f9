import FileBridge
import SignetKit

extension KeyOptions {
    /// Reads the key and its certificates.
    func credential() throws -> SigningCredential {
        try SigningCredential(
            keyFile: key, certificateFile: cert, chainFiles: chain,
            passphrase: passphrase.source(for: key))
    }
}

extension PassphraseOptions {
    /// The source that the options name; without any, the terminal.
    ///
    /// - Parameter confirming: a new passphrase is asked for twice.
    func source(confirming: Bool = false, for path: String) -> PassphraseSource {
        if let passphraseFile { return .file(passphraseFile) }
        if let passphraseEnv { return .environment(passphraseEnv) }
        return .ask {
            let first = try Self.ask("Passphrase for \(Reporter.printable(path)): ")
            guard confirming else { return first }
            let second = try Self.ask("The same again: ")
            guard first.isEqual(to: second) else {
                throw SignetError(
                    .credentialRefused, "the two passphrases differ", hint: "try again")
            }
            return first
        }
    }

    private static func ask(_ prompt: String) throws -> Passphrase {
        guard let bytes = Terminal.readSecret(prompt: prompt) else {
            throw SignetError(
                .credentialRefused, "a passphrase is needed, and there is no terminal to ask on",
                hint: "use --passphrase-file FILE or --passphrase-env NAME")
        }
        return Passphrase(bytes)
    }
}

/// Times on the command line.
enum TimeArgument {
    /// Seconds since 1970 of an RFC 3339 time.
    static func seconds(_ text: String) throws -> Int {
        guard let seconds = RFC3339.seconds(text) else {
            throw SignetError(
                .usage, "'\(text)' is not a time", hint: "write it like 2026-11-21T10:00:00Z")
        }
        return seconds
    }
}
