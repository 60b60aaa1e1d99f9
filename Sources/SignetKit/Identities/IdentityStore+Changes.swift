import ByteKit
import CryptoBridge
import FileBridge
import Synchronization

extension IdentityStore {
    /// Keeps a key and its certificates under `name`. An encrypted key stays encrypted, under the
    /// same passphrase; of a key on a token or behind a program only its place is kept.
    public func importCredential(
        _ name: String, keyFile: String, certificateFile: String?, chainFiles: [String],
        passphrase: PassphraseSource, service: ServiceOptions = ServiceOptions()
    ) throws -> Identity {
        try looking { try requireNew(name) }
        let memory = PassphraseMemory(passphrase)
        let credential = try SigningCredential(
            keyFile: keyFile, certificateFile: certificateFile, chainFiles: chainFiles,
            passphrase: memory.source, service: service)
        defer { credential.close() }
        let pem = try credential.privateKey.map { key in
            try reading(keyFile) { try key.pkcs8PEM(passphrase: memory.secret) }
        }
        let certificates = ([credential.certificate] + credential.chain).flatMap(\.pem)
        return try changing {
            try requireNew(name)
            let folder = try make { folder in
                if let pem {
                    try write(pem, to: folder + "/" + Name.key)
                } else {
                    try write(Array((keyFile + "\n").utf8), to: folder + "/" + Name.place)
                }
                try write(certificates, to: folder + "/" + Name.certificates)
            }
            try move(folder, to: readyFolder + "/" + name)
            return try describe(name)
        }
    }

    /// Makes a key and a request, and remembers both until the certificate comes.
    public func request(
        _ name: String, type: String, request: CreateRequest, passphrase: PassphraseSource?,
        into destination: Destination
    ) throws -> Identity {
        try looking { try requireUnused(name) }
        let output = try destination.output()
        let (key, made) = try request.make(
            type: type, passphrase: passphrase, for: "identity \(name)")
        let identifier = try reading(name) { Hex.encode(try made.publicKey.keyIdentifier()) }
        return try changing {
            try requireUnused(name)
            let folder = try make { folder in
                try write(key, to: folder + "/" + Name.key)
                try write(made.pem, to: folder + "/" + Name.request)
                try write(Array(name.utf8), to: folder + "/" + Name.name)
            }
            let promise = try promise(of: identifier, to: destination)
            let kept = pendingFolder + "/" + identifier
            try move(folder, to: kept)
            do {
                try writing(destination.path) {
                    try output.write(made.pem)
                    try output.commit()
                }
            } catch {
                // Nobody has the request: its key is worth nothing.
                try? discard(kept)
                try? FileSystem.removeFile(promise)
                throw error
            }
            try? FileSystem.removeFile(promise)
            return try showPending(identifier: identifier)
        }
    }

    /// Takes a certificate that came, finds the key that it is for, and makes the identity usable.
    ///
    /// - Parameters:
    ///   - acceptsDifferences: takes a certificate that is not what was requested, as long as it can
    ///     sign.
    ///   - replaces: takes it also for an identity that has one already.
    public func complete(
        _ certificateFile: String, acceptsDifferences: Bool = false, replaces: Bool = false
    ) throws -> Identity {
        let certificates = try SigningCredential.readCertificates(certificateFile)
        return try changing {
            for certificate in certificates {
                guard let key = try? certificate.publicKey,
                    let identifier = try? Hex.encode(key.keyIdentifier())
                else { continue }
                let came = CertificateForRequest(
                    certificate: certificate, others: certificates.filter { $0 != certificate },
                    file: certificateFile, acceptsDifferences: acceptsDifferences)
                let folder = pendingFolder + "/" + identifier
                if FileSystem.isDirectory(folder), try readRequest(folder).publicKey == key {
                    return try complete(identifier, with: came)
                }
                let name = try names(in: readyFolder).first {
                    (try? credentialFiles($0))?.leaf.certifies(key) ?? false
                }
                if let name { return try replace(name, with: came, isPermitted: replaces) }
            }
            throw SignetError(
                .malformedInput, file: certificateFile, "fits no pending request",
                hint: "see what is waited for: \(task: .listPendingIdentities)")
        }
    }

    private func complete(
        _ identifier: String, with came: CertificateForRequest
    ) throws -> Identity {
        let identity = try showPending(identifier: identifier)
        let folder = pendingFolder + "/" + identifier
        try came.check(requested: readRequest(folder).subject)
        try requireNew(identity.name)
        // The request's folder becomes the identity's, and keeps the request: a better certificate
        // may come later.
        let file = folder + "/" + Name.certificates
        try writing(file) { try FileSystem.removeFile(file) }
        try write(came.pem, to: file)
        let target = readyFolder + "/" + identity.name
        try move(folder, to: target)
        try? FileSystem.removeFile(target + "/" + Name.name)
        return try describe(identity.name)
    }

