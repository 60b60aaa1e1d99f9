internal import Base
import CryptoBridge
import Synchronization
import SystemBridge
import TimestampKit
import TrustKit

/// Certificate policies (RFC 5280 §4.2.1.4) required of signers' paths.
public struct CertificatePolicies: Sendable {
    /// Policies as dotted OIDs: the path must be valid for one of them. Empty accepts any policy.
    public var accepted: [String] = []
    /// Whether a policy is required even if no certificate requires one (requireExplicitPolicy).
    public var requiresExplicit = false
    /// Whether anyPolicy is ignored (inhibitAnyPolicy).
    public var inhibitsAny = false
    /// Whether policy mappings are ignored (inhibitPolicyMapping).
    public var inhibitsMapping = false

    public init() {}

    /// Whether a path must have a policy. Accepted policies require one.
    public var areRequired: Bool { requiresExplicit || !accepted.isEmpty }

    /// Checks the syntax of the accepted policies.
    ///
    /// - Throws: ``SignetError``: `usage` for an invalid OID.
    public func check() throws(SignetError) { _ = try pathPolicies() }

    func pathPolicies() throws(SignetError) -> PathPolicies {
        var policies = PathPolicies()
        for text in accepted {
            guard let identifier = OID(text) else {
                throw SignetError(
                    .usage, "'\(text)' is not a certificate policy",
                    hint: Sentence(.writeCertificatePolicy))
            }
            policies.accepted.append(identifier)
        }
        policies.requiresExplicit = areRequired
        policies.inhibitsAny = inhibitsAny
        policies.inhibitsMapping = inhibitsMapping
        return policies
    }
}

/// Records which given OCSP responses were used.
private final class ResponseUse: Sendable {
    private let state = Mutex<Set<ExactText>>([])

    var paths: Set<ExactText> { state.withLock { $0 } }

    func note(_ path: String) { state.withLock { _ = $0.insert(ExactText(path)) } }
}

struct TrustSettings {
    private var validator: PathValidator
    /// The given CRLs, with their files.
    private let lists: [(path: String, list: RevocationList)]
    /// The given OCSP responses, with their files.
    private let responses: [(path: String, response: OCSPResponse)]
    private var listUse = ListUse()
    private let usedResponses = ResponseUse()
    /// Trusted lists, whose services are additional trust anchors; nil for none.
    let trustLists: TrustLists?
    /// The only certificate accepted as signer; nil for any.
    let pinned: Certificate?
    /// Document of the required signature policy; nil for any.
    let policyDocument: [UInt8]?

    init(_ options: VerificationOptions) throws {
        trustLists = options.trustLists
        policyDocument = try options.policyDocument.map { try SigningStatements.read($0) }
        pinned = try options.signer.map { try Self.single($0) }
        lists = try options.revocationLists.flatMap { path in
            try Self.revocationLists(path).map { (path, $0) }
        }
        responses = try options.responses.flatMap { path in
            try Self.responses(path).map { (path, $0) }
        }
        let given = try Self.certificates(inMemory: options.trustedCertificates)
        let anchors: TrustAnchors =
            if options.trust.isEmpty, !given.isEmpty {
                .certificates(given)
            } else if options.trust.isEmpty, trustLists == nil, let pinned {
                .certificates([pinned])
            } else if options.trust.isEmpty, trustLists?.lists.areImported ?? false {
                // The system trust store knows no conditions.
                .certificates([])
            } else {
                try Self.anchors(options.trust, besides: given)
            }
        var validator = PathValidator(anchors: anchors, now: SystemClock.now())
        validator.evidence = RevocationEvidence(
            lists: lists.map(\.list), responses: responses.map(\.response))
        validator.listUse = listUse
        validator.source = options.fetcher
        validator.listed = trustLists?.lists
        validator.intermediates =
            try Self.certificates(options.chain)
            + Self.certificates(inMemory: options.chainCertificates)
        self.validator = validator
    }

    /// - Parameter time: validation time; nil is now. Revocation data may be issued until then or
    ///   until now, whichever is later.
    func validator(at time: CalendarTime?) -> PathValidator {
        var validator = validator.moved(to: max(validator.now, time ?? validator.now))
        validator.certificatePolicies = PathPolicies()
        validator.budget = EvidenceBudget()
        return validator
    }

    /// - Parameters:
    ///   - time: validation time; nil is now.
    ///   - policies: certificate policies required of paths.
    func validator(
        at time: CalendarTime?, _ policies: CertificatePolicies
    ) throws(SignetError) -> PathValidator {
        var validator = validator(at: time)
        validator.certificatePolicies = try policies.pathPolicies()
        return validator
    }

    /// A copy with its own record of used CRLs.
    ///
    /// - Parameter fetcher: fetches missing revocation data.
    func forFile(_ fetcher: RevocationFetcher?) -> TrustSettings {
        var copy = self
        copy.listUse = ListUse()
        copy.validator.listUse = copy.listUse
        copy.validator.source = fetcher
        return copy
    }

