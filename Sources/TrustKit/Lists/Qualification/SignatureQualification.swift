package import Base
package import CryptoBridge

/// The qualification of a signature by the Regulation: its verdict, and the status of its
/// certificate at issuance and at signing time (ETSI TS 119 615 §4.6; clause number from
/// secondary sources).
package struct SignatureQualification: Sendable {
    /// The result without the verdict.
    package enum Base: String, Sendable, CaseIterable {
        case qualifiedSignature = "QESig"
        case qualifiedSeal = "QESeal"
        case signatureWithQualifiedCertificate = "AdESig-QC"
        case sealWithQualifiedCertificate = "AdESeal-QC"
        case signature = "AdESig"
        case seal = "AdESeal"
        /// Qualified, but for an unknown purpose.
        case unknownWithQualifiedCertificateInDevice = "Unknown-QC-QSCD"
        case unknownWithQualifiedCertificate = "Unknown-QC"
        case unknown = "Unknown"
        /// The certificate is for web sites.
        case notSignature = "Not AdES"
        /// No listed service issued the certificate.
        case notListed = "N/A"
    }

    package let base: Base
    package let verdict: Verdict
    package let atIssuance: CertificateAssessment?
    package let atSigning: CertificateAssessment?
    package let reasons: [QualificationReason]

    /// - Parameters:
    ///   - verdict: verdict of the signature itself.
    ///   - time: the best-known signing time.
    package init(
        of certificate: Certificate, verdict: Verdict, services: ServiceIndex, at time: CalendarTime
    ) {
        let issuance = CertificateAssessment(
            of: certificate, services: services, at: certificate.notBefore)
        let signing = CertificateAssessment(of: certificate, services: services, at: time)
        self.init(verdict, issuance, signing)
    }

    init(_ verdict: Verdict, _ issuance: CertificateAssessment, _ signing: CertificateAssessment) {
        self.verdict = verdict
        atIssuance = issuance
        atSigning = signing
        var reasons = signing.reasons
        for reason in issuance.reasons where !reasons.contains(reason) { reasons.append(reason) }
        let answers = [issuance.qualified, signing.qualified]
        if issuance.service == nil, signing.service == nil {
            base = .notListed
        } else if answers.contains(.no) {
            base = Self.unqualified(signing.purpose ?? issuance.purpose ?? .signature)
        } else if answers.contains(.undecided) {
            base = .unknown
        } else {
            let purpose = issuance.purpose == signing.purpose ? signing.purpose : nil
            if issuance.purpose != signing.purpose {
                reasons.append(
                    QualificationReason(
                        .conflict, "the certificate had another purpose at issuance than at signing"
                    ))
            }
            base = Self.qualified(purpose, isInDevice: signing.inDevice == .yes)
        }
        self.reasons = reasons
    }

    /// The result if the lists give no answer.
    package init(_ verdict: Verdict, undecided reason: QualificationReason) {
        self.verdict = verdict
        base = .unknown
        atIssuance = nil
        atSigning = nil
        reasons = [reason]
    }

    /// The same, but undecided because the list used is expired.
    package func undecided(_ reason: QualificationReason) -> SignatureQualification {
        SignatureQualification(
            base: .unknown, verdict: verdict, atIssuance: atIssuance, atSigning: atSigning,
            reasons: [reason] + reasons)
    }

    private init(
        base: Base, verdict: Verdict, atIssuance: CertificateAssessment?,
        atSigning: CertificateAssessment?, reasons: [QualificationReason]
    ) {
        self.base = base
        self.verdict = verdict
        self.atIssuance = atIssuance
        self.atSigning = atSigning
        self.reasons = reasons
    }

    private static func unqualified(_ purpose: CertificatePurpose) -> Base {
        switch purpose {
        case .signature: .signature
        case .seal: .seal
        case .webAuthentication: .notSignature
        }
    }

    private static func qualified(_ purpose: CertificatePurpose?, isInDevice: Bool) -> Base {
        switch purpose {
        case .signature?: isInDevice ? .qualifiedSignature : .signatureWithQualifiedCertificate
        case .seal?: isInDevice ? .qualifiedSeal : .sealWithQualifiedCertificate
        case .webAuthentication?: .notSignature
        case nil:
            isInDevice ? .unknownWithQualifiedCertificateInDevice : .unknownWithQualifiedCertificate
        }
    }

    /// The level in the terms of European validators.
    package var level: String {
        if base == .notListed || base == .notSignature { return base.rawValue }
        switch verdict {
        case .passed: return base.rawValue
        case .indeterminate: return "Indeterminate \(base.rawValue)"
        case .failed:
            switch base {
            case .qualifiedSignature, .qualifiedSeal, .unknownWithQualifiedCertificateInDevice:
                return "Not AdES but QC with QSCD"
            case .signatureWithQualifiedCertificate, .sealWithQualifiedCertificate,
                .unknownWithQualifiedCertificate:
                return "Not AdES but QC"
            case .signature, .seal, .unknown, .notSignature, .notListed: return "Not AdES"
            }
        }
    }

    /// Whether the certificate was qualified at issuance and at signing time.
    package var isCertificateQualified: QualificationAnswer {
        switch base {
        case .qualifiedSignature, .qualifiedSeal, .signatureWithQualifiedCertificate,
            .sealWithQualifiedCertificate, .unknownWithQualifiedCertificateInDevice,
            .unknownWithQualifiedCertificate:
            .yes
        case .signature, .seal, .notSignature, .notListed:
            base == .notSignature && atSigning?.qualified == .yes ? .yes : .no
        case .unknown: .undecided
        }
    }
}

/// Whether a timestamp is qualified (ETSI TS 119 615 §4.7; clause number from secondary sources).
package struct TimestampQualification: Sendable {
    package let qualified: QualificationAnswer
    package let service: TrustService?
    package let state: ServiceState?
    package let reasons: [QualificationReason]

    /// - Parameters:
    ///   - authority: the TSA certificate. Lists contain it or its issuer.
    ///   - time: genTime of the token.
    package init(by authority: Certificate, services: ServiceIndex, at time: CalendarTime) {
        let listed = services.listed(as: authority) + services.issuers(of: authority)
        let states = listed.compactMap { service in
            service.state(at: time).map { (service, $0) }
        }.filter { $0.1.kind == .qualifiedTimestamps }
        service = states.first?.0
        state = states.first?.1
        if states.isEmpty {
            qualified = .no
            reasons = [
                QualificationReason(
                    .serviceNotListed,
                    "no trusted list contains a qualified timestamp service that issued this "
                        + "timestamp")
            ]
        } else if time < CertificateAssessment.regulationStart {
            qualified = .no
            reasons = [
                QualificationReason(
                    .serviceNotListed, "qualified timestamps exist only since July 2016")
            ]
        } else if states.allSatisfy({ $0.1.status == "granted" }) {
            qualified = .yes
            reasons = []
        } else {
            let isMixed = states.contains { $0.1.status == "granted" }
            qualified = isMixed ? .undecided : .no
            let statuses = Set(states.map(\.1.status)).sorted().map(\.inQuotes)
                .joined(separator: " and ")
            reasons = [
                QualificationReason(
                    isMixed ? .conflict : .serviceWithdrawn,
                    "the service had the status \(statuses)")
            ]
        }
    }

    package init(undecided reason: QualificationReason) {
        qualified = .undecided
        service = nil
        state = nil
        reasons = [reason]
    }
}
