internal import Base
internal import CryptoBridge

extension PathValidator {
    struct FoundPath {
        let result: ChainResult
        let anchors: TrustAnchors
        /// Addresses from which an issuer was requested.
        var asked: [String] = []
        /// Without a path, the reason why imported lists do not confirm one.
        var exclusion: String?
        /// Whether further paths were not tried.
        var isLimited = false

        var remarks: [String] {
            guard !asked.isEmpty else { return [] }
            let places = asked.map(\.inQuotes).joined(separator: ", ")
            return ["the issuer certificate could not be fetched from \(places)"]
        }
    }

    /// The path; missing issuers are fetched.
    ///
    /// - Parameters:
    ///   - tried: paths that do not suffice.
    ///   - requestsLeft: number of issuer requests still permitted.
    func path(
        _ question: Question, except tried: [[Certificate]] = [], _ requestsLeft: inout Int
    ) throws(CryptoError) -> FoundPath {
        let hints = intermediates + question.candidates
        var request = ChainRequest(
            leaf: question.leaf, intermediates: hints,
            anchors: anchors(for: [question.leaf] + hints, at: question.time), time: question.time)
        request.policies = certificatePolicies
        var found = try permittedPath(request, except: tried)
        guard let source, tried.isEmpty else { return found }
        var known = Set([question.leaf.der])
        var asked: [String] = []
        while case .invalid(let failure) = found.result, failure.code == .issuerUnknown,
            let lowest = failure.certificate
        {
            var fetched: [Certificate] = []
            for address in RevocationPlace.reachable(lowest.issuerAddresses)
            where fetched.isEmpty && requestsLeft > 0 {
                requestsLeft -= 1
                asked.append(address)
                fetched = source.issuers(of: lowest, at: address, below: question.leaf).filter {
                    $0.isNamedAsIssuer(of: lowest) && lowest.isSigned(by: $0)
                        && known.insert($0.der).inserted
                }
            }
            guard !fetched.isEmpty else { break }
            request.intermediates = fetched + request.intermediates
            request.anchors = anchors(
                for: [question.leaf] + request.intermediates, at: question.time)
            found = try permittedPath(request, except: tried)
        }
        found.asked = asked
        return found
    }

    /// The first path that the imported lists confirm; they are not asked if it ends at a given
    /// trust anchor.
    private func permittedPath(
        _ request: ChainRequest, except tried: [[Certificate]]
    ) throws(CryptoError) -> FoundPath {
        var reason: String?
        let given = Set(anchors.givenCertificates)
        func isConfirmed(_ path: [Certificate]) throws(CryptoError) -> Bool {
            guard !tried.contains(path) else { return false }
            guard let listed, let end = path.last, !given.contains(end),
                let found = try listed.exclusion(
                    of: path, candidates: request.intermediates, at: request.time,
                    forTimestamps: policy.purpose == .timestamps)
            else { return true }
            reason = reason ?? found.reason
            return false
        }
        let (result, isLimited) = try Self.search(request, where: isConfirmed)
        if case .valid = result { return FoundPath(result: result, anchors: request.anchors) }
        if case .invalid(let failure) = result, reason == nil, let listed {
            let path = failure.attempted
            reason =
                (listed.distrust(in: path, candidates: request.intermediates)
                ?? listed.missingIssuer(of: path))?.reason
        }
        return FoundPath(
            result: result, anchors: reason == nil ? request.anchors : anchors, exclusion: reason,
            isLimited: isLimited)
    }

    /// Searches a valid path that is accepted. All paths are tried, in whatever order the
    /// certificates are (RFC 4158 §2.4), the shortest first.
    ///
    /// - Returns: without a path, the failure of the most likely one, and whether others were not
    ///   tried.
    static func search(
        _ request: ChainRequest,
        where isAccepted: ([Certificate]) throws(CryptoError) -> Bool
    ) throws(CryptoError) -> (result: ChainResult, isLimited: Bool) {
        let first = try request.validate()
        if case .valid(let chain) = first, try isAccepted(chain) { return (first, false) }
        var graph = try PathGraph(request)
        while let path = graph.next() {
            var alone = request
            alone.intermediates = Array(path.dropFirst().dropLast())
            alone.anchors = .certificates(path.suffix(1))
            if case .valid(let chain) = try alone.validate(), try isAccepted(chain) {
                return (.valid(chain), false)
            }
        }
        guard case .valid = first else { return (first, graph.isLimited) }
        var alone = request
        alone.anchors = .certificates([])
        return (try alone.validate(), graph.isLimited)
    }
}

/// The paths from a certificate to trust anchors, the shortest first. Signatures and validity of
/// the certificates are checked, nothing else.
struct PathGraph {
    private let time: CalendarTime
    private let anchors: Set<Certificate>
    private let named: [[UInt8]: [Certificate]]
    private var issuers: [Certificate: [Certificate]] = [:]
    /// The number of steps from a certificate to the nearest trust anchor; nil if there is none.
    private var distances: [Certificate: Int] = [:]
    private var paths: [[Certificate]]
    private var position = 0
    private var checksLeft = Self.checkLimit
    /// Whether paths were left out.
    private(set) var isLimited = false

    /// Maximum number of signature checks.
    private static let checkLimit = 2048
    /// Maximum number of paths, complete or not.
    private static let pathLimit = 1024

    init(_ request: ChainRequest) throws(CryptoError) {
        time = request.time
        let sought = [request.leaf] + request.intermediates
        let anchors = try request.anchors.certificates(above: sought)
        self.anchors = Set(anchors)
        var known: Set<Certificate> = []
        named = Dictionary(
            grouping: (anchors + request.intermediates).filter { known.insert($0).inserted },
            by: \.canonicalSubject)
        paths = [[request.leaf]]
        measure(from: request.leaf)
    }

    private mutating func measure(from leaf: Certificate) {
        var waiting = [leaf]
        while let certificate = waiting.popLast() {
            guard issuers[certificate] == nil else { continue }
            let found = issuers(of: certificate)
            issuers[certificate] = found
            waiting += found
        }
        for certificate in issuers.keys where anchors.contains(certificate) {
            distances[certificate] = 0
        }
        for step in 1...ChainRequest.depthLimit {
            for (certificate, above) in issuers
            where distances[certificate] == nil
                && above.contains(where: { distances[$0] == step - 1 })
            {
                distances[certificate] = step
            }
        }
    }

    /// A self-signed certificate is an issuer only if it is a trust anchor.
    private mutating func issuers(of certificate: Certificate) -> [Certificate] {
        var found: [Certificate] = []
        for issuer in named[certificate.canonicalIssuer] ?? []
        where issuer != certificate && issuer.isValid(at: time) {
            guard checksLeft > 0 else {
                isLimited = true
                break
            }
            checksLeft -= 1
            if certificate.isSigned(by: issuer), anchors.contains(issuer) || !issuer.isSelfSigned {
                found.append(issuer)
            }
        }
        return found
    }

    /// The next path, leaf first, that ends at a trust anchor.
    mutating func next() -> [Certificate]? {
        while position < paths.count {
            let path = paths[position]
            position += 1
            let last = path[path.count - 1]
            for issuer in issuers[last] ?? [] where !path.contains(issuer) {
                guard let rest = distances[issuer], path.count + rest <= ChainRequest.depthLimit
                else { continue }
                guard paths.count < Self.pathLimit else {
                    isLimited = true
                    break
                }
                paths.append(path + [issuer])
            }
            if anchors.contains(last) { return path }
        }
        return nil
    }
}
