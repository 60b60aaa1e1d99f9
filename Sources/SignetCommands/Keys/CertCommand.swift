import ArgumentParser
import SignetKit

struct CertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cert", abstract: "Make certificates for tests and closed groups.",
        discussion: """
            Examples:
              signet cert create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.crt
            """, subcommands: [Create.self])

    struct Create: ReportingCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Create a certificate, self-signed or issued.",
            discussion: """
                For tests and closed groups: others trust such a certificate only when they are \
                given it. A certificate that everyone trusts comes from a certification authority.

                Examples:
                  signet cert create --key me.pem --subject "CN=Jan Novák,C=CZ" -o me.crt
                  signet cert create --key ca.pem --subject "CN=Our CA" --ca -o ca.crt
                  signet cert create --csr me.csr --accept-names \\
                      --issuer-cert ca.crt --issuer-key ca.pem -o me.crt
                """ + ExitStatus.help(.making))

        @Option(
            "The key to certify: private, or with an issuer also public.", value: "source",
            completion: Completion.keySources)
        var key: String?
        @Option("The PKCS#10 request to answer.", value: "file")
        var csr: String?
        @Option(name: .shortAndLong, "Where the certificate goes (PEM).", value: "file")
        var output: String
        @Option(help: .subject)
        var subject: String?
        @Option(
            """
            Alternative names to certify, instead of what the request asks for: \
            email:a@b,dns:x,ip:1.2.3.4,uri:...; repeatable; none for none.
            """, value: "names")
        var san: [String] = []
        @Flag(help: "Certify the names that the request asks for, also those in its subject.")
        var acceptNames = false
        @Option(
            help: ArgumentHelp(
                "Days that it is valid (default: 825, with --ca 3650, and no longer than the "
                    + "issuer's own)."))
        var days: String?
        @Flag(help: "A certification authority's certificate.")
        var ca = false
        @Option("The issuer's certificate.", value: "file")
        var issuerCert: String?
        @Option("The issuer's private key.", value: "source")
        var issuerKey: String?
        @Option(
            "What it is for: signer, tsa, ocsp or ca (default: signer).", value: "name",
            completion: .list(CertificateProfile.names))
        var profile: String?
        @Option(
            "The hash algorithm of the issuer's signature (default: sha256).", value: "name",
            completion: .list(SigningOptions.Digest.names))
        var digest: String?
        @Option("Begin of validity (default: now).", value: "rfc3339")
        var atTime: String?
        @OptionGroup var passphrase: PassphraseOptions
        @OptionGroup(title: "Keys at services") var service: ServiceArguments
        @OptionGroup var replace: ReplaceOptions
        @OptionGroup(title: "Messages") var messages: OutputOptions

        func validate() throws {
            if (key == nil) == (csr == nil) {
                throw ValidationError("Give the key to certify (--key) or a request (--csr).")
            }
            if (issuerCert == nil) != (issuerKey == nil) {
                throw ValidationError("--issuer-cert and --issuer-key belong together.")
            }
            if csr != nil && issuerKey == nil {
                throw ValidationError("A request needs --issuer-cert and --issuer-key.")
            }
            if key != nil && subject == nil {
                throw ValidationError("Give the name in the certificate: --subject \"CN=...\".")
            }
            if acceptNames && (csr == nil || !san.isEmpty) {
                throw ValidationError(
                    "--accept-names takes the names of a request (--csr), not together with --san.")
            }
            let profile: CertificateProfile? = try Value.parse(profile, "--profile")
            if ca, let profile, profile != .ca {
                throw ValidationError("--ca contradicts --profile \(profile.rawValue).")
            }
            _ = try validity()
            let _: SigningOptions.Digest? = try Value.parse(digest, "--digest")
        }

        /// Up to a century.
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
            task.service = try service.options()
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
            try reporter.made(
                output,
                "certificate for \(made.subject), valid until \(made.notAfter)"
                    + (names.isEmpty ? "" : ", also named \(names)"), json: made)
        }
    }
}
