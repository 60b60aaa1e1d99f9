package import Base
import CMSKit
package import CryptoBridge
import PDFCore
import PDFSigning
import TimestampKit
package import TrustKit

/// What judging a signature's value found; nothing where nothing could be judged.
package struct ValueFinding: Sendable {
    package var checked: CheckedSignature?
    package var times: TimeFinding?
    package var path: PathFinding?
    /// By what the signature and the newest store bring; that later time stamps preserve them is
    /// seen from all signatures.
    var level: SignatureLevel?
    /// Whether the document brings all that is needed to validate the paths.
    package var hasValidationData = false
    /// What is proven of all that is older; nil where that is what was proven before.
    var later: LaterTimestamps?
    var problems: [VerificationProblem] = []

    /// The paths of the signer, and of who stamped the time that counts.
    package var paths: [JudgedPath] { [path?.judged, times?.path].compactMap(\.self) }

    /// The bytes behind the answer; nil where nothing came of them.
    package var signedValue: SignedValue? {
        guard let times, var value = checked?.value else { return nil }
        value.token = times.token
        return value
    }

    /// The same value in another field.
    ///
    /// - Parameters:
    ///   - other: the field in which it was judged.
    ///   - own: what speaks against the signature in its own field already.
    func standing(
        besides own: [VerificationProblem], judgedIn other: SignatureCandidate
    ) -> ValueFinding {
        var copy = self
        copy.problems = (other.problems + problems).filter { !own.contains($0) }
        return copy
    }
}

/// A signature that was checked by itself: whether it fits what it covers, and who made it.
package struct CheckedSignature: Sendable {
    package let isIntact: Bool
    /// The scheme's name.
    package let algorithm: String?
    /// Nil where the certificate is missing, or unusable.
    package let signer: Certificate?
    let problems: [VerificationProblem]
    /// Nil where it does not verify, and for a time stamp.
    private(set) var level: SignatureLevel?
    /// As the CMS says, not proven.
    package private(set) var claimedTime: CalendarTime?
    /// The hash of the byte range.
    package let digest: DigestAlgorithm
    /// The hash that was signed.
    private(set) var signatureDigest: DigestAlgorithm?
    /// What may stand above the signer.
    private(set) var candidates: [Certificate] = []
    /// DER of the certificates that came along.
    private(set) var carried: [[UInt8]] = []
    private(set) var value: SignedValue
    /// The signature, where it is a CMS.
    private(set) var message: SignedData?
    private(set) var check: SignatureCheck?

    /// What the signature itself says of revocations.
    var evidence: RevocationEvidence {
        message.map(RevocationEvidence.init(in:)) ?? RevocationEvidence()
    }

    /// A document timestamp.
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

    /// A CMS.
    init(
        _ check: SignatureCheck, _ message: SignedData, _ profile: SignedDataVerifier.Profile,
        _ subject: SignatureJudge.Subject
    ) {
        // Where the content is the hash of what is signed.
        let fits = profile.isDetached || message.content == subject.digest
        isIntact = check.isIntact && fits
        algorithm = check.scheme?.name
        signer = check.signer
        let isPending = (try? PreparedSignedData(resuming: message)) != nil
        problems =
            (isPending ? [Self.pending] : check.problems.map(VerificationProblem.init))
            + Self.contentProblems(check, profile, fits: fits)
        digest = subject.algorithm
        signatureDigest = check.digest
        candidates = check.certificates
        carried = subject.candidate.carriedCertificates
        claimedTime = check.claimedTime
        if check.verified != nil {
            level = profile.requiresSigningCertificateReference ? .b : .cms
        }
        value = SignedValue(
            signature: check.signature, byteRange: subject.value.byteRange,
            digest: subject.digest, attributes: message.signers.first?.signedBytes.first)
        self.message = message
        self.check = check
    }

    /// Whether what the message says that it signs is the document.
    private static func contentProblems(
        _ check: SignatureCheck, _ profile: SignedDataVerifier.Profile, fits: Bool
    ) -> [VerificationProblem] {
        guard profile.isDetached else {
            let mismatch = VerificationProblem.failure(
                .digestMismatch, "the content is not what was signed", .hashFailure)
            return fits ? [weakDigest] : [mismatch, weakDigest]
        }
        guard !check.signedAttributesPresent, !profile.requiresSignedAttributes else { return [] }
        return [
            .doubt(
                .signedAttributesMissing,
                "the signature has no signed attributes: nothing says what it was made for")
        ]
    }

    /// adbe.x509.rsa_sha1 (ISO 32000-2 §12.8.3.2): RSA over the SHA-1 of the byte range.
    ///
    /// - Parameter pinned: the one certificate that counts as signer; nil for any.
    init(bare subject: SignatureJudge.Subject, pinned: Certificate?) throws {
        let entry = subject.value.dictionary["Cert"]
        let certificates = (entry?.arrayValue ?? [entry ?? .null]).compactMap(\.stringValue)
            .compactMap { try? Certificate(der: $0) }
        guard let maker = certificates.first, let signature = subject.value.octetStringContents
        else {
            throw SignatureJudge.Unjudgeable(
                problem: .doubt(
                    .signerCertificateMissing, "there is no certificate beside the signature",
                    .noSigningCertificateFound))
        }
        let isOther = pinned.map { $0 != maker } ?? false
        let verified = try Self.verify(signature, by: maker, subject.digest)
        isIntact = verified.isIntact
        signer = verified.problem == nil ? maker : nil
        problems =
            verified.problem.map { [$0] }
            ?? [isIntact ? nil : Self.invalid, isOther ? Self.notPinned : nil, Self.weakDigest]
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

    /// - Returns: Besides what makes the certificate unusable; nil where it is not.
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
        .signaturePending, "the field is prepared, and waits for its signature",
        .signatureCryptoFailure)
    private static let invalid = VerificationProblem.failure(
        .signatureInvalid, "the signature does not verify", .signatureCryptoFailure)
    private static let notPinned = VerificationProblem.doubt(
        .signerNotPinned,
        "the signature was made with another certificate than the one that was named",
        .noSigningCertificateFound)
    /// Formats that hash the document with SHA-1 whatever the signature says.
    private static let weakDigest = VerificationProblem.doubt(
        .weakAlgorithm, "SHA-1 counts as broken", .cryptoConstraintsFailureNoPOE)
}

/// When a signature existed.
package struct TimeFinding: Sendable {
    /// The time stamp that counts for it; its own for a document timestamp.
    package let timestamp: SignatureTimestamp?
    /// Its own token.
    let token: [UInt8]?
    /// When it existed at the latest, as trusted time stamps prove.
    package var provenTime: CalendarTime?
    /// Whose time stamp proves that.
    package var provenBy: Certificate?
    package var provenToken: [UInt8]?
    /// What its own time stamps prove.
    var earliest: CalendarTime?
    /// The path of who stamped the time that counts.
    var path: JudgedPath?
    /// What is odd about the claimed time.
    var remarks: [VerificationProblem] = []
    /// What is wrong with its own time stamps.
    var problems: [VerificationProblem] = []

    /// As the time stamps of the document prove it.
    init(_ later: LaterTimestamps, timestamp: SignatureTimestamp?, token: [UInt8]?) {
        self.timestamp = timestamp
        self.token = token
        provenTime = later.proof?.time
        provenBy = later.proof?.path?.leaf
        provenToken = later.proof?.token
    }
}

/// Where the path of who signed leads.
package struct PathFinding: Sendable {
    package let isTrusted: Bool
    package let end: PathEnd?
    package let revocation: RevocationWord?
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