    private func replace(
        _ name: String, with came: CertificateForRequest, isPermitted: Bool
    ) throws -> Identity {
        let files = try credentialFiles(name)
        guard files.leaf != came.certificate else { return try describe(name) }
        let folder = readyFolder + "/" + name
        try came.check(
            requested: FileSystem.exists(folder + "/" + Name.request)
                ? readRequest(folder).subject : files.leaf.subject)
        guard isPermitted else {
            throw SignetError(
                .outputRefused, file: came.file,
                "the identity '\(name)' has a certificate already, issued by \(files.leaf.issuer)",
                hint: "replace it with \(.force)")
        }
        try write(came.pem, to: files.certificates, replace: true)
        return try describe(name)
    }

    /// Removes an identity, or a request of that name.
    public func remove(_ name: String) throws {
        let folder = readyFolder + "/" + (try checked(name))
        func none() -> SignetError {
            SignetError(
                .missingInput, "there is no identity '\(name)'",
                hint: "see what there is: \(task: .listIdentities)")
        }
        // Nothing is made where there is nothing.
        guard FileSystem.isDirectory(root) else { throw none() }
        try changing {
            if FileSystem.isDirectory(folder) { return try discard(folder) }
            guard let request = try pendingIdentities().first(where: { $0.name == name }) else {
                throw none()
            }
            try discard(pendingFolder + "/" + request.keyIdentifier)
        }
    }

    // MARK: Steps

    private func requireNew(_ name: String) throws {
        guard !FileSystem.exists(readyFolder + "/" + (try checked(name))) else {
            throw SignetError(
                .outputRefused, "an identity '\(name)' exists already",
                hint: "choose another name, or remove it: \(task: .removeIdentity(name: name))")
        }
        try requireDistinct(name, from: names(in: readyFolder))
    }

    /// Who picks an identity by its name must not get another one.
    private func requireDistinct(_ name: String, from others: [String]) throws {
        guard
            let other = others.first(where: {
                !$0.utf8.elementsEqual(name.utf8) && NameLikeness.areAlike($0, name)
            })
        else { return }
        throw SignetError(
            .usage, "'\(name)' looks like the identity '\(other)'",
            hint: "choose a name that nobody takes for another")
    }

    private func requireUnused(_ name: String) throws {
        try requireNew(name)
        try requireDistinct(name, from: pendingIdentities().map(\.name))
        if let pending = try pendingIdentities().first(where: { $0.name == name }) {
            let file = "\(pendingFolder)/\(pending.keyIdentifier)/\(Name.request)"
            throw SignetError(
                .outputRefused, "a request for '\(name)' is pending already: \(file)",
                hint: "complete it, or remove it: \(task: .removeIdentity(name: name))")
        }
    }

    /// A new folder among the work, filled.
    private func make(_ fill: (String) throws -> Void) throws -> String {
        let folder = workFolder + "/new-" + Self.randomName()
        try writing(folder) { try FileSystem.makeNewFolder(folder) }
        do {
            try fill(folder)
        } catch {
            try? FileSystem.removeFolder(folder)
            throw error
        }
        return folder
    }

    /// The moment from which on a change holds.
    private func move(_ folder: String, to target: String) throws {
        do {
            try writing(target) {
                try FileSystem.makePrivateFolder(FileSystem.folder(of: target))
                try FileSystem.moveFolder(folder, to: target)
            }
        } catch {
            if folder.hasPrefix(workFolder) { try? FileSystem.removeFolder(folder) }
            throw error
        }
    }

    /// Takes a folder out of sight in one step, and then removes it.
    func discard(_ folder: String) throws {
        let hidden = workFolder + "/old-" + Self.randomName()
        try writing(folder) {
            try FileSystem.moveFolder(folder, to: hidden)
            try FileSystem.removeFolder(hidden)
        }
    }

    private static func randomName() -> String {
        String(UInt64.random(in: .min ... .max), radix: 36)
    }

    func write(_ bytes: [UInt8], to path: String, replace: Bool = false) throws {
        try writing(path) {
            let output = try AtomicOutput(path: path, mode: .secret, replace: replace, run: nil)
            try output.write(bytes)
            try output.commit()
        }
    }

    private func write(_ secret: SecretBytes, to path: String) throws {
        try writing(path) {
            let output = try AtomicOutput(path: path, mode: .secret, replace: false, run: nil)
            try secret.withBytes { bytes throws(FileError) in try output.write(bytes) }
            try output.commit()
        }
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
