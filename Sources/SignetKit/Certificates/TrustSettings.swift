internal import Base
import CryptoBridge
import Synchronization
import SystemBridge
import TrustKit

/// What certificate policies (RFC 5280 §4.2.1.4) the paths of signers must have.
public struct CertificatePolicies: Sendable {
    /// Dotted identifiers of which one must hold; empty for any.
    public var accepted: [String] = []
    /// One must hold, whether or not a certificate asks for it.
    public var requiresExplicit = false
    /// The policy "any" stands for none.
    public var inhibitsAny = false
    /// Policies stand for no others.
    public var inhibitsMapping = false

    public init() {}

    /// - Throws: ``SignetError`` for what is no identifier.
    public func check() throws(SignetError) { _ = try pathPolicies() }

    func pathPolicies() throws(SignetError) -> PathPolicies {
        var policies = PathPolicies()
        for text in accepted {
            guard let identifier = OID(text) else {
                throw SignetError(
                    .usage, "'\(text)' is no policy", hint: Sentence(.writeCertificatePolicy))
            }
            policies.accepted.append(identifier)
        }
        // A policy that was asked for must hold.
        policies.requiresExplicit = requiresExplicit || !accepted.isEmpty
        policies.inhibitsAny = inhibitsAny
        policies.inhibitsMapping = inhibitsMapping
        return policies
    }
}

/// Which given responses were of use.
private final class ResponseUse: Sendable {
    private let state = Mutex<Set<ExactText>>([])

    var paths: Set<ExactText> { state.withLock { $0 } }

    func note(_ path: String) { state.withLock { _ = $0.insert(ExactText(path)) } }
}

/// Whom verification believes.
struct TrustSettings {
    private let validator: PathValidator
    /// Where each of the given lists comes from.
    private let lists: [(path: String, list: RevocationList)]
    /// Where each of the given OCSP responses comes from.
    private let responses: [(path: String, response: OCSPResponse)]
    private let listUse = ListUse()
    private let usedResponses = ResponseUse()
    /// Whose services are anchors besides; nil for none.
    let trustLists: TrustLists?
    /// The one certificate that counts as signer; nil for any.
    let pinned: Certificate?

    init(_ options: VerificationOptions) throws {
        trustLists = options.trustLists
        pinned = try options.signer.map { try Self.single($0) }
        lists = try options.revocationLists.flatMap { path in
            try Self.revocationLists(path).map { (path, $0) }
        }
        responses = try options.responses.flatMap { path in
            try Self.responses(path).map { (path, $0) }
        }
        var validator = PathValidator(
            anchors: try options.trust.isEmpty && pinned != nil
                ? .certificates([pinned].compactMap { $0 }) : Self.anchors(options.trust),
            now: SystemClock.now())
        validator.evidence = RevocationEvidence(
            lists: lists.map(\.list), responses: responses.map(\.response))
        validator.listUse = listUse
        validator.source = options.fetcher
        validator.listed = trustLists?.lists
        validator.intermediates = try Self.certificates(options.chain)
        self.validator = validator
    }

    /// - Parameter time: when the question is asked: evidence may be as young as that, or as today.
    func validator(at time: CalendarTime?) -> PathValidator {
        var validator = validator.moved(to: max(validator.now, time ?? validator.now))
        validator.certificatePolicies = PathPolicies()
        validator.budget = EvidenceBudget()
        return validator
    }

    /// - Parameters:
    ///   - time: as above.
    ///   - policies: what certificate policies paths must have.
    func validator(
        at time: CalendarTime?, _ policies: CertificatePolicies
    ) throws(SignetError) -> PathValidator {
        var validator = validator(at: time)
        validator.certificatePolicies = try policies.pathPolicies()
        return validator
    }

    /// To be called before each file.
    func beginFile() { listUse.reset() }

    /// In words, which of the lists had nothing to do with any certificate since ``beginFile()``.
    var warnings: [String] {
        lists.filter { !listUse.contains($0.list) }.map {
            "the revocation list by \($0.list.issuer) in \($0.path) was of no use: no "
                + "certificate of its authority stands in a path that was found"
        }
    }

    /// Notes which of the given responses were taken, or are about certificates of paths. Of lists
    /// that is known already.
    ///
    /// - Parameter certificates: of paths, each with its issuer behind it.
    func noteUse(of used: RevocationEvidence, _ certificates: [Certificate]) {
        let taken = Set(used.responses.map(\.der))
        for (path, response) in responses {
            let isAbout = certificates.indices.dropLast().contains { index in
                !response.answers(
                    about: certificates[index], issuer: certificates[index + 1]
                ).isEmpty
            }
            if isAbout || taken.contains(response.der) { usedResponses.note(path) }
        }
    }

