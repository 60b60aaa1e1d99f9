package import Base
package import CMSKit
package import CryptoBridge

/// An evidence record (RFC 4998 §3.1). Nothing in it has been verified; ``EvidenceRecordVerifier``
/// does that.
///
///     EvidenceRecord ::= SEQUENCE {
///         version INTEGER { v1(1) }, digestAlgorithms SEQUENCE OF AlgorithmIdentifier,
///         cryptoInfos [0] OPTIONAL, encryptionInfo [1] OPTIONAL,
///         archiveTimeStampSequence SEQUENCE OF SEQUENCE OF ArchiveTimeStamp }
package struct EvidenceRecord: Sendable {
    /// The algorithms used to hash data objects.
    package private(set) var algorithms: [AlgorithmIdentifier]
    /// cryptoInfos and encryptionInfo as received; empty for XML.
    private let options: [[UInt8]]
    /// What only a record in XML has (RFC 6283); nil for DER and BER.
    package private(set) var xml: XMLParts?
    /// The chains of archive timestamps, oldest first.
    package private(set) var chains: [[ArchiveTimestamp]]

    /// Whether data objects were encrypted before they were hashed (RFC 4998 §6).
    package var isOverEncryptedData: Bool {
        xml?.isOverEncryptedData ?? options.contains { $0.first == ASN1Tag.context(1) }
    }

    /// The parts of a record in XML that the record in ASN.1 has not, or has in another form.
    package struct XMLParts: Sendable {
        /// For each chain but the first, the hash of the canonical ArchiveTimeStampSequence with
        /// the chains before it, with the algorithm of the chain (RFC 6283 §4.2.2).
        package var formerHashes: [[UInt8]] = []
        package var isOverEncryptedData = false
        /// Whether there is information without a meaning for the verification (§2.1).
        package var hasSupportingInformation = false
        /// DER of certificates, CRLs and OCSP responses (CryptographicInformationList, §3.1.3).
        package var certificates: [[UInt8]] = []
        package var lists: [[UInt8]] = []
        package var responses: [[UInt8]] = []
        /// For each chain, hashes a data object, given with its name, in canonical form (§3.1.1); nil
        /// if it is not XML.
        package var forms: [@Sendable ([UInt8], String) throws -> CanonicalHash?] = []

        package init() {}
    }

    /// - Parameters:
    ///   - chains: at least one, each with at least one archive timestamp.
    ///   - xml: the other parts; its former hashes are one fewer than the chains.
    package init(chains: [[ArchiveTimestamp]], _ xml: XMLParts) {
        algorithms = chains.compactMap { $0.first?.digestAlgorithm }
        options = []
        self.chains = chains
        self.xml = xml
    }

    /// Reads DER or BER, and nothing after it.
    package init(_ bytes: [UInt8]) throws(CMSError) {
        guard bytes.count <= EvidenceRecordLimits.byteCount else {
            throw CMSError(
                .limitExceeded,
                "an evidence record of \(bytes.count) bytes, over \(EvidenceRecordLimits.byteCount)"
            )
        }
        if let count = ASN1Node.byteCount(in: bytes, .ber), count < bytes.count {
            let rest = bytes.count - count
            throw CMSError(
                .trailingData,
                rest == 1
                    ? "1 byte follows the evidence record"
                    : "\(rest) bytes follow the evidence record")
        }
        guard let root = ASN1Node.parse(bytes, .der) ?? ASN1Node.parse(bytes, .ber) else {
            throw CMSError(.malformed, "the evidence record is truncated, or not ASN.1 data")
        }
        self = try EvidenceRecord(root)
    }

    private init(_ root: ASN1Node) throws(CMSError) {
        var reader = try NodeReader(root, ASN1Tag.sequence, "the evidence record")
        let version = try reader.next().smallInteger("the version of the evidence record")
        guard version == 1 else {
            throw CMSError(.malformed, "the evidence record has version \(version), not 1")
        }
        var listed = try NodeReader(try reader.next(), ASN1Tag.sequence, "digestAlgorithms")
        algorithms = []
        for node in try listed.rest(limit: EvidenceRecordLimits.chainCount) {
            algorithms.append(try AlgorithmIdentifier(node, "a digest algorithm"))
        }
        options = [reader.next(if: ASN1Tag.context(0)), reader.next(if: ASN1Tag.context(1))]
            .compactMap { $0?.bytes }
        var sequence = try NodeReader(
            try reader.next(), ASN1Tag.sequence, "archiveTimeStampSequence")
        try reader.end()
        chains = []
        var count = 0
        for node in try sequence.rest(limit: EvidenceRecordLimits.chainCount) {
            var chain = try NodeReader(node, ASN1Tag.sequence, "a chain of archive timestamps")
            var timestamps: [ArchiveTimestamp] = []
            for node in try chain.rest(limit: EvidenceRecordLimits.timestampCount - count) {
                timestamps.append(try ArchiveTimestamp(node))
            }
            guard !timestamps.isEmpty else {
                throw CMSError(.malformed, "a chain of archive timestamps is empty")
            }
            count += timestamps.count
            chains.append(timestamps)
        }
        guard !chains.isEmpty else {
            throw CMSError(.malformed, "the evidence record contains no archive timestamp")
        }
    }

    package init(_ first: ArchiveTimestamp, digest: DigestAlgorithm) {
        algorithms = [AlgorithmIdentifier(oid: digest.oid, parameters: DERWriter.null)]
        options = []
        chains = [[first]]
    }

    /// Adds a renewed timestamp to the newest chain (RFC 4998 §5.2).
    package mutating func renew(with timestamp: ArchiveTimestamp) {
        // Parsing and the other initializer ensure a chain.
        chains[chains.count - 1].append(timestamp)
    }

    /// Replaces the newest token by one with further unsigned data.
    package mutating func replaceNewest(with token: TimestampToken) {
        // Parsing and the other initializer ensure a timestamp in each chain.
        let (chain, number) = (chains.count - 1, chains[chains.count - 1].count - 1)
        chains[chain][number] = chains[chain][number].with(token)
    }

    /// Begins a new chain after a renewal of the hash tree (RFC 4998 §5.2).
    package mutating func renewTree(with timestamp: ArchiveTimestamp, digest: DigestAlgorithm) {
        if !algorithms.contains(where: { DigestAlgorithm($0) == digest }) {
            algorithms.append(AlgorithmIdentifier(oid: digest.oid, parameters: DERWriter.null))
        }
        chains.append([timestamp])
    }

    package var encoded: [UInt8] {
        DERWriter.sequence(
            [DERWriter.integer(1), DERWriter.sequence(algorithms.map(\.encoded))] + options
                + [DERWriter.sequence(chains.map(Self.encoded))])
    }

    /// The chains as renewed hash trees cover them, each encoded only once.
    package struct FormerChains {
        fileprivate let chains: [ReceivedEncoding]
        fileprivate let xml: XMLParts?

        /// The hashes that a renewed hash tree may have for the archiveTimeStampSequence with only
        /// the first chains.
        ///
        /// - Parameter count: number of chains, at least one and at most that of the record.
        package func hashes(
            ofFirst count: Int, _ digest: DigestAlgorithm
        ) throws(CryptoError) -> [[UInt8]] {
            if let xml { return [xml.formerHashes[count - 1]] }
            let first = chains.prefix(count)
            var hashes = [try Self.hash(first.map(\.received), digest)]
            if first.contains(where: { $0.definite != nil }) {
                hashes.append(try Self.hash(first.map { $0.definite ?? $0.received }, digest))
            }
            return hashes
        }

        private static func hash(
            _ parts: [[UInt8]], _ digest: DigestAlgorithm
        ) throws(CryptoError) -> [UInt8] {
            let context = try DigestContext(digest)
            let count = parts.reduce(0) { $0 + $1.count }
            try context.update(DERWriter.head(ASN1Tag.sequence, contentByteCount: count))
            for part in parts { try context.update(part) }
            return try context.finish()
        }
    }

    package var formerChains: FormerChains {
        FormerChains(
            chains: xml == nil ? chains.map { ReceivedEncoding(Self.encoded($0)) } : [], xml: xml)
    }

    private static func encoded(_ chain: [ArchiveTimestamp]) -> [UInt8] {
        DERWriter.sequence(chain.map(\.encoded))
    }

    package var objectDigests: Set<DigestAlgorithm> { Set(chains.compactMap { $0.first?.digest }) }

    /// For each chain of a record in XML, the hash of a data object in canonical form; nil if the
    /// object is not XML.
    ///
    /// - Parameter object: the content, at least up to one byte over
    ///   ``EvidenceRecordLimits/canonicalByteCount``.
    package func canonicalHashes(
        of object: [UInt8], named name: String
    ) throws -> [CanonicalHash?] {
        try (xml?.forms ?? []).map { try $0(object, name) }
    }

    /// All archive timestamps, oldest first.
    package var timestamps: [ArchiveTimestamp] { chains.flatMap(\.self) }

    /// DER of every certificate in the timestamps.
    package var certificates: [[UInt8]] {
        timestamps.flatMap { $0.token?.signedData.carriedCertificates ?? [] }
            + (xml?.certificates ?? [])
    }
}

