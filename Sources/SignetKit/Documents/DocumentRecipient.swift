import CMSKit
import CryptoBridge
import FileBridge
import PDFCore
import RemoteSigning
import SignerProgram
import Synchronization
import TokenBridge

/// Who may read documents that are encrypted for the holders of certificates: a private key, found
/// when the first of them needs it and kept for the others.
public final class DocumentRecipient: Sendable {
    private let find: @Sendable () throws -> any EnvelopeOpener
    /// Whether nobody named the key for this: it is the signer's.
    let isImplied: Bool
    /// What came of it: who asked in vain asks nobody again.
    private let found = Mutex<Result<any EnvelopeOpener, any Error>?>(nil)

    /// - Parameters:
    ///   - keyFile: PEM, DER or PKCS#12, recognised by its bytes; or a PKCS#11 URI (RFC 7512), or the
    ///     name of an identity where there is no such file.
    ///   - certificateFile: the certificate that names the recipient; nil when the key's file or its
    ///     token holds it, or when all recipients are to be tried.
    ///   - passphrase: asked only when the key is encrypted, or for the PIN.
    public init(keyFile: String, certificateFile: String? = nil, passphrase: PassphraseSource) {
        isImplied = false
        find = {
            let place = try RecipientPlace(keyFile)
            let certificateFile = certificateFile ?? place.certificateFile
            let given = try certificateFile.map { try SigningCredential.readCertificates($0) }
            if PKCS11URI.isMeant(by: place.key) {
                return try TokenOpener(place.key, given: given ?? [], passphrase: passphrase)
            }
            return try FileOpener(
                place.key, given: given, certificateFile: certificateFile ?? "",
                passphrase: passphrase)
        }
    }

    /// The signer, who may be a recipient too.
    public init?(_ credential: SigningCredential) {
        isImplied = true
        if let key = credential.privateKey {
            find = { FileOpener(key: key, certificates: [credential.certificate]) }
        } else if let key = credential.key as? TokenKey {
            find = { TokenOpener(keys: [(key.forDecrypting, [credential.certificate])]) }
        } else {
            return nil
        }
    }

    /// Why a key that is named so opens nothing; nil where it may.
    public static func refusal(of source: String) -> SignetError? {
        do {
            try RecipientPlace.check(source)
            return nil
        } catch {
            return error as? SignetError
        }
    }

    /// What one of the envelopes holds.
    ///
    /// - Returns: nil when they are for others.
    /// - Throws: `PDFError` for envelopes that nobody opens; else why the key cannot be used.
    func open(_ envelopes: [[UInt8]]) throws -> [UInt8]? {
        let opener = try found.withLock { found in
            if found == nil { found = Result { try find() } }
            return try found?.get()
        }
        do {
            return try opener?.open(envelopes)
        } catch let error as CryptoError {
            throw PDFError(
                error.code == .unsupportedAlgorithm
                    ? .unsupportedEncryption : .malformedEncryption,
                error.description)
        } catch let failure as SigningFailure {
            throw SignetError(failure)
        }
    }

    /// Most recipients that are listed.
    private static let listLimit = 1000
    /// Most recipients that a message names.
    private static let nameLimit = 16

    /// Whom envelopes are for, in words.
    static func names(of envelopes: [[UInt8]], limit: Int = listLimit) -> [String] {
        var names: [String] = []
        for envelope in envelopes where names.count < limit {
            let recipients = (try? EnvelopedData(envelope))?.recipients(limit: limit - names.count)
            names += (recipients ?? []).map { recipient in
                switch recipient {
                case .issuerAndSerial(let issuer, let serial): "issuer \(issuer), serial \(serial)"
                case .subjectKeyIdentifier(let identifier): "key identifier \(identifier)"
                }
            }
        }
        return names
    }

    /// Whom envelopes are for, in one line.
    static func enumeration(of envelopes: [[UInt8]]) -> String {
        let names = names(of: envelopes, limit: nameLimit + 1)
        return names.prefix(nameLimit).joined(separator: "; ")
            + (names.count > nameLimit ? "; and others" : "")
    }
}

