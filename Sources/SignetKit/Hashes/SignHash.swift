import CryptoBridge
import FileBridge

/// A raw signature that was made.
public struct RawSignatureResult: Encodable, Sendable {
    public let schema = "signet.hash-sign/1"
    public let file: String
    public let output: String
    /// `rsa-pkcs1`, `rsa-pss`, `ecdsa`, `dsa`, `ed25519`
    public let algorithm: String
    /// Nil for keys that sign the message itself.
    public let digest: String?
    /// How many: more than one only for a list of hashes.
    public let signatures: Int
    public let warnings: [String]
}

/// Makes raw signatures, with no envelope around them: one key for any number of files.
public struct SignHash: Sendable {
    private let key: PrivateKey
    private let keyFile: String
    private let options: HashOptions

    /// - Parameter passphrase: asked only when the key is encrypted.
    public init(keyFile: String, passphrase: PassphraseSource, options: HashOptions) throws {
        let bundle = try SigningCredential.readBundle(keyFile, passphrase: passphrase)
        guard let key = bundle.key else {
            throw SignetError(
                .malformedInput, file: keyFile, "holds no private key",
                hint: "give the private key's file with --key")
        }
        self.key = key
        self.keyFile = keyFile
        self.options = options
    }

    public func run(_ input: String, into destination: Destination) throws -> RawSignatureResult {
        let (scheme, warnings) = try options.scheme(for: key.publicKey, file: keyFile)
        let output = try AtomicOutput(normal: destination)
        var count = 1
        switch options.input {
        case .data:
            let signature = try reading(input) { try sign(input, scheme) }
            try writing(destination.path) {
                try output.write(options.encode(try form(signature), as: .raw))
            }
        case .hash:
            let algorithm = scheme.digest ?? .sha256
            let signature = try reading(input) {
                let bytes = try FileSystem.readAll(input, limit: HashOptions.byteLimit)
                return try key.sign(
                    digest: HashOptions.hash(in: bytes, algorithm, file: input), scheme: scheme)
            }
            try writing(destination.path) {
                try output.write(options.encode(try form(signature), as: .raw))
            }
        case .hashList:
            count = try signList(input, scheme, output)
        }
        try writing(destination.path) { try output.commit() }
        return RawSignatureResult(
            file: input, output: destination.path, algorithm: scheme.name,
            digest: scheme.digest?.rawValue, signatures: count, warnings: warnings)
    }

    private func sign(_ input: String, _ scheme: SignatureScheme) throws -> [UInt8] {
        guard let algorithm = scheme.digest else {
            return try key.sign(
                message: HashOptions.wholeMessage(input, key.algorithm), scheme: scheme)
        }
        return try key.sign(digest: HashOptions.digest(algorithm, of: input), scheme: scheme)
    }

    private func signList(
        _ input: String, _ scheme: SignatureScheme, _ output: AtomicOutput
    ) throws -> Int {
        guard options.encoding != .raw else {
            throw SignetError(
                .usage, "raw signatures cannot stand in lines",
                hint: "use --encoding base64 or hex")
        }
        let algorithm = scheme.digest ?? .sha256
        return try reading(input) {
            let lines = HashOptions.lines(
                try FileSystem.readAll(input, limit: HashOptions.byteLimit))
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
