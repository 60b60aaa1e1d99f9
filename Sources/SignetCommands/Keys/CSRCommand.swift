import ArgumentParser
import SignetKit

struct CSRCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "csr", abstract: "Create and verify certificate signing requests (PKCS#10).",
        discussion: """
            Examples:
              signet csr create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.csr
              signet csr verify me.csr
            """, subcommands: [CSRCreateCommand.self, CSRVerifyCommand.self])
}

struct CSRCreateCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a certificate signing request (CSR).",
        discussion: """
            By default the CSR requests a certificate for document signing: key usage \
            digitalSignature and nonRepudiation, extended key usage documentSigning.

            Examples:
              signet csr create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.csr
              signet csr create --new-key ec:P-256 --key-out me.pem \\
                --subject "CN=Jan Novák" --san email:jan@firma.cz -o me.csr
              signet csr create --key me.pem --subject "CN=Jan+serialNumber=1" \\
                --extended-key-usage emailProtection,clientAuth --der -o me.csr
            """)

    @Option(
        help: KeyOptions.shortHelp,
        completion: Completion.keySources)
    var key: String?
    @OptionGroup var choice: KeyChoiceOptions
    @Option(
        "Generate a key of this type (see key generate)", value: "type",
        completion: Completion.keyTypes)
    var newKey: String?
    @Option("Output file for the new key", value: "file")
    var keyOut: String?
    @OptionGroup var protection: NewKeyProtectionOptions
    @OptionGroup(title: "Signing service") var service: ServiceArguments
    @Option(name: .shortAndLong, "Output file for the CSR", value: "file")
    var output: String
    @Option(help: .subject)
    var subject: String?
    @OptionGroup var request: RequestOptions
    @Flag(help: "Write DER instead of PEM")
    var der = false
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        if (key == nil) == (newKey == nil) {
            throw ValidationError("Exactly one of --key and --new-key is required.")
        }
        if newKey != nil, keyOut == nil {
            throw ValidationError("--new-key requires --key-out FILE.")
        }
        if keyOut != nil, newKey == nil { throw ValidationError("--key-out requires --new-key.") }
        if protection.noPassphrase && newKey == nil {
            throw ValidationError("--no-passphrase requires --new-key.")
        }
    }

    func run(_ reporter: Reporter) throws {
        var task = try request.task(subject: subject)
        task.writesDER = der
        task.service = try choice.options(service)
        let made = try task.run(for: source(), into: replace.destination(output))
        if let keyOut, output != "-" {
            let state = protection.noPassphrase ? "not encrypted" : "encrypted"
            try reporter.line("\(keyOut): created private key (\(made.algorithm), \(state))")
        }
        try reporter.made(
            output,
            "created certificate signing request for \(made.displayName) (\(made.algorithm))",
            json: made)
        reporter.warnings(made.warnings, of: output)
        if let warning = request.usageWarning(subject: subject) {
            reporter.warning("\(output): \(warning)")
        }
    }

    private func source() -> CreateRequest.Key {
        if let newKey, let keyOut {
            return .new(
                type: newKey, destination: replace.destination(keyOut),
                passphrase: protection.source(for: keyOut))
        }
        let file = key ?? ""
        return .existing(file: file, passphrase: protection.passphrase.source(for: file))
    }
}

struct CSRVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify the signatures of certificate signing requests.",
        discussion: """
            Exit code 0: the CSR is signed with the private key of its public key. 4: it is not.

            Examples:
              signet csr verify me.csr
              signet csr verify --json *.csr
            """)

    @Argument(help: ArgumentHelp("CSRs (PEM or DER)", valueName: "file"), completion: .file())
    var inputs: [String]
    @OptionGroup(title: "General") var messages: OutputOptions

    func run() throws {
        try Reporter.handleAll(inputs, messages) { input, reporter in
            let request = try VerifyRequest().run(.file(input))
            reporter.warnings(request.warnings, of: input)
            let isGood = request.verified == true
            var answer = StyledText("\(input): ")
            answer.append(isGood ? "passed" : "FAILED", isGood ? .good : .bad)
            answer.append(isGood ? "" : ": the signature does not match the public key")
            answer.append(", \(request.subject), \(request.algorithm)")
            try reporter.result(answer)
            try reporter.result(json: request)
            return isGood ? .done : .invalid
        }
    }
}

