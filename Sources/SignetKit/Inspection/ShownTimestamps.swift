internal import Base
import CMSKit
import CryptoBridge
import TimestampKit

/// A time-stamp request in words.
public struct ShownTimestampRequest: Encodable, Sendable {
    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.timestamp-request/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// 1 (RFC 3161 §2.4.1).
    public let version: Int
    /// `sha256`, or a dotted identifier.
    public let digest: String
    /// The hash to be stamped, hexadecimal.
    public let imprint: String
    /// Dotted; nil leaves it to the authority.
    public let policy: String?
    /// Hexadecimal.
    public let nonce: String?
    /// Whether the authority's certificate is to come with the token.
    public let asksForCertificate: Bool
    /// Dotted identifiers.
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

/// A time-stamp response or token in words. Nothing in it is verified.
public struct ShownTimestamp: Encodable, Sendable {
    /// What a token says; nothing of it is verified.
    public struct Token: Encodable, Sendable {
        /// When it was stamped.
        public let time: Moment
        /// `1 s`; nil where the authority does not say.
        public let accuracy: String?
        /// Dotted.
        public let policy: String
        /// `sha256`, or a dotted identifier.
        public let digest: String
        /// The stamped hash, hexadecimal.
        public let imprint: String
        /// Hexadecimal.
        public let serial: String
        /// Hexadecimal; nil where the request had none.
        public let nonce: String?
        /// Whether the authority's tokens can be put in order by their times alone (RFC 3161
        /// §2.4.2).
        public let ordering: Bool
        /// What the authority calls itself.
        public let tsa: String?
        /// The subject of the certificate that signed it, where the token brings one.
        public let signer: String?
        /// The subjects of the certificates that go along.
        public let certificates: [String]
        /// Dotted identifiers.
        public let extensions: [String]
    }

    /// The form of the JSON, with its version, as `Scripts/schema` describes it.
    public let schema = "signet.timestamp-reply/1"
    /// The input: its path, or the name that it was given in memory.
    public let file: String
    /// `response` or `token`.
    public let kind: String
    /// `granted`, `rejection`…; nil for a bare token.
    public let status: String?
    /// The status with its reasons and the authority's words.
    public let statusDetail: String?
    /// `badAlg`…
    public let failures: [String]
    /// Nil for a refusal.
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
