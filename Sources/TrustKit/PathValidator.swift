package import ByteKit
package import CryptoBridge

/// What path validation concluded (ETSI EN 319 102-1 §5.2.6).
package struct PathVerdict: Sendable {
    package enum Outcome: Sendable, Equatable {
        case passed
        case indeterminate(SubIndication)
    }

    package let outcome: Outcome
    /// Leaf first, anchor last; empty when no path was found.
    package let chain: [Certificate]
    /// Why it did not pass, in lower case; nil when it passed.
    package let message: String?
    /// What the policy found against the certificates; the first decided the outcome.
    package let violations: [PolicyViolation]
    /// Where was asked in vain for what is not known.
    package let remarks: [String]

    init(
        outcome: Outcome, chain: [Certificate], message: String? = nil,
        violations: [PolicyViolation] = [], remarks: [String] = []
    ) {
        self.outcome = outcome
        self.chain = chain
        self.message = message
        self.violations = violations
        self.remarks = remarks
    }

    /// Whether the path leads to an anchor and nothing is known against it.
    package var isTrusted: Bool { outcome == .passed || outcome == .indeterminate(.tryLater) }
}

/// Validates signers' certificates against configured anchors.
package struct PathValidator: Sendable {
    /// Trusted because configured, never because a document brought them.
    package let anchors: TrustAnchors
    package var policy = SignerPolicy()
    /// What is known of revocations; more may come with each question.
    package var evidence = RevocationEvidence()
    /// Who is asked about certificates of which nothing is known; nil is nobody. Only those of
    /// paths to an anchor are asked about: others' addresses are anybody's.
    package var source: (any RevocationSource)?

    package init(anchors: TrustAnchors, policy: SignerPolicy = SignerPolicy()) {
        self.anchors = anchors
        self.policy = policy
    }

    /// Looks for a path from `leaf` to an anchor, valid at `time`, then applies the policy of
    /// usage, algorithms and revocation. `digest` is the hash of the signature made with the leaf.
    package func validate(
        leaf: Certificate, candidates: [Certificate], digest: DigestAlgorithm? = nil,
        at time: CalendarTime, evidence more: RevocationEvidence = RevocationEvidence()
    ) throws(CryptoError) -> PathVerdict {
        let violations = policy.check(leaf, digest: digest, at: time)
        let request = ChainRequest(
            leaf: leaf, intermediates: candidates, anchors: anchors, time: time)
        switch try request.validate() {
        case .invalid(let failure):
            return PathVerdict(
                outcome: .indeterminate(PathValidator.subIndication(failure)), chain: [],
                message: PathValidator.message(failure), violations: violations)
        case .valid(let chain):
            var known = evidence + more
            let remarks = try source?.complete(&known, for: chain, at: time) ?? []
            let revocations = try RevocationCheck(known).violations(chain, at: time)
            let all = violations + weakLinks(chain, at: time) + revocations
            guard let first = all.first else {
                return PathVerdict(outcome: .passed, chain: chain)
            }
            return PathVerdict(
                outcome: .indeterminate(first.subIndication), chain: chain,
                message: first.message, violations: all, remarks: remarks)
        }
    }

    /// Weak keys and hashes above the leaf. The anchor's own signature protects nothing, and its
    /// trust does not come from it.
    private func weakLinks(_ chain: [Certificate], at time: CalendarTime) -> [PolicyViolation] {
        var violations: [PolicyViolation] = []
        for (index, certificate) in chain.enumerated() {
            let isAnchor = index == chain.count - 1
            let digest = isAnchor ? nil : certificate.signatureDigest
            if index == 0 {
                if let digest, let end = AlgorithmPolicy.expiry(of: digest), time >= end {
                    violations.append(
                        PolicyViolation(
                            .weakAlgorithm,
                            "the certificate is signed with \(digest.displayName)"))
                }
                continue
            }
            guard let key = try? certificate.publicKey else { continue }
            for weakness in AlgorithmPolicy.weaknesses(digest: digest, key: key, at: time) {
                violations.append(
                    PolicyViolation(.weakAlgorithm, "issuer \(certificate.subject): \(weakness)"))
            }
        }
        return violations
    }

    static func subIndication(_ failure: ChainFailure) -> SubIndication {
        switch failure.code {
        case .issuerUnknown, .selfSignedUntrusted: .noCertificateChainFound
        case .expired, .notYetValid: .outOfBoundsNoPOE
        case .constraintViolated, .unhandledCriticalExtension: .chainConstraintsFailure
        case .weakAlgorithm: .cryptoConstraintsFailureNoPOE
        case .revoked: failure.depth == 0 ? .revokedNoPOE : .revokedCANoPOE
        // An issuer whose key does not fit is no issuer: no chain.
        case .badSignature: .noCertificateChainFound
        case .malformed, .other: .certificateChainGeneralFailure
        }
    }

    /// In words that say what to do, OpenSSL's where there are none.
    private static func message(_ failure: ChainFailure) -> String {
        let name = failure.certificate.map { $0.subject.description } ?? ""
        let whose = name.isEmpty ? "" : " (\(name))"
        let what = failure.depth == 0 ? "the certificate" : "the issuer's certificate"
        switch failure.code {
        case .selfSignedUntrusted where failure.depth == 0:
            return "the certificate is self-signed, and not among the trusted ones"
        case .selfSignedUntrusted:
            return "the authority at the root is not among the trusted ones\(whose)"
        case .issuerUnknown:
            let issuer = failure.certificate.map { " (\($0.issuer))" } ?? ""
            return "the issuer\(issuer) is not known"
        case .expired:
            let end = failure.certificate.map { " on \($0.notAfter.rfc3339)" } ?? ""
            return "\(what) expired\(end)" + (failure.depth == 0 ? "" : whose)
        case .notYetValid:
            let begin = failure.certificate.map { " from \($0.notBefore.rfc3339) on" } ?? ""
            return "\(what) is valid\(begin), not before" + (failure.depth == 0 ? "" : whose)
        default: return failure.message.lowercased() + whose
        }
    }
}
