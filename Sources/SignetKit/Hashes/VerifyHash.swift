import CMSKit
import CryptoBridge
import SystemBridge

/// The result of verifying a raw signature.
public struct RawVerification: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.hash-verify/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Verdict: `passed` or `failed`.
    public let verdict: VerifiedDocument.Verdict
    /// Signature algorithm: `rsa-pkcs1`, `rsa-pss`, `ecdsa` and so on.
    public let algorithm: String
    /// Digest algorithm such as `sha256`; nil for keys that hash the message themselves.
    public let digest: String?
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]
    /// Why the signature is invalid, if that is known. Not in the JSON.
    public let reason: String?

    private enum CodingKeys: String, CodingKey {
        case schema, file, verdict, algorithm, digest, warnings
    }
}

/// Verifies raw signatures with a public key; the owner of the key is not checked.
public struct VerifyHash: Sendable {
    /// The source of the public key.
    public enum Source: Sendable {
        case publicKey(file: String)
        case certificate(file: String)
    }

    private let key: PublicKey
    private let keyFile: String
    private let options: HashOptions

    /// Reads the key, or the certificate that contains it.
    ///
    /// - Throws: ``SignetError`` if there is none, or more than one.
    public init(_ source: Source, options: HashOptions) throws {
        switch source {
        case .publicKey(let file):
            keyFile = file
            key = try reading(file) {
                let bytes = try FileSystem.readAll(file, limit: SigningCredential.byteLimit)
                do {
                    return try PublicKey.read(bytes)
                } catch let error as CryptoError
                    where error.code == .malformedKey || error.code == .unrecognisedFormat
                {
                    throw SignetError(
                        .malformedInput, file: file, "the file is not a public key",
                        hint: Sentence(.givePublicKey))
                }
            }
        case .certificate(let file):
            keyFile = file
            guard FoundFile(file)?.isPublicKey != true else {
                throw SignetError(
                    .malformedInput, file: file, "the file is a public key, not a certificate",
                    hint: Sentence(.useAsPublicKey, file))
            }
            let certificates = try SigningCredential.readCertificates(file)
            guard let certificate = certificates.first, certificates.count == 1 else {
                throw SignetError(
                    .usage, file: file, "the file contains \(certificates.count) certificates",
                    hint: Sentence(.giveOneCertificate))
            }
            key = try reading(file) { try certificate.publicKey }
        }
        self.options = options
    }

    /// Verifies a raw signature. An invalid or malformed signature is a result.
    ///
    /// - Parameters:
    ///   - source: the content that ``HashOptions/input`` describes.
    ///   - signature: raw, hexadecimal or base64; for a list of hashes one in each line.
    /// - Throws: ``SignetError`` for unreadable input.
    public func run(_ source: InputSource, signature: InputSource) throws -> RawVerification {
        let (made, warnings) = try options.scheme(for: key, file: keyFile)
        // A raw signature does not contain the salt length, so any length is accepted.
        let scheme: SignatureScheme =
            if case .rsaPSS(let digest, _, _) = made {
                .rsaPSS(digest, saltByteCount: SignatureScheme.anySalt)
            } else { made }
        let encoded = try reading(signature.name) {
            try signature.readAll(limit: HashOptions.byteLimit)
        }
        var reason: String?
        let isGood =
            switch options.input {
            case .data, .hash: try check(source, encoded, scheme, &reason)
            case .hashList: try checkList(source, encoded, scheme)
            }
        return RawVerification(
            file: source.name, verdict: isGood ? .passed : .failed, algorithm: scheme.name,
            digest: scheme.digest?.rawValue, warnings: warnings, reason: reason)
    }

    private func check(
        _ source: InputSource, _ encoded: [UInt8], _ scheme: SignatureScheme,
        _ reason: inout String?
    ) throws -> Bool {
        let signature = signature(encoded)
        return try reading(source.name) {
            guard let algorithm = scheme.digest else {
                let message = try HashOptions.wholeMessage(source, for: key.algorithm)
                guard let signature else { return false }
                return try key.verify(signature: signature, scheme: scheme, message: message)
            }
            let hash =
                options.input == .data
                ? try HashOptions.digest(algorithm, of: source)
                : try HashOptions.hash(
                    in: source.readAll(limit: HashOptions.byteLimit), algorithm, file: source.name)
            guard let signature else { return false }
            if try key.verify(signature: signature, scheme: scheme, digest: hash) { return true }
            if case .rsaPKCS1 = scheme { reason = mistake(in: signature, of: hash, algorithm) }
            return false
        }
    }

    /// The common mistakes of signers that pad the hash themselves.
    private func mistake(
        in signature: [UInt8], of hash: [UInt8], _ digest: DigestAlgorithm
    ) -> String? {
        if key.verifiesBare(signature: signature, over: hash) {
            return "the signature covers the hash without its algorithm identifier "
                + "(DigestInfo, RFC 8017 §9.2)"
        }
        return key.lacksNull(signature: signature, hash: hash, digest)
            ? "the DigestInfo of the signature lacks the NULL parameters (RFC 8017 B.1)" : nil
    }

    private func checkList(
        _ source: InputSource, _ encoded: [UInt8], _ scheme: SignatureScheme
    ) throws -> Bool {
        let algorithm = scheme.digest ?? .sha256
        return try reading(source.name) {
            let hashes = HashOptions.lines(try source.readAll(limit: HashOptions.byteLimit))
            let signatures = HashOptions.lines(encoded)
            guard hashes.count == signatures.count, !hashes.isEmpty else { return false }
            for (line, text) in zip(hashes, signatures) {
                let hash = try HashOptions.hash(in: line, algorithm, file: source.name)
                guard let signature = signature(text),
                    try key.verify(signature: signature, scheme: scheme, digest: hash)
                else { return false }
            }
            return true
        }
    }

    /// The signature in the format of the key's algorithm; nil if it is malformed.
    private func signature(_ encoded: [UInt8]) -> [UInt8]? {
        guard let decoded = options.decode(encoded) else { return nil }
        guard options.form == .p1363, let count = key.rawSignatureIntegerByteCount else {
            return decoded
        }
        return decoded.count == 2 * count ? RawSignature.der(fromP1363: decoded) : nil
    }
}
