public import Base
import CMSKit
import CryptoBridge
import NetworkBridge
import Synchronization
import SystemBridge
import TimestampKit
import TrustKit

/// The time-stamping authorities and their connections.
public struct TimestampOptions: Sendable {
    /// URLs, tried one by one until one returns a usable timestamp.
    public var servers: [String]
    /// Login name for HTTP Basic authentication (RFC 7617).
    public var user: String?
    /// Login password; requested if there is a ``user``.
    public var password: PassphraseSource?
    /// Whether the login may be sent without encryption.
    public var allowsUnencryptedLogin = false
    /// Files or folders of trust anchors for TSAs: other timestamps are rejected. If empty, the
    /// system trust store is used, and an untrusted timestamp is only a warning.
    public var anchors: [String] = []
    /// Files with intermediate CA certificates of TSAs.
    public var chain: [String] = []
    /// A file of trust anchors for TLS instead of the system trust store.
    public var trust: String?
    /// The TLS client certificate with its chain, and its key if that is in the same file.
    public var clientCertificate: String?
    /// Key of the TLS client certificate; nil if the certificate's file contains it.
    public var clientKey: String?
    /// Passphrase of the client key; used only if the key is encrypted.
    public var clientPassphrase = PassphraseSource.ask {
        throw SignetError(.credentialRefused, "the TLS client key requires a passphrase")
    }
    /// Requested policy as a dotted OID; nil lets the TSA choose.
    public var policy: String?
    /// Time limit for each attempt, from the DNS lookup to the last byte.
    public var timeLimit = Duration.seconds(20)
    /// Maximum number of requests per minute to each TSA; nil for no limit.
    public var requestsPerMinute: Int?

    /// Sends the requests; nil is libcurl. A transport has its own TLS settings.
    public var transport: (any HTTPTransport)?

    /// - Parameter servers: URLs (http, https), tried one by one.
    public init(servers: [String]) { self.servers = servers }
}

/// The properties of a timestamp, for people and programs.
public struct TimestampReceipt: Encodable, Sendable {
    /// Time of the timestamp (genTime), by the TSA's clock.
    public let time: Moment
    /// The URL of the TSA.
    public let server: String
    /// TSA policy as a dotted OID.
    public let policy: String
    /// Serial number of the timestamp, hexadecimal.
    public let serial: String
    /// Whether verification with the same trust anchors would trust it.
    public internal(set) var trusted: Bool
    private var lacksStatus = false

    private enum CodingKeys: CodingKey { case time, server, policy, serial, trusted }

    init(_ stamp: ObtainedTimestamp) {
        self.init(stamp.token.info, server: stamp.server, isTrusted: stamp.isTrusted)
        lacksStatus = stamp.lacksStatus
    }

    init(_ info: TSTInfo, server: String, isTrusted: Bool) {
        time = info.genTime
        self.server = server
        policy = info.policy.description
        serial = info.serialHex
        trusted = isTrusted
    }

    /// Text such as `, timestamp 2026-11-21 10:00:00 UTC`.
    var summary: String {
        let doubt = lacksStatus ? ", revocation status of the TSA unknown" : ", TSA not trusted"
        return ", timestamp \(time.text)" + (trusted ? "" : doubt)
    }
}

extension SignatureLevel {
    /// The level by the format alone: B-T with any timestamp, whether its TSA is trusted or not
    /// (ETSI EN 319 142-1 §6).
    func format(hasTimestamp: Bool) -> SignatureLevel { self == .b && hasTimestamp ? .t : self }
}

/// Time-stamping authorities with open connections, for a whole run.
public final class TimestampAuthorities: Sendable {
    /// Reserved space in bytes for a token of unknown length: two certificates and a CRL fit.
    static let usualTokenByteCount = 8192
    /// Reserved space in bytes if there is no second attempt.
    static let generousByteCount = 2 * usualTokenByteCount
    /// Maximum number of attempts if tokens are longer than the reserved space.
    static let roundLimit = 3

