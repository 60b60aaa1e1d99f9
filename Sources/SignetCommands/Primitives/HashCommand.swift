import ArgumentParser
import SignetKit

struct HashCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hash", abstract: "Hash files, sign hashes and verify raw signatures.",
        discussion: """
            Examples:
              signet hash digest contract.pdf
              signet hash sign contract.hash --input hash --key me.pem -o contract.sig
              signet hash verify contract.pdf --signature contract.sig --cert me.crt
            """,
        subcommands: [HashDigestCommand.self, HashSignCommand.self, HashVerifyCommand.self])
}

struct HashDigestCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "digest", abstract: "Print the hashes of files.",
        discussion: """
            Prints one line per file, in the format of sha256sum.

            Examples:
              signet hash digest contract.pdf
              signet hash digest --digest sha512 --encoding base64 ./*.pdf
            """)

    @Argument(help: ArgumentHelp("Files to hash", valueName: "file"), completion: .file())
    var inputs: [String] = []
    @Option(
        "sha256, sha384, sha512, sha3-256, sha3-384, sha3-512 or sha1 (default: sha256)",
        value: "name", completion: .list(HashOptions.Digest.names))
    var digest: String?
    @Option("hex or base64 (default: hex)", value: "name", completion: .list(["hex", "base64"]))
    var encoding: String?
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        try batch.requireInputs(inputs)
        let _: HashOptions.Digest? = try Value.parse(digest, "--digest")
        let encoding: HashOptions.Encoding? = try Value.parse(encoding, "--encoding")
        if encoding == .raw {
            throw ValidationError("The value 'raw' is invalid for '--encoding'.")
        }
    }

    func run(_: Reporter) throws {
        let task = DigestFile(
            digest: try Value.parse(digest, "--digest") ?? .sha256,
            encoding: try Value.parse(encoding, "--encoding") ?? .hex)
        let selected = try batch.selected(inputs, patterns: ["*"])
        var many = Batch("hashed", selected.map(\.path), messages)
        try many.configure(batch, command: "hash digest", named: inputs, makes: .answers)
        try many.run { _ in
            nil
        } work: { input, _ in
            try task.run(.file(input))
        } report: { input, made, reporter in
            reporter.warnings(made.warnings, of: input)
            try reporter.result("\(made.value)  \(Reporter.printable(input))")
            try reporter.result(json: made)
            return .done
        }
    }
}

/// Options common to signing and verifying a hash.
struct HashSignatureOptions: ParsableArguments {
    @Option(
        "sha256, sha384, sha512, sha3-256, sha3-384, sha3-512 or sha1 (default: sha256)",
        value: "name", completion: .list(HashOptions.Digest.names))
    var digest: String?
    @Option(
        "Type of FILE: data, hash (raw, hex or base64) or hash-list (one per line) (default: data)",
        value: "kind", completion: .list(HashOptions.Input.names))
    var input: String?
    @Option(
        """
        Encoding of the signature: raw, base64 or hex (default: raw; hash lists: base64; verify \
        detects it)
        """, value: "name", completion: .list(HashOptions.Encoding.names))
    var encoding: String?
    @OptionGroup var padding: PaddingOptions
    @Option(
        "ECDSA and DSA format: der or p1363 (r and s) (default: der)", value: "form",
        completion: .list(HashOptions.Form.names))
    var form: String?

    func validate() throws { _ = try options() }

    func options() throws -> HashOptions {
        var options = HashOptions()
        options.digest = try Value.parse(digest, "--digest")
        options.input = try Value.parse(input, "--input") ?? .data
        options.encoding = try Value.parse(encoding, "--encoding")
        options.padding = try padding.choice()
        options.form = try Value.parse(form, "--form") ?? .der
        return options
    }
}

