import ByteKit
import CMSKit
import CryptoBridge
import PDFCore
import SignatureTerms
import TimestampKit
import TrustKit

/// Judges one value at a time: its CMS or token, its time, its signer's certificate
/// (ETSI EN 319 102-1 §5.2 to §5.6).
struct SignatureJudge {
    typealias DigestLookup = (ByteRangeHasher.Request) throws -> [UInt8]?

    let validator: PathValidator
    let pinned: Certificate?
    /// When the question is asked.
    let time: CalendarTime
    let store: DocumentSecurityStore
    /// Until when everything older than the newest value judged so far existed for certain: the
    /// time of the last document timestamp that passed, walking from the newest to the oldest.
    private var provenTime: CalendarTime?
    private var newestStamp: SignatureTimestamp?
    /// Certificates met so far, by their bytes.
    private static let maximumCertificateCount = 1000
    private var certificates: [[UInt8]: Certificate] = [:]
    /// Paths found so far: those who sign a document often have signed it before.
    private var paths: [PathQuestion: PathVerdict] = [:]

    init(
        validator: PathValidator, pinned: Certificate?, time: CalendarTime,
        store: DocumentSecurityStore
    ) {
        self.validator = validator
        self.pinned = pinned
        self.time = time
        self.store = store
    }

    /// Judges the newest of the values that were not judged yet.
    ///
    /// - Parameter digestOf: gives the digest of any byte range that a candidate asks for.
    mutating func judge(
        _ candidate: inout SignatureCandidate, digestOf: DigestLookup
    ) throws {
        guard let value = candidate.value, let algorithm = candidate.algorithm,
            let digest = try digestOf(.init(byteRange: value.byteRange, algorithm: algorithm))
        else { return }
        do {
            switch candidate.format {
            case .cms(let profile)?:
                try judgeMessage(&candidate, profile, digest, digestOf)
            case .cmsOverSHA1?:
                try judgeMessage(&candidate, .adobeSHA1, digest, digestOf)
            case .rawRSA?:
                try judgeRawSignature(&candidate.report, value, digest)
            case .timestamp?:
                try judgeTimestamp(&candidate, digest)
            case nil: break
            }
        } catch let error as CryptoError where error.code != .internalFailure {
            candidate.report.problems.append(
                .doubt(
                    "certificate-unusable", "the signer's certificate: \(error.description)",
                    .certificateChainGeneralFailure))
        }
    }

    // MARK: Time stamps

    private var timestampVerifier: TimestampVerifier {
        var verifier = TimestampVerifier(validator, time: provenTime ?? time)
        verifier.additionalCertificates = store.certificates + validator.intermediates
        verifier.evidence = store.evidence
        return verifier
    }

    private func summary(of check: TimestampCheck) -> SignatureTimestamp? {
        check.info.map {
            SignatureTimestamp(
                info: $0, authority: check.signer,
                isTrusted: timestampVerifier.verdict(of: check) == .passed)
        }
    }

    private mutating func judgeTimestamp(
        _ candidate: inout SignatureCandidate, _ digest: [UInt8]
    ) throws {
        guard let token = candidate.token else { return }
        let check = try timestampVerifier.verify(token, hash: digest)
        candidate.report.problems += timestampVerifier.problems(of: check)
        candidate.report.isIntact = check.isIntact
        candidate.report.isTrusted = check.isTrusted
        candidate.report.signer = check.signer
        candidate.report.digest = candidate.algorithm?.rawValue
        candidate.report.algorithm = check.signature?.scheme?.name
        candidate.report.timestamp = summary(of: check)
        candidate.report.provenTime = provenTime
        if check.isIntact { newestStamp = candidate.report.timestamp ?? newestStamp }
        if timestampVerifier.verdict(of: check) == .passed, candidate.report.coverage != .partial,
            let info = check.info
        {
            provenTime = info.genTime.time
        }
    }