    private let service: TimestampService
    /// URL of the first TSA, without login.
    private let server: String?
    private let lengths = Mutex(Lengths())

    /// Lengths of tokens, in bytes.
    private struct Lengths {
        var longest = 0
        /// Cache that stores the lengths for later runs; nil for none.
        var cache: EvidenceCache?
        /// Source for issuer certificates of TSAs; nil for none.
        var issuers: (any RevocationSource)?
        /// The length stored by an earlier run; nil if there is none.
        var kept: Int?
        /// Certificates in the tokens of this run, in DER.
        var certificates: Set<[UInt8]> = []
    }

    /// Reads the files in the options, and loads libcurl. No request is sent yet.
    ///
    /// - Throws: ``SignetError``: among others `usage` for an invalid URL or an unencrypted login.
    public init(_ options: TimestampOptions) throws {
        var addresses: [HTTPAddress] = []
        for server in options.servers {
            addresses.append(
                try reading(HTTPAddress.withoutLogin(server)) { try HTTPAddress(server) })
        }
        let login = try Self.login(options, for: addresses)
        let settings = try Self.settings(options)
        var service = try reading("libcurl") {
            TimestampService(
                servers: addresses,
                client: try HTTPClient(settings: settings, transport: options.transport),
                clock: { SystemClock.now() })
        }
        service.trust = TimestampTrust(
            anchors: try TrustSettings.anchors(options.anchors),
            isDemanded: !options.anchors.isEmpty,
            intermediates: try TrustSettings.certificates(options.chain))
        service.login = login
        service.policy = try options.policy.map { try OID(policy: $0) }
        service.timeLimit = options.timeLimit
        service.interval = options.requestsPerMinute.map { .seconds(60) / $0 } ?? .zero
        service.pause = { time in OrderedWork.whileWaiting(for: .device) { OrderedWork.pause(time) }
        }
        service.announcesWait = { server, time in
            Notices.say(.waitingForAuthority, server, "\(time.components.seconds)")
        }
        self.service = service
        server = options.servers.first.map { HTTPAddress.withoutLogin($0) }
    }

    /// Notes about steps that a check omits.
    static func notAsked(
        _ authorities: TimestampAuthorities?, _ longTerm: LongTermValidation?
    ) -> [String] {
        guard authorities != nil else { return [] }
        let others = longTerm?.asksOthers == true ? ", and no OCSP responder or CRL server" : ""
        return ["the TSA was not contacted\(others): it may fail"]
    }

    /// Requests a timestamp over a hash that was computed with `digest`.
    func stamp(hash: [UInt8], digest: DigestAlgorithm) throws -> ObtainedTimestamp {
        var service = service
        service.trust.issuers = lengths.withLock { $0.issuers }
        let stamp = try service.stamp(hash: hash, digest: digest)
        note(stamp.token.encoded.count)
        lengths.withLock { $0.certificates.formUnion(stamp.token.signedData.certificates) }
        return stamp
    }

    /// Stores token lengths in the cache. The reserved space is part of the signed bytes, so it
    /// should fit at once.
    func remember(in cache: EvidenceCache) {
        guard let server else { return }
        lengths.withLock {
            $0.cache = cache
            $0.kept = cache.tokenLength(of: server)
        }
    }

    /// Enables fetching missing issuer certificates of TSAs.
    func seek(_ issuers: any RevocationSource) { lengths.withLock { $0.issuers = issuers } }

    func hasSent(_ certificate: Certificate) -> Bool {
        lengths.withLock { $0.certificates.contains(certificate.der) }
    }

    private func note(_ count: Int) {
        lengths.withLock { lengths in
            lengths.longest = max(lengths.longest, count)
            // Lengths differ by some bytes each time, so only larger changes are stored.
            guard let server, let cache = lengths.cache,
                lengths.kept.map({ count > $0 || count < $0 - $0 / 5 }) ?? true
            else { return }
            lengths.kept = count
            cache.keep(tokenLength: count, of: server)
        }
    }

