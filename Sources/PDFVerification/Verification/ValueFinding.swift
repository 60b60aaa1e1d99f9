package import Base
package import CMSKit
package import CryptoBridge
import PDFCore
import PDFSigning
package import TimestampKit
package import TrustKit

/// Result of validating a signature's value; empty if validation was impossible.
package struct ValueFinding: Sendable {
    package var checked: CheckedSignature?
    package var times: TimeFinding?
    package var path: PathFinding?
    /// The level reached by the signature and the newest store, without later timestamps.
    var level: SignatureLevel?
    /// Whether the document contains all data to validate the chains.
    package var hasValidationData = false
    /// Proofs of existence for older data; nil if this value adds none.
    var later: LaterTimestamps?
    package var contentTimestamps: [ContentTimestamp] = []
    /// Whether the given policy document is the signed one; nil if none was given.
    package var policyMatches: Bool?
    var problems: [VerificationProblem] = []

    /// The chains of the signer and of the TSA whose timestamp is used.
    package var paths: [JudgedPath] { [path?.judged, times?.path].compactMap(\.self) }

    /// The verified bytes; nil if verification failed.
    package var signedValue: SignedValue? {
        guard let times, var value = checked?.value else { return nil }
        value.token = times.token
        return value
    }

    /// The finding for the same value in another field.
    ///
    /// - Parameters:
    ///   - other: the field in which it was validated.
    ///   - own: problems already found for the signature in its own field.
    func standing(
        besides own: [VerificationProblem], judgedIn other: SignatureCandidate
    ) -> ValueFinding {
        var copy = self
        copy.problems = (other.problems + problems).filter { !own.contains($0) }
        return copy
    }
}

/// The cryptographic result of a signature: its digest match and its signer.
package struct CheckedSignature: Sendable {
    package let isIntact: Bool
    /// The name of the signature scheme.
    package let algorithm: String?
    /// Nil if the certificate is missing or unusable.
    package let signer: Certificate?
    let problems: [VerificationProblem]
    /// Nil if verification failed or if the signature is a document timestamp.
    private(set) var level: SignatureLevel?
    /// The claimed signing time of the CMS, without proof.
    package private(set) var claimedTime: CalendarTime?
    /// The digest algorithm of the byte range.
    package let digest: DigestAlgorithm
    private(set) var signatureDigest: DigestAlgorithm?
    /// Possible issuer certificates of the signer.
    private(set) var candidates: [Certificate] = []
    /// DER of the embedded certificates.
    private(set) var carried: [[UInt8]] = []
    private(set) var value: SignedValue
    /// The CMS, if the signature is one.
    private(set) var message: SignedData?
    package private(set) var check: SignatureCheck?

    /// Creates the result for a document timestamp.
    init(_ check: TimestampCheck, _ subject: SignatureJudge.Subject) {
        isIntact = check.isIntact
        algorithm = check.signature?.scheme?.name
        signer = check.signer
        problems = []
        digest = subject.algorithm
        value = SignedValue(
            signature: check.signature?.signature ?? [], byteRange: subject.value.byteRange,
            digest: subject.digest)
    }

    /// Creates the result for a CMS signature.
    init(
        _ check: SignatureCheck, _ message: SignedData, _ profile: SignedDataVerifier.Profile,
        _ subject: SignatureJudge.Subject
    ) {
        // Attached content (adbe.pkcs7.sha1) must be the digest of the signed byte range.
        let fits = profile.isDetached || message.content == subject.digest
        isIntact = check.isIntact && fits
        algorithm = check.scheme?.name
        let isPending = (try? PreparedSignedData(resuming: message)) != nil
        signer = isPending && check.signer?.isStandIn == true ? nil : check.signer
        problems =
            (isPending ? [Self.pending] : check.problems)
            + Self.contentProblems(check, profile, fits: fits)
            + check.countersignatures.compactMap {
                .countersignature($0, $0.problems, $0.isIntact ? .passed : .failed)
            }
        digest = subject.algorithm
        signatureDigest = check.digest
        candidates = check.certificates
        carried = subject.candidate.carriedCertificates
        claimedTime = check.claimedTime
        if check.isVerified { level = profile.requiresSigningCertificateReference ? .b : .cms }
        value = SignedValue(
            signature: check.signature, byteRange: subject.value.byteRange,
            digest: subject.digest, attributes: message.signers.first?.signedBytes.first)
        self.message = message
        self.check = check
    }

    /// Problems if the signed content of the message is not the document.
    private static func contentProblems(
        _ check: SignatureCheck, _ profile: SignedDataVerifier.Profile, fits: Bool
    ) -> [VerificationProblem] {
        guard profile.isDetached else {
            let mismatch = VerificationProblem.failure(
                .digestMismatch,
                "the signed content was modified or damaged after signing (digest mismatch)",
                .hashFailure)
            return fits ? [weakDigest] : [mismatch, weakDigest]
        }
        guard !check.signedAttributesPresent, !profile.requiresSignedAttributes else { return [] }
        return [
            .doubt(
                .signedAttributesMissing,
                "the signature has no signed attributes")
        ]
    }

    /// adbe.x509.rsa_sha1 (ISO 32000-2 §12.8.3.2): RSA over the SHA-1 of the byte range.
    ///
    /// - Parameter pinned: the only accepted signing certificate; nil for any.
    init(bare subject: SignatureJudge.Subject, pinned: Certificate?) throws {
        let entry = subject.value.dictionary["Cert"]
        let certificates = (entry?.arrayValue ?? [entry ?? .null]).compactMap(\.stringValue)
            .compactMap { try? Certificate(der: $0) }
        guard let maker = certificates.first, let signature = subject.value.octetStringContents
        else {
            throw SignatureJudge.Unjudgeable(
                problem: .doubt(
                    .signerCertificateMissing, "the signing certificate is missing",
                    .noSigningCertificateFound))
        }
        let notPinned = try pinned.flatMap { $0 == maker ? nil : $0 }.map {
            VerificationProblem.failure(
                .signerNotPinned, try maker.message(required: $0), .noSigningCertificateFound)
        }
        let verified = try Self.verify(signature, by: maker, subject.digest)
        isIntact = verified.isIntact
        signer = verified.problem == nil ? maker : nil
        problems =
            verified.problem.map { [$0] }
            ?? [isIntact ? nil : Self.invalid, notPinned, Self.weakDigest]
            .compactMap(\.self)
        level = verified.problem == nil ? .cms : nil
        digest = .sha1
        signatureDigest = .sha1
        algorithm = SignatureScheme.rsaPKCS1(.sha1).name
        value = SignedValue(
            signature: signature, byteRange: subject.value.byteRange, digest: subject.digest)
        candidates = Array(certificates.dropFirst())
        carried = certificates.map(\.der)
    }

    /// - Returns: also the reason why the certificate is unusable; nil if it is usable.
    private static func verify(
        _ signature: [UInt8], by maker: Certificate, _ digest: [UInt8]
    ) throws(CryptoError) -> (isIntact: Bool, problem: VerificationProblem?) {
        do {
            let isIntact = try maker.publicKey.verify(
                signature: signature, scheme: .rsaPKCS1(.sha1), digest: digest)
            return (isIntact, nil)
        } catch {
            guard error.code != .internalFailure else { throw error }
            return (false, SignatureJudge.unusable(error))
        }
    }

    private static let pending = VerificationProblem.failure(
        .signaturePending, "the signature is pending: the field was prepared for remote signing",
        .signatureCryptoFailure)
    private static let invalid = VerificationProblem.failure(
        .signatureInvalid, "the signature value does not match the signing certificate",
        .signatureCryptoFailure)
    /// Formats that always hash the document with SHA-1.
    private static let weakDigest = VerificationProblem.doubt(
        .weakAlgorithm, "SHA-1 is no longer secure", .cryptoConstraintsFailureNoPOE)
}

