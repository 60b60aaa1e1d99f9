import Base
import CMSKit
import CryptoBridge
import KeyBridge
import Synchronization
import SystemBridge
import TrustKit

extension IdentityStore {
    /// Stores a key and its certificates under `name`. An encrypted key keeps its passphrase. For a
    /// key on a token or in a program, only its URI is stored.
    ///
    /// - Throws: ``SignetError``: `outputRefused` for an existing name, `usage` for an invalid or
    ///   confusable one.
    public func importCredential(
        _ name: String, keyFile: String, certificateFile: String?, chainFiles: [String],
        passphrase: PassphraseSource, service: ServiceOptions = ServiceOptions()
    ) throws -> Identity {
        try looking { try requireUnused(name, isRequest: false) }
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
            try requireUnused(name, isRequest: false)
            let folder = try make { folder in
                if let pem {
                    try write(pem, to: folder + "/" + Name.key)
                } else {
                    try write(Array((keyFile + "\n").utf8), to: folder + "/" + Name.place)
                }
                try write(certificates, to: folder + "/" + Name.certificates)
            }
            try move(folder, to: readyFolder + "/" + name)
            var identity = try describe(name)
            identity.warnings = SigningEligibility.check(
                certificate: credential.certificate, key: try credential.certificate.publicKey,
                at: SystemClock.now()
            ).refusals.map { "the certificate cannot sign documents: \($0.message)" }
            return identity
        }
    }

    /// The key of a request.
    public enum RequestedKey: Sendable {
        /// Generated with the request; a nil passphrase leaves it unencrypted.
        case new(type: String, passphrase: PassphraseSource?)
        /// On a token, in a service or in a program: its URI is stored.
        case elsewhere(
            source: String, passphrase: PassphraseSource, service: ServiceOptions = ServiceOptions()
        )
    }

    private func make(
        _ key: RequestedKey, _ name: String, _ request: CreateRequest
    ) throws -> (request: CertificateRequest, keep: (_ folder: String) throws -> Void) {
        switch key {
        case .new(let type, let passphrase):
            let (key, made) = try request.make(
                type: type, passphrase: passphrase, for: "identity \(name)")
            return (made, { try write(key, to: $0 + "/" + Name.key) })
        case .elsewhere(let source, let passphrase, let service):
            guard OpenedKey.isElsewhere(source) else {
                throw SignetError(
                    .usage,
                    "'\(source)' is not a key on a token, at a signing service or in a program",
                    hint: Sentence(.leaveOutKeyOrImport))
            }
            let opened = try OpenedKey.open(
                source, passphrase: passphrase, purpose: nil, service: service)
            defer { opened.key.close() }
            // Checked before the PIN is requested.
            let identifier = try reading(name) { try Self.identifier(of: opened.key.publicKey) }
            try looking { try requireNoRequest(for: identifier) }
            let made = try request.signed(by: opened.key, for: opened.name)
            return (made, { try write(Array((source + "\n").utf8), to: $0 + "/" + Name.place) })
        }
    }

    /// The folder name of a request.
    private static func identifier(of key: PublicKey) throws -> String {
        Hex.encode(try key.keyIdentifier())
    }

    /// A key has one request at a time: a received certificate identifies the key, not the request.
    private func requireNoRequest(for identifier: String) throws {
        guard FileSystem.exists(pendingFolder + "/" + identifier) else { return }
        let other = try showPending(identifier: identifier).name
        throw SignetError(
            .outputRefused,
            "a request for this key is already pending as '\(other)': "
                + "\(pendingFolder)/\(identifier)/\(Name.request)",
            hint: Sentence(.completeOrRemove, other))
    }

    /// Creates a request for a new or external key, and stores both until the certificate is
    /// received.
    ///
    /// - Throws: ``SignetError``: `outputRefused` if the name is in use, or the key has a pending
    ///   request.
    public func request(
        _ name: String, key: RequestedKey, request: CreateRequest, into destination: Destination
    ) throws -> Identity {
        try looking { try requireUnused(name) }
        let output = try destination.output()
        let (made, keep) = try make(key, name, request)
        let identifier = try reading(name) { try Self.identifier(of: made.publicKey) }
        return try changing {
            try requireUnused(name)
            // The recovery file is named after the key identifier, so a key can have only one
            // pending request.
            try requireNoRequest(for: identifier)
            let note = try promise(of: identifier, to: destination)
            defer { try? FileSystem.removeFile(note) }
            let kept = pendingFolder + "/" + identifier
            let folder = try make { folder in
                try keep(folder)
                try write(made.pem, to: folder + "/" + Name.request)
                try write(Array(name.utf8), to: folder + "/" + Name.name)
            }
            try move(folder, to: kept)
            do {
                try output.finish(made.pem)
            } catch {
                // The request was not written, so its key is useless.
                try? discard(kept)
                throw error
            }
            var identity = try showPending(identifier: identifier)
            identity.warnings = try ShownRequest(made, file: name).warnings
            return identity
        }
    }

    /// Assigns a received certificate to its key and makes the identity usable.
    ///
    /// - Parameters:
    ///   - chainFiles: files with further intermediate CA certificates.
    ///   - acceptsDifferences: whether to accept a certificate that differs from the request if it
    ///     can sign.
    ///   - replaces: whether to accept it also for an identity that has a certificate.
    ///   - tokenPIN: PIN for storing the certificate on the key's token first; nil omits this.
    /// - Throws: ``SignetError``: `malformedInput` if no key matches, or a reason to reject the
    ///   certificate.
    public func complete(
        _ certificateFile: String, chainFiles: [String] = [], acceptsDifferences: Bool = false,
        replaces: Bool = false, tokenPIN: PassphraseSource? = nil
    ) throws -> Identity {
        if !FileSystem.exists(certificateFile),
            try pending().contains(where: { $0.name.isExactly(certificateFile) })
        {
            throw SignetError(
                .missingInput, "'\(certificateFile)' is a pending identity, not a certificate",
                hint: Sentence(.completeIdentity))
        }
        let certificates = try SigningCredential.readCertificates(certificateFile)
        let chain = try chainFiles.flatMap(SigningCredential.readCertificates)
        func find() throws -> (owner: Owner, came: CertificateForRequest) {
            for certificate in certificates {
                guard let owner = try owner(of: certificate) else { continue }
                return (
                    owner,
                    CertificateForRequest(
                        certificate: certificate,
                        others: (certificates + chain).filter { $0 != certificate },
                        file: certificateFile, acceptsDifferences: acceptsDifferences)
                )
            }
            guard certificates.first?.isCA != true else {
                throw SignetError(
                    .malformedInput, file: certificateFile,
                    "the certificate is a CA certificate, which no request is for",
                    hint: Sentence(.completeWithChain, certificateFile))
            }
            throw SignetError(
                .malformedInput, file: certificateFile,
                "the certificate matches no pending request in \(pendingFolder)",
                hint: Sentence(
                    certificates[0].extendedKeyUsage.map { $0.map(ExtendedKeyUsage.name) }
                        == ["serverAuth"] ? .useInServer : .seePending, certificateFile))
        }
        if let tokenPIN {
            // The store must not be locked while the user types a PIN.
            let (place, certificate) = try looking {
                let (owner, came) = try find()
                try check(owner, certificate: came, replaces: replaces)
                return (try tokenPlace(of: owner, certificateFile), came.certificate)
            }
            try Self.store(certificate, on: place, tokenPIN)
        }
        return try changing {
            let (owner, came) = try find()
            try check(owner, certificate: came, replaces: replaces)
            switch owner {
            case .pending(let identifier):
                let requested = try readRequest(pendingFolder + "/" + identifier)
                came.warnAboutDifferences(from: requested)
                return try complete(identifier, with: came)
            case .ready(let name): return try replace(name, with: came)
            }
        }
    }

    /// The owner of a certificate's key.
    private enum Owner {
        /// A request, by its key's identifier.
        case pending(String)
        case ready(String)
    }

    private func owner(of certificate: Certificate) throws -> Owner? {
        guard let key = try? certificate.publicKey, let identifier = try? Self.identifier(of: key)
        else { return nil }
        let folder = pendingFolder + "/" + identifier
        if try hasFolder(folder), try readRequest(folder).publicKey == key {
            return .pending(identifier)
        }
        return try names(in: readyFolder).first {
            (try? credentialFiles($0))?.leaf.certifies(key) ?? false
        }.map(Owner.ready)
    }

    /// The key's URI if it is on a token.
    private func tokenPlace(of owner: Owner, _ certificateFile: String) throws -> String {
        let folder =
            switch owner {
            case .pending(let identifier): pendingFolder + "/" + identifier
            case .ready(let name): readyFolder + "/" + name
            }
        let place = try source(of: keyFile(in: folder))
        guard PKCS11URI.canParse(place) else {
            throw SignetError(
                .usage, file: certificateFile, "the key of the certificate is not on a token",
                hint: Sentence(.leaveOutToken))
        }
        return place
    }

    private static func store(
        _ certificate: Certificate, on place: String, _ pin: PassphraseSource
    ) throws {
        try finding {
            let finder = try TokenFinder(place, passphrase: pin, purpose: nil)
            let (token, pins, _) = try finder.onlyToken(for: certificate)
            try token.store(certificate, pins: pins)
        }
    }

    /// - Throws: ``SignetError`` if the certificate must be rejected.
    private func check(_ owner: Owner, certificate came: CertificateForRequest, replaces: Bool)
        throws
    {
        switch owner {
        case .pending(let identifier):
            let folder = pendingFolder + "/" + identifier
            try came.check(
                requested: readRequest(folder).subject, key: source(of: keyFile(in: folder)))
            try requireNew(showPending(identifier: identifier).name)
        case .ready(let name):
            let files = try credentialFiles(name)
            // The certificate is known; its chain may be new.
            guard files.leaf != came.certificate else { return }
            guard replaces else {
                throw SignetError(
                    .outputRefused, file: came.file,
                    "no request is pending for this key: the identity '\(name)' already has a "
                        + "certificate, issued by \(files.leaf.issuer)",
                    hint: Sentence(.replaceIdentity))
            }
            let folder = readyFolder + "/" + name
            try came.check(
                requested: FileSystem.exists(folder + "/" + Name.request)
                    ? readRequest(folder).subject : files.leaf.subject,
                key: source(of: files.key))
        }
    }

    private func complete(
        _ identifier: String, with came: CertificateForRequest
    ) throws -> Identity {
        let identity = try showPending(identifier: identifier)
        let folder = pendingFolder + "/" + identifier
        // The request's folder becomes the identity's and keeps the request, for a later
        // replacement certificate.
        let file = folder + "/" + Name.certificates
        try writing(file) { try FileSystem.removeFile(file) }
        try write(([came.certificate] + came.others).flatMap(\.pem), to: file)
        let target = readyFolder + "/" + identity.name
        try move(folder, to: target)
        try? FileSystem.removeFile(target + "/" + Name.name)
        return try describe(identity.name)
    }

    private func replace(_ name: String, with came: CertificateForRequest) throws -> Identity {
        let files = try credentialFiles(name)
        var certificates = [came.certificate] + came.others
        if files.leaf == came.certificate {
            let known = try SigningCredential.readCertificates(files.certificates)
            certificates = known + came.others.filter { !known.contains($0) }
            guard certificates.count > known.count else {
                Notices.say(.nothingToComplete, came.file, name)
                var identity = try describe(name)
                identity.isUnchanged = true
                return identity
            }
        }
        let kept = Self.namesAndUsages(of: came.certificate)
        let lost = Self.namesAndUsages(of: files.leaf).filter { !kept.contains($0) }
        if !lost.isEmpty { Notices.say(.namesLost, came.file, lost.joined(separator: ", ")) }
        try write(certificates.flatMap(\.pem), to: files.certificates, replace: true)
        return try describe(name)
    }

    private static func namesAndUsages(of certificate: Certificate) -> [String] {
        certificate.subjectAlternativeNames + (certificate.keyUsage?.names ?? [])
            + (certificate.extendedKeyUsage ?? []).map(ExtendedKeyUsage.name)
    }

    /// Removes an identity, or a request of that name or key identifier.
    ///
    /// - Throws: ``SignetError``: `missingInput` if there is none.
    public func remove(_ name: String) throws {
        let folder = readyFolder + "/" + (try checked(name))
        func none() -> SignetError {
            SignetError(
                .missingInput, "the identity '\(name)' does not exist",
                hint: Sentence(.listIdentities))
        }
        // Nothing is created if the store does not exist.
        guard FileSystem.isDirectory(root) else { throw none() }
        try changing {
            if try hasFolder(folder) { return try discard(folder) }
            // A damaged request may have no name, only its key's identifier.
            if try hasFolder(pendingFolder + "/" + name) {
                return try discard(pendingFolder + "/" + name)
            }
            guard let request = try pendingIdentities().first(where: { $0.name.isExactly(name) })
            else { throw none() }
            try discard(pendingFolder + "/" + request.keyIdentifier)
        }
    }

    // MARK: Steps

    /// - Parameter isRequest: whether the name is for a certificate request.
    private func requireNew(_ name: String, isRequest: Bool = false) throws {
        guard !FileSystem.exists(readyFolder + "/" + (try checked(name))) else {
            let hint = isRequest ? try? renewal(of: name) : nil
            throw SignetError(
                .outputRefused, "the identity '\(name)' already exists",
                hint: hint ?? Sentence(.chooseOtherNameOrRemove, name))
        }
        try requireDistinct(name, from: names(in: readyFolder))
    }

    private func renewal(of name: String) throws -> Sentence {
        let files = try credentialFiles(name)
        let names = files.leaf.subjectAlternativeNames
            .filter { (try? GeneralNames.checked([$0])) != nil }.flatMap { ["san", $0] }
        let key = ["key", try source(of: files.key)]
        return Sentence(
            .renewIdentity, facts: key + ["subject", files.leaf.subject.description] + names)
    }

    /// Rejects names that can be confused with an existing one.
    private func requireDistinct(_ name: String, from others: [String]) throws {
        guard
            let other = others.first(where: {
                !$0.utf8.elementsEqual(name.utf8) && ConfusableNames.areAlike($0, name)
            })
        else { return }
        throw SignetError(
            .usage, "the name '\(name)' is too similar to the identity '\(other)'",
            hint: Sentence(.chooseUnmistakableName))
    }

    private func requireUnused(_ name: String, isRequest: Bool = true) throws {
        try requireNew(name, isRequest: isRequest)
        try requireDistinct(name, from: pendingIdentities().map(\.name))
        if let pending = try pendingIdentities().first(where: { $0.name.isExactly(name) }) {
            let file = "\(pendingFolder)/\(pending.keyIdentifier)/\(Name.request)"
            throw SignetError(
                .outputRefused, "a request for '\(name)' is already pending: \(file)",
                hint: Sentence(.completeOrRemove, name))
        }
    }

    /// Creates and fills a new folder in `work`.
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

    /// Renames the folder, which makes a change visible.
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

    /// Moves a folder to `work` in one step, then deletes it.
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

/// Stores the entered passphrase, so that the key can be saved with the same one.
private final class PassphraseMemory: Sendable {
    private let original: PassphraseSource
    private let remembered = Mutex<SecretBytes?>(nil)

    init(_ original: PassphraseSource) { self.original = original }

    /// The passphrase; nil if none was requested.
    var secret: SecretBytes? { remembered.withLock { $0 } }

    var source: PassphraseSource {
        .remembered(original) { read in self.remembered.withLock { $0 = read.secret } }
    }
}