/// Where a recipient's key is.
private struct RecipientPlace {
    /// A file or a PKCS#11 URI.
    private(set) var key: String
    private(set) var certificateFile: String?

    /// - Throws: ``SignetError``.
    init(_ source: String) throws {
        try Self.check(source)
        key = source
        guard !PKCS11URI.isMeant(by: source), let store = try? IdentityStore(),
            let identity = try store.placeIfReady(of: source)
        else { return }
        guard !FileSystem.exists(source) else {
            throw SignetError(
                .usage, "'\(source)' may be the identity or the file of that name",
                advice: .key(.writeFileAsPath(source)))
        }
        try Self.check(identity.key)
        key = identity.key
        certificateFile = identity.certificates
    }

    static func check(_ source: String) throws {
        do {
            if PKCS11URI.isMeant(by: source) { _ = try PKCS11URI(source) }
        } catch let failure as SigningFailure {
            throw SignetError(failure)
        }
        let what =
            ServiceURI.isMeant(by: source)
            ? "a signing service" : ProgramURI.isMeant(by: source) ? "a program" : nil
        guard let what else { return }
        throw SignetError(
            .usage, "the key at \(what) only signs: it decrypts nothing",
            advice: .key(.giveDecryptingKey))
    }
}

/// A private key, wherever it is, that opens envelopes.
private protocol EnvelopeOpener: Sendable {
    func open(_ envelopes: [[UInt8]]) throws -> [UInt8]?
}

extension EnvelopeOpener {
    /// Of a seed with or without permissions (ISO 32000-2 §7.6.5.3).
    var seedByteCounts: [Int] { [20, 24] }
    /// What else comes out, a wrong key made.
    func isSeed(_ content: [UInt8]) -> Bool { seedByteCounts.contains(content.count) }
}

/// A key in memory.
private struct FileOpener: EnvelopeOpener {
    let key: PrivateKey
    let certificates: [Certificate]

    init(key: PrivateKey, certificates: [Certificate]) {
        self.key = key
        self.certificates = certificates
    }

    init(
        _ file: String, given: [Certificate]?, certificateFile: String,
        passphrase: PassphraseSource
    ) throws {
        let bundle = try SigningCredential.readBundle(
            file, passphrase: passphrase, as: .decryptionPassphrase)
        guard let key = bundle.key else {
            throw SignetError(.malformedInput, file: file, "holds no private key")
        }
        if let given, !given.contains(where: { $0.certifies(key.publicKey) }) {
            throw SignetError(
                .credentialRefused, file: certificateFile,
                "the certificate does not belong to the private key \(file)")
        }
        self.init(key: key, certificates: given ?? bundle.certificates)
    }

    /// Recipients that a key without a certificate is tried for: each costs an operation with it.
    private static let attemptLimit = 100

    func open(_ envelopes: [[UInt8]]) throws -> [UInt8]? {
        let isNamed = certificates.contains { $0.certifies(key.publicKey) }
        var attempts = 0
        var named = Self.namedLimit
        // Others' envelopes may be of kinds that are unknown here.
        var unread: CryptoError?
        for envelope in envelopes {
            let message: EnvelopedData
            do {
                message = try EnvelopedData(envelope)
            } catch {
                unread = unread ?? error
                continue
            }
            attempts += isNamed ? 0 : message.recipientCount
            guard attempts <= Self.attemptLimit else {
                throw SigningFailure(
                    .usage,
                    "the document is encrypted for over \(Self.attemptLimit) recipients, and the key "
                        + "comes without the certificate that says which one it belongs to",
                    advice: .general(.give(.decryptionCertificate)))
            }
            do {
                if let content = try open(message, &named) { return content }
            } catch let error as CryptoError {
                unread = unread ?? error
            }
        }
        if let unread { throw unread }
        return nil
    }

    /// Parts that name the key's certificate and are tried: a document that names it again and again
    /// is not worth more.
    private static let namedLimit = 100