struct HashSignCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Create raw signature values.",
        discussion: """
            For services that prepare a document and need only a signed hash. Writes the signature \
            value: RSA (PKCS#1 v1.5 or PSS), ECDSA, DSA, Ed25519 or ML-DSA. Ed25519 and ML-DSA sign \
            the data itself, up to 256 MiB, not a hash.

            Examples:
              signet hash sign contract.pdf --key me.pem -o contract.sig
              signet hash sign to-sign.txt --input hash --key me.p12 --encoding base64 -o -
              signet hash sign hashes.txt --input hash-list --key me.pem -o signatures.txt
            """)

    @Argument(
        help: ArgumentHelp("Files with data or hashes to sign", valueName: "file"),
        completion: .file())
    var inputs: [String] = []
    @Option(
        help: KeyOptions.shortHelp,
        completion: Completion.keySources)
    var key: String
    @OptionGroup var choice: KeyChoiceOptions
    @OptionGroup var passphrase: PassphraseOptions
    @OptionGroup(title: "Signing service") var service: ServiceArguments
    @Option(
        name: .shortAndLong,
        "Output file, or folder for several inputs (default: FILE.sig)", value: "path")
    var output: String?
    @OptionGroup var signature: HashSignatureOptions
    @OptionGroup var replace: ReplaceOptions
    @OptionGroup(title: "Batch") var batch: BatchOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws { try batch.requireInputs(inputs) }

    func run(_: Reporter) throws {
        let selected = try batch.selected(
            inputs, patterns: ["*"], outputSuffix: ".sig", output: output)
        let destinations = OutputNaming(
            output: output, suffix: ".sig", dropping: [], for: selected, isBatch: batch.isBatch
        ).replacing(replace.force)
        var many = Batch("signed", selected.map(\.path), messages)
        let mayBeDone = batch.journal != nil
        try many.requireWork { mayBeDone ? nil : try destinations.destination(for: $0) }
        let task = try SignHash(
            keyFile: key, passphrase: passphrase.source(for: key), options: signature.options(),
            service: choice.options(service))
        try OutputNaming.plan(many.inputs) { _ in destinations }
        many.replaces = replace.force
        // For a hash list, the task itself requests the authorization of all its signatures.
        if try signature.options().input != .hashList { many.consent = task.consent }
        try many.configure(batch, command: "hash sign", named: inputs)
        try many.run { input in
            try destinations.destination(for: input)
        } passes: { input, destination in
            try task.passes(.file(input), into: destination ?? Destination(path: "-"))
        } report: { input, made, reporter in
            reporter.warnings(made.warnings, of: input)
            let kind = [made.algorithm, made.digest].compactMap { $0 }.joined(separator: ", ")
            let what =
                made.signatures == 1 ? "\(kind) signature" : "\(made.signatures) \(kind) signatures"
            try reporter.made(made.output, what, json: made)
            return .done
        }
    }
}

struct HashVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Verify a raw signature.",
        discussion: """
            Exit code 0: the signature matches the file and the key. 4: it does not match. The \
            certificate is not validated.

            Examples:
              signet hash verify contract.pdf --signature contract.sig --cert me.crt
              signet hash verify hash.txt --input hash --signature s.b64 --public-key me.pub
            """)

    @Argument(help: "Signed file with data or hashes", completion: .file())
    var file: String
    @Option("Signature file", value: "file")
    var signature: String
    @Option("Public key of the signer (PEM or DER)", value: "file")
    var publicKey: String?
    @Option("Signing certificate (PEM or DER)", value: "file")
    var cert: String?
    @OptionGroup var method: HashSignatureOptions
    @OptionGroup(title: "General") var messages: OutputOptions

    func validate() throws {
        if (publicKey == nil) == (cert == nil) {
            throw ValidationError("Exactly one of --public-key and --cert is required.")
        }
    }

    func run() throws {
        try Reporter.handleAll([file], messages) { input, reporter in
            let source: VerifyHash.Source =
                publicKey.map { .publicKey(file: $0) } ?? .certificate(file: cert ?? "")
            let found = try VerifyHash(source, options: method.options())
                .run(.file(input), signature: .file(signature))
            reporter.warnings(found.warnings, of: input)
            let kind = [found.algorithm, found.digest].compactMap { $0 }.joined(separator: ", ")
            let isGood = found.verdict == .passed
            var answer = StyledText("\(input): ")
            answer.append(isGood ? "passed" : "FAILED", isGood ? .good : .bad)
            let reason = found.reason ?? "the signature does not match this file and key"
            answer.append(" (\(kind))" + (isGood ? "" : ": \(reason)"))
            try reporter.result(answer)
            if !isGood, found.reason == nil {
                let isRSA = found.algorithm == "rsa-pkcs1"
                reporter.hint(
                    "for a signature of another method, add --digest"
                        + (isRSA ? " or --padding pss" : "")
                        + "; for a file with a hash, --input hash")
            }
            try reporter.result(json: found)
            return isGood ? .done : .invalid
        }
    }
}

extension HashOptions.Digest: OptionValue {}
extension HashOptions.Input: OptionValue {}
extension HashOptions.Encoding: OptionValue {}
extension HashOptions.Form: OptionValue {}
