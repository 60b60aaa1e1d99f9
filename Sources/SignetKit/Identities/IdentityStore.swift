import Base
import CMSKit
import CryptoBridge
import KeyBridge
import Synchronization
import SystemBridge

/// A key with its certificates under a name, or a key that waits for its certificate.
public struct Identity: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.identity/1"
    /// As it was given, unique in the store.
    public let name: String
    /// `ready`, or `pending` until the certificate comes.
    public let state: String
    /// As RFC 4514 writes it.
    public let subject: String
    /// Nil while pending.
    public let issuer: String?
    /// Kind and size of the key: `RSA 3072`, `EC P-256`.
    public let algorithm: String
    /// Nil while pending.
    public let notAfter: Moment?
    /// Subject key identifier (RFC 5280 §4.2.1.2), hexadecimal.
    public let keyIdentifier: String
    /// Nil while pending, as what follows.
    public var notBefore: Moment?
    /// Names of RFC 5280 §4.2.1.3; nil too for a certificate that does not limit its use.
    public var keyUsage: [String]?
    /// SHA-256 of the certificate, hexadecimal.
    public var sha256: String?
    /// The key's file, or its place on a token, at a service or behind a program.
    public var key: String?
}

/// Identities in a folder of the user's own.
///
/// Each change becomes visible with one renaming, of a folder that was made in `work`, or that goes
/// there to be removed. Programs take turns by a lock, so that whatever a program finds in `work`
/// is what one left that was interrupted: the next finishes that. Files have mode 0600, folders
/// 0700.
///
///     identities/NAME/key.pem, certificates.pem, and request.pem when there was one
///     identities/NAME/key.uri instead of key.pem for a key on a token or behind a program
///     pending/SUBJECT-KEY-IDENTIFIER/key.pem or key.uri, request.pem, name
///     work/
///     lock
public struct IdentityStore: Sendable {
    let root: String

    enum Name {
        static let key = "key.pem"
        /// Instead of the key: where it is.
        static let place = "key.uri"
        static let certificates = "certificates.pem"
        static let request = "request.pem"
        static let name = "name"
    }

    static let nameByteLimit = 64

    /// - Parameter root: nil is `$XDG_DATA_HOME/signet`, else `~/.local/share/signet`.
    public init(root: String? = nil) throws { self.root = try root ?? Self.defaultRoot() }

    /// The folder for what the user keeps.
    static func defaultRoot() throws -> String {
        if let data = ProcessEnvironment.absolutePath("XDG_DATA_HOME") { return data + "/signet" }
        // Another path would begin in whatever folder one is in.
        guard let home = ProcessEnvironment.absolutePath("HOME") else {
            throw SignetError(
                .usage, "there is no folder for what is to be kept", hint: Sentence(.setDataHome))
        }
        return home + "/.local/share/signet"
    }

    var readyFolder: String { root + "/identities" }
    var pendingFolder: String { root + "/pending" }
    /// Where changes are prepared, and what was removed is emptied.
    var workFolder: String { root + "/work" }

    // MARK: Looking

    /// Identities that can sign, by name.
    public func list() throws -> [Identity] {
        try looking {
            try folders(in: readyFolder).compactMap { name in
                try unlessDamaged(readyFolder + "/" + name) { try describe(name) }
            }
        }
    }

    /// Requests whose certificate has not come yet.
    public func pending() throws -> [Identity] { try looking { try pendingIdentities() } }

