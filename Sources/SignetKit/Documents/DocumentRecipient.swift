import Base
import CMSKit
import CryptoBridge
import KeyBridge
import PDFCore
import Synchronization
import SystemBridge

/// The recipient of documents encrypted for certificates: a private key, found for the first such
/// document and kept for the others.
public final class DocumentRecipient: Sendable {
    private let find: @Sendable () throws -> any EnvelopeOpener
    /// Whether the key is the signer's, not named for decryption.
    let isImplied: Bool
    /// Result of the key search. A failed search is not repeated.
    private let found = Mutex<Result<any EnvelopeOpener, any Error>?>(nil)

    /// - Parameters:
    ///   - keyFile: PEM, DER or PKCS#12, detected by content; or a PKCS#11 URI (RFC 7512), or the
    ///     name of an identity if there is no such file.
    ///   - certificateFile: the recipient's certificate; nil if the key's file or token contains
    ///     it, or to try all recipients.
    ///   - passphrase: used only for an encrypted key, or for the PIN.
    public init(keyFile: String, certificateFile: String? = nil, passphrase: PassphraseSource) {
        isImplied = false
        find = {
            let place = try RecipientPlace(keyFile)
            let certificateFile = certificateFile ?? place.certificateFile
            let given = try certificateFile.map { try SigningCredential.readCertificates($0) }
            if PKCS11URI.canParse(place.key) {
                return try TokenOpener(place.key, given: given ?? [], passphrase: passphrase)
            }
            return try FileOpener(
                place.key, given: given, certificateFile: certificateFile ?? "",
                passphrase: passphrase)
        }
    }

    /// The signer as a recipient; nil unless the private key is in memory or on a token.
    public init?(_ credential: SigningCredential) {
        isImplied = true
        let certificates = [credential.certificate] + credential.renewals
        if let key = credential.privateKey {
            find = { FileOpener(keys: [key], certificates: certificates) }
        } else if let key = credential.key as? TokenKey {
            find = { TokenOpener(keys: [(key.forDecrypting, certificates)]) }
        } else {
            return nil
        }
    }

    /// Reason why a key cannot decrypt; nil if it may be able to.
    public static func refusal(of source: String) -> SignetError? {
        do {
            try RecipientPlace.check(source)
            return nil
        } catch {
            return error as? SignetError
        }
    }

