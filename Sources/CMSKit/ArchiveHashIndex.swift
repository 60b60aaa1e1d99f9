package import Base
package import CryptoBridge

/// The data covered by an archive timestamp in addition to the signature: hashes of certificates,
/// revocation data and unsigned attributes (ETSI EN 319 122-1 §5.5.2).
///
///     ATSHashIndexV3 ::= SEQUENCE {
///         hashIndAlgorithm AlgorithmIdentifier,
///         certificatesHashIndex SEQUENCE OF OCTET STRING,
///         crlsHashIndex SEQUENCE OF OCTET STRING,
///         unsignedAttrValuesHashIndex SEQUENCE OF OCTET STRING }
package struct ArchiveHashIndex: Sendable {
    package let digest: DigestAlgorithm
    private let certificates: [[UInt8]]
    private let revocations: [[UInt8]]
    private let attributeValues: [[UInt8]]

    /// Creates the index of a message.
    ///
    /// - Parameter signer: the signer whose unsigned attributes are included.
    package init(
        of message: SignedData, _ signer: SignerInfo, digest: DigestAlgorithm
    ) throws(CMSError) {
        self.digest = digest
        do throws(CryptoError) {
            certificates = try Self.hashes(of: message.certificateChoices, digest)
            revocations = try Self.hashes(of: message.revocationChoices, digest)
            attributeValues = try Self.hashes(
                of: signer.unsignedAttributes.flatMap(\.indexedValues), digest)
        } catch {
            throw CMSError(.signingFailed, "hashing", cause: error)
        }
    }

    /// - Parameter der: DER of the attribute value.
    package init(_ der: [UInt8]) throws(CMSError) {
        let name = "the archive timestamp's index"
        guard let node = ASN1Node.parse(der, .der) else {
            throw CMSError(.malformed, "\(name) is no DER")
        }
        var reader = try NodeReader(node, ASN1Tag.sequence, name)
        let algorithm = try AlgorithmIdentifier(try reader.next(), "the index's hash algorithm")
        guard let digest = DigestAlgorithm(algorithm) else {
            throw CMSError(.unsupportedAlgorithm, "\(name) has the unknown hash \(algorithm.oid)")
        }
        self.digest = digest
        var lists: [[[UInt8]]] = []
        for _ in 0..<3 {
            var list = try NodeReader(try reader.next(), ASN1Tag.sequence, name)
            var hashes: [[UInt8]] = []
            for node in try list.rest(limit: Self.entryLimit) {
                hashes.append(try node.octets("a hash of the index"))
            }
            lists.append(hashes)
        }
        try reader.end()
        (certificates, revocations, attributeValues) = (lists[0], lists[1], lists[2])
    }

    /// Maximum number of entries of one kind: a message within the limits cannot have more.
    private static let entryLimit = CMSLimits.attributeCount * CMSLimits.attributeValueCount

    package var encoded: [UInt8] {
        DERWriter.sequence(
            digest.identifier.encoded, Self.list(certificates), Self.list(revocations),
            Self.list(attributeValues))
    }

    private static func list(_ hashes: [[UInt8]]) -> [UInt8] {
        DERWriter.sequence(hashes.map(DERWriter.octets))
    }

    private static func hashes(
        of pieces: [[UInt8]], _ digest: DigestAlgorithm
    ) throws(CryptoError) -> [[UInt8]] {
        var hashes: [[UInt8]] = []
        for piece in pieces { hashes.append(try digest.hash(piece)) }
        return hashes
    }

    /// Whether every hash of this index is in `present`. Elements added later are permitted but not
    /// covered.
    ///
    /// - Parameter present: an index with the same hash algorithm.
    package func isContained(in present: ArchiveHashIndex) -> Bool {
        Set(certificates).isSubset(of: present.certificates)
            && Set(revocations).isSubset(of: present.revocations)
            && Set(attributeValues).isSubset(of: present.attributeValues)
    }

    /// Whether this covers a value of an unsigned attribute.
    package func covers(_ value: [UInt8], of oid: OID) -> Bool {
        let type = DERWriter.objectIdentifier(oid)
        guard let hash = try? digest.hash(type + value) else { return false }
        return attributeValues.contains(hash)
    }

    /// The elements of the message that the index covers.
    ///
    /// - Returns: DER of certificates, CRLs and OCSP responses.
    package func covered(
        of message: SignedData
    ) throws(CryptoError) -> (certificates: [[UInt8]], lists: [[UInt8]], responses: [[UInt8]]) {
        let (certificates, revocations) = (Set(self.certificates), Set(self.revocations))
        var covered: (certificates: [[UInt8]], lists: [[UInt8]], responses: [[UInt8]]) = (
            [], [], []
        )
        for choice in message.certificateChoices {
            let isCovered = try certificates.contains(digest.hash(choice))
            if isCovered, choice.first == ASN1Tag.sequence { covered.certificates.append(choice) }
        }
        for choice in message.revocationChoices {
            guard try revocations.contains(digest.hash(choice)) else { continue }
            if choice.first == ASN1Tag.sequence {
                covered.lists.append(choice)
            } else if let response = SignedData.response(in: choice) {
                covered.responses.append(response)
            }
        }
        return covered
    }
}

extension CMSAttribute {
    /// The type with each value, in the encoding that an index uses.
    fileprivate var indexedValues: [[UInt8]] {
        let type = DERWriter.objectIdentifier(oid)
        return values.map { type + $0 }
    }
}

extension SignedData {
    /// The input of an archive timestamp's hash (ETSI EN 319 122-1 §5.5.3): content type and hash,
    /// the fields of the SignerInfo, and the index.
    ///
    /// - Parameters:
    ///   - contentHash: hash of the content with the timestamp's digest algorithm.
    ///   - index: DER.
    package func archivedBytes(
        of signer: SignerInfo, contentHash: [UInt8], index: [UInt8]
    ) -> [UInt8] {
        DERWriter.objectIdentifier(contentType) + contentHash + signer.signedFields + index
    }
}