    /// - Throws: ``SignetError``: `missingInput` where there is no identity of that name.
    public func show(_ name: String) throws -> Identity {
        try looking {
            var identity = try describe(name)
            let files = try credentialFiles(name)
            identity.notBefore = files.leaf.notBefore.moment
            identity.keyUsage = files.leaf.keyUsage?.names
            identity.sha256 = Hex.encode(try reading(files.certificates) { try files.leaf.sha256 })
            identity.key =
                files.key.hasSuffix("/" + Name.place) ? try readPlace(files.key) : files.key
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

    /// One damaged folder keeps nobody from the others.
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
    /// - Parameter name: nil is the only one there is.
    public func credential(
        _ name: String?, service: ServiceOptions = ServiceOptions(),
        passphrase: (String) -> PassphraseSource
    ) throws -> SigningCredential {
        // Nobody has to wait while a passphrase is typed.
        let (name, files) = try looking {
            let name = try name ?? onlyName()
            return (name, try place(of: name))
        }
        return try SigningCredential(
            keyFile: files.key, certificateFile: files.certificates,
            passphrase: passphrase("identity \(name)"), service: service)
    }

    /// Where a ready identity's key is, a file or elsewhere, and its certificates are.
    private func place(of name: String) throws -> (key: String, certificates: String) {
        let files = try credentialFiles(name)
        try close(files.key)
        guard files.key.hasSuffix("/" + Name.place) else { return (files.key, files.certificates) }
        let key = try readPlace(files.key)
        try requireOwnProgram(key)
        return (key, files.certificates)
    }

    /// As ``place(of:)``; nil where there is no identity of that name.
    func placeIfReady(of name: String) throws -> (key: String, certificates: String)? {
        guard let name = try? checked(name) else { return nil }
        return try looking { () -> (key: String, certificates: String)? in
            guard try hasFolder(readyFolder + "/" + name) else { return nil }
            return try place(of: name)
        }
    }

    /// The certificates of an identity, whose key is left alone.
    ///
    /// - Parameter name: nil is the only one there is.
    public func certificateAlone(_ name: String?) throws -> SigningCredential {
        let file = try looking { try credentialFiles(name ?? onlyName()).certificates }
        return try SigningCredential(certificateFile: file)
    }

    /// A program that an identity names is run without anybody looking: only one that nobody else can
    /// write.
    private func requireOwnProgram(_ key: String) throws {
        guard ProgramURI.isMeant(by: key) else { return }
        try finding { try SignerProgram(ProgramURI(key)).requireUnchangeable() }
    }

    private func missing(_ name: String) -> SignetError {
        let requests = (try? pendingIdentities()) ?? []
        return requests.contains { $0.name.isExactly(name) }
            ? SignetError(
                .missingInput, "the identity '\(name)' waits for its certificate",
                hint: Sentence(.completeIdentity))
            : SignetError(
                .missingInput, "there is no identity '\(name)'", hint: Sentence(.listIdentities))
    }

    private func onlyName() throws -> String {
        let names = try folders(in: readyFolder)
        guard names.count == 1 else {
            throw SignetError(
                .usage,
                names.isEmpty
                    ? "no key is given, and there is no identity"
                    : "no key is given, and there are \(names.count) identities",
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

    /// Identities or requests: whatever else is there is somebody else's.
    func folders(in folder: String) throws -> [String] {
        try names(in: folder).filter { try hasFolder(folder + "/" + $0) }
    }

    /// What cannot be looked at is an error, never absent.
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
            throw SignetError(.malformedInput, file: certificates, "holds no certificate")
        }
        let place = folder + "/" + Name.place
        return (FileSystem.exists(place) ? place : folder + "/" + Name.key, certificates, leaf)
    }

    /// Longest name of a place that is read.
    private static let placeByteLimit = 8192

    /// Where the key of an identity is: a URI, never a secret.
    func readPlace(_ file: String) throws -> String {
        let bytes = try reading(file) { try FileSystem.readAll(file, limit: Self.placeByteLimit) }
        let text = String(decoding: bytes.filter { !(9...13).contains($0) }, as: UTF8.self)
        guard OpenedKey.isElsewhere(text) else {
            throw SignetError(.malformedInput, file: file, "names no key")
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

    /// A name becomes a folder's: one component, visible.
    func checked(_ name: String) throws -> String {
        guard !name.isEmpty, name.utf8.first != UInt8(ascii: "."),
            !name.utf8.contains(UInt8(ascii: "/")), name.utf8.count <= Self.nameByteLimit,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw SignetError(
                .usage, "'\(name)' cannot be an identity's name",
                hint: Sentence(.shortenName, "\(Self.nameByteLimit)"))
        }
        return name
    }
}