/// An archive timestamp (RFC 4998 §4.1).
///
///     ArchiveTimeStamp ::= SEQUENCE {
///         digestAlgorithm [0] AlgorithmIdentifier OPTIONAL, attributes [1] OPTIONAL,
///         reducedHashtree [2] SEQUENCE OF SEQUENCE OF OCTET STRING OPTIONAL,
///         timeStamp ContentInfo }
package struct ArchiveTimestamp: Sendable {
    package let digestAlgorithm: AlgorithmIdentifier?
    /// The lists of hashes from the data objects to the root; nil without a hash tree.
    package let tree: [[[UInt8]]]?
    /// The ContentInfo of the timestamp as received.
    package private(set) var timestamp: [UInt8]
    /// The timestamp; nil if it is not a readable RFC 3161 token.
    package private(set) var token: TimestampToken?
    /// Why the timestamp cannot be read; nil if it was read.
    let flaw: String?
    /// The fields before the timestamp; empty for XML.
    private let fields: [UInt8]
    /// The hash of the canonical TimeStamp element with the algorithm of the chain; nil if the
    /// timestamp is not renewed, and for DER and BER.
    private let canonicalHash: [UInt8]?

    fileprivate init(_ node: ASN1Node) throws(CMSError) {
        var reader = try NodeReader(node, ASN1Tag.sequence, "an archive timestamp")
        digestAlgorithm = try reader.next(if: ASN1Tag.context(0)).map { (node) throws(CMSError) in
            try AlgorithmIdentifier(
                node, tag: ASN1Tag.context(0), "the digest algorithm of an archive timestamp")
        }
        _ = reader.next(if: ASN1Tag.context(1))
        tree = try reader.next(if: ASN1Tag.context(2)).map { (node) throws(CMSError) in
            try Self.tree(node)
        }
        let content = try reader.next()
        try reader.end()
        timestamp = content.bytes
        fields = Array(node.content[..<content.whole.startIndex])
        canonicalHash = nil
        (token, flaw) = Self.token(in: timestamp)
    }

    private static func token(in bytes: [UInt8]) -> (TimestampToken?, String?) {
        do {
            return (try TimestampToken(attributeValue: bytes), nil)
        } catch {
            return (nil, error.detail)
        }
    }

    /// - Parameter tree: lists of hashes as above, which are written in binary ascending order.
    package init(_ token: TimestampToken, digest: DigestAlgorithm, tree: [[[UInt8]]]?) {
        let algorithm = AlgorithmIdentifier(oid: digest.oid, parameters: DERWriter.null)
        digestAlgorithm = algorithm
        self.tree = tree?.map { $0.sorted { $0.lexicographicallyPrecedes($1) } }
        timestamp = token.encoded
        self.token = token
        flaw = nil
        let name = DERWriter.element(
            ASN1Tag.context(0),
            of: [DERWriter.objectIdentifier(algorithm.oid), algorithm.parameters ?? []])
        let lists = self.tree.map { lists in
            DERWriter.element(
                ASN1Tag.context(2),
                of: lists.map { DERWriter.sequence($0.map { DERWriter.octets($0) }) })
        }
        fields = name + (lists ?? [])
        canonicalHash = nil
    }

    /// An archive timestamp in XML (RFC 6283 §3.1).
    ///
    /// - Parameters:
    ///   - timestamp: the ContentInfo.
    ///   - digest: algorithm of the chain.
    ///   - canonicalHash: hash of the TimeStamp element; nil if the timestamp is not renewed.
    package init(
        timestamp: [UInt8], _ digest: DigestAlgorithm, tree: [[[UInt8]]]?, canonicalHash: [UInt8]?
    ) {
        digestAlgorithm = AlgorithmIdentifier(oid: digest.oid, parameters: nil)
        self.tree = tree
        self.timestamp = timestamp
        (token, flaw) = Self.token(in: timestamp)
        fields = []
        self.canonicalHash = canonicalHash
    }

    var encoded: [UInt8] { DERWriter.sequence(fields, timestamp) }

    /// The same archive timestamp with further unsigned data in its token.
    fileprivate func with(_ token: TimestampToken) -> ArchiveTimestamp {
        var copy = self
        copy.timestamp = token.encoded
        copy.token = token
        return copy
    }

    private static func tree(_ node: ASN1Node) throws(CMSError) -> [[[UInt8]]] {
        var reader = try NodeReader(node, ASN1Tag.context(2), "the reduced hash tree")
        var lists: [[[UInt8]]] = []
        for node in try reader.rest(limit: EvidenceRecordLimits.listCount) {
            var hashes = try NodeReader(node, ASN1Tag.sequence, "a partial hash tree")
            var list: [[UInt8]] = []
            while !hashes.isAtEnd {
                guard list.count < EvidenceRecordLimits.hashCount else {
                    throw CMSError(
                        .limitExceeded,
                        "a list of the hash tree has more than \(EvidenceRecordLimits.hashCount) "
                            + "hashes")
                }
                let node = try hashes.next()
                list.append(try node.octets("a hash of the tree", allowSegments: true))
            }
            lists.append(list)
        }
        return lists
    }

    /// The algorithm of the hash tree: that of the timestamp if none is named (RFC 4998 §4.1). Nil
    /// if it is unknown.
    package var digest: DigestAlgorithm? {
        digestAlgorithm.map { DigestAlgorithm($0) } ?? token?.info.messageImprint.digest
    }

    /// The hashes that a renewed timestamp may have for this one.
    package func timestampHashes(_ digest: DigestAlgorithm) throws(CryptoError) -> [[UInt8]] {
        if let canonicalHash { return [canonicalHash] }
        return try ReceivedEncoding(timestamp).hashes(digest)
    }

    /// The time until which the timestamp proves existence; nil if unknown.
    package var end: CalendarTime? {
        guard let token, let authority = try? token.authority() else { return nil }
        return TimestampEnd.of(
            token.signedData.path(above: authority), digest: token.info.messageImprint.digest)
    }
}

/// An encoding as received, and with definite lengths: RFC 4998 §5.2 requires DER, but timestamps
/// in BER are often hashed as received.
package struct ReceivedEncoding {
    fileprivate let received: [UInt8]
    /// Nil if the encoding is DER.
    fileprivate let definite: [UInt8]?

    package init(_ bytes: [UInt8]) {
        received = bytes
        definite =
            ASN1Node.parse(bytes, .der) == nil ? ASN1Node.parse(bytes, .ber)?.definite : nil
    }

    package func hashes(_ digest: DigestAlgorithm) throws(CryptoError) -> [[UInt8]] {
        var hashes = [try digest.hash(received)]
        if let definite { hashes.append(try digest.hash(definite)) }
        return hashes
    }
}