    /// Requests a timestamp over a signature value. The digest is always SHA-256, since some TSAs
    /// support nothing else.
    func stamp(signature: [UInt8]) throws -> ObtainedTimestamp {
        try stamp(hash: try DigestAlgorithm.sha256.hash(signature), digest: .sha256)
    }

    /// Sends an existing request.
    func stamp(_ request: TimestampRequest) throws -> ObtainedTimestamp {
        try service.stamp(request)
    }

    /// Token lengths in bytes: the longest of this run, and the one of an earlier run.
    var knownLengths: (longest: Int, kept: Int?) {
        lengths.withLock { ($0.longest, $0.kept) }
    }

    private static func login(
        _ options: TimestampOptions, for addresses: [HTTPAddress]
    ) throws -> HTTPLogin? {
        guard let user = options.user else { return nil }
        guard !user.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: ":") }) else {
            throw SignetError(.usage, "'\(user)' is not a valid user name")
        }
        if let open = addresses.first(where: { !$0.isEncrypted }), !options.allowsUnencryptedLogin {
            throw SignetError(
                .usage, file: open.text, "the TSA password would be sent over unencrypted HTTP",
                hint: Sentence(.useAuthorityHTTPS))
        }
        guard let source = options.password else {
            throw SignetError(
                .usage, "the user name requires a password",
                hint: Sentence(.useSecret, "tsa-password"))
        }
        let password = try source.read(as: "tsa-password")
        var copy = password.copyOut()
        defer { SecretBytes.wipe(&copy) }
        guard !copy.contains(0) else {
            throw SignetError(.credentialRefused, "the password contains a zero byte")
        }
        return .basic(user: user, password: password)
    }

    private static func settings(_ options: TimestampOptions) throws -> TLSSettings {
        var settings = TLSSettings()
        if let trust = options.trust {
            settings.anchors = try .certificates(in: trust)
        } else {
            // The same variables as for other trust anchors apply; otherwise libcurl uses the
            // system trust store.
            let file = ProcessEnvironment.string("SSL_CERT_FILE")
            let folder = ProcessEnvironment.string("SSL_CERT_DIR")
            if file != nil || folder != nil {
                settings.anchors = .paths(file: file, folder: folder)
            }
        }
        guard let certificate = options.clientCertificate else { return settings }
        let credential = try clientCredential(options, certificate: certificate)
        guard let key = credential.privateKey else {
            throw SignetError(.usage, "TLS requires a key file")
        }
        settings.identity = TLSSettings.Identity(
            certificates: ([credential.certificate] + credential.chain).flatMap(\.pem),
            key: try reading(credential.source) { try key.pkcs8PEM(passphrase: nil) })
        return settings
    }

    private static func clientCredential(
        _ options: TimestampOptions, certificate: String
    ) throws -> SigningCredential {
        let source = options.clientKey ?? certificate
        guard !OpenedKey.isElsewhere(source) else {
            throw SignetError(.usage, "TLS requires a key file")
        }
        do {
            return try SigningCredential(
                keyFile: source, certificateFile: certificate, passphrase: options.clientPassphrase)
        } catch let error as SignetError {
            throw SignetError(
                error.code, file: error.file, error.message, hint: Sentence(.giveCertificateAndKey))
        }
    }
}

extension ObtainedTimestamp {
    /// Reason why the timestamp is not trusted, with a hint; nil if it is trusted.
    var trustAdvice: Sentence? {
        trustNote.map {
            Sentence(
                lacksAnchor
                    ? .untrustedTimestamp : lacksStatus ? .uncheckedTimestamp : .words, $0)
        }
    }

    /// The notes about the timestamp, for people.
    var advice: [Sentence] {
        notes.map { note in trustAdvice.flatMap { note == trustNote ? $0 : nil } ?? Sentence(note) }
    }

    /// The notes about a timestamp in a file of its own, whose verification requires no revocation
    /// data.
    var adviceForFile: [Sentence] {
        lacksStatus ? notes.filter { $0 != trustNote }.map { Sentence($0) } : advice
    }
}