    private func open(_ message: EnvelopedData, _ remaining: inout Int) throws -> [UInt8]? {
        guard let rsa = RSAEnvelopeKey(key) else {
            let content = try message.open(key: key, certificates: certificates)
            return content.flatMap { isSeed($0) ? $0 : nil }
        }
        for share in try rsa.shares(of: message, certificates: certificates) where remaining > 0 {
            remaining -= 1
            if let content = try share.open(with: rsa), isSeed(content) { return content }
        }
        return nil
    }
}

/// Keys on tokens, one of which a document's envelope names by its certificate.
private final class TokenOpener: EnvelopeOpener {
    private let keys: [(key: TokenKey, certificates: [Certificate])]
    /// What was opened: a document is read more than once, and each time costs the token, and a person
    /// where the key wants each use confirmed.
    private let known = Mutex<[[UInt8]: SecretBytes]>([:])

    /// Documents whose seeds are kept.
    private static let knownLimit = 1024
    /// A document that names one certificate again and again is not worth the token's time.
    private static let attemptLimit = 4

    init(keys: [(key: TokenKey, certificates: [Certificate])]) { self.keys = keys }

    init(_ uri: String, given: [Certificate], passphrase: PassphraseSource) throws {
        do {
            keys = try TokenFinder(uri, passphrase: passphrase, purpose: nil)
                .keysForDecrypting(given: given)
        } catch let failure as SigningFailure {
            throw SignetError(failure)
        }
    }

    func open(_ envelopes: [[UInt8]]) throws -> [UInt8]? {
        let name = try DigestAlgorithm.sha256.hash(
            envelopes.flatMap { Array("\($0.count) ".utf8) + $0 })
        if let seed = known.withLock({ $0[name] }) { return seed.copyOut() }
        guard let (key, shares) = try meant(envelopes) else { return nil }
        for share in shares.prefix(Self.attemptLimit) {
            try key.check(share.scheme)
            guard let content = try share.open(with: key), isSeed(content) else { continue }
            known.withLock { known in
                if known.count >= Self.knownLimit { known.removeAll() }
                var copy = content
                known[name] = SecretBytes(consuming: &copy)
            }
            return content
        }
        return nil
    }

    private func seedShare(
        of message: EnvelopedData, for certificate: Certificate
    ) throws(CryptoError) -> EnvelopeShare? {
        guard let share = try message.share(for: certificate) else { return nil }
        guard seedByteCounts.contains(where: share.mayHold) else {
            throw CryptoError(.malformedBundle, "enveloped data hold no key of a document")
        }
        return share
    }

    /// The one key that envelopes are for, before anything is done with it.
    private func meant(
        _ envelopes: [[UInt8]]
    ) throws -> (key: TokenKey, shares: [EnvelopeShare])? {
        // Others' envelopes may be of kinds that are unknown here.
        var unread: CryptoError?
        func read<Value>(_ body: () throws(CryptoError) -> Value?) -> Value? {
            do {
                return try body()
            } catch {
                unread = unread ?? error
                return nil
            }
        }
        let messages = envelopes.compactMap { envelope in
            read { () throws(CryptoError) in try EnvelopedData(envelope) }
        }
        var meant: [(key: TokenKey, shares: [EnvelopeShare])] = []
        for (key, certificates) in keys {
            var shares: [EnvelopeShare] = []
            for message in messages {
                for certificate in certificates {
                    let share = read { () throws(CryptoError) in
                        try self.seedShare(of: message, for: certificate)
                    }
                    guard let share else { continue }
                    shares.append(share)
                    break
                }
            }
            if !shares.isEmpty { meant.append((key, shares)) }
        }
        if meant.isEmpty, let unread { throw unread }
        guard meant.count < 2 else {
            throw SigningFailure(
                .usage,
                "the document is encrypted for \(meant.count) of the keys that the PKCS#11 URI means: "
                    + meant.prefix(16).map(\.key.uri.text).joined(separator: "; "),
                advice: .token(.nameKey))
        }
        return meant.first
    }
}
