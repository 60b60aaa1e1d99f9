package import Base
package import CryptoBridge

/// The result of path validation (ETSI EN 319 102-1 §5.2.6).
package struct PathVerdict: Sendable {
    package enum Outcome: Sendable, Equatable {
        case passed
        case indeterminate(SubIndication)
    }

    package let outcome: Outcome
    /// Leaf first, trust anchor last; empty if no path was found.
    package let chain: [Certificate]
    /// The reason for failure, in lower case; nil if it passed.
    package fileprivate(set) var message: String?
    /// The code of the failure, if it is not among ``violations``.
    package fileprivate(set) var code = ProblemCode.certificateNotTrusted
    /// Policy violations of the certificates; the first one determines the outcome.
    package var violations: [VerificationProblem] = []
    /// Sources that returned no revocation status.
    package var remarks: [String] = []
    /// Messages about certificates without a current revocation status, if it was not required.
    package fileprivate(set) var outdated: [String] = []
    /// The CA whose certificate would extend the path; nil if there is none.
    package var missing: MissingAuthority?
    /// Rejected revocation data for these certificates.
    package var rejected: [String] = []
    /// The end of the path, valid or not; nil without a path.
    package var end: PathEnd?
    /// The record with the leaf's revocation status; nil if the status is unknown.
    package var revocation: StatusRecord?

    /// Whether a path was found that is invalid only because of a CA certificate.
    fileprivate var isWorthADetour: Bool {
        outcome != .passed && chain.count > 2
            && !violations.contains { $0.isAboutKey || $0.code == .revoked }
    }

    /// Whether the path ends at a trust anchor without any known problem.
    package var isTrusted: Bool { outcome == .passed || outcome == .indeterminate(.tryLater) }
}

extension MissingAuthority {
    init?(_ failure: ChainFailure, below anchors: TrustAnchors) {
        guard let certificate = failure.certificate else { return nil }
        switch failure.code {
        case .selfSignedUntrusted:
            guard let digest = try? certificate.sha256 else { return nil }
            let (name, sha256) = (certificate.displayName, Hex.encode(digest))
            self =
                failure.depth == 0
                ? .untrustedCertificate(name, sha256: sha256) : .untrustedRoot(name, sha256: sha256)
        case .issuerUnknown:
            let issuer = certificate.issuer.shortText
            let named = anchors.givenCertificates.filter { $0.isNamedAsIssuer(of: certificate) }
            // A certificate with the right key is skipped for another reason, such as its serial
            // number.
            self =
                named.isEmpty || named.contains(where: certificate.isSigned(by:))
                ? .unknownIssuer(issuer) : .otherKey(issuer)
        default: return nil
        }
    }
}

