import Base
import CMSKit
import CryptoBridge
import TimestampKit

/// What the signer stated in signed attributes (ETSI EN 319 122-1 §5.2), as the signer's own words.
public struct VerifiedStatements: Encodable, Sendable {
    /// The rules under which the signer signed (§5.2.9).
    public struct Policy: Encodable, Sendable {
        /// Object identifier in dotted form; nil if the content implies the policy.
        public let id: String?
        /// Algorithm of ``hash``, such as `sha256`.
        public let digest: String?
        /// Hash of the policy document in hexadecimal; nil if the signature contains none.
        public let hash: String?
        /// Address of the policy document. It is not fetched.
        public let address: String?
        /// Whether a given policy document has this hash; nil if none was given.
        public let matches: Bool?
    }

    /// The signature policy; nil without one.
    public let policy: Policy?
    /// Names of ``CommitmentType``, or dotted object identifiers.
    public let commitments: [String]
    /// Claimed roles.
    public let roles: [String]
    /// Timestamps over the content, made before signing.
    public let contentTimestamps: [VerifiedSignature.Timestamp]

    /// Nil if nothing is stated.
    init?(
        _ statements: SignerStatements?, _ stamps: [ContentTimestamp], policyMatches: Bool?
    ) {
        self.init(
            statements, policyMatches,
            stamps.compactMap { stamp in
                stamp.check.info.map {
                    .init(
                        $0, authority: stamp.check.signer, isTrusted: stamp.problem == nil, nil)
                }
            })
    }

    init?(shown statements: SignerStatements) {
        self.init(
            statements, nil,
            statements.contentTimestamps.compactMap { try? TimestampToken(attributeValue: $0) }
                .map { .init($0.info, authority: nil, isTrusted: false, nil) })
    }

    private init?(
        _ statements: SignerStatements?, _ matches: Bool?, _ stamps: [VerifiedSignature.Timestamp]
    ) {
        guard let statements else { return nil }
        policy = statements.policy.map {
            Policy(
                id: $0.identifier?.description,
                digest: $0.hash == nil ? nil : $0.digest?.rawValue ?? $0.digestOID?.description,
                hash: $0.hash.map { Hex.encode($0) }, address: $0.address, matches: matches)
        }
        commitments = statements.commitments.map(CommitmentType.name)
        roles = statements.roles
        contentTimestamps = stamps
        if policy == nil, commitments.isEmpty, roles.isEmpty, stamps.isEmpty { return nil }
    }
}
