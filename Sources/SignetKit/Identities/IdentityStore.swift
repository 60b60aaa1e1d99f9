import Base
import CryptoBridge
import KeyBridge
import Synchronization
import SystemBridge

/// A named key with certificates, or a key without a certificate yet.
public struct Identity: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.identity/1"
    /// Name given by the user, unique in the store.
    public let name: String
    /// `ready`, or `pending` before the certificate is received.
    public let state: String
    /// Subject in RFC 4514 form.
    public let subject: String
    /// Issuer in RFC 4514 form; nil while pending.
    public let issuer: String?
    /// Kind and size of the key: `RSA 3072`, `EC P-256`.
    public let algorithm: String
    /// End of the certificate's validity; nil while pending.
    public let notAfter: Moment?
    /// Subject key identifier (RFC 5280 §4.2.1.2), hexadecimal.
    public let keyIdentifier: String
    /// Start of the certificate's validity. This and the following values are set only by
    /// ``IdentityStore/show(_:)``.
    public var notBefore: Moment?
    /// Key usages by RFC 5280 §4.2.1.3 names; nil also without the extension.
    public var keyUsage: [String]?
    /// Extended key usages (RFC 5280 §4.2.1.12) by name or OID; nil also without the extension.
    public var extendedKeyUsage: [String]?
    /// Alternative names of the certificate (RFC 5280 §4.2.1.6), such as `email:a@example.com`; nil
    /// for none.
    public var alternativeNames: [String]?
    /// SHA-256 of the certificate, hexadecimal.
    public var sha256: String?
    /// The key's file, or its URI on a token, in a service or in a program.
    public var key: String?
    /// Whether the key is not in a file, so that removing the identity leaves it.
    public var isElsewhere: Bool { key.map(OpenedKey.isElsewhere) ?? false }
    /// Reasons for a CA to reject a new request, or against signing with an imported certificate.
    /// Not in the JSON.
    public var warnings: [String] = []

    /// Whether the identity already had the certificate. Not in the JSON.
    public var isUnchanged = false

    private enum CodingKeys: String, CodingKey {
        case schema, name, state, subject, issuer, algorithm, notAfter, keyIdentifier, notBefore
        case keyUsage, extendedKeyUsage, alternativeNames, sha256, key
    }
}

/// Identities in a folder of the user.
///
/// Each change becomes visible by renaming one folder, which is created in `work` or moved there
/// for deletion. Processes use a lock, so anything in `work` is left from an interrupted process:
/// the next one completes it. Files have mode 0600, folders 0700.
///
///     identities/NAME/key.pem, certificates.pem, and request.pem when there was one
///     identities/NAME/key.uri instead of key.pem for a key on a token or in a program
///     pending/SUBJECT-KEY-IDENTIFIER/key.pem or key.uri, request.pem, name
///     work/
///     lock
public struct IdentityStore: Sendable {
    let root: String

    enum Name {
        static let key = "key.pem"
        /// The file with the URI of an external key.
        static let place = "key.uri"
        static let certificates = "certificates.pem"
        static let request = "request.pem"
        static let name = "name"
    }

    static let nameByteLimit = 64

    /// - Parameter root: folder of the store; nil uses `$XDG_DATA_HOME/signet`, else
    ///   `~/.local/share/signet`.
    /// - Throws: ``SignetError``: `usage` without a home folder.
    public init(root: String? = nil) throws { self.root = try root ?? Self.defaultRoot() }

    static func defaultRoot() throws -> String {
        if let data = ProcessEnvironment.absolutePath("XDG_DATA_HOME") { return data + "/signet" }
        // A relative path would depend on the current folder.
        guard let home = ProcessEnvironment.absolutePath("HOME") else {
            throw SignetError(
                .usage, "no data folder is available", hint: Sentence(.setDataHome))
        }
        return home + "/.local/share/signet"
    }

    var readyFolder: String { root + "/identities" }
    var pendingFolder: String { root + "/pending" }
    /// The folder for preparing changes and for deletion.
    var workFolder: String { root + "/work" }

    // MARK: Queries

    /// Identities that can sign, sorted by name. A damaged one is skipped with a notice.
    ///
    /// - Throws: ``SignetError`` if the store cannot be read.
    public func list() throws -> [Identity] {
        try looking {
            try folders(in: readyFolder).compactMap { name in
                try unlessDamaged(readyFolder + "/" + name) { try describe(name) }
            }
        }
    }

    /// Requests whose certificate was not received yet. A damaged one is skipped with a notice.
    ///
    /// - Throws: ``SignetError`` if the store cannot be read.
    public func pending() throws -> [Identity] { try looking { try pendingIdentities() } }