/// Validates signing certificates with configured trust anchors.
package struct PathValidator: Sendable {
    /// Trust anchors from the configuration, never from a document.
    package let anchors: TrustAnchors
    package var policy = SignerPolicy()
    package var certificatePolicies = PathPolicies()
    /// The current time; later revocation data is rejected.
    package private(set) var now: CalendarTime
    /// Revocation data given by the user; each question may add more. If CRLs are given, every
    /// certificate needs a revocation status.
    package var evidence = RevocationEvidence()
    /// Given intermediate CA certificates, not trust anchors.
    package var intermediates: [Certificate] = []
    /// Records which CRLs applied to a certificate.
    package var listUse: ListUse?
    /// Source for online requests; nil to work offline. Only certificates on a path to a trust
    /// anchor are checked: other certificates may contain any address.
    package var source: (any RevocationSource)?
    /// Trusted lists, whose services are additional trust anchors; nil for none.
    package var listed: (any ListedServices)?
    /// Limit of signature checks for the revocation data of one file.
    package var budget = EvidenceBudget()

    /// - Parameter now: the current time.
    package init(anchors: TrustAnchors, policy: SignerPolicy = SignerPolicy(), now: CalendarTime) {
        self.anchors = anchors
        self.policy = policy
        self.now = now
    }

    /// The same validator with another current time.
    package func moved(to now: CalendarTime) -> PathValidator {
        var copy = self
        copy.now = now
        return copy
    }

    package func anchors(for certificates: [Certificate], at time: CalendarTime) -> TrustAnchors {
        let found =
            listed?.anchors(
                above: certificates, at: time, forTimestamps: policy.purpose == .timestamps) ?? []
        return found.isEmpty ? anchors : .combined([.certificates(found), anchors])
    }

    package struct Question {
        let leaf: Certificate
        /// Candidates for issuers of the leaf and for signers of revocation data.
        let candidates: [Certificate]
        /// Digest algorithm of the signature by the leaf.
        let digest: DigestAlgorithm?
        /// When the leaf was used.
        let time: CalendarTime
        package var evidence = RevocationEvidence()
        /// Proof of existence of the signature: a key compromise also affects earlier signatures
        /// (RFC 3161 §4).
        package var existence: CalendarTime?
        /// Time for which revocation status is still required; nil if the status at `time`
        /// suffices.
        package var revocationsKnownUntil: CalendarTime?
        /// Whether missing status at that time is an error; otherwise it is a note.
        package var demandsPresentEvidence = true

        package init(
            leaf: Certificate, candidates: [Certificate], digest: DigestAlgorithm? = nil,
            at time: CalendarTime
        ) {
            self.leaf = leaf
            self.candidates = candidates
            self.digest = digest
            self.time = time
        }
    }

    /// Builds a path from the leaf to a trust anchor, valid at the time of use, then checks usage,
    /// algorithms and revocation.
    ///
    /// If a CA certificate in the path is invalid and the CA has others, paths through those are
    /// tried too (RFC 4158 §2.4). An old CA certificate added to a message must not invalidate
    /// the message.
    package func validate(_ question: Question) throws(CryptoError) -> PathVerdict {
        var issuerRequestsLeft = Self.issuerRequestLimit
        let first = try verdict(question, except: [], &issuerRequestsLeft)
        var (verdict, tried) = (first, [[Certificate]]())
        while verdict.isWorthADetour, tried.count < Self.detourLimit {
            tried.append(verdict.chain)
            verdict = try self.verdict(question, except: tried, &issuerRequestsLeft)
            if verdict.outcome == .passed { return verdict }
        }
        return first
    }

    /// Maximum number of alternative paths whose revocation data is checked.
    private static let detourLimit = 8

    private func verdict(
        _ question: Question, except tried: [[Certificate]], _ issuerRequestsLeft: inout Int
    ) throws(CryptoError) -> PathVerdict {
        let (leaf, time) = (question.leaf, question.time)
        let violations = policy.check(leaf, digest: question.digest, at: time)
        let found = try path(question, except: tried, &issuerRequestsLeft)
        let anchors = found.anchors
        switch found.result {
        case .invalid(let failure):
            let weakness = violations.first { $0.code == .weakAlgorithm && $0.isAboutCertificate }
            let isKnown = failure.code == .weakAlgorithm && failure.depth == 0
            var verdict = PathVerdict(
                outcome: .indeterminate(PathValidator.subIndication(failure)), chain: [],
                message: isKnown ? weakness?.message : nil, violations: violations,
                remarks: found.remarks)
            switch failure.code {
            case .expired where failure.depth == 0: verdict.code = .expired
            case .notYetValid where failure.depth == 0: verdict.code = .notYetValid
            default: break
            }
            if let exclusion = found.exclusion {
                // Trust in the issuer would ignore the conditions of the list.
                verdict.message = exclusion
            } else {
                verdict.missing = MissingAuthority(failure, below: anchors)
            }
            if case .otherKey(let name)? = verdict.missing {
                verdict.message =
                    verdict.message
                    ?? "the trusted CA \(name.inQuotes) has another key than the one that signed the "
                    + "certificate, or the certificate was modified"
            }
            verdict.message = verdict.message ?? PathValidator.message(failure)
            if found.isLimited {
                verdict.message? += "; not all certificate chains were tried (limit reached)"
            }
            verdict.end = try end(of: question, failure, anchors)
            return verdict
        case .valid(let chain):
            let (revocations, rejected, failures, leaf) = try revocations(
                of: chain, question, anchors)
            // A broken key above the leaf could have issued back-dated certificates since.
            let links = weakLinks(chain, at: max(time, question.existence ?? time))
            let isDemanded = question.demandsPresentEvidence
            let old = isDemanded ? [] : revocations.filter { $0.code == .revocationOutdated }
            let all =
                violations + policy.issuerViolations(chain) + links
                + revocations.filter { isDemanded || $0.code != .revocationOutdated }
            var verdict = PathVerdict(
                outcome: all.first?.subindication.map { .indeterminate($0) } ?? .passed,
                chain: chain, message: all.first?.message, violations: all, remarks: failures,
                rejected: rejected)
            verdict.outdated = old.map(\.message)
            verdict.end = chain.count > 1 ? .authority : .certificate
            verdict.revocation = leaf
            return verdict
        }
    }

    /// The end of a path that was found but rejected for another reason.
    private func end(
        of question: Question, _ failure: ChainFailure, _ anchors: TrustAnchors
    ) throws(CryptoError) -> PathEnd? {
        let leaf = question.leaf
        switch failure.code {
        case .weakAlgorithm:
            var request = ChainRequest(
                leaf: leaf, intermediates: intermediates + question.candidates, anchors: anchors,
                time: question.time)
            request.acceptsWeakAlgorithms = true
            guard case .valid(let chain) = try Self.search(request, where: { _ in true }).result
            else { return nil }
            return chain.count > 1 ? .authority : .certificate
        case .expired, .notYetValid, .policyMissing: break
        default: return nil
        }
        if case .certificates(let known) = self.anchors, known.contains(leaf) {
            return .certificate
        }
        return leaf.isSelfIssued ? .certificate : .authority
    }

    /// Whether a path ends at a listed service that is no longer valid at `time`: its key could
    /// have issued back-dated certificates since.
    ///
    /// - Parameters:
    ///   - chain: a path that was found.
    ///   - used: the time at which it was valid.
    package func isWithdrawn(
        _ chain: [Certificate], valid used: CalendarTime, at time: CalendarTime
    ) -> Bool {
        guard let listed, let leaf = chain.first, let anchor = chain.last else { return false }
        let isForTimestamps = policy.purpose == .timestamps
        let present = listed.anchors(above: chain, at: time, forTimestamps: isForTimestamps)
        if present.contains(anchor) { return false }
        // Another trust anchor may apply to the path.
        var alone = self
        (alone.listed, alone.source) = (nil, nil)
        let question = Question(leaf: leaf, candidates: Array(chain.dropFirst()), at: used)
        var none = 0
        guard case .valid? = try? alone.path(question, &none).result else { return true }
        return false
    }

    /// Maximum number of issuer requests for one signature, timestamp or certificate: without a
    /// path to a trust anchor, an attacker may have chosen the URLs.
    package static let issuerRequestLimit = 4

    private func revocations(
        of chain: [Certificate], _ question: Question, _ anchors: TrustAnchors
    ) throws(CryptoError) -> (
        violations: [VerificationProblem], rejected: [String], failures: [String],
        leaf: StatusRecord?
    ) {
        let certificates = anchors.givenCertificates
        var check = RevocationCheck(
            evidence + question.evidence,
            candidates: certificates + intermediates + question.candidates,
            anchors: anchors, now: now, budget: budget)
        check.note(own: evidence)
        // A given trust anchor applies unconditionally.
        let isGiven = chain.last.map(self.anchors.givenCertificates.contains) ?? false
        check.listed = isGiven ? nil : listed
        check.given = Set(evidence.lists.map(ObjectIdentifier.init))
        check.use = listUse
        let failures = try source?.complete(&check, for: chain, at: question.time) ?? []
        let need = RevocationCheck.Need(
            isListGiven: policy.purpose == .documents && !evidence.lists.isEmpty,
            isAsked: source != nil)
        let (violations, rejected, leaf) = try check.judge(
            chain, at: question.time, existence: question.existence,
            until: question.revocationsKnownUntil, need: need)
        return (violations, rejected, failures, leaf)
    }

    /// Weak keys and hashes above the leaf. The trust anchor's own signature is not checked, since
    /// its trust does not depend on it.
    private func weakLinks(_ chain: [Certificate], at time: CalendarTime) -> [VerificationProblem] {
        var violations: [VerificationProblem] = []
        for (index, certificate) in chain.enumerated() {
            let isAnchor = index == chain.count - 1
            let digest = isAnchor ? nil : certificate.signatureDigest
            if index == 0 {
                if let digest, let end = AlgorithmPolicy.expiry(of: digest), time >= end {
                    violations.add(
                        .weakAlgorithm,
                        "the certificate is signed with \(digest.displayName) (no longer secure)"
                    )
                }
                continue
            }
            let key: PublicKey
            do {
                key = try certificate.publicKey
            } catch {
                violations.add(
                    .unsupportedKey,
                    "issuer certificate \(certificate.displayName.inQuotes): \(error.description)"
                )
                continue
            }
            for weakness in AlgorithmPolicy.weaknesses(digest: digest, key: key, at: time) {
                violations.add(
                    .weakAlgorithm,
                    "issuer certificate \(certificate.displayName.inQuotes): \(weakness)")
            }
        }
        return violations
    }

    static func subIndication(_ failure: ChainFailure) -> SubIndication {
        switch failure.code {
        case .issuerUnknown, .selfSignedUntrusted: .noCertificateChainFound
        case .expired, .notYetValid: .outOfBoundsNoPOE
        case .constraintViolated, .policyMissing, .unhandledCriticalExtension:
            .chainConstraintsFailure
        case .weakAlgorithm: .cryptoConstraintsFailureNoPOE
        case .revoked: failure.depth == 0 ? .revokedNoPOE : .revokedCANoPOE
        // An issuer whose key does not match is not the issuer: no chain.
        case .badSignature: .noCertificateChainFound
        case .malformed, .other: .certificateChainGeneralFailure
        }
    }

    /// A plain message, followed by OpenSSL's text if that adds information.
    private static func message(_ failure: ChainFailure) -> String {
        let name = failure.certificate.map { " \($0.displayName.inQuotes)" } ?? ""
        let what = failure.depth == 0 ? "the certificate" : "the issuer certificate\(name)"
        switch failure.code {
        case .selfSignedUntrusted where failure.depth == 0:
            return "the certificate is self-signed and not trusted"
        case .selfSignedUntrusted:
            return "the root certificate\(name) is not trusted"
        case .issuerUnknown:
            guard let issued = failure.certificate else {
                return "an issuer certificate was not found"
            }
            let issuer = issued.issuer.shortText.inQuotes
            // The issued CA certificate, unless it is the signing certificate.
            return failure.depth == 0
                ? "the issuer certificate \(issuer) was not found"
                : "the certificate of \(issuer) (issuer of \(issued.subject.shortText.inQuotes)) was "
                    + "not found"
        case .expired:
            let end = failure.certificate.map { " on \($0.notAfter.text)" } ?? ""
            return "\(what) expired\(end)"
        case .notYetValid:
            let begin = failure.certificate.map { " before \($0.notBefore.text)" } ?? ""
            return "\(what) is not valid\(begin)"
        case .weakAlgorithm: return "\(what) has a weak key or digest algorithm"
        case .constraintViolated:
            return "\(what) violates a constraint of the certificate chain (\(failure.message))"
        case .policyMissing:
            return "the certificate chain has none of the required certificate policies"
        case .unhandledCriticalExtension:
            let name = failure.certificate?.unsupportedCriticalExtension ?? "of unknown type"
            return "\(what) has the critical extension \(name), which Signet does not support"
        case .badSignature:
            return "\(what) does not match the certificate of its issuer: another key, or modified"
        case .revoked: return "\(what) was revoked"
        case .malformed, .other:
            return "\(what) cannot be used (\(failure.message))"
        }
    }
}
