public import Base
import CryptoBridge
import SystemBridge

/// Options for hashes and raw signatures.
public struct HashOptions: Sendable {
    /// Hash algorithms for data and raw signatures.
    public enum Digest: String, Sendable, CaseIterable {
        /// Broken since 2017; some old services still require it.
        case sha1
        case sha256, sha384, sha512
        case sha3_256 = "sha3-256"
        case sha3_384 = "sha3-384"
        case sha3_512 = "sha3-512"
    }

    /// The content of the input file.
    public enum Input: String, Sendable, CaseIterable {
        /// The data to hash and sign.
        case data
        /// The hash itself: raw, hexadecimal or base64.
        case hash
        /// One hash per line, hexadecimal or base64; each output line is its signature.
        case hashList = "hash-list"
    }

    /// Encoding of hashes and signatures.
    public enum Encoding: String, Sendable, CaseIterable { case raw, base64, hex }

    /// The form of ECDSA and DSA signatures.
    public enum Form: String, Sendable, CaseIterable {
        /// SEQUENCE { r, s } (RFC 3279 §2.2.2).
        case der
        /// r‖s of equal lengths (IEEE P1363), as in smart cards and JSON Web Signatures.
        case p1363
    }

    /// Digest algorithm; nil uses SHA-256, or the digest that the key requires.
    public var digest: Digest?
    /// The content of the input file.
    public var input = Input.data
    /// Encoding of signatures. Nil: raw in outputs, base64 for a list of hashes, and detected in
    /// inputs.
    public var encoding: Encoding?
    /// RSA signature padding; `pss` with another kind of key is an error.
    public var padding = SigningOptions.Padding.pkcs1
    /// The form of ECDSA and DSA signatures.
    public var form = Form.der

    public init() {}

    /// Maximum size in bytes of a message signed or verified with Ed25519, which needs the whole
    /// message in memory.
    public static let wholeMessageByteLimit = 256 * 1024 * 1024
    /// Maximum size in bytes of a file of hashes or of a signature.
    static let byteLimit = 64 * 1024 * 1024

    static let sha1Warning: Sentence =
        "SHA-1 is weak and no longer considered secure: use it only if a service requires it"

    func scheme(for key: PublicKey, file: String) throws -> (SignatureScheme, [Sentence]) {
        let algorithm = key.algorithm
        try padding.require(algorithm)
        let chosen = digest?.algorithm
        guard
            let scheme = algorithm.scheme(
                digest: chosen ?? key.requiredDigest ?? .usual,
                padding: padding)
        else { throw SignetError(.credentialRefused, file: file, "\(algorithm) keys cannot sign") }
        guard scheme.digest == nil else {
            return (scheme, digest == .sha1 ? [Self.sha1Warning] : [])
        }
        if input != .data {
            throw SignetError(
                .usage, "\(algorithm) signs data, not a hash",
                hint: Sentence(.signDataOrUseOtherKey))
        }
        if let chosen, chosen != .sha512 || algorithm != .ed25519 {
            throw SignetError(
                .usage, "\(algorithm) has a fixed hash algorithm", hint: Sentence(.leaveOutDigest))
        }
        return (scheme, [])
    }

    /// The hash of an input of any size, which is read once.
    static func digest(_ algorithm: DigestAlgorithm, of source: InputSource) throws -> [UInt8] {
        try reading(source.name) { try digest(algorithm, of: source.open()) }
    }

    static func digest(_ algorithm: DigestAlgorithm, of file: InputFile) throws -> [UInt8] {
        let context = try DigestContext(algorithm)
        try file.stream(range: 0..<file.byteCount) { try context.update($0) }
        return try context.finish()
    }

    /// Several hashes of a file that is read once.
    static func digests(
        _ algorithms: Set<DigestAlgorithm>, of file: InputFile,
        alongside: (Span<UInt8>) throws -> Void = { _ in }
    ) throws -> [DigestAlgorithm: [UInt8]] {
        let contexts = try algorithms.map { try DigestContext($0) }
        try file.stream(range: 0..<file.byteCount) { part in
            for context in contexts { try context.update(part) }
            try alongside(part)
        }
        return try contexts.reduce(into: [:]) { $0[$1.algorithm] = try $1.finish() }
    }