/// Contents of a certificate signing request.
struct RequestOptions: ParsableArguments {
    @Option(
        "Alternative names (email, dns, ip, uri, upn, rid, dirname): email:a@b,dns:x; may be repeated",
        value: "names")
    var san: [String] = []
    @Option("Key usages to request (default: digitalSignature,nonRepudiation)", value: "names")
    var keyUsage: String?
    @Option(
        "Extended key usages to request, names or OIDs (default: documentSigning)",
        value: "names")
    var extendedKeyUsage: String?
    @Option(
        "Key usages and extended key usages to request, in one list",
        value: "names")
    var usage: String?
    @Option(
        "Hash algorithm of the CSR signature (default: sha256)", value: "name",
        completion: .list(SigningOptions.Digest.names))
    var digest: String?
    @OptionGroup var padding: PaddingOptions

    func validate() throws {
        let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        _ = try padding.choice()
        if usage != nil && (keyUsage ?? extendedKeyUsage) != nil {
            throw ValidationError(
                "--usage cannot be combined with --key-usage or --extended-key-usage.")
        }
    }

    /// The consequence of requesting a certificate for a server with the default usages or without
    /// its name; nil if it is for a person or an organization.
    func usageWarning(subject: String?) -> String? {
        let names = san.flatMap(AlternativeNameList.split).map { $0.lowercased() }
        // A wildcard, or a name with at least two periods.
        let host = /CN *= *(?<name>(\*|[a-z0-9-]+)(\.[a-z0-9-]+)*\.[a-z0-9-]+\.[a-z]{2,}) *(,|$)/
        if names.isEmpty, (usage ?? keyUsage ?? extendedKeyUsage) == nil,
            let name = subject?.firstMatch(of: host)?.output.name
        {
            return
                "the CN is a host name, but the CSR requests usages for signing documents; for a "
                + "server certificate, add --san 'dns:\(name)' --usage digitalSignature,serverAuth"
        }
        let hasServerName = names.contains { $0.hasPrefix("dns:") || $0.hasPrefix("ip:") }
        if isForServer && !hasServerName {
            return "the CSR requests no server name, and browsers ignore the CN: add --san dns:NAME"
        }
        guard (usage ?? keyUsage ?? extendedKeyUsage) == nil, hasServerName else { return nil }
        return "the CSR requests usages for signing documents; for a server certificate, add "
            + "--usage digitalSignature,serverAuth (for an RSA key also keyEncipherment)"
    }

    /// The options of the request of a server, as far as they are given.
    var serverWords: [String] {
        let usages = [
            ("--usage", usage), ("--key-usage", keyUsage),
            ("--extended-key-usage", extendedKeyUsage),
        ].flatMap { name, value in value.map { [name, $0] } ?? [] }
        return (usages.isEmpty ? ["--usage", "digitalSignature,serverAuth"] : usages)
            + (san.isEmpty ? ["dns:NAME"] : san).flatMap { ["--san", $0] }
    }

    /// Whether a certificate with the requested usages cannot sign documents.
    var isForServer: Bool {
        let names = [usage, extendedKeyUsage].compactMap(\.self).flatMap(Self.list)
        return names.contains("serverAuth")
            && !names.contains("documentSigning") && !names.contains("emailProtection")
    }

    func task(subject: String?) throws -> CreateRequest {
        var task = CreateRequest()
        task.subject = subject ?? ""
        task.alternativeNames = san.flatMap(AlternativeNameList.split)
        task.keyUsage = keyUsage.map(Self.list)
        task.extendedKeyUsage = extendedKeyUsage.map(Self.list)
        if let usage { task.setUsages(Self.list(usage)) }
        // nonRepudiation is for signers of documents.
        if isForServer, task.keyUsage == nil { task.keyUsage = ["digitalSignature"] }
        task.digest = try Value.parse(digest, "--digest")
        task.padding = try padding.choice()
        return task
    }

    private static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { String($0.trimmed) }
    }
}

extension Substring {
    /// The text without spaces at both ends.
    var trimmed: Substring {
        var rest = drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        return rest
    }
}
