internal import Base
internal import CryptoBridge

extension PathValidator {
    /// The path; missing issuers are fetched.
    ///
    /// - Parameter requestsLeft: number of issuer requests still permitted.
    /// - Returns: without a path, also the reason why imported lists do not confirm one.
    func path(
        _ question: Question, _ requestsLeft: inout Int
    ) throws(CryptoError) -> (
        result: ChainResult, anchors: TrustAnchors, asked: [String], exclusion: String?
    ) {
        let hints = intermediates + question.candidates
        var request = ChainRequest(
            leaf: question.leaf, intermediates: hints,
            anchors: anchors(for: [question.leaf] + hints, at: question.time), time: question.time)
        request.policies = certificatePolicies
        var (result, exclusion) = try permittedPath(&request)
        guard let source else { return (result, request.anchors, [], exclusion) }
        var known = Set([question.leaf.der])
        var asked: [String] = []
        while case .invalid(let failure) = result, failure.code == .issuerUnknown,
            let lowest = failure.certificate
        {
            var found: [Certificate] = []
            for address in RevocationPlace.reachable(lowest.issuerAddresses)
            where found.isEmpty && requestsLeft > 0 {
                requestsLeft -= 1
                asked.append(address)
                found = source.issuers(of: lowest, at: address, below: question.leaf).filter {
                    $0.isNamedAsIssuer(of: lowest) && lowest.isSigned(by: $0)
                        && known.insert($0.der).inserted
                }
            }
            guard !found.isEmpty else { break }
            request.intermediates = found + request.intermediates
            request.anchors = anchors(
                for: [question.leaf] + request.intermediates, at: question.time)
            (result, exclusion) = try permittedPath(&request)
        }
        return (result, request.anchors, asked, exclusion)
    }

    /// Builds a path that the imported lists confirm, unless it ends at a given trust anchor.
    ///
    /// - Returns: also the reason of the first exclusion, which matters without a path.
    private func permittedPath(
        _ request: inout ChainRequest
    ) throws(CryptoError) -> (result: ChainResult, exclusion: String?) {
        let (listAnchors, candidates) = (request.anchors.givenCertificates, request.intermediates)
        var (distrusted, limited, detours): ([Certificate], [Certificate], [Certificate]) =
            ([], [], [])
        var reason: String?
        for _ in 0..<Self.exclusionLimit {
            let result = try Self.search(&request)
            let path =
                switch result {
                case .valid(let chain): chain
                case .invalid(let failure): failure.attempted
                }
            guard let listed, let end = path.last, !anchors.givenCertificates.contains(end),
                let found = try listed.exclusion(
                    of: path, candidates: candidates, at: request.time,
                    forTimestamps: policy.purpose == .timestamps)
            else { return (result, reason) }
            reason = reason ?? found.reason
            guard case .valid = result else { return (result, reason) }
            if !found.isOnlyAnchor {
                if found.certificate == request.leaf { break }
                distrusted.append(found.certificate)
            } else if let step = Self.detour(around: path.dropLast(), request.intermediates) {
                // Another certificate of the CA may have the policies.
                detours.append(step)
            } else {
                limited.append(found.certificate)
                detours = []
            }
            request.intermediates = candidates.filter {
                !distrusted.contains($0) && !detours.contains($0)
            }
            let left = listAnchors.filter { !distrusted.contains($0) && !limited.contains($0) }
            request.anchors = .combined([.certificates(left), anchors])
        }
        request.anchors = anchors
        return (try Self.search(&request), reason)
    }

    /// Maximum number of paths that imported lists do not confirm.
    private static let exclusionLimit = 8

    /// Builds a path. If a CA certificate has no chain to a trust anchor, other certificates of
    /// that CA are tried.
    ///
    /// - Parameter request: if a path was found, returned without the CA certificates that
    ///   failed.
    static func search(_ request: inout ChainRequest) throws(CryptoError) -> ChainResult {
        let first = try request.validate()
        guard case .invalid(var failure) = first else { return first }
        var tried = request
        for _ in 0..<detourLimit {
            // At the leaf, only these errors depend on the issuer.
            guard failure.depth > 0 || [.badSignature, .constraintViolated].contains(failure.code),
                let step = detour(around: failure.attempted, tried.intermediates)
            else { break }
            tried.intermediates.removeAll { $0 == step }
            switch try tried.validate() {
            case .valid(let chain):
                request = tried
                return .valid(chain)
            case .invalid(let other): failure = other
            }
        }
        // A directly trusted certificate needs no issuer.
        guard failure.depth > 0, failure.code != .policyMissing,
            request.anchors.givenCertificates.contains(request.leaf)
        else { return first }
        tried.intermediates = []
        tried.anchors = .certificates([request.leaf])
        guard case .valid(let alone) = try tried.validate() else { return first }
        request = tried
        return .valid(alone)
    }
}
