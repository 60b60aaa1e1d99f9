internal import Base
import CMSKit
import CryptoBridge
import NetworkBridge
import Synchronization
import SystemBridge
import TimestampKit
import TrustKit

/// Which time-stamping authorities are asked, and how they are reached.
public struct TimestampOptions: Sendable {
    /// Addresses, tried in order until one answers well.
    public var servers: [String]
    /// The name for HTTP Basic authentication (RFC 7617).
    public var user: String?
    /// Of the login; asked for when there is a ``user``.
    public var password: PassphraseSource?
    /// Sends the login without encryption too.
    public var allowsUnencryptedLogin = false
    /// Files or folders of trust anchors for the authorities themselves: a time stamp by others is
    /// refused. None are the system's anchors, and what others stamp is told.
    public var anchors: [String] = []
    /// Files with certificates between the authorities' own and their anchors.
    public var chain: [String] = []
    /// A file of trust anchors for TLS, instead of the system's.
    public var trust: String?
    /// The TLS client certificate with its chain; its key when that is in the same file.
    public var clientCertificate: String?
    /// Of the certificate for TLS; nil where the certificate's file has it.
    public var clientKey: String?
    /// Opens the client's key; asked only when it is encrypted.
    public var clientPassphrase = PassphraseSource.ask {
        throw SignetError(.credentialRefused, "the client certificate's key needs a passphrase")
    }
    /// The policy asked for, dotted.
    public var policy: String?
    /// For authorities behind a SOAP gateway.
    public var gateway: SOAPOptions?
    /// For each try, from looking up the name to the last byte.
    public var timeLimit = Duration.seconds(20)

    /// - Parameter servers: addresses (http, https), tried in order.
    public init(servers: [String]) { self.servers = servers }
}

/// How authorities are spoken to that are behind a SOAP gateway.
public struct SOAPOptions: Sendable {
    /// The file of the envelope, with `{request}` where the base64 of the request goes, and `{id}`
    /// and `{time}` where a fresh identifier and the present moment are wanted.
    public let envelope: String
    /// What the SOAPAction header says.
    public let action: String
    /// Local name of the element whose text is the answer in base64.
    public let result: String

    /// - Parameters:
    ///   - envelope: a file with the message, in which the request is filled in.
    ///   - action: of SOAP 1.1.
    ///   - result: the element of the answer that holds the token.
    public init(envelope: String, action: String, result: String) {
        self.envelope = envelope
        self.action = action
        self.result = result
    }
}

/// What a timestamp says, for people and programs.
public struct TimestampReceipt: Encodable, Sendable {
    /// By the authority's clock.
    public let time: Moment
    /// The address that it came from.
    public let server: String
    /// Dotted.
    public let policy: String
    /// Hexadecimal.
    public let serial: String
    /// Whether verifying with the same trust anchors would count it.
    public let trusted: Bool

    init(_ stamp: ObtainedTimestamp) {
        let info = stamp.token.info
        time = info.genTime
        server = stamp.server
        policy = info.policy.description
        serial = info.serialHex
        trusted = stamp.isTrusted
    }
}

/// Time-stamping authorities ready to be asked. One for a whole run: connections are kept.
public final class TimestampAuthorities: Sendable {
    /// Room for a token when none has been seen: two certificates and a revocation list fit.
    static let usualTokenByteCount = 8192
    /// Room where there is no second try.
    static let generousByteCount = 2 * usualTokenByteCount
    /// Signing and stamping anew, because the token was longer than the room for it.
    fileprivate static let roundLimit = 3

    private let service: TimestampService
    /// The first address, without a login.
    private let server: String?
    private let lengths = Mutex(Lengths())

    /// How long tokens are.
    private struct Lengths {
        var longest = 0
        /// Remembers them for later runs.
        var cache: EvidenceCache?
        /// Who is asked for certificates above the authorities'; nil is nobody.
        var issuers: (any RevocationSource)?
        /// What an earlier run remembered; nil where none did.
        var kept: Int?
        /// Certificates in the tokens of this run, in DER.
        var certificates: Set<[UInt8]> = []
    }

