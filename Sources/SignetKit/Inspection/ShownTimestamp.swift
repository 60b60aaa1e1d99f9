internal import Base
import CMSKit
import CryptoBridge
import TimestampKit

/// The description of a timestamp request.
public struct ShownTimestampRequest: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.timestamp-request/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Version of the request: 1 (RFC 3161 §2.4.1).
    public let version: Int
    /// Digest algorithm such as `sha256`, or a dotted OID.
    public let digest: String
    /// The message imprint, hexadecimal.
    public let imprint: String
    /// Requested policy as a dotted OID; nil lets the TSA choose.
    public let policy: String?
    /// Nonce, hexadecimal; nil without one.
    public let nonce: String?
    /// Whether the token must contain the TSA certificate.
    public let asksForCertificate: Bool
    /// Extensions as dotted OIDs.
    public let extensions: [String]

    init(_ request: TimestampRequest, file: String) {
        self.file = file
        version = request.version
        digest = request.messageImprint.name
        imprint = Hex.encode(request.messageImprint.hashedMessage)
        policy = request.policy?.description
        nonce = request.nonceHex
        asksForCertificate = request.certReq
        extensions = request.extensions.map(\.oid.description)
    }
}

/// The description of a timestamp response or token. Nothing is verified.
public struct ShownTimestamp: Encodable, Sendable {
    /// The content of a token, not verified.
    public struct Token: Encodable, Sendable {
        /// The time of the timestamp (genTime).
        public let time: Moment
        /// Accuracy such as `1 s`; nil if the TSA states none.
        public let accuracy: String?
        /// TSA policy as a dotted OID.
        public let policy: String
        /// Digest algorithm such as `sha256`, or a dotted OID.
        public let digest: String
        /// The message imprint, hexadecimal.
        public let imprint: String
        /// Serial number of the timestamp, hexadecimal.
        public let serial: String
        /// Nonce, hexadecimal; nil if the request had none.
        public let nonce: String?
        /// Whether the TSA's tokens can be ordered by their times (RFC 3161 §2.4.2).
        public let ordering: Bool
        /// The name of the TSA in the token.
        public let tsa: String?
        /// The subject of the TSA certificate if the token contains it.
        public let signer: String?
        /// The subjects of the certificates in the token.
        public let certificates: [String]
        /// Extensions as dotted OIDs.
        public let extensions: [String]
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.timestamp-reply/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Kind of the input: `response` or `token`.
    public let kind: String
    /// Status of the response: `granted`, `rejection`…; nil for a bare token (RFC 3161 §2.4.2).
    public let status: String?
    /// The status with its reasons and the TSA's message.
    public let statusDetail: String?
    /// Failure reasons of the response, such as `badAlg` (RFC 3161 §2.4.2).
    public let failures: [String]
    /// Timestamp token; nil for a rejection.
    public let token: Token?

    init(_ reply: TimestampReply, file: String) {
        self.file = file
        let response = reply.response
        kind = response == nil ? "token" : "response"
        status = response?.status.name
        statusDetail = response?.statusDescription
        failures = response?.failures.map(\.name) ?? []
        token = reply.token.map(Token.init)
    }
}

extension ShownTimestamp.Token {
    fileprivate init(_ token: TimestampToken) {
        let info = token.info
        let certificates = token.signedData.certificates.compactMap { try? Certificate(der: $0) }
        self.init(
            time: info.genTime, accuracy: info.accuracy?.description,
            policy: info.policy.description, digest: info.messageImprint.name,
            imprint: Hex.encode(info.messageImprint.hashedMessage), serial: info.serialHex,
            nonce: info.nonceHex, ordering: info.ordering, tsa: info.tsaText,
            signer: token.signedData.signers.first.flatMap { signer in
                certificates.first { signer.identifier.names($0) }
            }?.subject.description, certificates: certificates.map { $0.subject.description },
            extensions: info.extensions.map(\.oid.description))
    }
}

extension MessageImprint {
    fileprivate var name: String { digest?.rawValue ?? algorithm.oid.description }
}