/// The time of existence of a signature.
package struct TimeFinding: Sendable {
    /// The timestamp that supplies the time; for a document timestamp, the token itself.
    package let timestamp: SignatureTimestamp?
    /// The token of the signature's own timestamp.
    let token: [UInt8]?
    /// Latest possible time of signing, proven by trusted timestamps.
    package var provenTime: CalendarTime?
    /// The certificate of the TSA that proves it.
    package var provenBy: Certificate?
    package var provenToken: [UInt8]?
    /// The time proven by timestamps in the signature.
    var earliest: CalendarTime?
    /// The chain of the TSA whose timestamp is used.
    var path: JudgedPath?
    /// Notes about the claimed time.
    var remarks: [VerificationProblem] = []
    /// Problems of timestamps in the signature.
    var problems: [VerificationProblem] = []

    /// Uses the time proven by the document timestamps.
    init(_ later: LaterTimestamps, timestamp: SignatureTimestamp?, token: [UInt8]?) {
        self.timestamp = timestamp
        self.token = token
        provenTime = later.proof?.time
        provenBy = later.proof?.path?.leaf
        provenToken = later.proof?.token
    }
}

/// The result for the signer's certificate chain.
package struct PathFinding: Sendable {
    package let isTrusted: Bool
    package let end: PathEnd?
    package let revocation: StatusRecord?
    let judged: JudgedPath?

    init(_ verdict: PathVerdict, _ judged: JudgedPath) {
        isTrusted = verdict.isTrusted
        end = verdict.end
        revocation = verdict.revocation
        self.judged = judged
    }

    init(_ check: TimestampCheck, _ judged: JudgedPath?) {
        isTrusted = check.isTrusted
        end = check.pathEnd
        revocation = check.revocation
        self.judged = judged
    }
}