    /// Reads what the options name, and loads libcurl. Nothing is sent yet.
    public init(_ options: TimestampOptions) throws {
        var addresses: [HTTPAddress] = []
        for server in options.servers {
            addresses.append(
                try reading(HTTPAddress.withoutLogin(server)) { try HTTPAddress(server) })
        }
        let login = try Self.login(options, addresses)
        let settings = try Self.settings(options)
        var service = try reading("libcurl") {
            TimestampService(
                servers: addresses, client: try HTTPClient(settings: settings),
                clock: { SystemClock.now() })
        }
        service.trust = TimestampTrust(
            anchors: try TrustSettings.anchors(options.anchors),
            isDemanded: !options.anchors.isEmpty,
            intermediates: try TrustSettings.certificates(options.chain))
        service.login = login
        service.gateway = try options.gateway.map(Self.gateway)
        service.policy = try options.policy.map { try OID(policy: $0) }
        service.timeLimit = options.timeLimit
        self.service = service
        server = options.servers.first.map { HTTPAddress.withoutLogin($0) }
    }

    /// What a mere check does not find out.
    static func notAsked(
        _ authorities: TimestampAuthorities?, _ longTerm: LongTermValidation?
    ) -> [String] {
        guard authorities != nil else { return [] }
        let others = longTerm?.asksOthers == true ? ", nor anybody about revocations" : ""
        return ["the time-stamping authority was not asked\(others): they may not answer"]
    }

    /// A timestamp over a hash of `digest`.
    func stamp(hash: [UInt8], digest: DigestAlgorithm) throws -> ObtainedTimestamp {
        var service = service
        service.trust.issuers = lengths.withLock { $0.issuers }
        let stamp = try service.stamp(hash: hash, digest: digest)
        note(stamp.token.encoded.count)
        lengths.withLock { $0.certificates.formUnion(stamp.token.signedData.certificates) }
        return stamp
    }

    /// Remembers how long tokens are: the room for one is part of what is signed, and ought to fit.
    func remember(in cache: EvidenceCache) {
        guard let server else { return }
        lengths.withLock {
            $0.cache = cache
            $0.kept = cache.tokenLength(of: server)
        }
    }

    /// Has certificates above the authorities' fetched where they are missing.
    func seek(_ issuers: any RevocationSource) { lengths.withLock { $0.issuers = issuers } }

    /// Whether a certificate came with a timestamp of this run.
    func hasSent(_ certificate: Certificate) -> Bool {
        lengths.withLock { $0.certificates.contains(certificate.der) }
    }

    private func note(_ count: Int) {
        lengths.withLock { lengths in
            lengths.longest = max(lengths.longest, count)
            // They differ by some bytes each time.
            guard let server, let cache = lengths.cache,
                lengths.kept.map({ count > $0 || count < $0 - $0 / 5 }) ?? true
            else { return }
            lengths.kept = count
            cache.keep(tokenLength: count, of: server)
        }
    }

    /// A timestamp over the value of a signature. SHA-256, whatever the signature's hash: some
    /// authorities know no other.
    func stamp(signature: [UInt8]) throws -> ObtainedTimestamp {
        try stamp(hash: try DigestAlgorithm.sha256.hash(signature), digest: .sha256)
    }

    /// An answer to a request made elsewhere.
    func stamp(_ request: TimestampRequest) throws -> ObtainedTimestamp {
        try service.stamp(request)
    }

    /// How long tokens are: the longest of this run, and what an earlier one remembered.
    fileprivate var knownLengths: (longest: Int, kept: Int?) {
        lengths.withLock { ($0.longest, $0.kept) }
    }

