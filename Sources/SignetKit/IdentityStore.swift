import ByteKit
import CryptoBridge
import FileBridge
import Synchronization

/// A key with its certificates under a name, or a key that waits for its certificate.
public struct Identity: Encodable, Sendable {
    public let schema = "signet.identity/1"
    public let name: String
    /// `ready`, or `pending` until the certificate comes.
    public let state: String
    public let subject: String
    public let algorithm: String
    /// RFC 3339; nil while pending.
    public let notAfter: String?
    /// Subject key identifier (RFC 5280 §4.2.1.2), hexadecimal.
    public let keyIdentifier: String
}

/// Identities in a folder of the user's own.
///
/// An identity appears whole or not at all: it is made in a folder of another name and then
/// renamed, so several programs may work on the store at once. Files have mode 0600, folders 0700.
///
///     identities/NAME/key.pem, certificates.pem
///     pending/SUBJECT-KEY-IDENTIFIER/key.pem, request.pem, name
public struct IdentityStore: Sendable {
    private let root: String

    private enum Name {
        static let key = "key.pem"
        static let certificates = "certificates.pem"
        static let request = "request.pem"
        static let name = "name"
    }

    private static let nameByteLimit = 64

    /// - Parameter root: nil is `$XDG_DATA_HOME/signet`, else `~/.local/share/signet`.
    public init(root: String? = nil) throws {
        self.root = try root ?? Self.defaultRoot()
    }

    /// The folder for what the user keeps.
    static func defaultRoot() throws -> String {
        if let data = ProcessEnvironment.string("XDG_DATA_HOME"), data.hasPrefix("/") {
            return data + "/signet"
        }
        guard let home = ProcessEnvironment.string("HOME"), !home.isEmpty else {
            throw SignetError(
                .usage, "there is no folder for what is to be kept",
                hint: "set HOME or XDG_DATA_HOME")
        }
        return home + "/.local/share/signet"
    }

    private var readyFolder: String { root + "/identities" }
    private var pendingFolder: String { root + "/pending" }

    // MARK: Looking

    /// Identities that can sign, by name.
    public func list() throws -> [Identity] {
        try names(in: readyFolder).map { try show($0) }
    }

    /// Requests whose certificate has not come yet.
    public func pending() throws -> [Identity] {
        try names(in: pendingFolder).map { try showPending(identifier: $0) }
    }

    public func show(_ name: String) throws -> Identity {
        let leaf = try credentialFiles(name).leaf
        return Identity(
            name: name, state: "ready", subject: leaf.subject.description,
            algorithm: try leaf.publicKey.algorithm.description, notAfter: leaf.notAfter.rfc3339,
            keyIdentifier: Hex.encode(try leaf.publicKey.keyIdentifier()))
    }

    /// The credential of an identity.
    ///
    /// - Parameter name: nil is the only one there is.
    public func credential(
        _ name: String?, passphrase: (String) -> PassphraseSource
    ) throws -> SigningCredential {
        let name = try name ?? onlyName()
        let files = try credentialFiles(name)
        return try SigningCredential(
            keyFile: files.key, certificateFile: files.certificates,
            passphrase: passphrase("identity \(name)"))
    }

    private func onlyName() throws -> String {
        let names = try names(in: readyFolder)
        guard names.count == 1 else {
            throw SignetError(
                .usage,
                names.isEmpty
                    ? "no key is given, and there is no identity"
                    : "no key is given, and there are \(names.count) identities",
                hint: names.isEmpty
                    ? "give --key FILE, or keep an identity: signet identity import --help"
                    : "name one with --identity: " + names.prefix(8).joined(separator: ", "))
        }
        return names[0]
    }

    private func names(in folder: String) throws -> [String] {
        guard FileSystem.isDirectory(folder) else { return [] }
        return try reading(folder) { try FileSystem.list(folder) }.filter { !$0.hasPrefix(".") }
    }

