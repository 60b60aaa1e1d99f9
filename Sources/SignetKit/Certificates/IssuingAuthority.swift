internal import Base
import CMSKit
import CryptoBridge

/// An issuing certification authority with the constraints of its own certificates (RFC 5280 §4.2,
/// §6.1).
struct IssuingAuthority {
    let certificate: Certificate
    let key: any DigestSigner
    private let file: String
    /// The other certificates in the file: CA certificates, whose constraints apply too.
    private let others: [Certificate]

    init(_ issuer: CreateCertificate.Issuer, _ service: ServiceOptions) throws {
        let credential: SigningCredential
        do {
            credential = try SigningCredential(
                keyFile: issuer.keyFile, certificateFile: issuer.certificateFile,
                passphrase: issuer.passphrase, service: service)
        } catch let error as SignetError where error.hint?.code == .swapKeyAndCertificate {
            throw SignetError(
                error.code, file: error.file, error.message,
                hint: Sentence(.swapIssuerKeyAndCertificate, facts: error.hint?.facts ?? []))
        }
        certificate = credential.certificate
        key = credential.key
        file = issuer.certificateFile
        let own = credential.certificate
        others = try SigningCredential.readCertificates(file).filter { $0 != own }
        try checkUsage()
    }

    private func refusal(_ message: String, hint: Sentence? = nil) -> SignetError {
        SignetError(.credentialRefused, file: file, message, hint: hint)
    }

    private func checkUsage() throws {
        guard certificate.isCA else {
            throw refusal(
                "the issuer certificate is not a CA certificate", hint: Sentence(.makeAuthority))
        }
        if let usage = certificate.keyUsage, !usage.contains(.keyCertSign) {
            throw refusal(
                "the issuer may not sign certificates: its key usage is \(usage.names.joined(separator: ", "))",
                hint: Sentence(.issueWithAuthority))
        }
        guard !certificate.subject.description.isEmpty else {
            throw refusal("the issuer certificate has no subject")
        }
    }

    /// The end of a certificate's validity.
    ///
    /// - Parameter validity: the requested duration; nil is the default, limited by the issuer's
    ///   validity.
    func end(
        from begin: CalendarTime, _ validity: Duration?, usual: Duration
    ) throws -> CalendarTime {
        let (from, until) = (certificate.notBefore, certificate.notAfter)
        guard from <= begin, begin <= until else {
            throw refusal(
                "the issuer certificate is valid from \(from.text) to \(until.text): it cannot issue for "
                    + begin.text, hint: Sentence(.issueWithValid))
        }
        let end = begin.adding((validity ?? usual) - .seconds(1))
        guard end > until else { return end }
        guard validity == nil else {
            throw SignetError(
                .usage, file: file,
                "the issuer certificate is valid until \(until.text), not until \(end.text)",
                hint: Sentence(.askForFewerDays))
        }
        return until
    }

    func restrict(_ builder: inout CertificateBuilder) throws {
        guard !builder.subject.isSame(as: certificate.subject) || builder.publicKey == key.publicKey
        else {
            throw SignetError(
                .usage, file: file, "the issuer has the same name as the subject",
                hint: Sentence(.renameSubject))
        }
        if builder.profile == .ca, let length = certificate.pathLength {
            guard length > 0 else {
                throw refusal(
                    "the issuer may not issue CA certificates: its path length constraint is 0")
            }
            builder.pathLength = length - 1
        }
        guard let granted = certificate.extendedKeyUsage, !granted.contains(.anyExtendedKeyUsage)
        else { return }
        if builder.profile == .ca {
            builder.extendedKeyUsage = granted
            return
        }
        let wanted = builder.profile.extendedKeyUsage
        builder.extendedKeyUsage = wanted.filter(granted.contains)
        guard builder.extendedKeyUsage != [] else {
            let names = { (usages: [OID]) in
                usages.map(ExtendedKeyUsage.name).joined(separator: ", ")
            }
            throw refusal(
                "the issuer may issue only for \(names(granted)), not for \(names(wanted))",
                hint: Sentence(.chooseProfileOrIssuer))
        }
    }

    /// Validates the path of the new certificate: names, constraints, signatures.
    func check(_ made: Certificate, at time: CalendarTime) throws {
        let roots = others.filter(\.isSelfIssued)
        let answer = try reading(file) {
            try ChainRequest(
                leaf: made, intermediates: [certificate] + others.filter { !$0.isSelfIssued },
                anchors: .certificates(
                    roots.isEmpty || certificate.isSelfIssued ? [certificate] : roots), time: time
            ).validate()
        }
        guard case .invalid(let failure) = answer else { return }
        throw refusal(
            "the issuer cannot issue this certificate: \(failure.message)",
            hint: failure.code == .constraintViolated
                ? Sentence(.seeNameConstraints, file)
                : nil)
    }
}
