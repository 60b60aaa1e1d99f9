package import Base
package import CryptoBridge

extension VerificationProblem {
    /// A policy rule that a certificate violates.
    static func ofCertificate(_ code: ProblemCode, _ message: String) -> Self {
        let subIndication: SubIndication =
            switch code {
            case .weakAlgorithm, .unsupportedKey: .cryptoConstraintsFailureNoPOE
            case .expired, .notYetValid: .outOfBoundsNoPOE
            case .keyMismatch: .noSigningCertificateFound
            case .revoked: .revokedNoPOE
            case .authorityRevoked: .revokedCANoPOE
            case .revocationUnknown, .revocationUnusable, .revocationUnanswered,
                .revocationOutdated:
                .tryLater
            default: .chainConstraintsFailure
            }
        var problem = doubt(code, message, subIndication)
        problem.isAboutCertificate = true
        return problem
    }
}

extension [VerificationProblem] {
    mutating func add(_ code: ProblemCode, _ message: String) {
        append(.ofCertificate(code, message))
    }
}

/// Whether a certificate may sign documents, or time-stamp tokens.
package struct SignerPolicy: Sendable {
    package enum Purpose: Sendable {
        case documents
        /// RFC 3161 §2.3.
        case timestamps
    }

    package var purpose = Purpose.documents
    /// Extended key usages of which one suffices (RFC 9336 §3, and earlier usages for signers, as
    /// Adobe and Microsoft issue them).
    package var acceptedExtendedKeyUsages: Set<OID> = [
        .documentSigning, .emailProtection, .anyExtendedKeyUsage, .adobeAuthenticDocuments,
        .microsoftDocumentSigning,
    ]

    package init(purpose: Purpose = .documents) { self.purpose = purpose }

    /// Violations of the certificate's own extensions.
    package func usageViolations(_ certificate: Certificate) -> [VerificationProblem] {
        switch purpose {
        case .documents: documentViolations(certificate)
        case .timestamps: timestampViolations(certificate)
        }
    }

    /// RFC 3161 §2.3: extended key usage is only timeStamping, and critical. Key usage, if present,
    /// is limited to signatures, as in OpenSSL.
    private func timestampViolations(_ certificate: Certificate) -> [VerificationProblem] {
        var violations: [VerificationProblem] = []
        let names = (certificate.extendedKeyUsage ?? []).map(ExtendedKeyUsage.name)
            .joined(separator: ", ")
        if certificate.extendedKeyUsage != [.timeStamping] {
            violations.add(
                .extendedKeyUsage,
                "a TSA certificate requires only the extended key usage timeStamping (found: "
                    + (names.isEmpty ? "none)" : "\(names))"))
        } else if !certificate.isExtendedKeyUsageCritical {
            violations.add(
                .extendedKeyUsage,
                "the extended key usage of a TSA certificate must be critical")
        }
        if let usage = certificate.keyUsage,
            !usage.isSubset(of: [.digitalSignature, .nonRepudiation]) || usage.isEmpty
        {
            let names = usage.names.joined(separator: ", ")
            violations.add(
                .keyUsage,
                "the key usage of the TSA certificate is not limited to signatures: "
                    + (names.isEmpty ? "none" : names))
        }
        return violations
    }

    private func documentViolations(_ certificate: Certificate) -> [VerificationProblem] {
        var violations: [VerificationProblem] = []
        if let usage = certificate.keyUsage,
            !usage.contains(.digitalSignature), !usage.contains(.nonRepudiation)
        {
            let names = usage.names.joined(separator: ", ")
            violations.add(
                .keyUsage,
                "the key usage of the certificate is \(names.isEmpty ? "empty" : names), not "
                    + "digitalSignature or nonRepudiation")
        }
        if let usages = certificate.extendedKeyUsage,
            acceptedExtendedKeyUsages.isDisjoint(with: usages)
        {
            let names = usages.map(ExtendedKeyUsage.name).joined(separator: ", ")
            violations.add(
                .extendedKeyUsage,
                "the extended key usage of the certificate is \(names.isEmpty ? "empty" : names)")
        }
        // A self-signed certificate for personal use is often marked as CA; this has no meaning
        // without an issuer.
        if certificate.isCA, !certificate.isSelfSigned {
            violations.add(.caCertificate, "the certificate is a CA certificate")
        }
        return violations
    }

    /// Checks the extended key usages of CA certificates: each restricts the certificates below it.
    ///
    /// - Parameter chain: leaf first, trust anchor last.
    func issuerViolations(_ chain: [Certificate]) -> [VerificationProblem] {
        let any = OID.anyExtendedKeyUsage
        var left: Set<OID>
        switch purpose {
        case .documents: left = acceptedExtendedKeyUsages.subtracting([any])
        case .timestamps: left = [.timeStamping]
        }
        for (index, certificate) in chain.enumerated() {
            guard let usages = certificate.extendedKeyUsage, !usages.contains(any) else { continue }
            left.formIntersection(usages)
            // The leaf's own usage is checked separately.
            if left.isEmpty, index == 0 { return [] }
            if left.isEmpty {
                let names = usages.map(ExtendedKeyUsage.name).joined(separator: ", ")
                return [
                    VerificationProblem.ofCertificate(
                        .extendedKeyUsage,
                        "the issuer certificate \(certificate.displayName.inQuotes) permits only the "
                            + "extended key usage \(names.isEmpty ? "none" : names)")
                ]
            }
        }
        return []
    }

    /// Checks usage and algorithms of a certificate, and the signature's hash, at `time`.
    package func check(
        _ certificate: Certificate, digest: DigestAlgorithm? = nil, at time: CalendarTime
    ) -> [VerificationProblem] {
        var violations = usageViolations(certificate)
        do {
            let key = try certificate.publicKey
            let weakDigest = AlgorithmPolicy.weakness(of: digest, at: time)
            for weakness in AlgorithmPolicy.weaknesses(digest: digest, key: key, at: time) {
                var violation = VerificationProblem.ofCertificate(.weakAlgorithm, weakness)
                violation.isAboutCertificate = weakness != weakDigest
                violations.append(violation)
            }
        } catch {
            violations.add(.unsupportedKey, error.description)
        }
        return violations
    }
}