    private func credentialFiles(
        _ name: String
    ) throws -> (key: String, certificates: String, leaf: Certificate) {
        let folder = readyFolder + "/" + (try checked(name))
        guard FileSystem.isDirectory(folder) else {
            throw SignetError(
                .missingInput, "there is no identity '\(name)'",
                hint: "see what there is: signet identity list")
        }
        let certificates = folder + "/" + Name.certificates
        let all = try SigningCredential.readCertificates(certificates)
        guard let leaf = all.first else {
            throw SignetError(.malformedInput, file: certificates, "holds no certificate")
        }
        return (folder + "/" + Name.key, certificates, leaf)
    }

    private func showPending(identifier: String) throws -> Identity {
        let folder = pendingFolder + "/" + identifier
        let request = try readRequest(folder)
        return try reading(folder) {
            let name = try FileSystem.readAll(
                folder + "/" + Name.name, limit: Self.nameByteLimit)
            return Identity(
                name: String(decoding: name, as: UTF8.self), state: "pending",
                subject: request.subject.description,
                algorithm: try request.publicKey.algorithm.description, notAfter: nil,
                keyIdentifier: identifier)
        }
    }

    private func readRequest(_ folder: String) throws -> CertificateRequest {
        let file = folder + "/" + Name.request
        return try reading(file) {
            try CertificateRequest.read(
                FileSystem.readAll(file, limit: SigningCredential.byteLimit))
        }
    }

    // MARK: Changing

    /// Keeps a key and its certificates under `name`. An encrypted key stays encrypted, under the
    /// same passphrase.
    public func importCredential(
        _ name: String, keyFile: String, certificateFile: String?, chainFiles: [String],
        passphrase: PassphraseSource
    ) throws -> Identity {
        try requireNew(name)
        let memory = PassphraseMemory(passphrase)
        let credential = try SigningCredential(
            keyFile: keyFile, certificateFile: certificateFile, chainFiles: chainFiles,
            passphrase: memory.source)
        guard let key = credential.privateKey else {
            throw SignetError(.malformedInput, file: keyFile, "holds no private key")
        }
        let pem = try reading(keyFile) { try key.pkcs8PEM(passphrase: memory.secret) }
        let certificates = ([credential.certificate] + credential.chain).flatMap(\.pem)
        try make(in: readyFolder, named: name) { folder in
            try write(pem, to: folder + "/" + Name.key)
            try write(certificates, to: folder + "/" + Name.certificates)
        }
        return try show(name)
    }

    /// Makes a key and a request, and remembers both until the certificate comes.
    public func request(
        _ name: String, type: String, request: CreateRequest, passphrase: PassphraseSource?,
        into destination: Destination
    ) throws -> Identity {
        try requireNew(name)
        guard try !pending().contains(where: { $0.name == name }) else {
            throw SignetError(
                .outputRefused, "a request for '\(name)' is pending already",
                hint: "complete it, or remove it: signet identity remove \(name)")
        }
        try writing(pendingFolder) { try FileSystem.makePrivateFolder(pendingFolder) }
        let work = try workFolder(in: pendingFolder)
        do {
            _ = try request.run(
                for: .new(
                    type: type, destination: Destination(path: work + "/" + Name.key),
                    passphrase: passphrase),
                into: Destination(path: work + "/" + Name.request))
            try write(Array(name.utf8), to: work + "/" + Name.name)
            let made = try readRequest(work)
            let identifier = try reading(work) {
                Hex.encode(try made.publicKey.keyIdentifier())
            }
            let output = try AtomicOutput(normal: destination)
            try writing(destination.path) {
                try output.write(made.pem)
                try FileSystem.moveFolder(work, to: pendingFolder + "/" + identifier)
                try output.commit()
            }
            return try showPending(identifier: identifier)
        } catch {
            try? FileSystem.removeFolder(work)
            throw error
        }
    }