    private func judgeContentTimestamps(
        _ candidate: SignatureCandidate, _ digestOf: DigestLookup,
        before signing: CalendarTime?
    ) throws -> [VerificationProblem] {
        guard let value = candidate.value else { return [] }
        var problems: [VerificationProblem] = []
        for token in candidate.contentTimestamps {
            let hash = try token.info.messageImprint.digest.flatMap {
                try digestOf(.init(byteRange: value.byteRange, algorithm: $0))
            }
            let check = try timestampVerifier.verify(token, hash: hash)
            if let problem = timestampVerifier.problem(
                with: check, "the time stamp of the content")
            {
                problems.append(problem)
            } else if let signing, token.info.genTime.time > signing {
                problems.append(
                    .doubt(
                        "timestamp-order",
                        "the content was stamped after the signature: times contradict each other",
                        .timestampOrderFailure))
            }
        }
        return problems
    }

    // MARK: Signatures

    private mutating func judgeMessage(
        _ candidate: inout SignatureCandidate, _ profile: SignedDataVerifier.Profile,
        _ digest: [UInt8], _ digestOf: DigestLookup
    ) throws {
        guard let message = candidate.message, let algorithm = candidate.algorithm else { return }
        var verifier = SignedDataVerifier(profile: profile)
        verifier.pinned = pinned
        verifier.known = certificates
        verifier.additionalCertificates = validator.intermediates
        let checks = try verifier.verify(message, contentDigests: [algorithm: digest])
        guard let check = checks.first, checks.count == 1 else {
            candidate.report.problems.append(
                .failure("several-signers", "the signature has \(checks.count) signers"))
            return
        }
        for certificate in check.certificates
        where certificates.count < Self.maximumCertificateCount {
            certificates[certificate.der] = certificate
        }
        var report = candidate.report
        defer { candidate.report = report }
        report.digest = algorithm.rawValue
        report.algorithm = check.scheme?.name
        report.isIntact = check.isIntact
        report.claimedTime = report.claimedTime ?? check.claimedTime
        report.problems += check.problems.map(VerificationProblem.init)
        if !profile.isDetached {
            // The content is the hash of what is signed.
            let fits = message.content == digest
            report.isIntact = check.isIntact && fits
            if !fits {
                report.problems.append(
                    .failure("digest-mismatch", "the content is not what was signed", .hashFailure))
            }
            report.problems.append(Self.weakDigest)
        } else if !check.signedAttributesPresent, !profile.requiresSignedAttributes {
            report.problems.append(
                .doubt(
                    "signed-attributes-missing",
                    "the signature has no signed attributes: nothing says what it was made for",
                    .signatureConstraintsFailure))
        }
        if check.verified != nil {
            report.level = profile.requiresSigningCertificateReference ? .b : .cms
        }
        let times = try timestampVerifier.timestamps(of: check)
        report.timestamp = times.check.flatMap { summary(of: $0) } ?? newestStamp
        report.provenTime = [times.earliest, provenTime].compactMap { $0 }.min()
        if let signer = check.signer {
            try judgeSigner(
                &report, signer, candidates: check.certificates, digest: check.digest,
                evidence: RevocationEvidence(in: message), isStamped: times.earliest != nil)
        }
        report.problems += times.problems
        report.problems += try judgeContentTimestamps(
            candidate, digestOf, before: times.earliest)
    }

    /// adbe.x509.rsa_sha1 (ISO 32000-2 §12.8.3.2): RSA over the SHA-1 of the byte range.
    private mutating func judgeRawSignature(
        _ report: inout SignatureReport, _ value: SignatureValue, _ digest: [UInt8]
    ) throws {
        let entry = value.dictionary["Cert"]
        let encoded = (entry?.arrayValue ?? [entry ?? .null]).compactMap(\.stringValue)
        let certificates = encoded.compactMap { try? Certificate(der: $0) }
        guard let signer = certificates.first, let signature = value.octetStringContents else {
            report.problems.append(
                .doubt(
                    "signer-certificate-missing", "there is no certificate beside the signature",
                    .noSigningCertificateFound))
            return
        }
        report.digest = DigestAlgorithm.sha1.rawValue
        report.algorithm = SignatureScheme.rsaPKCS1(.sha1).name
        report.isIntact = try signer.publicKey.verify(
            signature: signature, scheme: .rsaPKCS1(.sha1), digest: digest)
        if !report.isIntact {
            report.problems.append(
                .failure(
                    "signature-invalid", "the signature does not verify", .signatureCryptoFailure))
        }
        if let pinned, signer != pinned {
            report.problems.append(
                .doubt(
                    "signer-not-pinned", "the signature was made by another certificate",
                    .noSigningCertificateFound))
        }
        report.level = .cms
        report.provenTime = provenTime
        report.timestamp = newestStamp
        report.problems.append(Self.weakDigest)
        try judgeSigner(
            &report, signer, candidates: Array(certificates.dropFirst()), digest: .sha1,
            evidence: RevocationEvidence(), isStamped: false)
    }

