import ArgumentParser
import SignetKit
import SystemBridge

extension KeyOptions {
    /// Reads the key and its certificates.
    ///
    /// - Parameter service: connection to an external key.
    func credential(_ service: ServiceArguments) throws -> SigningCredential {
        guard let key else {
            return try IdentityStore().credential(
                identity, chainFiles: chain, service: service.options()
            ) {
                passphrase.source(for: $0)
            }
        }
        do {
            return try SigningCredential(
                keyFile: key, certificateFile: cert, chainFiles: chain,
                passphrase: passphrase.source(for: key), service: service.options(alias: alias))
        } catch let error as SignetError where error.code == .missingInput && error.file == key {
            let prefix = ["env:", "$", "file:"].first(where: key.hasPrefix) ?? ""
            let name = String(key.dropFirst(prefix.count))
            if prefix == "file:" {
                throw SignetError(
                    error.code, file: key, error.message,
                    hint: "for a file, use --key \(ShellWord.quoted(name))")
            }
            if name != key || ProcessEnvironment.string(name) != nil {
                throw SignetError(
                    error.code, file: key, error.message,
                    hint: "use --key - with standard input: printenv \(name) | signet ... --key -")
            }
            if ["token=", "object="].contains(where: key.hasPrefix) {
                throw SignetError(
                    error.code, file: key, error.message,
                    hint: "for a key on a token: --key \(ShellWord.quoted("pkcs11:" + key))")
            }
            guard (try? IdentityStore().show(key)) != nil else { throw error }
            throw SignetError(
                error.code, file: key, error.message,
                hint: "for the stored identity, use --identity \(ShellWord.quoted(key))")
        }
    }

    /// Reads the signing certificate and its chain. Opens the key only if no certificate can be
    /// read without it.
    func certificateAlone(_ service: ServiceArguments) throws -> SigningCredential {
        if let cert { return try SigningCredential(certificateFile: cert, chainFiles: chain) }
        guard let key else {
            return try IdentityStore().certificateAlone(identity, chainFiles: chain)
        }
        // A PEM file may contain the key and the certificate.
        let found = try? SigningCredential(certificateFile: key, chainFiles: chain)
        return try found ?? credential(service)
    }
}

extension PassphraseOptions {
    /// The passphrase from the option's file or variable, otherwise from the terminal.
    ///
    /// - Parameter confirming: whether a new passphrase is entered twice.
    func source(confirming: Bool = false, for path: String) -> PassphraseSource {
        Self.source(
            file: passphraseFile, environment: passphraseEnv, confirming: confirming, for: path,
            options: "--passphrase-file FILE or --passphrase-env NAME")
    }

    /// - Parameter options: options to suggest without a terminal.
    static func source(
        file: String?, environment: String?, confirming: Bool, for path: String, options: String
    ) -> PassphraseSource {
        if let file { return .file(file) }
        if let environment { return .environment(environment) }
        guard confirming else {
            return .person { question in
                try ask(
                    (question?.prompt).map(Reporter.printable)
                        ?? "Passphrase for \(Reporter.printable(path)): ", options,
                    for: question?.noun ?? "a passphrase")
            }
        }
        return .ask {
            let options = options + ", or --no-passphrase"
            let first = try ask(
                "New passphrase for \(Reporter.printable(path)): ", options,
                for: "a new passphrase")
            let second = try ask("Repeat: ", options, for: "the repeated passphrase")
            guard first.isEqual(to: second) else {
                throw SignetError(
                    .credentialRefused, "the two passphrases differ", hint: "try again")
            }
            return first
        }
    }

    private static func ask(
        _ prompt: String, _ options: String, for secret: String = "a passphrase"
    ) throws -> Passphrase {
        guard let bytes = Terminal.readSecret(prompt: prompt) else {
            let why = Terminal.canAsk ? "none was entered" : "there is no terminal to ask for it"
            throw SignetError(
                .credentialRefused, "\(secret) is required, but \(why)", hint: "use \(options)")
        }
        return Passphrase(bytes)
    }
}

extension PasswordOptions {
    /// The password from the option's file or variable, otherwise from the terminal. All inputs
    /// share it.
    ///
    /// - Parameter signer: decrypts documents encrypted for its certificate if no other key is
    ///   named.
    func source(signer: SigningCredential? = nil) -> DocumentPassword {
        let recipient = recipient ?? signer.flatMap { DocumentRecipient($0) }
        if let passwordFile { return DocumentPassword(.file(passwordFile), recipient: recipient) }
        if let passwordEnv {
            return DocumentPassword(.environment(passwordEnv), recipient: recipient)
        }
        return DocumentPassword(recipient: recipient) { path in
            let prompt = "Password of \(Reporter.printable(path)): "
            guard let bytes = Terminal.readSecret(prompt: prompt) else {
                throw SignetError(
                    .credentialRefused, file: path,
                    "the document is encrypted, and there is no terminal to ask for the password",
                    hint: "use --password-file FILE or --password-env NAME")
            }
            return Passphrase(bytes)
        }
    }

    private var recipient: DocumentRecipient? {
        decryptKey.map { key in
            DocumentRecipient(
                keyFile: key, certificateFile: decryptCert,
                passphrase: PassphraseOptions.source(
                    file: decryptPassphraseFile, environment: decryptPassphraseEnv,
                    confirming: false, for: key,
                    options: "--decrypt-passphrase-file FILE or --decrypt-passphrase-env NAME"))
        }
    }
}

/// Times on the command line.
enum TimeArgument {
    /// An RFC 3339 time.
    static func moment(_ text: String) throws -> Moment {
        guard let moment = Moment(rfc3339: text) else {
            throw SignetError(
                .usage, "'\(text)' is not an RFC 3339 time", hint: "use \(example)")
        }
        return moment
    }

    /// A validation time: the end of the day for a date without a time.
    static func validationTime(_ text: String) throws -> Moment {
        try moment(text.count == 10 ? text + "T23:59:59Z" : text)
    }

    /// Checks a time during parsing, with an error of ArgumentParser.
    static func check(_ text: String?, option: String) throws {
        guard let text, Moment(rfc3339: text) == nil else { return }
        throw ValidationError(
            "The value '\(text)' is invalid for '\(option)': expected \(example)."
        )
    }

    private static let example =
        "a date such as 2026-11-21, or a time such as 2026-11-21T10:00:00Z"
}
