import CMSKit
import CryptoBridge
import KeyBridge
import TrustKit

/// A private key in any location.
struct OpenedKey {
    /// The key. A key file may contain several, of which a certificate selects one.
    let keys: [any DigestSigner]
    /// Certificates found with the key, and given certificates, in any order.
    let certificates: [Certificate]
    /// The certificate chosen at the key's location if several match there; else empty.
    var preferred: [Certificate] = []
    /// The certificates in the key's file.
    var entries = KeyFileEntries()
    /// Reason for that choice, for people; nil if none is needed.
    var note: String?
    let name: String

    var key: any DigestSigner { keys[0] }

    /// Opens the key that the user named.
    ///
    /// - Parameters:
    ///   - source: a file, a PKCS#11 URI (RFC 7512), or the URI of a program (`exec:`), a service
    ///     (`csc:`) or a key of an OpenSSL provider (`provider:`).
    ///   - given: certificates named by the user; they may select the key.
    ///   - purpose: required purpose of the certificate; nil if none is needed.
    ///   - service: alias in a file; connection and time limit of services and programs.
    /// - Throws: ``SignetError`` if no key, or no unambiguous one, is found.
    static func open(
        _ source: String, passphrase: PassphraseSource, given: [Certificate] = [],
        purpose: SignerPolicy.Purpose?, service: ServiceOptions = ServiceOptions()
    ) throws -> OpenedKey {
        let given =
            given.isEmpty
            ? try service.certificateFile.map(SigningCredential.readCertificates) ?? [] : given
        if isElsewhere(source) {
            guard service.alias == nil else {
                throw SignetError(
                    .usage, "an alias selects a key in a file, but the key is '\(source)'",
                    hint: Sentence(.leaveItOut))
            }
            return try finding {
                if PKCS11URI.canParse(source) {
                    return try TokenFinder(source, passphrase: passphrase, purpose: purpose)
                        .find(given: given)
                }
                if ProgramURI.canParse(source) {
                    return try openProgram(
                        ProgramURI(source), given, needsCertificate: purpose != nil, service)
                }
                if ProviderURI.canParse(source) {
                    return try openProvider(ProviderURI(source), given, passphrase)
                }
                return try ServiceFinder(
                    uri: ServiceURI(source), passphrase: passphrase, options: service
                ).find(given: given)
            }
        }
        let bundle = try SigningCredential.readBundle(source, passphrase: passphrase)
        guard !bundle.keys.isEmpty else {
            let what = bundle.certificates.isEmpty ? "" : "a certificate, but "
            throw SignetError(
                .malformedInput, file: source, "the file contains \(what)no private key",
                hint: Sentence(.giveKeyAndCertificate))
        }
        var keys = try bundle.keys(named: service.alias, in: source)
        if purpose == nil { keys = [try bundle.onlyKey(of: keys, given: given, in: source)] }
        var opened = OpenedKey(
            keys: keys, certificates: bundle.certificates + given, name: source)
        opened.entries = bundle.entries
        return opened
    }

    private static func openProgram(
        _ uri: ProgramURI, _ given: [Certificate], needsCertificate: Bool, _ options: ServiceOptions
    ) throws -> OpenedKey {
        let program = try SignerProgram(
            uri, seconds: options.timeLimit.map { $0 / .seconds(1) } ?? SignerProgram.usualSeconds)
        if !needsCertificate, given.isEmpty, let key = try program.publicKey() {
            return OpenedKey(
                keys: [ProgramKey(program, publicKey: key)], certificates: [], name: uri.text)
        }
        let certificates = given.isEmpty ? try program.certificates() : given
        guard let leaf = certificates.first(where: { !$0.isCA }) ?? certificates.first else {
            throw SigningFailure(
                .missing, "\(program.path) has no certificate of the key",
                hint: Sentence(.giveCertificate))
        }
        return OpenedKey(
            keys: [ProgramKey(program, publicKey: try leaf.publicKey)],
            certificates: certificates, name: uri.text)
    }

    private static func openProvider(
        _ uri: ProviderURI, _ given: [Certificate], _ passphrase: PassphraseSource
    ) throws -> OpenedKey {
        let key = try ProviderKey(uri, isGiven: passphrase.isGiven) {
            if case .person(let ask) = passphrase {
                return try ask(.tokenPIN(token: uri.text, subject: nil, .usual)).secret
            }
            return try passphrase.readLines().first
        }
        return OpenedKey(keys: [key], certificates: given + key.certificates, name: uri.text)
    }

    /// Whether the text names a key that is not in a file.
    static func isElsewhere(_ source: String) -> Bool { KeyURIs.kind(of: source) != nil }
}