    /// Formats that hash the document with SHA-1 whatever the signature says.
    private static let weakDigest = VerificationProblem.doubt(
        "weak-algorithm", "SHA-1 counts as broken", .cryptoConstraintsFailureNoPOE)

    /// The certificate's path, at the time for which the signature is known to exist, else now
    /// (ETSI EN 319 102-1 §5.6.2).
    ///
    /// - Parameter isStamped: whether the signature's own time stamp proves that time. Then a
    ///   certificate that did not count at that time fails; otherwise it may have been signed
    ///   earlier.
    private mutating func judgeSigner(
        _ report: inout SignatureReport, _ signer: Certificate, candidates: [Certificate],
        digest: DigestAlgorithm?, evidence: RevocationEvidence, isStamped: Bool
    ) throws {
        report.signer = signer
        let path = try path(
            of: signer, candidates, digest, at: report.provenTime ?? time, evidence: evidence)
        report.isTrusted = path.isTrusted
        report.problems += VerificationProblem.problems(path)
            .map { isStamped ? Self.proven($0, signer, at: report.provenTime ?? time) : $0 }
            .filter { !report.problems.contains($0) }
        // Anybody can stamp: only trusted time lifts the level.
        guard report.level == .b, report.provenTime != nil else { return }
        report.level = .t
        report.chain = path.chain
        if try hasValidationData(store, for: report) { report.level = .lt }
    }

    /// Whether a store says of every certificate of the signer's path whether it was revoked
    /// (ETSI EN 319 142-1 §6.3).
    func hasValidationData(
        _ store: DocumentSecurityStore, for report: SignatureReport
    ) throws(CryptoError) -> Bool {
        guard !store.isEmpty, !report.chain.isEmpty else { return false }
        let check = RevocationCheck(
            store.evidence, candidates: store.certificates + report.chain,
            anchors: validator.anchors, now: validator.now)
        return try check.isComplete(report.chain, at: report.provenTime ?? time)
    }

    private struct PathQuestion: Hashable {
        let leaf: Certificate
        let candidates: [Certificate]
        let digest: DigestAlgorithm?
        let time: CalendarTime
    }

    private mutating func path(
        of signer: Certificate, _ candidates: [Certificate], _ digest: DigestAlgorithm?,
        at time: CalendarTime, evidence: RevocationEvidence
    ) throws(CryptoError) -> PathVerdict {
        let question = PathQuestion(
            leaf: signer, candidates: candidates, digest: digest, time: time)
        if evidence.isEmpty, let known = paths[question] { return known }
        var asked = PathValidator.Question(
            leaf: signer, candidates: candidates + store.certificates, digest: digest, at: time)
        asked.evidence = evidence + store.evidence
        let path = try validator.validate(asked)
        if evidence.isEmpty { paths[question] = path }
        return path
    }

    /// A doubt about the signer's certificate that the proven time turns into a failure.
    private static func proven(
        _ problem: VerificationProblem, _ signer: Certificate, at time: CalendarTime
    ) -> VerificationProblem {
        let subIndication: SubIndication
        switch problem.subIndication {
        case .revokedNoPOE?: subIndication = .revoked
        case .outOfBoundsNoPOE? where time > signer.notAfter: subIndication = .expired
        case .outOfBoundsNoPOE? where time < signer.notBefore: subIndication = .notYetValid
        default: return problem
        }
        return .failure(problem.code, problem.message, subIndication)
    }
}
