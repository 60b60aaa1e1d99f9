import CMSKit
import CryptoBridge
import SystemBridge

/// A raw signature that was made.
public struct RawSignatureResult: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.hash-sign/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// Where the result is: a path, `-` for standard output, or the name of a destination in
    /// memory.
    public let output: String
    /// `rsa-pkcs1`, `rsa-pss`, `ecdsa`, `dsa`, `ed25519`
    public let algorithm: String
    /// Nil for keys that sign the message itself.
    public let digest: String?
    /// How many: more than one only for a list of hashes.
    public let signatures: Int
    /// What a person should know although nothing failed, a sentence each.
    public let warnings: [String]
}

/// Makes raw signatures, with no envelope around them: one key for any number of files.
public struct SignHash: Sendable {
    private let key: any DigestSigner
    private let keyFile: String
    private let options: HashOptions

    /// - Parameter passphrase: asked only when the key is encrypted.
    public init(
        keyFile: String, passphrase: PassphraseSource, options: HashOptions,
        service: ServiceOptions = ServiceOptions()
    ) throws {
        let opened = try OpenedKey.open(
            keyFile, passphrase: passphrase, purpose: nil, service: service)
        key = opened.key
        self.keyFile = opened.name
        self.options = options
    }

    /// How the signer agrees to many signatures.
    public var consent: SharedConsent { SharedConsent(key) }

    /// Signs what the options say that `source` holds.
    public func run(
        _ source: InputSource, into destination: Destination
    ) throws -> RawSignatureResult {
        let input = source.name
        let (scheme, warnings) = try options.scheme(for: key.publicKey, file: keyFile)
        let output = try destination.output()
        var count = 1
        switch options.input {
        case .data:
            let signature = try reading(input) { try sign(source, scheme) }
            try writing(destination.path) {
                try output.write(options.encode(try form(signature), as: .raw))
            }
        case .hash:
            let algorithm = scheme.digest ?? .sha256
            let signature = try reading(input) {
                let bytes = try source.readAll(limit: HashOptions.byteLimit)
                return try key.verifiedSignature(
                    overDigest: HashOptions.hash(in: bytes, algorithm, file: input), scheme: scheme)
            }
            try writing(destination.path) {
                try output.write(options.encode(try form(signature), as: .raw))
            }
        case .hashList:
            count = try signList(source, scheme, output)
        }
        try writing(destination.path) { try output.commit() }
        return RawSignatureResult(
            file: input, output: destination.path, algorithm: scheme.name,
            digest: scheme.digest?.rawValue, signatures: count, warnings: warnings)
    }

    private func sign(_ source: InputSource, _ scheme: SignatureScheme) throws -> [UInt8] {
        guard let algorithm = scheme.digest else {
            return try key.verifiedSignature(
                over: HashOptions.wholeMessage(source, key.publicKey.algorithm), scheme: scheme)
        }
        // A key that hashes for itself wants the message; few do.
        if key.takes == .messageOnly {
            return try key.verifiedSignature(
                over: HashOptions.wholeMessage(source, key.publicKey.algorithm), scheme: scheme)
        }
        return try key.verifiedSignature(
            overDigest: HashOptions.digest(algorithm, of: source), scheme: scheme)
    }

    private func signList(
        _ source: InputSource, _ scheme: SignatureScheme, _ output: AtomicOutput
    ) throws -> Int {
        let input = source.name
        guard options.encoding != .raw else {
            throw SignetError(
                .usage, "raw signatures cannot stand in lines", hint: Sentence(.encodeAsText))
        }
        let algorithm = scheme.digest ?? .sha256
        return try reading(input) {
            let lines = HashOptions.lines(try source.readAll(limit: HashOptions.byteLimit))
            guard let key = key as? PrivateKey else {
                return try signElsewhere(lines, algorithm, scheme, input, output)
            }
            let session = try DigestSigningSession(key: key, scheme: scheme)
            var pending: [UInt8] = []
            for line in lines {
                let hash = try HashOptions.hash(in: line, algorithm, file: input)
                pending += options.encode(try form(session.sign(hash)), as: .base64)
                if pending.count > 65_536 {
                    try session.finish()
                    try output.write(pending)
                    pending.removeAll(keepingCapacity: true)
                }
            }
            try session.finish()
            try output.write(pending)
            return lines.count
        }
    }

    /// By several threads, as a token has several sessions; each signature is verified.
    private func signElsewhere(
        _ lines: [[UInt8]], _ algorithm: DigestAlgorithm, _ scheme: SignatureScheme,
        _ input: String, _ output: AtomicOutput
    ) throws -> Int {
        let hashes = try lines.map { try HashOptions.hash(in: $0, algorithm, file: input) }
        let key = key
        try OrderedWork.run(count: hashes.count, jobs: Self.jobs) { index in
            Result { try key.verifiedSignature(overDigest: hashes[index], scheme: scheme) }
        } consume: { _, result in
            try output.write(options.encode(try form(result.get()), as: .base64))
        }
        return hashes.count
    }

    /// As many as a token mostly serves at once.
    private static let jobs = 4

    private func form(_ signature: [UInt8]) throws -> [UInt8] {
        guard options.form == .p1363,
            let count = key.publicKey.rawSignatureIntegerByteCount
        else { return signature }
        guard let raw = RawSignature.p1363(fromDER: signature, integerByteCount: count) else {
            throw SignetError(.internalFailure, "the signature did not convert")
        }
        return raw
    }
}
