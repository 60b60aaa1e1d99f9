package import Base
internal import CMSKit
package import CryptoBridge
package import TrustKit

/// Verifies timestamps by all requirements of RFC 3161 §2.4.2 and ETSI EN 319 422.
///
/// The path of the TSA certificate is validated at genTime; hashes and keys at ``time``.
package struct TimestampVerifier {
    private(set) var validator: PathValidator
    /// Validation time: now, or a time with a proof of existence of the token.
    package private(set) var time: CalendarTime
    /// Other certificates that may be the TSA's or its issuers'.
    package var additionalCertificates: [Certificate] = []
    /// Revocation data in addition to that of the validator.
    package var evidence = RevocationEvidence()
    /// If set, only this certificate is accepted as the TSA's, compared by its bytes.
    package var pinned: Certificate?
    /// Whether revocation status must reach to ``time``: a key stolen since could have made the
    /// token (ETSI EN 319 102-1 §5.6.2.2). Otherwise missing status is a note.
    package var demandsPresentEvidence = false
    /// Revocation data with a proof of existence before a time; nil if there is no such proof, and
    /// it is not required.
    package var evidenceBefore: ((CalendarTime) throws(CryptoError) -> RevocationEvidence)?
    /// The current time, regardless of proofs of existence: expired keys may have been misused by
    /// then.
    private let present: CalendarTime

    /// ETSI EN 319 422 requires one second; beyond this limit the timestamp proves no time.
    static let accuracyLimitSeconds = 3600

    /// - Parameter anchors: trust anchors; see ``TrustKit/PathValidator``.
    package init(anchors: TrustAnchors, time: CalendarTime) {
        self.init(PathValidator(anchors: anchors, now: time), time: time)
    }

    /// - Parameters:
    ///   - validator: trust anchors, revocation data and source. Its certificate policies apply to
    ///     signers, not to TSAs.
    ///   - present: see ``present``; nil for `time`.
    package init(_ validator: PathValidator, time: CalendarTime, present: CalendarTime? = nil) {
        self.validator = validator
        self.validator.policy = SignerPolicy(purpose: .timestamps)
        self.validator.certificatePolicies = PathPolicies()
        self.time = time
        self.present = present ?? time
    }

    /// The same verifier with another validation time.
    package func moved(to time: CalendarTime) -> TimestampVerifier {
        var copy = self
        copy.time = time
        return copy
    }

    // MARK: Verifying

    /// Verifies a token over the given data, such as a signature value.
    package func verify(
        _ token: TimestampToken, over data: [UInt8]
    ) throws(CryptoError) -> TimestampCheck {
        try verify(token, hash: token.info.messageImprint.digest?.hash(data))
    }

    /// Verifies a token over data with this hash, made with the algorithm of
    /// ``TSTInfo/messageImprint``; nil if that is unknown.
    package func verify(
        _ token: TimestampToken, hash: [UInt8]?
    ) throws(CryptoError) -> TimestampCheck {
        try check(token, Self.imprint(of: token, hash))
    }

    /// Verifies a response against its request, a hash as above, or both.
    package func verify(
        _ reply: TimestampReply, request: TimestampRequest? = nil, hash: [UInt8]? = nil
    ) throws(CryptoError) -> TimestampCheck {
        let problems = reply.response.map(Self.problems(of:)) ?? []
        guard let token = reply.token else { return TimestampCheck(info: nil, problems: problems) }
        let asked = request.map { request in
            let found = Self.problems(of: token, beside: request)
            let isOther = found.contains {
                $0.code == .imprintMismatch || $0.code == .imprintAlgorithmMismatch
            }
            return Imprint(matches: !isOther, problems: found)
        }
        let compared =
            (hash != nil || request == nil) && asked?.matches != false
            ? Self.imprint(of: token, hash) : nil
        let imprint = Imprint(
            matches: compared?.matches ?? asked?.matches,
            problems: problems + (asked?.problems ?? []) + (compared?.problems ?? []))
        return try check(token, imprint)
    }

    /// Whether the message imprint matches the given hash.
    private struct Imprint {
        /// Nil if there was no hash to compare.
        let matches: Bool?
        /// Problems of the imprint and of earlier checks.
        let problems: [VerificationProblem]

    }

    /// Problems of a token compared with its request: imprint, nonce and policy. Signature and
    /// certificate are checked separately.
    package static func problems(
        of token: TimestampToken, beside request: TimestampRequest
    ) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        let info = token.info
        if !info.messageImprint.algorithm.isSame(as: request.messageImprint.algorithm) {
            problems.append(
                .failure(
                    .imprintAlgorithmMismatch,
                    "the message imprint uses \(info.messageImprint.algorithmName), "
                        + "requested was \(request.messageImprint.algorithmName)", .hashFailure))
        } else if info.messageImprint.hashedMessage != request.messageImprint.hashedMessage {
            problems.append(
                .failure(
                    .imprintMismatch,
                    "message imprint mismatch: the TSA signed another hash than requested",
                    .hashFailure))
        }
        if let nonce = request.nonce {
            if info.nonce == nil {
                problems.append(.failure(.nonceMissing, "the token lacks the nonce of the request"))
            } else if info.nonce != nonce {
                problems.append(
                    .failure(.nonceMismatch, "nonce mismatch: the token may be an old one"))
            }
        }
        if let policy = request.policy, policy != info.policy {
            problems.append(
                .failure(
                    .policyMismatch,
                    "the timestamp policy is \(info.policy), requested was \(policy)"))
        }
        if !request.certReq, !token.signedData.certificates.isEmpty {
            problems.append(
                .remark(
                    .certificatesUnasked, "the token contains certificates that were not requested")
            )
        }
        return problems
    }

    // MARK: Checks

    private static func problems(of response: TimestampResponse) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if !response.status.isGranted {
            problems.append(
                .failure(
                    .timestampNotGranted,
                    "the TSA rejected the request: " + response.statusDescription))
            if response.token != nil {
                problems.append(
                    .failure(
                        .timestampTokenUnexpected,
                        "the response contains a token, but its status is a rejection"))
            }
            return problems
        }
        if response.status == .grantedWithMods {
            problems.append(
                .remark(
                    .timestampGrantedWithModifications,
                    "the TSA granted the request with modifications: " + response.statusDescription)
            )
        }
        if response.token == nil {
            problems.append(
                .failure(.timestampTokenMissing, "the status is granted, but the token is missing"))
        }
        return problems
    }

    private static func imprint(of token: TimestampToken, _ hash: [UInt8]?) -> Imprint {
        let imprint = token.info.messageImprint
        guard imprint.digest != nil, let hash else { return Imprint(matches: nil, problems: []) }
        let matches = imprint.hashedMessage == hash
        return Imprint(
            matches: matches,
            problems: matches
                ? []
                : [
                    .failure(
                        .imprintMismatch,
                        "message imprint mismatch: the timestamp is for other data", .hashFailure)
                ])
    }

    private func check(
        _ token: TimestampToken, _ imprint: Imprint
    ) throws(CryptoError) -> TimestampCheck {
        var verifier = SignedDataVerifier(profile: .timestampToken)
        verifier.additionalCertificates = additionalCertificates
        verifier.pinned = pinned
        let signature = try verifier.verify(token.signedData)[0]
        let problems =
            imprint.problems + problems(of: token.info)
            + signature.problems.map(TimestampVerifier.problem)
        guard let signer = signature.signer else {
            return TimestampCheck(
                info: token.info, signature: signature, imprintMatches: imprint.matches,
                problems: problems)
        }
        let path = try path(of: signer, signature, token.info)
        return TimestampCheck(
            info: token.info, signature: signature, imprintMatches: imprint.matches, path: path,
            problems: try problems + self.problems(of: signer, signature, token.info, path))
    }

    /// Problems of the token's content.
    private func problems(of info: TSTInfo) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if info.version != 1 {
            problems.append(.failure(.tstVersionUnexpected, "TSTInfo has version \(info.version)"))
        }
        let imprint = info.messageImprint
        if let digest = imprint.digest {
            if imprint.hashedMessage.count != digest.byteCount {
                problems.append(
                    .failure(
                        .imprintMalformed,
                        "the message imprint has \(imprint.hashedMessage.count) bytes, "
                            + "\(digest.displayName) has \(digest.byteCount)"))
            }
            if let end = AlgorithmPolicy.expiry(of: digest), time >= end {
                problems.append(
                    .doubt(
                        .imprintWeak,
                        "the message imprint uses \(digest.displayName) (no longer secure)",
                        .cryptoConstraintsFailureNoPOE))
            }
        } else {
            problems.append(
                .doubt(
                    .imprintAlgorithmUnsupported,
                    "the message imprint uses the unknown algorithm \(imprint.algorithm.oid)",
                    .cryptoConstraintsFailureNoPOE))
        }
        for item in info.extensions where item.isCritical {
            problems.append(
                .failure(
                    .tstCriticalExtension,
                    "the token has the unknown critical extension \(item.oid)"))
        }
        if let accuracy = info.accuracy, accuracy.seconds >= Self.accuracyLimitSeconds {
            problems.append(
                .doubt(.accuracyTooCoarse, "the accuracy of the time is only \(accuracy)"))
        } else if let accuracy = info.accuracy, accuracy.isOverOneSecond {
            problems.append(
                .remark(
                    .accuracyCoarse,
                    "the accuracy of the time is \(accuracy); ETSI EN 319 422 requires one second"))
        }
        if info.genTime.time > time.adding(CalendarTime.clockTolerance) {
            problems.append(
                .doubt(
                    .timeInFuture,
                    "the time \(info.genTime.text) is later than the validation time \(time.text)",
                    .timestampOrderFailure))
        }
        return problems
    }

    /// The path of the TSA certificate at genTime.
    private func path(
        of signer: Certificate, _ signature: SignatureCheck, _ info: TSTInfo
    ) throws(CryptoError) -> PathVerdict {
        var question = PathValidator.Question(
            leaf: signer, candidates: signature.certificates + additionalCertificates,
            digest: signature.digest, at: info.genTime.time)
        question.evidence = evidence
        question.existence = time
        question.revocationsKnownUntil = time
        question.demandsPresentEvidence = demandsPresentEvidence
        return try validator.validate(question)
    }

    private func problems(
        of signer: Certificate, _ signature: SignatureCheck, _ info: TSTInfo, _ path: PathVerdict
    ) throws(CryptoError) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if let tsa = info.tsa, !TimestampVerifier.isName(tsa, of: signer) {
            problems.append(
                .remark(.tsaNameMismatch, "the token names another TSA than its certificate"))
        }
        let usage = validator.policy.usageViolations(signer)
        let isUsage = { (message: String) in usage.contains { $0.message == message } }
        // A certificate not for time-stamping makes the token invalid (RFC 3161 §2.3).
        problems += usage.map { .failure($0.code, $0.message, .chainConstraintsFailure) }
        problems += VerificationProblem.problems(path).filter { !isUsage($0.message) }
        if path.outcome == .passed, let evidenceBefore {
            let judged = JudgedPath(
                role: .tsa, leaf: signer, chain: path.chain,
                candidates: signature.certificates + additionalCertificates,
                time: info.genTime.time, carried: [])
            let late = try validator.lateEvidence(
                about: judged, digest: signature.digest,
                ValidationMaterial(certificates: [], evidence: evidence), at: present,
                proven: evidenceBefore)
            problems += [late].compactMap(\.self)
        }
        if time > info.genTime.time, let key = try? signer.publicKey {
            let known = Set(path.violations.map(\.message))
            let weaknesses = AlgorithmPolicy.weaknesses(
                digest: signature.digest, key: key, at: time)
            for weakness in weaknesses where !known.contains(weakness) {
                problems.append(.doubt(.weakAlgorithm, weakness, .cryptoConstraintsFailureNoPOE))
            }
        }
        if time > signer.notAfter, signer.isValid(at: info.genTime.time) {
            problems.append(
                .remark(
                    .certificateExpiredSince,
                    "the TSA certificate was valid at that time and expired on \(signer.notAfter.text)"
                ))
        }
        return problems
    }

    /// RFC 3161 requires the certificate reference: a token with a missing or wrong one is invalid,
    /// while other signatures are only indeterminate.
    private static func problem(_ problem: VerificationProblem) -> VerificationProblem {
        switch problem.code {
        case .signingCertificateReferenceMissing, .signingCertificateMismatch, .signerNotPinned:
            .failure(problem.code, problem.message)
        default: problem
        }
    }

    /// Whether a GeneralName is the subject or one of its alternative names.
    private static func isName(_ name: [UInt8], of certificate: Certificate) -> Bool {
        if let directory = GeneralNames.directoryName(name) {
            return DistinguishedName.areSame(directory, certificate.subjectDER)
        }
        return certificate.subjectAlternativeNames.contains(GeneralNames.text(name: name))
    }
}

extension MessageImprint {
    /// `SHA-256`, or a dotted identifier.
    fileprivate var algorithmName: String { digest?.displayName ?? algorithm.oid.description }
}
