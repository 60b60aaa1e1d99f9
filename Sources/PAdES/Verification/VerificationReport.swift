package import ByteKit
package import CryptoBridge
package import SignatureTerms
package import TimestampKit
package import TrustKit

/// What a time stamp says, and whether its authority is trusted.
package struct SignatureTimestamp: Sendable {
    package let info: TSTInfo
    /// The authority's certificate; nil when the token does not bring it.
    package let authority: Certificate?
    package let isTrusted: Bool
}

/// The bytes of a signature, for whoever checks them again.
package struct SignedValue: Sendable {
    package let signature: [UInt8]
    package let byteRange: ByteRange
    /// The hash of the byte range.
    package let digest: [UInt8]
    /// A DER SET; nil for none.
    package var attributes: [UInt8]?
    /// The time stamp over the signature, or the signature as a time stamp.
    package var token: [UInt8]?
}

extension SignatureReport {
    /// What there is of time stamps over it.
    package var stampState: StampState {
        StampState(isThere: timestamp != nil, provenTime: provenTime)
    }
}

/// Everything found out about one signature.
package struct SignatureReport: Sendable {
    package internal(set) var field: String
    package var kind: SignaturePurpose = .signature
    package var subFilter: String?
    package var coverage: Coverage = .partial
    /// Where the second span of the byte range ends; nil when there is no usable one.
    package var coveredByteCount: Int?
    /// The signed bytes and the signature's value fit each other.
    package var isIntact = false
    /// The certificate leads to a trust anchor.
    package var isTrusted = false
    /// At which anchor the certificate's path ends, whatever else speaks against it.
    package var pathEnd: PathEnd?
    package var changes: ChangeLevel = .none
    package var changesDetail: [String] = []
    /// Those of ``changesDetail`` that change what the document says or shows.
    package var contentChanges: [String] = []
    package var level: SignatureLevel?
    package var digest: String?
    package var algorithm: String?
    package var signer: Certificate?
    /// Nil where there is none that can be read.
    package var value: SignedValue?
    /// By whose word it is known whether the signer's certificate was revoked; nil where it is not.
    package var revocation: RevocationWord?
    /// The paths of the signer, and of who stamped the time that counts.
    package var paths: [JudgedPath] = []
    /// Whether the document brings all that is needed to validate them.
    package var hasValidationData = false
    /// Why it has its level, where that was asked for.
    package var explanation: LevelExplanation?
    package var claimedTime: CalendarTime?
    /// The time stamp that counts for it; its own for a document timestamp.
    package var timestamp: SignatureTimestamp?
    /// When it existed at the latest, as trusted time stamps prove.
    package var provenTime: CalendarTime?
    /// Whose time stamp proves that; nil where nothing does.
    package var provenBy: Certificate?
    /// That time stamp's token.
    package var provenToken: [UInt8]?
    package var certification: DocMDPPermission?
    /// The fields that it locks; nil for none.
    package var lock: FieldLock?
    package var reason: String?
    package var location: String?
    package var name: String?
    package var problems: [VerificationProblem] = []

    init(field: String) { self.field = field }

    /// Passing takes positive findings: the absence of problems alone may mean that nothing was
    /// looked at.
    package var verdict: Verdict {
        let worst = problems.compactMap(\.verdict).max() ?? .passed
        let isProven = isIntact && isTrusted && coverage != .partial && changes != .forbidden
        return isProven ? worst : max(worst, .indeterminate)
    }

    /// The sub-indication of the first problem that decides the verdict.
    package var subIndication: SubIndication? {
        problems.first { $0.verdict == verdict && $0.subIndication != nil }?.subIndication
    }
}

/// The answer for a whole document: as good as its worst signature.
package struct DocumentReport: Sendable {
    package let signatures: [SignatureReport]
    /// Named defects that the reader tolerated, and signatures outside any field.
    package let warnings: [String]
    /// Nil where the document has no integrity code, and need not have one.
    package var integrityCode: IntegrityCodeReport?
    /// DER of the certificates that the document brings, where they are asked for.
    package var certificates: [[UInt8]] = []
    /// Of the newest time stamp's token, the signatures' included; nil where there is none.
    package var newestTokenByteCount: Int?
    /// What the document's security store says of revocations.
    package var evidence = RevocationEvidence()
    /// The certificates of the store.
    package var storeCertificates: [Certificate] = []

    /// Nil when the document has no signature, and nothing speaks against the document itself.
    package var verdict: Verdict? {
        let problems = integrityCode?.problems ?? []
        return (signatures.map(\.verdict) + problems.compactMap(\.verdict)).max()
    }
}