    private static func login(
        _ options: TimestampOptions, _ addresses: [HTTPAddress]
    ) throws -> HTTPLogin? {
        guard let user = options.user else { return nil }
        guard !user.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: ":") }) else {
            throw SignetError(.usage, "'\(user)' cannot be a name to log in with")
        }
        if let open = addresses.first(where: { !$0.isEncrypted }), !options.allowsUnencryptedLogin {
            throw SignetError(
                .usage, file: open.text, "the login would go over the network unencrypted",
                hint: Sentence(.useAuthorityHTTPS))
        }
        guard let source = options.password else {
            throw SignetError(
                .usage, "a name to log in with needs a password",
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

    /// Largest envelope that is read.
    private static let envelopeByteLimit = 1024 * 1024

    private static func gateway(_ options: SOAPOptions) throws -> SOAPGateway {
        let template = try reading(options.envelope) {
            try FileSystem.readAll(options.envelope, limit: envelopeByteLimit)
        }
        do {
            return try SOAPGateway(
                template: template, action: options.action, resultName: options.result)
        } catch {
            throw SignetError(
                .usage, file: options.envelope, error.detail, hint: Sentence(.writeEnvelope))
        }
    }

    private static func settings(_ options: TimestampOptions) throws -> TLSSettings {
        var settings = TLSSettings()
        if let trust = options.trust {
            settings.anchors = try .certificates(in: trust)
        } else {
            // As for all other trust; without them libcurl knows the system's store itself.
            let file = ProcessEnvironment.string("SSL_CERT_FILE")
            let folder = ProcessEnvironment.string("SSL_CERT_DIR")
            if file != nil || folder != nil {
                settings.anchors = .paths(file: file, folder: folder)
            }
        }
        guard let certificate = options.clientCertificate else { return settings }
        let credential = try clientCredential(options, certificate)
        guard let key = credential.privateKey else {
            throw SignetError(.usage, "a key file is needed for TLS")
        }
        settings.identity = TLSSettings.Identity(
            certificates: ([credential.certificate] + credential.chain).flatMap(\.pem),
            key: try reading(credential.source) { try key.pkcs8PEM(passphrase: nil) })
        return settings
    }

    private static func clientCredential(
        _ options: TimestampOptions, _ certificate: String
    ) throws -> SigningCredential {
        let source = options.clientKey ?? certificate
        guard !OpenedKey.isElsewhere(source) else {
            throw SignetError(.usage, "a key file is needed for TLS")
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
    /// Why it is not trusted, and what to do; nil where it is.
    var trustAdvice: Sentence? {
        trustNote.map { Sentence(lacksAnchor ? .untrustedTimestamp : .words, $0) }
    }

    /// Its notes for people.
    var advice: [Sentence] {
        notes.map { note in trustAdvice.flatMap { note == trustNote ? $0 : nil } ?? Sentence(note) }
    }
}

/// The room that is left for a timestamp. Nobody knows how long the token will be, and the room is
/// part of what is signed: should it be too small, all is done again with enough.
struct TokenRoom {
    private let authorities: TimestampAuthorities?
    private var round = 1
    private(set) var byteCount: Int
    /// A word about each repetition.
    private(set) var notes: [String] = []

    /// - Parameters:
    ///   - authorities: nil leaves no room.
    ///   - expected: the length of such a token, where one is known; nil leaves the usual room.
    init(for authorities: TimestampAuthorities?, expecting expected: Int? = nil) {
        self.authorities = authorities
        byteCount = 0
        guard let (longest, kept) = authorities?.knownLengths else { return }
        // An authority's tokens differ by some bytes only.
        let near = max(expected ?? kept ?? 0, longest)
        byteCount = expected ?? kept == nil ? Self.ample(longest) : near + near / 10
    }

    private static func ample(_ longest: Int) -> Int {
        max(TimestampAuthorities.usualTokenByteCount, longest + longest / 2)
    }

    /// Leaves more for the next round.
    ///
    /// - Throws: ``SignetError`` when there were enough, and `excess` where there is no timestamp.
    mutating func widen(after excess: ReservationExceeded) throws {
        guard let authorities else { throw excess }
        guard round < TimestampAuthorities.roundLimit else {
            throw SignetError(
                .serviceUnavailable, "the time stamps get longer each time (\(excess.detail))")
        }
        round += 1
        byteCount = Self.ample(authorities.knownLengths.longest)
        notes.append(
            "the time stamp was longer than the room left for it (\(excess.detail)); signed "
                + "and stamped once more, which the authority may count")
    }
}
