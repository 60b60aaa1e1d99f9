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
    /// The authority's path of the stamp that gave ``provenTime``, and its token.
    private var provenPath: JudgedPath?
    private var provenToken: [UInt8]?
    /// Document timestamps that passed: when, and where in the file ends what they cover.
    private var proofs: [(time: CalendarTime, end: Int)] = []
    /// The store as it was when the file ended there; nil where it cannot be told.
    private let storeBefore: (Int) throws -> DocumentSecurityStore?
    /// Certificates met so far, by their bytes.
    private static let maximumCertificateCount = 1000
    private var certificates: [[UInt8]: Certificate] = [:]
    /// Paths found so far: those who sign a document often have signed it before.
    private var paths: [PathQuestion: PathVerdict] = [:]

    init(
        validator: PathValidator, pinned: Certificate?, time: CalendarTime,
        store: DocumentSecurityStore,
        storeBefore: @escaping (Int) throws -> DocumentSecurityStore? = { _ in nil }
    ) {
        self.storeBefore = storeBefore
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
                    .certificateUnusable, "the signer's certificate: \(error.description)",
                    .certificateChainGeneralFailure))
        }
    }

    // MARK: Time stamps

    /// - Parameter isNewest: whether it is for a document timestamp that no other covers: of such
    ///   the evidence is often as old as itself, and the next one is still to come.
    private func timestampVerifier(isNewest: Bool = false) -> TimestampVerifier {
        var verifier = TimestampVerifier(validator, time: provenTime ?? time, present: time)
        verifier.demandsPresentEvidence = !isNewest
        verifier.additionalCertificates = store.certificates + validator.intermediates
        verifier.evidence = store.evidence
        verifier.evidenceBefore = { [proofs, storeBefore] end throws(CryptoError) in
            Self.evidence(before: end, proofs, storeBefore)
        }
        return verifier
    }

    private func summary(
        of check: TimestampCheck, by verifier: TimestampVerifier
    ) -> SignatureTimestamp? {
        check.info.map {
            SignatureTimestamp(
                info: $0, authority: check.signer,
                isTrusted: verifier.verdict(of: check) == .passed)
        }
    }

    /// The path of who made a token.
    private func path(of check: TimestampCheck, carried: [[UInt8]]) -> JudgedPath? {
        JudgedPath(
            check, candidates: store.certificates + validator.intermediates, carried: carried)
    }

    private mutating func judgeTimestamp(
        _ candidate: inout SignatureCandidate, _ digest: [UInt8]
    ) throws {
        guard let token = candidate.token else { return }
        let verifier = timestampVerifier(isNewest: provenTime == nil)
        let check = try verifier.verify(token, hash: digest)
        candidate.report.problems += verifier.problems(of: check)
        candidate.report.isIntact = check.isIntact
        candidate.report.isTrusted = check.isTrusted
        candidate.report.pathEnd = check.pathEnd
        candidate.report.revocation = check.revocation
        candidate.report.signer = check.signer
        candidate.report.value = candidate.value.map {
            SignedValue(
                signature: check.signature?.signature ?? [], byteRange: $0.byteRange,
                digest: digest, token: token.encoded)
        }
        candidate.report.digest = candidate.algorithm?.rawValue
        candidate.report.algorithm = check.signature?.scheme?.name
        candidate.report.timestamp = summary(of: check, by: verifier)
        candidate.report.provenTime = provenTime
        candidate.report.provenBy = provenPath?.leaf
        candidate.report.provenToken = provenToken
        let path = path(of: check, carried: candidate.carriedCertificates)
        candidate.report.paths = [path].compactMap(\.self)
        candidate.report.hasValidationData = try hasValidationData(store, for: candidate.report)
        if check.isIntact { newestStamp = candidate.report.timestamp ?? newestStamp }
        if verifier.verdict(of: check) == .passed, candidate.report.coverage != .partial,
            let info = check.info, let value = candidate.value
        {
            provenTime = info.provenTime
            provenPath = path
            provenToken = token.encoded
            proofs.append((info.provenTime, value.byteRange.second.upperBound))
        }
    }

    private func judgeContentTimestamps(
        _ candidate: SignatureCandidate, _ digestOf: DigestLookup,
        before signing: CalendarTime?
    ) throws -> [VerificationProblem] {
        guard let value = candidate.value else { return [] }
        var problems: [VerificationProblem] = []
        let verifier = timestampVerifier(isNewest: true)
        for token in candidate.contentTimestamps {
            let hash = try token.info.messageImprint.digest.flatMap {
                try digestOf(.init(byteRange: value.byteRange, algorithm: $0))
            }
            let check = try verifier.verify(token, hash: hash)
            if let problem = verifier.problem(
                with: check, "the time stamp of the content")
            {
                problems.append(problem)
            } else if let signing, token.info.genTime.time > signing {
                problems.append(
                    .doubt(
                        .timestampOrder,
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
                .failure(.severalSigners, "the signature has \(checks.count) signers"))
            return
        }
        keep(check.certificates)
        var report = candidate.report
        defer { candidate.report = report }
        report.digest = algorithm.rawValue
        report.algorithm = check.scheme?.name
        report.isIntact = check.isIntact
        report.claimedTime = report.claimedTime ?? check.claimedTime
        report.problems +=
            (try? PreparedSignedData(resuming: message)) == nil
            ? check.problems.map(VerificationProblem.init) : [Self.pending]
        Self.judgeContent(message, check, profile, digest, &report)
        if check.verified != nil {
            report.level = profile.requiresSigningCertificateReference ? .b : .cms
        }
        let stampVerifier = timestampVerifier()
        let times = try stampVerifier.timestamps(of: check)
        report.value = candidate.value.map {
            SignedValue(
                signature: check.signature, byteRange: $0.byteRange, digest: digest,
                attributes: message.signers.first?.signedBytes.first, token: times.token)
        }
        report.timestamp = times.check.flatMap { summary(of: $0, by: stampVerifier) } ?? newestStamp
        report.provenTime = [times.earliest, provenTime].compactMap { $0 }.min()
        report.problems += VerificationProblem.claimedTimeRemarks(
            report.claimedTime, proven: report.provenTime, by: check.signer, at: time)
        let carried = candidate.carriedCertificates
        let proof =
            times.proofs.first { $0.info?.provenTime == report.provenTime }
            .flatMap { path(of: $0, carried: carried) } ?? provenPath
        report.provenBy = proof?.leaf
        report.provenToken =
            times.earliest != nil && times.earliest == report.provenTime ? times.token : provenToken
        let stamp = proof ?? times.check.flatMap { path(of: $0, carried: carried) }
        report.paths = [stamp].compactMap(\.self)
        if let signer = check.signer {
            try judgeSigner(
                &report, signer, candidates: check.certificates, carried: carried,
                digest: check.digest,
                message: message, isStamped: times.earliest != nil)
        }
        report.problems += times.problems
        report.problems += try judgeContentTimestamps(
            candidate, digestOf, before: times.earliest)
    }

    /// Certificates of one signature may complete the path of another.
    private mutating func keep(_ found: [Certificate]) {
        for certificate in found where certificates.count < Self.maximumCertificateCount {
            certificates[certificate.der] = certificate
        }
    }

    /// Whether what the message says that it signs is the document.
    private static func judgeContent(
        _ message: SignedData, _ check: SignatureCheck, _ profile: SignedDataVerifier.Profile,
        _ digest: [UInt8], _ report: inout SignatureReport
    ) {
        if !profile.isDetached {
            // The content is the hash of what is signed.
            let fits = message.content == digest
            report.isIntact = check.isIntact && fits
            if !fits {
                report.problems.append(
                    .failure(.digestMismatch, "the content is not what was signed", .hashFailure))
            }
            report.problems.append(weakDigest)
        } else if !check.signedAttributesPresent, !profile.requiresSignedAttributes {
            report.problems.append(
                .doubt(
                    .signedAttributesMissing,
                    "the signature has no signed attributes: nothing says what it was made for",
                    .signatureConstraintsFailure))
        }
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
                    .signerCertificateMissing, "there is no certificate beside the signature",
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
                    .signatureInvalid, "the signature does not verify", .signatureCryptoFailure))
        }
        if let pinned, signer != pinned {
            report.problems.append(
                .doubt(
                    .signerNotPinned,
                    "the signature was made with another certificate than the one that was named",
                    .noSigningCertificateFound))
        }
        report.value = SignedValue(
            signature: signature, byteRange: value.byteRange, digest: digest)
        report.level = .cms
        report.provenTime = provenTime
        report.provenBy = provenPath?.leaf
        report.provenToken = provenToken
        report.timestamp = newestStamp
        report.problems.append(Self.weakDigest)
        try judgeSigner(
            &report, signer, candidates: Array(certificates.dropFirst()),
            carried: certificates.map(\.der), digest: .sha1,
            message: nil, isStamped: false)
    }

    private static let pending = VerificationProblem.failure(
        .signaturePending, "the field is prepared, and waits for its signature",
        .signatureCryptoFailure)

    /// Formats that hash the document with SHA-1 whatever the signature says.
    private static let weakDigest = VerificationProblem.doubt(
        .weakAlgorithm, "SHA-1 counts as broken", .cryptoConstraintsFailureNoPOE)

    /// The certificate's path, at the time for which the signature is known to exist, else now
    /// (ETSI EN 319 102-1 §5.6.2).
    ///
    /// - Parameters:
    ///   - message: the signature, where it is a CMS.
    ///   - isStamped: whether the signature's own time stamp proves that time. Then a certificate
    ///     that did not count at that time fails; otherwise it may have been signed earlier.
    private mutating func judgeSigner(
        _ report: inout SignatureReport, _ signer: Certificate, candidates: [Certificate],
        carried: [[UInt8]], digest: DigestAlgorithm?, message: SignedData?, isStamped: Bool
    ) throws {
        let evidence = message.map(RevocationEvidence.init(in:)) ?? RevocationEvidence()
        report.signer = signer
        let path = try path(
            of: signer, candidates, digest, at: report.provenTime ?? time, evidence: evidence)
        report.isTrusted = path.isTrusted
        report.pathEnd = path.end
        report.revocation = path.revocation
        report.paths.insert(
            JudgedPath(
                role: .signer, leaf: signer, chain: path.chain,
                candidates: candidates + store.certificates + validator.intermediates,
                time: report.provenTime ?? time, carried: carried), at: 0)
        if path.outcome == .passed,
            let problem = try lateEvidence(report, digest, evidence, message)
        {
            report.problems.append(problem)
        }
        report.problems += VerificationProblem.problems(path)
            .map { isStamped ? Self.proven($0, signer, at: report.provenTime ?? time) : $0 }
            .filter { !report.problems.contains($0) }
        // Anybody can stamp: only trusted time lifts the level.
        guard report.level == .b, report.provenTime != nil else { return }
        report.level = .t
        report.hasValidationData = try hasValidationData(store, for: report)
        if report.hasValidationData { report.level = .lt }
    }

    /// Whether a store and the signature bring the certificates of every path, and say of each and
    /// of those who speak about them whether they were revoked (ETSI EN 319 142-1 §6.3 r to t).
    func hasValidationData(
        _ store: DocumentSecurityStore, for report: SignatureReport
    ) throws(CryptoError) -> Bool {
        try validator.isComplete(
            store.material, for: report.paths, at: report.provenTime ?? time)
    }

    /// What a store says about everything that the signature depends on.
    func audit(
        of report: SignatureReport, _ store: DocumentSecurityStore
    ) throws(CryptoError) -> EvidenceAudit {
        try validator.audit(report.paths, store.material, at: report.provenTime ?? time)
    }

    /// What is said about a certificate that has expired since counts only where a time stamp
    /// proves that it is older, or where it was said afterwards all the same (ETSI EN 319 102-1
    /// §5.6.2.2).
    ///
    /// - Returns: nil where nothing is in doubt.
    private mutating func lateEvidence(
        _ report: SignatureReport, _ digest: DigestAlgorithm?, _ evidence: RevocationEvidence,
        _ message: SignedData?
    ) throws -> VerificationProblem? {
        guard let path = report.paths.first, report.provenTime != nil else { return nil }
        var material = store.material
        material.evidence.formUnion(evidence)
        return try validator.lateEvidence(
            about: path, digest: digest, material, at: time
        ) { end throws(CryptoError) in
            let stored = Self.evidence(before: end, proofs, storeBefore)
            // A later time stamp covers what stands beside the signature as well.
            if proofs.contains(where: { $0.time <= end }) { return stored + evidence }
            return message.map { stored + RevocationEvidence(signedIn: $0) } ?? stored
        }
    }

    /// What a store is proven to have held before a moment; nothing where that cannot be told.
    private static func evidence(
        before end: CalendarTime, _ proofs: [(time: CalendarTime, end: Int)],
        _ storeBefore: (Int) throws -> DocumentSecurityStore?
    ) -> RevocationEvidence {
        var proven = RevocationEvidence()
        for proof in proofs where proof.time <= end {
            if let store = try? storeBefore(proof.end) { proven.formUnion(store.evidence) }
        }
        return proven
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
