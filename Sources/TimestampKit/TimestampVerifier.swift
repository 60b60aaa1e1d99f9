internal import ASN1Kit
package import ByteKit
internal import CMSKit
package import CryptoBridge
import SignatureTerms
package import TrustKit

/// Verifies time stamps by the whole checklist of RFC 3161 §2.4.2 and ETSI EN 319 422.
///
/// The certificate's path is judged at the time that the token states; hashes and keys by what is
/// known at ``time``.
package struct TimestampVerifier {
    private(set) var validator: PathValidator
    /// When the question is asked: now, or a time for which the token's existence is proven.
    package private(set) var time: CalendarTime
    /// Certificates from elsewhere that may be the authority's or its issuers'.
    package var additionalCertificates: [Certificate] = []
    /// What is known of revocations besides what the validator knows.
    package var evidence = RevocationEvidence()
    /// When set, only this certificate counts as the authority's, compared whole.
    package var pinned: Certificate?
    /// Whether what is known of revocations must reach to ``time``: a key that was stolen since
    /// could have made the token (ETSI EN 319 102-1 §5.6.2.2). Else it is said that it does not.
    package var demandsPresentEvidence = false
    /// What is proven to have been said before a moment; nil where nobody can tell, and nothing
    /// is asked.
    package var evidenceBefore: ((CalendarTime) throws(CryptoError) -> RevocationEvidence)?
    /// When the question is asked, whatever is proven: what has ended by then may have been used
    /// by anybody since.
    private let present: CalendarTime

    /// Stamps may be that much ahead of ``time``, for clocks that differ.
    static let clockToleranceSeconds = 300
    /// ETSI EN 319 422 asks for one second; what is off by more than this proves no time.
    static let accuracyLimitSeconds = 3600

    /// - Parameter anchors: whom to believe; see ``TrustKit/PathValidator``.
    package init(anchors: TrustAnchors, time: CalendarTime) {
        self.init(PathValidator(anchors: anchors, now: time), time: time)
    }

    /// - Parameters:
    ///   - validator: whom to believe, what is known, and who is asked. Policies are those of
    ///     signers, and not of authorities.
    ///   - present: see ``present``; nil for `time`.
    package init(_ validator: PathValidator, time: CalendarTime, present: CalendarTime? = nil) {
        self.validator = validator
        self.validator.policy = SignerPolicy(purpose: .timestamps)
        self.validator.certificatePolicies = PathPolicies()
        self.time = time
        self.present = present ?? time
    }

    /// The same, asking at another time.
    func moved(to time: CalendarTime) -> TimestampVerifier {
        var copy = self
        copy.time = time
        return copy
    }

    // MARK: What is asked

    /// A token over data at hand, such as the value of a signature.
    package func verify(
        _ token: TimestampToken, over data: [UInt8]
    ) throws(CryptoError) -> TimestampCheck {
        try verify(token, hash: token.info.messageImprint.digest?.hash(data))
    }

    /// A token over data of which this is the hash, by the algorithm of the token's
    /// ``TSTInfo/messageImprint``; nil when that one is unknown.
    package func verify(
        _ token: TimestampToken, hash: [UInt8]?
    ) throws(CryptoError) -> TimestampCheck {
        var check = TimestampCheck(info: token.info)
        compareImprint(token.info.messageImprint, hash, &check)
        try checkToken(token, &check)
        return check
    }

    /// An answer beside the request that it should fit, or beside a hash as above, or both.
    package func verify(
        _ reply: TimestampReply, request: TimestampRequest? = nil, hash: [UInt8]? = nil
    ) throws(CryptoError) -> TimestampCheck {
        var check = TimestampCheck(info: reply.token?.info)
        if let response = reply.response { checkStatus(response, &check) }
        guard let token = reply.token else { return check }
        if let request {
            let problems = TimestampVerifier.problems(of: token, beside: request)
            check.problems += problems
            check.imprintMatches = !problems.contains {
                $0.code == .imprintMismatch || $0.code == .imprintAlgorithmMismatch
            }
        }
        if hash != nil || request == nil, check.imprintMatches != false {
            compareImprint(token.info.messageImprint, hash, &check)
        }
        try checkToken(token, &check)
        return check
    }

    /// Whether the answer is one to the request: imprint, nonce and policy are those asked for.
    /// Signature and certificate are another question.
    package static func problems(
        of token: TimestampToken, beside request: TimestampRequest
    ) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        let info = token.info
        if !info.messageImprint.hasSameAlgorithm(as: request.messageImprint) {
            problems.append(
                VerificationProblem(
                    .imprintAlgorithmMismatch,
                    "the stamped hash is \(info.messageImprint.algorithmName), "
                        + "\(request.messageImprint.algorithmName) was sent",
                    .failed, .hashFailure))
        } else if info.messageImprint.hashedMessage != request.messageImprint.hashedMessage {
            problems.append(
                VerificationProblem(
                    .imprintMismatch, "the stamped hash is not the one that was sent", .failed,
                    .hashFailure))
        }
        if let nonce = request.nonce {
            if info.nonce == nil {
                problems.append(
                    VerificationProblem(
                        .nonceMissing, "the token lacks the nonce that was sent", .failed,
                        .formatFailure))
            } else if info.nonce != nonce {
                problems.append(
                    VerificationProblem(
                        .nonceMismatch, "the token's nonce is not the one that was sent", .failed,
                        .formatFailure))
            }
        }
        if let policy = request.policy, policy != info.policy {
            problems.append(
                VerificationProblem(
                    .policyMismatch,
                    "stamped under the policy \(info.policy), \(policy) was asked for", .failed,
                    .formatFailure))
        }
        if !request.certReq, !token.signedData.certificates.isEmpty {
            problems.append(
                VerificationProblem(
                    .certificatesUnasked, "the token brings certificates that were not asked for",
                    nil))
        }
        return problems
    }

    // MARK: The points

    private func checkStatus(_ response: TimestampResponse, _ check: inout TimestampCheck) {
        if !response.status.isGranted {
            check.note(
                VerificationProblem(
                    .timestampNotGranted,
                    "the authority did not stamp: " + response.statusDescription, .failed,
                    .formatFailure))
            if response.token != nil {
                check.note(
                    VerificationProblem(
                        .timestampTokenUnexpected, "a token beside a status that grants none",
                        .failed,
                        .formatFailure))
            }
            return
        }
        if response.status == .grantedWithMods {
            check.note(
                VerificationProblem(
                    .timestampGrantedWithModifications,
                    "the authority changed what was asked for: " + response.statusDescription, nil))
        }
        if response.token == nil {
            check.note(
                VerificationProblem(
                    .timestampTokenMissing, "granted, but there is no token", .failed,
                    .formatFailure))
        }
    }

    private func compareImprint(
        _ imprint: MessageImprint, _ hash: [UInt8]?, _ check: inout TimestampCheck
    ) {
        guard imprint.digest != nil, let hash else { return }
        check.imprintMatches = imprint.hashedMessage == hash
        if imprint.hashedMessage != hash {
            check.note(
                VerificationProblem(
                    .imprintMismatch, "the time stamp is over other data", .failed, .hashFailure))
        }
    }

    private func checkToken(
        _ token: TimestampToken, _ check: inout TimestampCheck
    ) throws(CryptoError) {
        checkInfo(token.info, &check)
        var verifier = SignedDataVerifier(profile: .timestampToken)
        verifier.additionalCertificates = additionalCertificates
        verifier.pinned = pinned
        let signatures = try verifier.verify(token.signedData)
        let signature = signatures[0]
        check.signature = signature
        check.problems += signature.problems.map(TimestampVerifier.problem)
        if let signer = signature.signer {
            try checkCertificate(signer, signature, token.info, &check)
        }
    }

    private func checkInfo(_ info: TSTInfo, _ check: inout TimestampCheck) {
        if info.version != 1 {
            check.note(
                VerificationProblem(
                    .tstVersionUnexpected, "TSTInfo has version \(info.version)", .failed,
                    .formatFailure))
        }
        let imprint = info.messageImprint
        if let digest = imprint.digest {
            if imprint.hashedMessage.count != digest.byteCount {
                check.note(
                    VerificationProblem(
                        .imprintMalformed,
                        "a stamped hash of \(imprint.hashedMessage.count) bytes, "
                            + "\(digest.displayName) has \(digest.byteCount)",
                        .failed, .formatFailure))
            }
            if let end = AlgorithmPolicy.expiry(of: digest), time >= end {
                check.note(
                    VerificationProblem(
                        .imprintWeak,
                        "the stamped hash is \(digest.displayName), which counts as broken",
                        .indeterminate, .cryptoConstraintsFailureNoPOE))
            }
        } else {
            check.note(
                VerificationProblem(
                    .imprintAlgorithmUnsupported,
                    "the stamped hash is of the unknown algorithm \(imprint.algorithm.oid)",
                    .indeterminate, .cryptoConstraintsFailureNoPOE))
        }
        for item in info.extensions where item.isCritical {
            check.note(
                VerificationProblem(
                    .tstCriticalExtension, "the unknown critical extension \(item.oid)", .failed,
                    .formatFailure))
        }
        if let accuracy = info.accuracy, accuracy.seconds >= Self.accuracyLimitSeconds {
            check.note(
                VerificationProblem(
                    .accuracyUseless, "the time is accurate to \(accuracy) only", .indeterminate,
                    .signatureConstraintsFailure))
        } else if let accuracy = info.accuracy, accuracy.isOverOneSecond {
            check.note(
                VerificationProblem(
                    .accuracyCoarse,
                    "accurate to \(accuracy); ETSI EN 319 422 asks for one second", nil))
        }
        if info.genTime.time > time.adding(seconds: Self.clockToleranceSeconds) {
            check.note(
                VerificationProblem(
                    .timeInFuture,
                    "stamped at \(info.genTime.rfc3339), later than \(time.rfc3339)",
                    .indeterminate, .timestampOrderFailure))
        }
    }

    private func checkCertificate(
        _ signer: Certificate, _ signature: SignatureCheck, _ info: TSTInfo,
        _ check: inout TimestampCheck
    ) throws(CryptoError) {
        if let tsa = info.tsa, !TimestampVerifier.isName(tsa, of: signer) {
            check.note(
                VerificationProblem(
                    .tsaNameMismatch, "the token names another authority than its certificate", nil)
            )
        }
        var question = PathValidator.Question(
            leaf: signer, candidates: signature.certificates + additionalCertificates,
            digest: signature.digest, at: info.genTime.time)
        question.evidence = evidence
        question.existence = time
        question.revocationsKnownUntil = time
        question.demandsPresentEvidence = demandsPresentEvidence
        let path = try validator.validate(question)
        check.isTrusted = path.isTrusted
        check.pathEnd = path.end
        check.revocation = path.revocation
        check.chain = path.chain
        let usage = validator.policy.usageViolations(signer)
        let isUsage = { (message: String) in usage.contains { $0.message == message } }
        // A certificate that may not stamp makes the token none by RFC 3161 §2.3.
        check.problems += usage.map { .failure($0.code, $0.message) }
        check.problems += VerificationProblem.problems(path).filter { !isUsage($0.message) }
        if path.outcome == .passed, let evidenceBefore,
            let judged = JudgedPath(check, candidates: additionalCertificates, carried: []),
            let late = try validator.lateEvidence(
                about: judged, digest: signature.digest,
                ValidationMaterial(certificates: [], evidence: evidence), at: present,
                proven: evidenceBefore)
        {
            check.note(late)
        }
        if time > info.genTime.time, let key = try? signer.publicKey {
            let known = Set(path.violations.map(\.message))
            let weaknesses = AlgorithmPolicy.weaknesses(
                digest: signature.digest, key: key, at: time)
            for weakness in weaknesses where !known.contains(weakness) {
                check.note(
                    VerificationProblem(
                        .weakAlgorithm, weakness, .indeterminate, .cryptoConstraintsFailureNoPOE))
            }
        }
        if time > signer.notAfter, signer.isValid(at: info.genTime.time) {
            check.note(
                VerificationProblem(
                    .certificateExpiredSince,
                    "the authority's certificate was valid at that time and expired on "
                        + signer.notAfter.rfc3339, nil))
        }
    }

    /// RFC 3161 wants the reference to the certificate; a token without it, or with another's, is
    /// none, where other signatures would merely be in doubt.
    private static func problem(_ problem: CMSProblem) -> VerificationProblem {
        switch problem.code {
        case .signingCertificateReferenceMissing, .signingCertificateMismatch, .signerNotPinned:
            .failure(problem.code, problem.message)
        default: VerificationProblem(problem)
        }
    }

    /// Whether a GeneralName is the subject or one of its alternative names.
    private static func isName(_ name: [UInt8], of certificate: Certificate) -> Bool {
        guard let text = GeneralNames.text(name: name) else { return false }
        return text == "dn:\(certificate.subject)"
            || certificate.subjectAlternativeNames.contains(text)
    }
}

extension MessageImprint {
    /// `SHA-256`, or a dotted identifier.
    fileprivate var algorithmName: String { digest?.displayName ?? algorithm.oid.description }
}
