import Base

/// The reason for a qualification, its absence, or an unknown result.
package struct QualificationReason: Sendable, Hashable {
    package enum Code: String, Sendable, CaseIterable {
        case listMissing = "trust-list-missing"
        case listExpired = "trust-list-expired"
        case listInvalid = "trust-list-signature-invalid"
        case listSignerUnknown = "trust-list-signer-unknown"
        case listUnreadable = "trust-list-unreadable"
        case rollback = "trust-list-rollback"
        case anchorOutdated = "trust-anchor-outdated"
        case serviceNotListed = "service-not-listed"
        case serviceWithdrawn = "service-withdrawn"
        case serviceStatusUnclear = "service-status-unclear"
        case conflict = "qualification-conflict"
        case providerNameDiffers = "provider-name-differs"
        case criticalExtensionUnknown = "critical-extension-unknown"
        case notQualifiedByList = "not-qualified-by-list"
        case notQualifiedByCertificate = "not-qualified-by-certificate"
        case purposeDiffers = "purpose-differs"
        case deviceConflict = "device-conflict"
        case malformedStatement = "qc-statement-malformed"
        case foreignLaw = "foreign-law"
    }

    package let code: Code
    /// In lower case without a full stop.
    package let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    package init(_ error: TrustListError) {
        let code: Code =
            switch error.code {
            case .missing: .listMissing
            case .expired: .listExpired
            case .signatureForm, .signatureInvalid: .listInvalid
            case .signerUnknown: .listSignerUnknown
            case .anchorOutdated: .anchorOutdated
            case .rollback: .rollback
            case .malformed, .otherList, .limitExceeded, .parserMissing: .listUnreadable
            }
        self.init(code, error.detail)
    }
}

/// Yes, no, or unknown.
package enum QualificationAnswer: String, Sendable { case yes, no, undecided }