    /// The files and folders that had nothing to do with any certificate.
    var unusedFiles: [String] {
        let usedLists = lists.filter { listUse.contains($0.list) }
        let useful = usedResponses.paths.union(usedLists.map { ExactText($0.path) })
        var told: Set<ExactText> = []
        return (lists.map(\.path) + responses.map(\.path)).filter {
            !useful.contains(ExactText($0)) && told.insert(ExactText($0)).inserted
        }
    }

    private static func responses(_ path: String) throws -> [OCSPResponse] {
        try pieces(path, "OCSP response") { [try response($0)] }
    }

    /// What a file holds, or each file of a folder that may hold others as well.
    ///
    /// - Parameter suffix: of the names of files that must hold nothing else: the newest list may be
    ///   the one that was cut off.
    private static func pieces<Piece>(
        _ path: String, _ kind: String, suffix: String? = nil, read: (String) throws -> [Piece]
    ) throws -> [Piece] {
        guard FileSystem.isDirectory(path) else { return try read(path) }
        let files = try reading(path) { try FileSystem.list(path) }.map { "\(path)/\($0)" }
        let found = try files.filter { FileSystem.isRegularFile($0) }.flatMap { file in
            if let suffix, FileSystem.without(ending: suffix, file) != nil {
                return try read(file)
            }
            return (try? read(file)) ?? []
        }
        guard !found.isEmpty else {
            throw SignetError(
                .malformedInput, file: path, "holds no \(kind)", hint: Sentence(.giveFileOrFolder))
        }
        return found
    }

    /// What files hold, or folders that may hold others as well.
    static func certificates(_ paths: [String]) throws -> [Certificate] {
        try paths.flatMap {
            try pieces($0, "certificate", read: SigningCredential.readCertificates)
        }
    }

    private static func response(_ path: String) throws -> OCSPResponse {
        let bytes = try reading(path) {
            try FileSystem.readAll(path, limit: OCSPResponse.byteLimit)
        }
        guard let response = OCSPResponse(bytes) else {
            throw SignetError(
                .malformedInput, file: path, "is no OCSP response", hint: Sentence(.giveAsReceived))
        }
        return response
    }

    private static func revocationLists(_ path: String) throws -> [RevocationList] {
        try pieces(path, "revocation list", suffix: ".crl", read: revocationLists(file:))
    }

    private static func revocationLists(file path: String) throws -> [RevocationList] {
        let bytes = try reading(path) {
            try FileSystem.readAll(path, limit: RevocationList.byteLimit)
        }
        guard let lists = RevocationList.readAll(bytes) else {
            throw SignetError(
                .malformedInput, file: path, "is no revocation list",
                hint: Sentence(.giveRevocationList))
        }
        return lists
    }

    private static func single(_ path: String) throws -> Certificate {
        let certificates = try SigningCredential.readCertificates(path)
        guard certificates.count == 1 else {
            throw SignetError(
                .usage, file: path, "holds \(certificates.count) certificates",
                hint: Sentence(.giveOneSigner))
        }
        return certificates[0]
    }

    /// - Parameter paths: files or folders; none means the system's.
    static func anchors(_ paths: [String]) throws -> TrustAnchors {
        guard !paths.isEmpty else {
            return SystemTrust.anchors(
                certificateFile: ProcessEnvironment.string("SSL_CERT_FILE"),
                certificateDirectory: ProcessEnvironment.string("SSL_CERT_DIR"),
                probe: SystemTrust.Probe(
                    isDirectory: { FileSystem.isDirectory($0) },
                    isFile: { FileSystem.exists($0) && !FileSystem.isDirectory($0) }))
        }
        var certificates: [Certificate] = []
        for path in paths {
            let files =
                FileSystem.isDirectory(path)
                ? try reading(path) { try FileSystem.list(path) }.map { "\(path)/\($0)" } : [path]
            for file in files where !FileSystem.isDirectory(file) {
                if files.count == 1 {
                    certificates += try SigningCredential.readCertificates(file)
                } else {
                    // A folder of anchors may hold other files as well.
                    certificates += (try? SigningCredential.readCertificates(file)) ?? []
                }
            }
        }
        guard !certificates.isEmpty else {
            throw SignetError(
                .malformedInput, file: paths[0], "holds no certificate",
                hint: Sentence(.giveAuthority))
        }
        return .certificates(certificates)
    }
}