    /// The content of one of the envelopes.
    ///
    /// - Returns: nil if they are for other recipients.
    /// - Throws: `PDFError` if no envelope is readable; otherwise the reason why the key cannot be
    ///   used.
    func open(_ envelopes: [[UInt8]]) throws -> [UInt8]? {
        do {
            // Unreadable envelopes must not cause a passphrase or PIN request.
            let envelopes = try ReadEnvelopes(envelopes)
            let opener = try found.withLock { found in
                if found == nil { found = Result { try find() } }
                return try found?.get()
            }
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

    /// Maximum number of recipients listed.
    private static let recipientLimit = 1000
    /// Maximum number of recipients in a message.
    private static let nameLimit = 16

    static func names(of envelopes: [[UInt8]], limit: Int = recipientLimit) -> [String] {
        var names: [String] = []
        for envelope in envelopes where names.count < limit {
            let recipients = (try? EnvelopedData(envelope))?.recipients(limit: limit - names.count)
            names += (recipients ?? []).map { recipient in
                switch recipient {
                case .issuerAndSerial(let issuer, let serial):
                    "\(issuer.isEmpty ? unreadableIssuer : "issuer \(cut(issuer))"), serial \(cut(serial))"
                case .subjectKeyIdentifier(let identifier): "key identifier \(cut(identifier))"
                }
            }
        }
        return names
    }

    private static let unreadableIssuer =
        "an issuer with an empty or unreadable name"

    /// Maximum length of a name in Unicode scalars, since one character may contain any number of
    /// them.
    private static let nameLength = 200

    private static func cut(_ text: String) -> String {
        let start = text.unicodeScalars.prefix(nameLength)
        return start.endIndex == text.endIndex ? text : String(start) + "…"
    }

    /// Rejects a document without recipients.
    ///
    /// - Throws: ``PDFError``: `malformedEncryption`.
    static func requireAny(of envelopes: [[UInt8]]) throws(PDFError) {
        let isForNobody = envelopes.allSatisfy { (try? EnvelopedData($0))?.recipientCount == 0 }
        guard isForNobody else { return }
        throw PDFError(
            .malformedEncryption, "the encrypted document contains no recipients")
    }

    static func enumeration(of envelopes: [[UInt8]]) -> String {
        let names = names(of: envelopes, limit: nameLimit + 1)
        guard !names.isEmpty else { return "recipients without a certificate reference" }
        return names.prefix(nameLimit).joined(separator: "; ")
            + (names.count > nameLimit ? "and others" : "")
    }
}

/// The location of a recipient's key.
private struct RecipientPlace {
    /// Location of the key: a file or a PKCS#11 URI.
    private(set) var key: String
    private(set) var certificateFile: String?

    /// - Throws: ``SignetError``: `usage` for a key that cannot decrypt, and for an ambiguous name.
    init(_ source: String) throws {
        try Self.check(source)
        key = source
        guard !PKCS11URI.canParse(source), let store = try? IdentityStore(),
            let identity = try store.placeIfReady(of: source)
        else { return }
        guard !FileSystem.exists(source) else {
            throw SignetError(
                .usage, "'\(source)' is ambiguous: an identity and a file have this name",
                hint: Sentence(.writeFileAsPath, source))
        }
        try Self.check(identity.key)
        key = identity.key
        certificateFile = identity.certificates
    }

    static func check(_ source: String) throws {
        if PKCS11URI.canParse(source) { _ = try finding { try PKCS11URI(source) } }
        guard let place = KeyURIs.kind(of: source)?.signOnlyPlace else { return }
        throw SignetError(
            .usage, "the key at \(place) can sign, but not decrypt",
            hint: Sentence(.giveDecryptingKey))
    }
}

/// The readable envelopes of a document: those for other recipients may be of unknown kinds.
private struct ReadEnvelopes {
    let messages: [EnvelopedData]
    /// SHA-256 over the envelopes, for recognizing them.
    let digest: [UInt8]
    /// Error of the first unreadable envelope; nil if all are readable.
    let failure: CryptoError?

    /// - Throws: ``CryptoError`` if no envelope is readable.
    init(_ envelopes: [[UInt8]]) throws {
        var messages: [EnvelopedData] = []
        var failure: CryptoError?
        for envelope in envelopes {
            do {
                messages.append(try EnvelopedData(envelope))
            } catch {
                failure = failure ?? error
            }
        }
        if messages.isEmpty, let failure { throw failure }
        self.messages = messages
        self.failure = failure
        digest = try DigestAlgorithm.sha256.hash(
            envelopes.flatMap { Array("\($0.count) ".utf8) + $0 })
    }
}

/// A private key in any location that opens envelopes.
private protocol EnvelopeOpener: Sendable {
    func open(_ envelopes: ReadEnvelopes) throws -> [UInt8]?
}

extension EnvelopeOpener {
    /// Lengths in bytes of a seed without and with permissions (ISO 32000-2 §7.6.5.3).
    var seedByteCounts: [Int] { [20, 24] }
    /// Whether the content has the length of a seed. Another length results from a wrong key.
    func isSeed(_ content: [UInt8]) -> Bool { seedByteCounts.contains(content.count) }

    /// The error for a document with too many recipient entries for the key's certificate.
    static func tooMany(_ limit: Int) -> SigningFailure {
        SigningFailure(
            .failed,
            "the document is encrypted more than \(limit) times for this certificate: the first "
                + "\(limit) parts contain no key, and no more are tried",
            hint: Sentence(.askForWhole))
    }
}

/// A key in memory.
private struct FileOpener: EnvelopeOpener {
    /// Keys that match one of the certificates come first.
    private let keys: [PrivateKey]
    private let certificates: [Certificate]

    init(keys: [PrivateKey], certificates: [Certificate]) {
        let named = keys.filter { key in certificates.contains { $0.certifies(key.publicKey) } }
        self.keys = named + keys.filter { key in !named.contains { $0 === key } }
        self.certificates = certificates
    }

    init(
        _ file: String, given: [Certificate]?, certificateFile: String, passphrase: PassphraseSource
    ) throws {
        // The document determines which of several keys is used. Many users have a separate key for
        // signing.
        let bundle = try SigningCredential.readBundle(
            file, passphrase: passphrase, as: "decrypt-passphrase")
        guard !bundle.keys.isEmpty else {
            throw SignetError(.malformedInput, file: file, "the file contains no private key")
        }
        guard bundle.keys.contains(where: { PrivateEnvelopeKey($0) != nil }) else {
            throw SignetError(
                .credentialRefused, file: file,
                "the key cannot decrypt: its type is \(bundle.keys[0].algorithm)",
                hint: Sentence(.giveDecryptingKey))
        }
        let keys = bundle.keys.filter { key in
            given?.contains { $0.certifies(key.publicKey) } ?? true
        }
        guard !keys.isEmpty else {
            throw SignetError(
                .credentialRefused, file: certificateFile,
                "the certificate does not belong to the private key \(file)")
        }
        self.init(keys: keys, certificates: given ?? bundle.certificates)
    }

    /// Maximum number of recipients tried with a key without certificate: each costs a private-key
    /// operation.
    private static let attemptLimit = 100

    func open(_ envelopes: ReadEnvelopes) throws -> [UInt8]? {
        var named = Attempts(limit: Self.namedLimit)
        var failure = envelopes.failure
        func content(
            of message: EnvelopedData, _ key: PrivateKey, _ certificates: [Certificate],
            _ attempts: inout Attempts
        ) throws -> [UInt8]? {
            do {
                return try open(message, key, certificates, &attempts)
            } catch let error as CryptoError {
                // Errors of unrelated keys are ignored.
                if !certificates.isEmpty || !isNamed(key) { failure = failure ?? error }
                return nil
            }
        }
        for key in keys where isNamed(key) {
            for message in envelopes.messages {
                if let found = try content(of: message, key, certificates, &named) { return found }
            }
        }
        // Tries every recipient: one may be identified by an earlier certificate of the key.
        // `isCut`: the limit left recipients untried.
        var isCut = false
        for key in keys.reversed() {
            var count = 0
            var attempts = Attempts(limit: Self.namedLimit)
            for message in envelopes.messages {
                count += message.recipientCount
                guard count <= Self.attemptLimit else {
                    isCut = isCut || !isNamed(key)
                    break
                }
                if let found = try content(of: message, key, [], &attempts) { return found }
            }
        }
        if named.isCut { throw Self.tooMany(Self.namedLimit) }
        if isCut { throw Self.tooManyAttempts }
        if let failure { throw failure }
        return nil
    }

    private func isNamed(_ key: PrivateKey) -> Bool {
        certificates.contains { $0.certifies(key.publicKey) }
    }

    private static var tooManyAttempts: SigningFailure {
        SigningFailure(
            .usage,
            "the document is encrypted for more than \(attemptLimit) recipients, and the key has no "
                + "certificate to select one",
            hint: Sentence(.giveDecryptionCertificate))
    }

    /// Maximum number of matching entries tried. A document that repeats a certificate is probably
    /// malicious.
    private static let namedLimit = 100

    private struct Attempts {
        private var remaining: Int
        /// Whether there were more entries than the limit.
        private(set) var isCut = false

        init(limit: Int) { remaining = limit }

        mutating func mayTry() -> Bool {
            isCut = isCut || remaining == 0
            remaining = max(0, remaining - 1)
            return !isCut
        }
    }

    private func open(
        _ message: EnvelopedData, _ key: PrivateKey, _ certificates: [Certificate],
        _ attempts: inout Attempts
    ) throws -> [UInt8]? {
        guard let key = PrivateEnvelopeKey(key) else { return nil }
        for share in try key.shares(of: message, certificates: certificates) where attempts.mayTry()
        { if let content = try share.open(with: key), isSeed(content) { return content } }
        return nil
    }
}

/// Keys on tokens. The certificate in an envelope identifies one of them.
private final class TokenOpener: EnvelopeOpener {
    private let keys: [(key: TokenKey, certificates: [Certificate])]
    /// Decrypted seeds: a document is read several times, and each decryption costs token time, and
    /// for some keys a confirmation.
    private let known = Mutex<[[UInt8]: SecretBytes]>([:])

    /// Maximum number of documents with cached seeds.
    private static let knownLimit = 1024
    /// Maximum number of entries tried, for a document that names one certificate repeatedly.
    private static let attemptLimit = 4

    init(keys: [(key: TokenKey, certificates: [Certificate])]) { self.keys = keys }

    init(_ uri: String, given: [Certificate], passphrase: PassphraseSource) throws {
        keys = try finding {
            try TokenFinder(uri, passphrase: passphrase, purpose: nil)
                .keysForDecrypting(given: given)
        }
    }

    func open(_ envelopes: ReadEnvelopes) throws -> [UInt8]? {
        let name = envelopes.digest
        if let seed = known.withLock({ $0[name] }) { return seed.copyOut() }
        guard let (key, shares) = try meant(envelopes) else { return nil }
        for share in shares.prefix(Self.attemptLimit) {
            try key.check(share.scheme)
            guard let content = try share.open(with: key), isSeed(content) else {
                // The user must not be asked to confirm repeatedly.
                if key.isConfirmedEachTime { break }
                continue
            }
            known.withLock { known in
                if known.count >= Self.knownLimit { known.removeAll() }
                var copy = content
                known[name] = SecretBytes(consuming: &copy)
            }
            return content
        }
        guard shares.count <= Self.attemptLimit || key.isConfirmedEachTime else {
            throw Self.tooMany(Self.attemptLimit)
        }
        return nil
    }

    /// The key for the envelopes, found before any decryption. If several keys on one token match,
    /// the first in the document is used: they share one PIN.
    private func meant(
        _ envelopes: ReadEnvelopes
    ) throws -> (key: TokenKey, shares: [EnvelopeShare])? {
        var failure = envelopes.failure
        var meant: [(key: TokenKey, shares: [EnvelopeShare])] = []
        for message in envelopes.messages {
            for (key, certificates) in keys {
                do throws(CryptoError) {
                    guard let share = try seedShare(of: message, for: certificates) else {
                        continue
                    }
                    if let index = meant.firstIndex(where: { $0.key === key }) {
                        meant[index].shares.append(share)
                    } else {
                        meant.append((key, [share]))
                    }
                } catch {
                    failure = failure ?? error
                }
            }
        }
        if meant.isEmpty, let failure { throw failure }
        guard let first = meant.first else { return nil }
        guard meant.allSatisfy({ $0.key.token === first.key.token }) else {
            throw SigningFailure(
                .usage,
                "the PKCS#11 URI matches \(meant.count) keys that can decrypt the document: "
                    + meant.prefix(16).map(\.key.uri.text).joined(separator: "; "),
                hint: Sentence(.nameKey))
        }
        return first
    }

    /// The entry for one of a key's certificates. An unreadable entry is ignored if another is
    /// readable.
    private func seedShare(
        of message: EnvelopedData, for certificates: [Certificate]
    ) throws(CryptoError) -> EnvelopeShare? {
        var failure: CryptoError?
        for certificate in certificates {
            do throws(CryptoError) {
                guard let share = try message.share(for: certificate) else { continue }
                guard seedByteCounts.contains(where: share.mayHold) else {
                    throw CryptoError(
                        .malformedBundle, "the enveloped data contain no key for the document")
                }
                return share
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }
}
