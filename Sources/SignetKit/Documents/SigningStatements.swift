import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit

/// Statements of the signer in signed attributes (ETSI EN 319 122-1 §5.2).
public struct SigningStatements: Sendable {
    /// Object identifier of the signature policy, in dotted form; nil for none.
    public var policy: String?
    /// The document of ``policy``, whose hash is signed; nil signs no hash.
    public var policyDocument: InputSource?
    /// Names of ``CommitmentType`` or dotted object identifiers.
    public var commitments: [String] = []
    /// Roles of the signer, such as `Managing director`. They are not verified.
    public var roles: [String] = []
    /// The place of signing. In PDF, ``SigningOptions/location`` contains it instead.
    public var location: String?
    /// Whether a TSA timestamps the content before signing.
    public var stampsContent = false

    /// Maximum size of a policy document, in bytes.
    public static let policyByteLimit = 64 << 20

    public init() {}

    /// The signed attributes, without the content timestamp.
    ///
    /// - Throws: ``SignetError``, `usage` for a malformed object identifier.
    func attributes(_ digest: DigestAlgorithm) throws -> [CMSAttribute] {
        var statements = SignerStatements()
        if let policy {
            statements.policy = .init(identifier: try Self.oid(OID(policy), policy))
            statements.policy?.hash = try policyDocument.map {
                try SignerStatements.Policy.hashes(of: Self.read($0), digest).last ?? []
            }
        }
        statements.commitments = try commitments.map {
            try Self.oid(CommitmentType.oid(named: $0), $0)
        }
        statements.roles = roles
        statements.location = [location].compactMap(\.self)
        return statements.attributes(digest)
    }

    static func read(_ document: InputSource) throws -> [UInt8] {
        try reading(document.name) {
            try FileSystem.readAll(document.open(), limit: policyByteLimit)
        }
    }

    private static func oid(_ oid: OID?, _ text: String) throws(SignetError) -> OID {
        guard let oid else {
            throw SignetError(.usage, "\(text.inQuotes) is not an object identifier")
        }
        return oid
    }
}

extension SignedDataBuilder {
    /// A copy with a timestamp over the content (ETSI EN 319 122-1 §5.2.8).
    func stamping(
        _ messageDigest: [UInt8], by timestamps: TimestampAuthorities?
    ) throws -> (SignedDataBuilder, ObtainedTimestamp) {
        guard let timestamps else {
            throw SignetError(
                .usage, "a content timestamp requires a TSA", hint: Sentence(.addTSA))
        }
        let stamp = try timestamps.stamp(hash: messageDigest, digest: signer.digest)
        var builder = self
        builder.extraSignedAttributes.append(
            CMSAttribute(oid: .contentTimeStamp, values: [stamp.token.encoded]))
        return (builder, stamp)
    }
}