    /// Reads a whole message into memory, for keys that do not sign a hash.
    ///
    /// - Throws: ``SignetError``: `malformedInput` if it is larger than ``wholeMessageByteLimit``.
    static func wholeMessage(_ source: InputSource, for algorithm: KeyAlgorithm) throws -> [UInt8] {
        try reading(source.name) {
            let file = try source.open()
            guard file.byteCount <= wholeMessageByteLimit else {
                throw SignetError(
                    .malformedInput, file: source.name,
                    "the file has \(file.byteCount) bytes; the limit for \(algorithm), which signs in memory, is "
                        + "\(wholeMessageByteLimit)", hint: Sentence(.signAsMessageOrUseOtherKey))
            }
            return try file.bytes(at: 0, count: file.byteCount)
        }
    }

    /// A warning if the data to sign looks like a hash.
    static func warning(about source: InputSource, _ algorithm: DigestAlgorithm) -> [Sentence] {
        let limit = 4 * algorithm.byteCount
        guard let path = source.path, FileSystem.isRegularFile(path),
            let file = try? source.open(), file.byteCount <= limit,
            let bytes = try? file.bytes(at: 0, count: file.byteCount),
            (try? hash(in: bytes, algorithm, file: source.name)) != nil
        else { return [] }
        return [Sentence(.hashWasHashed)]
    }

    /// Reads an existing hash: raw bytes, or the first word as hexadecimal or base64, also the last
    /// one in `SHA256 (FILE) = HASH` and `SHA2-256(FILE)= HASH`.
    static func hash(
        in bytes: [UInt8], _ algorithm: DigestAlgorithm, file: String
    ) throws -> [UInt8] {
        let count = algorithm.byteCount
        // Printable bytes of this length are another hash in hexadecimal or base64, not a raw one.
        if bytes.count == count, !bytes.allSatisfy(isSymbol) { return bytes }
        let words = lines(bytes).prefix(2).map { line in
            let words = line.split(whereSeparator: isSpace)
            let isNamed = words.dropLast().last.map {
                $0.elementsEqual("=".utf8) || $0.suffix(2).elementsEqual(")=".utf8)
            }
            return (isNamed == true ? words.last : words.first) ?? []
        }
        let hashes = words.map { word in
            word.count == 2 * count
                ? Hex.decode(word) : Base64.decode(word).flatMap { $0.count == count ? $0 : nil }
        }
        if let first = hashes.first, let first {
            guard hashes.count < 2 || hashes[1] == nil else {
                throw SignetError(
                    .malformedInput, file: file, "the file contains several hashes",
                    hint: Sentence(.useHashList))
            }
            return first
        }
        let word = words.first ?? []
        let found = Hex.decode(word)?.count ?? Base64.decode(word)?.count ?? bytes.count
        throw SignetError(
            .malformedInput, file: file,
            "the hash has \(found) bytes, but \(algorithm.displayName) has \(count)",
            hint: Sentence(.nameDigestOrSignData))
    }

    private static func isSymbol(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B, 0x2F, 0x3D: true
        default: isSpace(byte)
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }

    /// The non-empty lines.
    static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.split { $0 == 0x0A || $0 == 0x0D }.map(Array.init).filter { !$0.allSatisfy(isSpace) }
    }

    func encode(_ bytes: [UInt8], as fallback: Encoding) -> [UInt8] {
        switch encoding ?? fallback {
        case .raw: bytes
        case .hex: Hex.digits(of: bytes) + [0x0A]
        case .base64: Base64.characters(of: bytes) + [0x0A]
        }
    }

    /// Decodes a signature; nil if it does not have the encoding of the option.
    func decode(_ bytes: [UInt8]) -> [UInt8]? {
        let text = bytes.filter { !Self.isSpace($0) }
        switch encoding {
        case .raw: return bytes
        case .hex: return Hex.decode(text)
        case .base64: return Base64.decode(text)
        case nil:
            // Raw signatures contain unprintable bytes: the chance of an exception is 1 in 2^90.
            return Hex.decode(text) ?? Base64.decode(text) ?? bytes
        }
    }
}
