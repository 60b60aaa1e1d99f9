public import Base
import CMSKit
import CryptoBridge
package import SystemBridge

/// A raw signature.
public struct RawSignatureResult: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.hash-sign/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Output: a path, `-` for standard output, or the name given to a destination in memory.
    public let output: String
    /// Signature algorithm: `rsa-pkcs1`, `rsa-pss`, `ecdsa`, `dsa`, `ed25519` and so on.
    public let algorithm: String
    /// Digest algorithm; nil for keys that sign the message itself.
    public let digest: String?
    /// Number of signatures: more than one only for a list of hashes.
    public let signatures: Int
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]
}

/// Creates raw signatures without CMS: one key for any number of files.
public struct SignHash: Sendable {
    private let key: any DigestSigner
    private let keyFile: String
    private let options: HashOptions

    /// - Parameter passphrase: used only if the key is encrypted.
    /// - Throws: ``SignetError`` if the key cannot be read.
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

    /// The authorization of many signatures.
    public var consent: SharedConsent { SharedConsent(key) }

    /// Signs the content of `source`, which ``HashOptions/input`` describes.
    ///
    /// - Throws: ``SignetError``: among others `usage` if the options do not match the key.
    public func run(
        _ source: InputSource, into destination: Destination
    ) throws -> RawSignatureResult {
        try passes(source, into: destination).finish()
    }

    /// The signing operation in passes: announce, sign.
    package func passes(
        _ source: InputSource, into destination: Destination
    ) throws -> Pass<RawSignatureResult> {
        var (scheme, warnings) = try options.scheme(for: key.publicKey, file: keyFile)
        let output = try destination.output()
        func result(_ count: Int) throws -> RawSignatureResult {
            try writing(destination.path) { try output.commit() }
            return RawSignatureResult(
                file: source.name, output: destination.path, algorithm: scheme.name,
                digest: scheme.digest?.rawValue, signatures: count, warnings: warnings)
        }
        guard options.input != .hashList else {
            return .done(try result(signList(source, scheme, output)))
        }
        if options.input == .data, let digest = scheme.digest {
            warnings += HashOptions.warning(about: source, digest)
        }
        let input = try reading(source.name) { try signatureInput(source, scheme) }
        func sign() throws -> RawSignatureResult {
            let signature = try reading(source.name) {
                try key.verifiedSignature(over: input, scheme: scheme)
            }
            try writing(destination.path) {
                try output.write(options.encode(try form(signature), as: .raw))
            }
            return try result(1)
        }
        guard key.signaturesAtOnce > 1 else { return .done(try sign()) }
        try reading(source.name) { try key.announce(input, scheme: scheme) }
        return .next { .done(try sign()) }
    }

    /// The hash or message that the key signs.
    private func signatureInput(
        _ source: InputSource, _ scheme: SignatureScheme
    ) throws -> SigningInput {
        if options.input == .hash {
            let bytes = try source.readAll(limit: HashOptions.byteLimit)
            return .digest(
                try HashOptions.hash(in: bytes, scheme.digest ?? .sha256, file: source.name))
        }
        // A few keys hash the data themselves and need the whole message.
        guard let algorithm = scheme.digest, key.takes != .messageOnly else {
            return .message(try HashOptions.wholeMessage(source, for: key.publicKey.algorithm))
        }
        return .digest(try HashOptions.digest(algorithm, of: source))
    }

    private func signList(
        _ source: InputSource, _ scheme: SignatureScheme, _ output: AtomicOutput
    ) throws -> Int {
        let input = source.name
        guard options.encoding != .raw else {
            throw SignetError(
                .usage, "raw signatures cannot be written as lines", hint: Sentence(.encodeAsText))
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

    /// Signs on several threads, since a token may have several sessions; each signature is
    /// verified.
    private func signElsewhere(
        _ lines: [[UInt8]], _ algorithm: DigestAlgorithm, _ scheme: SignatureScheme,
        _ input: String, _ output: AtomicOutput
    ) throws -> Int {
        let hashes = try lines.map { try HashOptions.hash(in: $0, algorithm, file: input) }
        let key = key
        for hash in hashes { try key.announce(.digest(hash), scheme: scheme) }
        try OrderedWork.run(count: hashes.count, jobs: Self.jobs) { index in
            Result { try key.verifiedSignature(over: .digest(hashes[index]), scheme: scheme) }
        } consume: { _, result in
            try output.write(options.encode(try form(result.get()), as: .base64))
        }
        return hashes.count
    }

    /// Number of threads: a token usually processes this many operations at once.
    private static let jobs = 4

    private func form(_ signature: [UInt8]) throws -> [UInt8] {
        guard options.form == .p1363,
            let count = key.publicKey.rawSignatureIntegerByteCount
        else { return signature }
        guard let raw = RawSignature.p1363(fromDER: signature, integerByteCount: count) else {
            throw SignetError(.internalFailure, "the signature cannot be converted")
        }
        return raw
    }
}
