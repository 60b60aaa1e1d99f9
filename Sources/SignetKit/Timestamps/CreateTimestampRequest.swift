internal import Base
import CryptoBridge
import SystemBridge
import TimestampKit

/// Creates requests for a time-stamping authority (RFC 3161 §2.4.1).
public struct CreateTimestampRequest: Sendable {
    /// The data to timestamp.
    public enum Subject: Sendable {
        case content(InputSource)
        /// Hash of the data, hexadecimal.
        case hash(String)
    }

    /// Digest algorithm; nil uses SHA-256, or the algorithm that matches the hash's length.
    public var digest: SigningOptions.Digest?
    /// Whether the request has a nonce of 64 random bits, which the response must repeat.
    public var hasNonce = true
    /// Whether the token must contain the TSA certificate. Without it, few validators can verify
    /// the token.
    public var asksForCertificate = true
    /// Requested policy as a dotted OID; nil lets the TSA choose.
    public var policy: String?

    public init() {}

    /// Writes a TimeStampReq in DER (RFC 3161 §2.4.1).
    ///
    /// - Throws: ``SignetError``: `usage` for an invalid hash or policy.
    public func run(
        _ subject: Subject, into destination: Destination
    ) throws -> ShownTimestampRequest {
        let policy = try policy.map { try OID(policy: $0) }
        let imprint = try imprint(of: subject)
        let output = try destination.output()
        let request = TimestampRequest(
            messageImprint: imprint, policy: policy,
            nonce: hasNonce ? try TimestampRequest.randomNonce() : nil, certReq: asksForCertificate)
        try output.finish(request.encoded)
        return ShownTimestampRequest(request, file: destination.path)
    }

    private func imprint(of subject: Subject) throws -> MessageImprint {
        let chosen = digest?.algorithm
        switch subject {
        case .content(let source):
            let algorithm = chosen ?? .usual
            return MessageImprint(
                digest: algorithm, hash: try HashOptions.digest(algorithm, of: source))
        case .hash(let text):
            guard let hash = Hex.decode(text.utf8), !hash.isEmpty else {
                throw SignetError(
                    .usage, "the hash is not hexadecimal", hint: Sentence(.digestFirst))
            }
            let known: [DigestAlgorithm] = [.sha256, .sha384, .sha512]
            guard let algorithm = chosen ?? known.first(where: { $0.byteCount == hash.count }),
                algorithm.byteCount == hash.count
            else {
                let wanted = chosen.map { "\($0.displayName) has \($0.byteCount)" }
                throw SignetError(
                    .usage,
                    "the hash has \(hash.count) bytes, \(wanted ?? "SHA-2 has 32, 48 or 64")",
                    hint: Sentence(.nameDigest))
            }
            return MessageImprint(digest: algorithm, hash: hash)
        }
    }
}

extension OID {
    /// Parses a policy given by the user as a dotted OID.
    ///
    /// - Throws: ``SignetError``: `usage` for an invalid OID.
    init(policy: String) throws(SignetError) {
        guard let identifier = OID(policy) else {
            throw SignetError(
                .usage, "'\(policy)' is not an object identifier",
                hint: Sentence(.writeTimestampPolicy)
            )
        }
        self = identifier
    }
}