    /// Describes an identity that can sign, with all values, or a pending request.
    ///
    /// - Throws: ``SignetError``: `missingInput` if no identity or request has this name.
    public func show(_ name: String) throws -> Identity {
        try looking {
            if try !hasFolder(readyFolder + "/" + checked(name)),
                let pending = try pendingIdentities().first(where: { $0.name.isExactly(name) })
            {
                var shown = pending
                shown.key = try source(of: keyFile(in: pendingFolder + "/" + pending.keyIdentifier))
                return shown
            }
            var identity = try describe(name)
            let files = try credentialFiles(name)
            identity.notBefore = files.leaf.notBefore.moment
            identity.keyUsage = files.leaf.keyUsage?.names
            identity.extendedKeyUsage = files.leaf.extendedKeyUsage?.map(ExtendedKeyUsage.name)
            let names = files.leaf.subjectAlternativeNames
            identity.alternativeNames = names.isEmpty ? nil : names
            identity.sha256 = Hex.encode(try reading(files.certificates) { try files.leaf.sha256 })
            identity.key = try source(of: files.key)
            return identity
        }
    }

    func pendingIdentities() throws -> [Identity] {
        try folders(in: pendingFolder).compactMap { identifier in
            try unlessDamaged(pendingFolder + "/" + identifier) {
                try showPending(identifier: identifier)
            }
        }
    }

    /// Ignores a damaged folder, so that others remain usable.
    func unlessDamaged<Result>(_ folder: String, _ body: () throws -> Result) throws -> Result? {
        do {
            return try body()
        } catch let error as SignetError
            where error.code == .malformedInput || error.code == .missingInput
        {
            Notices.say(.storeDamaged, folder, error.message)
            return nil
        }
    }

    func describe(_ name: String) throws -> Identity {
        let files = try credentialFiles(name)
        let leaf = files.leaf
        return try reading(files.certificates) {
            Identity(
                name: name, state: "ready", subject: leaf.subject.description,
                issuer: leaf.issuer.description,
                algorithm: try leaf.publicKey.algorithm.description, notAfter: leaf.notAfter.moment,
                keyIdentifier: Hex.encode(try leaf.publicKey.keyIdentifier()))
        }
    }

    /// The credential of an identity.
    ///
    /// - Parameters:
    ///   - name: nil uses the only identity.
    ///   - chainFiles: files with further intermediate CA certificates.
    /// - Throws: ``SignetError``: `usage` without a name if there is not exactly one identity.
    public func credential(
        _ name: String?, chainFiles: [String] = [], service: ServiceOptions = ServiceOptions(),
        passphrase: (String) -> PassphraseSource
    ) throws -> SigningCredential {
        // The store must not be locked while the user types a passphrase.
        let (name, files) = try looking {
            let name = try name ?? onlyName()
            return (name, try place(of: name))
        }
        return try SigningCredential(
            keyFile: files.key, certificateFile: files.certificates, chainFiles: chainFiles,
            passphrase: passphrase("identity \(name)"), service: service)
    }

    /// The key (file or URI) and the certificate file of a ready identity.
    private func place(of name: String) throws -> (key: String, certificates: String) {
        let files = try credentialFiles(name)
        try close(files.key)
        guard files.key.hasSuffix("/" + Name.place) else { return (files.key, files.certificates) }
        let key = try readPlace(files.key)
        try requireOwnProgram(key)
        return (key, files.certificates)
    }

    /// Like ``place(of:)``; nil if no identity has this name.
    func placeIfReady(of name: String) throws -> (key: String, certificates: String)? {
        guard let name = try? checked(name) else { return nil }
        return try looking { () -> (key: String, certificates: String)? in
            guard try hasFolder(readyFolder + "/" + name) else { return nil }
            return try place(of: name)
        }
    }

    /// The certificates of an identity, without its key.
    ///
    /// - Parameters:
    ///   - name: nil uses the only identity.
    ///   - chainFiles: files with further intermediate CA certificates.
    /// - Throws: ``SignetError``: `usage` without a name if there is not exactly one identity.
    public func certificateAlone(
        _ name: String?, chainFiles: [String] = []
    ) throws -> SigningCredential {
        let file = try looking { try credentialFiles(name ?? onlyName()).certificates }
        return try SigningCredential(certificateFile: file, chainFiles: chainFiles)
    }

