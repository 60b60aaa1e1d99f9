import ArgumentParser
import SignetKit

struct CertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "Create certificates for tests and closed groups.",
        discussion: """
            Examples:
              signet cert create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.crt
            """, subcommands: [Create.self])

    struct Create: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "create",
            abstract: "Create a self-signed certificate or issue one for a CSR.",
            discussion: """
                For tests and closed groups: recipients must add the certificate to their trust \
                anchors. For other uses, get a certificate from a certification authority (CA).

                Examples:
                  signet cert create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.crt
                  signet cert create --key ca.pem --subject "CN=Our CA" --ca -o ca.crt
                  signet cert create --csr me.csr --accept-names \\
                      --issuer-cert ca.crt --issuer-key ca.pem -o me.crt
                """)

        @Option(
            "Private key; with --issuer-key, a public key is enough", value: "source",
            completion: Completion.keySources)
        var key: String?
        @Option(help: .alias) var alias: String?
        @Option("Certificate signing request (PKCS#10) to issue for", value: "file")
        var csr: String?
        @Option(name: .shortAndLong, "Output file (PEM)", value: "file")
        var output: String
        @Option(help: .subject)
        var subject: String?
        @Option(
            """
            Alternative names instead of those of the CSR: email:a@b,dns:x, also ip, uri, upn, rid, \
            dirname; or none
            """, value: "names")
        var san: [String] = []
        @Flag(help: "Include the subject and alternative names of the CSR")
        var acceptNames = false
        @Option(
            help: ArgumentHelp(
                "Validity in days (default: 825; with --ca 3650; at most until the issuer expires)")
        )
        var days: String?
        @Flag(help: "Create a CA certificate")
        var ca = false
        @Option("Issuer certificate", value: "file")
        var issuerCert: String?
        @Option("Issuer's private key", value: "source")
        var issuerKey: String?
        @Option(
            "Use of the certificate: signer, tsa, ocsp or ca (default: signer)", value: "name",
            completion: .list(CertificateProfile.names))
        var profile: String?
        @Option(
            "Hash algorithm of the signature (default: sha256)", value: "name",
            completion: .list(SigningOptions.Digest.names))
        var digest: String?
        @Option("Start of validity, RFC 3339 (default: now)", value: "rfc3339")
        var atTime: String?
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Signing service") var service: ServiceArguments
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "General") var messages: OutputOptions

        func validate() throws {
            if (key == nil) == (csr == nil) {
                throw ValidationError("Exactly one of --key and --csr is required.")
            }
            if (issuerCert == nil) != (issuerKey == nil) {
                throw ValidationError("--issuer-cert and --issuer-key require each other.")
            }
            if csr != nil && issuerKey == nil {
                throw ValidationError("--csr requires --issuer-cert and --issuer-key.")
            }
            if key != nil && subject == nil {
                throw ValidationError(
                    "The certificate requires a subject: add --subject \"CN=...\".")
            }
            if acceptNames && (csr == nil || !san.isEmpty) {
                throw ValidationError(
                    "--accept-names requires --csr, and cannot be combined with --san.")
            }
            let profile: CertificateProfile? = try Value.parse(profile, "--profile")
            if ca, let profile, profile != .ca {
                throw ValidationError("--ca contradicts --profile \(profile.rawValue).")
            }
            _ = try validity()
            let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        }

        /// The validity period, up to 36,500 days; nil for the default.
        private func validity() throws -> Duration? {
            try Value.number(days, "--days", in: 1...36_500).map { .seconds($0 * 86_400) }
        }

        func run(_ reporter: Reporter) throws {
            let named: CertificateProfile? = try Value.parse(profile, "--profile")
            let chosen = ca ? .ca : named ?? .signer
            var task = CreateCertificate(profile: chosen)
            task.subject = subject
            task.validity = try validity()
            if acceptNames {
                task.alternativeNames = .asRequested
            } else if !san.isEmpty {
                task.alternativeNames = .given(
                    san == ["none"] ? [] : san.flatMap(AlternativeNameList.split))
            }
            task.digest = try Value.parse(digest, "--digest")
            task.service = try service.options(alias: alias)
            task.notBefore = try atTime.map { try TimeArgument.moment($0) }
            if let issuerCert, let issuerKey {
                task.issuer = CreateCertificate.Issuer(
                    certificateFile: issuerCert, keyFile: issuerKey,
                    passphrase: passphrase.source(for: issuerKey))
            }
            let made = try task.run(
                certifying: key.map {
                    .key(file: $0, passphrase: passphrase.source(for: $0))
                } ?? .request(file: csr ?? ""),
                into: replace.destination(output))
            let names = made.alternativeNames.joined(separator: ", ")
            let kind = issuerCert == nil ? "self-signed certificate" : "certificate"
            try reporter.made(
                output,
                "created \(kind) for \(made.displayName) (valid until \(made.notAfter.day)"
                    + (names.isEmpty ? ")" : ", alternative names: \(names))"), json: made)
            reporter.warnings(made.warnings, of: output)
        }
    }
}