    /// Resets the record of used CRLs. Must be called before each file.
    func beginFile() { listUse.reset() }

    /// Warnings about given CRLs that applied to no certificate since ``beginFile()``.
    var warnings: [String] {
        lists.filter { !listUse.contains($0.list) }.map {
            "the revocation list of \($0.list.issuer) in \($0.path) was not used: it is not from "
                + "a CA in the certificate chains"
        }
    }

    /// The result for a timestamp, with its qualification by trusted lists.
    func result(
        for check: TimestampCheck, at time: CalendarTime, named name: String, contentFile: String?
    ) throws -> VerifiedSignature {
        let qualified = trustLists?.finding(
            about: .init(
                kind: .timestamp, verdict: check.verdict, signer: check.signer,
                authority: check.signer, stampedTime: check.info?.genTime.time, provenTime: nil,
                now: time))
        return try VerifiedSignature(
            check, qualified?.timestamp, named: name, contentFile: contentFile)
    }

    /// A result with what it relies on.
    ///
    /// - Parameter isReported: whether a report shows the given certificates.
    func described(
        _ document: VerifiedDocument, isReported: Bool
    ) throws -> VerifiedDocument {
        var document = document
        document.trustLists = trustLists?.used
        guard isReported else { return document }
        document.givenAnchors = try validator.anchors.givenCertificates.map { try .init($0) }
        document.requiredSigner = try pinned.map { try .init($0) }
        return document
    }

    /// Records which given responses were used, or are about certificates of paths. CRLs are
    /// recorded by the validator.
    ///
    /// - Parameter certificates: certificates of paths, each followed by its issuer.
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

    /// Paths of the given CRLs and OCSP responses that applied to no certificate.
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

    /// The items in a file, or in each file of a folder that may contain other files.
    ///
    /// - Parameter suffix: suffix of files that must be readable, since the newest CRL may be a
    ///   truncated one.
    private static func pieces<Piece>(
        _ path: String, _ kind: String, suffix: String? = nil, read: (String) throws -> [Piece]
    ) throws -> [Piece] {
        guard FileSystem.isDirectory(path) else { return try read(path) }
        let files = try reading(path) { try FileSystem.list(path) }.map { "\(path)/\($0)" }
        let found = try files.filter { FileSystem.isRegularFile($0) }.flatMap { file in
            if let suffix, FileSystem.without(ending: suffix, file) != nil { return try read(file) }
            return (try? read(file)) ?? []
        }
        guard !found.isEmpty else {
            throw SignetError(
                .malformedInput, file: path, "the folder contains no \(kind)",
                hint: Sentence(.giveFileOrFolder))
        }
        return found
    }

    /// The certificates in files, or in folders that may contain other files.
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
                .malformedInput, file: path, "the file is not an OCSP response",
                hint: Sentence(.giveAsReceived))
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
                .malformedInput, file: path,
                FoundFile(head: Array(bytes.prefix(FoundFile.headByteCount)))
                    .map { "the file is \($0.name), not a CRL" } ?? "the file is not a CRL",
                hint: Sentence(.giveRevocationList))
        }
        return lists
    }

    private static func single(_ path: String) throws -> Certificate {
        let certificates = try SigningCredential.readCertificates(path)
        guard certificates.count == 1 else {
            throw SignetError(
                .usage, file: path, "the file contains \(certificates.count) certificates",
                hint: Sentence(.giveOneSigner))
        }
        return certificates[0]
    }

    private static func certificates(inMemory given: [[UInt8]]) throws -> [Certificate] {
        try reading("certificates in memory") { try given.flatMap { try Certificate.readAll($0) } }
    }

    /// - Parameters:
    ///   - paths: files or folders; empty means the system trust store.
    ///   - others: further trust anchors, if there are paths.
    static func anchors(
        _ paths: [String], besides others: [Certificate] = []
    ) throws -> TrustAnchors {
        guard !paths.isEmpty else {
            return SystemTrust.anchors(
                certificateFile: ProcessEnvironment.string("SSL_CERT_FILE"),
                certificateDirectory: ProcessEnvironment.string("SSL_CERT_DIR"),
                probe: SystemTrust.Probe(
                    isDirectory: { FileSystem.isDirectory($0) },
                    isFile: { FileSystem.exists($0) && !FileSystem.isDirectory($0) }))
        }
        let certificates = try certificates(paths)
        guard !certificates.isEmpty else {
            throw SignetError(
                .malformedInput, file: paths[0], "the file contains no certificate",
                hint: Sentence(.giveAuthority))
        }
        return .certificates(certificates + others)
    }
}

extension VerificationOptions {
    /// Files and folders of the system trust store.
    package static var systemTrustStore: [String] {
        func paths(_ anchors: TrustAnchors) -> [String] {
            switch anchors {
            case .file(let path), .hashedDirectory(let path): [path]
            case .combined(let parts): parts.flatMap(paths)
            case .certificates: []
            }
        }
        return (try? TrustSettings.anchors([])).map(paths) ?? []
    }
}