    /// A program in an identity is run without confirmation, so only the user may be able to change
    /// it.
    private func requireOwnProgram(_ key: String) throws {
        guard ProgramURI.canParse(key) else { return }
        try finding { try SignerProgram(ProgramURI(key)).requireUnchangeable() }
    }

    private func missing(_ name: String) -> SignetError {
        let requests = (try? pendingIdentities()) ?? []
        return requests.contains { $0.name.isExactly(name) }
            ? SignetError(
                .missingInput, "the identity '\(name)' has no certificate yet",
                hint: Sentence(.completeIdentity))
            : SignetError(
                .missingInput, "the identity '\(name)' does not exist",
                hint: Spelling.nearest(to: name, in: (try? folders(in: readyFolder)) ?? []).map {
                    Sentence(.didYouMean, $0)
                } ?? Sentence(.listIdentities))
    }

    private func onlyName() throws -> String {
        let names = try folders(in: readyFolder)
        guard names.count == 1 else {
            throw SignetError(
                .usage,
                names.isEmpty
                    ? "no key is given, and no identity is stored"
                    : "no key is given, and \(names.count) identities are stored",
                hint: names.isEmpty
                    ? Sentence(.giveKeyOrImport)
                    : Sentence(.chooseIdentity, names.prefix(8).joined(separator: ", ")))
        }
        return names[0]
    }

    func names(in folder: String) throws -> [String] {
        try reading(folder) { try FileSystem.listIfThere(folder) }.filter {
            $0.utf8.first != UInt8(ascii: ".")
        }
    }

    /// Folders of identities or requests; other files are ignored.
    func folders(in folder: String) throws -> [String] {
        try names(in: folder).filter { try hasFolder(folder + "/" + $0) }
    }

    /// A folder that cannot be read is an error, not absent.
    func hasFolder(_ path: String) throws -> Bool {
        try reading(path) { try FileSystem.hasFolder(path) }
    }

    func credentialFiles(
        _ name: String
    ) throws -> (key: String, certificates: String, leaf: Certificate) {
        let folder = readyFolder + "/" + (try checked(name))
        guard try hasFolder(folder) else { throw missing(name) }
        let certificates = folder + "/" + Name.certificates
        let all = try SigningCredential.readCertificates(certificates)
        guard let leaf = all.first else {
            throw SignetError(
                .malformedInput, file: certificates, "the file contains no certificate")
        }
        return (keyFile(in: folder), certificates, leaf)
    }

    /// The file of a key or of its URI, in the folder of an identity or a request.
    func keyFile(in folder: String) -> String {
        let place = folder + "/" + Name.place
        return FileSystem.exists(place) ? place : folder + "/" + Name.key
    }

    /// Maximum length of a stored URI, in bytes.
    private static let placeByteLimit = 8192

    /// The key's file, or its URI.
    func source(of key: String) throws -> String {
        key.hasSuffix("/" + Name.place) ? try readPlace(key) : key
    }

    /// The URI of an identity's key; it contains no secret.
    func readPlace(_ file: String) throws -> String {
        let bytes = try reading(file) { try FileSystem.readAll(file, limit: Self.placeByteLimit) }
        let text = String(decoding: bytes.filter { !(9...13).contains($0) }, as: UTF8.self)
        guard OpenedKey.isElsewhere(text) else {
            throw SignetError(.malformedInput, file: file, "the identity contains no key reference")
        }
        return text
    }

    func showPending(identifier: String) throws -> Identity {
        let folder = pendingFolder + "/" + identifier
        let request = try readRequest(folder)
        return try reading(folder) {
            let name = try FileSystem.readAll(folder + "/" + Name.name, limit: Self.nameByteLimit)
            return Identity(
                name: String(decoding: name, as: UTF8.self), state: "pending",
                subject: request.subject.description, issuer: nil,
                algorithm: try request.publicKey.algorithm.description, notAfter: nil,
                keyIdentifier: identifier)
        }
    }

    func readRequest(_ folder: String) throws -> CertificateRequest {
        let file = folder + "/" + Name.request
        return try reading(file) {
            try CertificateRequest.read(
                FileSystem.readAll(file, limit: SigningCredential.byteLimit))
        }
    }

    /// The name, checked for use as a folder: one path component, not hidden.
    func checked(_ name: String) throws -> String {
        guard !name.isEmpty, name.utf8.first != UInt8(ascii: "."),
            !name.utf8.contains(UInt8(ascii: "/")), name.utf8.count <= Self.nameByteLimit,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw SignetError(
                .usage, "'\(name)' is not a valid identity name",
                hint: Sentence(.shortenName, "\(Self.nameByteLimit)"))
        }
        return name
    }
}