    /// Takes a certificate that came, finds the pending key that it is for, and makes the identity
    /// usable.
    public func complete(_ certificateFile: String) throws -> Identity {
        let certificates = try SigningCredential.readCertificates(certificateFile)
        for certificate in certificates {
            guard let key = try? certificate.publicKey,
                let identifier = try? Hex.encode(key.keyIdentifier())
            else { continue }
            let folder = pendingFolder + "/" + identifier
            guard FileSystem.isDirectory(folder) else { continue }
            let identity = try showPending(identifier: identifier)
            guard try reading(folder, { try readRequest(folder).publicKey }) == key else {
                continue
            }
            let others = certificates.filter { $0 != certificate }
            try make(in: readyFolder, named: identity.name) { target in
                let key = try reading(folder) {
                    try FileSystem.readAll(
                        folder + "/" + Name.key, limit: SigningCredential.byteLimit)
                }
                try write(key, to: target + "/" + Name.key)
                try write(
                    ([certificate] + others).flatMap(\.pem), to: target + "/" + Name.certificates)
            }
            try writing(folder) { try FileSystem.removeFolder(folder) }
            return try show(identity.name)
        }
        throw SignetError(
            .malformedInput, file: certificateFile, "fits no pending request",
            hint: "see what is waited for: signet identity pending")
    }

    /// Removes an identity, or a request of that name.
    public func remove(_ name: String) throws {
        let folder = readyFolder + "/" + (try checked(name))
        if FileSystem.isDirectory(folder) {
            try discard(folder)
            return
        }
        guard let request = try pending().first(where: { $0.name == name }) else {
            throw SignetError(
                .missingInput, "there is no identity '\(name)'",
                hint: "see what there is: signet identity list")
        }
        try discard(pendingFolder + "/" + request.keyIdentifier)
    }

    /// Takes the folder out of sight first, in one step.
    private func discard(_ folder: String) throws {
        try writing(folder) {
            let parent = folder.split(separator: "/").dropLast().joined(separator: "/")
            let hidden = "/\(parent)/.old-" + Self.randomName()
            try FileSystem.moveFolder(folder, to: hidden)
            try FileSystem.removeFolder(hidden)
        }
    }

    private func requireNew(_ name: String) throws {
        guard !FileSystem.exists(readyFolder + "/" + (try checked(name))) else {
            throw SignetError(
                .outputRefused, "an identity '\(name)' exists already",
                hint: "choose another name, or remove it: signet identity remove \(name)")
        }
    }

    private func make(
        in parent: String, named name: String, _ fill: (String) throws -> Void
    ) throws {
        try writing(parent) { try FileSystem.makePrivateFolder(parent) }
        let work = try workFolder(in: parent)
        do {
            try fill(work)
            try writing(parent) {
                try FileSystem.moveFolder(work, to: parent + "/" + (try checked(name)))
            }
        } catch {
            try? FileSystem.removeFolder(work)
            throw error
        }
    }

    private func workFolder(in parent: String) throws -> String {
        let work = parent + "/.new-" + Self.randomName()
        try writing(work) { try FileSystem.makeNewFolder(work) }
        return work
    }

    private static func randomName() -> String {
        Hex.encode((0..<8).map { _ in UInt8.random(in: .min ... .max) })
    }

    private func write(_ bytes: [UInt8], to path: String) throws {
        try writing(path) {
            let output = try AtomicOutput(path: path, mode: .secret, replace: false)
            try output.write(bytes)
            try output.commit()
        }
    }

    private func write(_ secret: SecretBytes, to path: String) throws {
        try writing(path) {
            let output = try AtomicOutput(path: path, mode: .secret, replace: false)
            try secret.withBytes { bytes throws(FileError) in try output.write(bytes) }
            try output.commit()
        }
    }

    /// A name becomes a folder's: one component, visible.
    private func checked(_ name: String) throws -> String {
        guard !name.isEmpty, !name.hasPrefix("."), !name.contains("/"),
            name.utf8.count <= Self.nameByteLimit,
            name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw SignetError(
                .usage, "'\(name)' cannot be an identity's name",
                hint: "use up to \(Self.nameByteLimit) letters, digits, dashes")
        }
        return name
    }
}

/// Remembers the passphrase that was asked for, so that the key can be kept under the same one.
private final class PassphraseMemory: Sendable {
    private let original: PassphraseSource
    private let remembered = Mutex<SecretBytes?>(nil)

    init(_ original: PassphraseSource) { self.original = original }

    /// Nil when nothing was asked.
    var secret: SecretBytes? { remembered.withLock { $0 } }

    var source: PassphraseSource {
        .ask {
            let read = try self.original.read()
            self.remembered.withLock { $0 = read }
            return Passphrase(sharing: read)
        }
    }
}
