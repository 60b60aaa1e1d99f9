package import Base
package import CryptoBridge

/// Adds certificates, revocation data and unsigned attributes to a message. Signed data do not
/// change, and every existing element keeps its bytes.
package struct SignedDataUpdate {
    /// One SignerInfo, whose signed fields are not parsed.
    private struct Signer {
        var fields: [[UInt8]]
        var unsignedAttributes: [[UInt8]]
        /// As received; nil after a change.
        var received: [UInt8]?

        var encoded: [UInt8] {
            if let received { return received }
            let unsigned = DERWriter.setOf(unsignedAttributes, tag: ASN1Tag.context(1))
            return DERWriter.sequence(fields + (unsignedAttributes.isEmpty ? [] : [unsigned]))
        }
    }

    private let type: [UInt8]
    private var version: Int
    private var digestAlgorithms: [[UInt8]]
    private let content: [UInt8]
    private var certificates: [[UInt8]]
    private var revocations: [[UInt8]]
    private var signers: [Signer]

    /// - Parameter message: DER, or BER as some signers write it.
    package init(_ message: [UInt8]) throws(CMSError) {
        let root = try SignedData.Encoding.either { encoding throws(CMSError) in
            try encoding.parse(message)
        }
        let name = "the message"
        var info = try NodeReader(root, ASN1Tag.sequence, name)
        type = try info.next().bytes
        var wrapper = try NodeReader(try info.next(), ASN1Tag.context(0), name)
        var data = try NodeReader(try wrapper.next(), ASN1Tag.sequence, name)
        version = try data.next().smallInteger("the version")
        digestAlgorithms = try Self.parts(of: data.next(), ASN1Tag.set)
        content = try data.next().bytes
        certificates = try Self.parts(of: data.next(if: ASN1Tag.context(0)), ASN1Tag.context(0))
        revocations = try Self.parts(of: data.next(if: ASN1Tag.context(1)), ASN1Tag.context(1))
        var infos = try NodeReader(try data.next(), ASN1Tag.set, name)
        var signers: [Signer] = []
        for node in try infos.rest(limit: CMSLimits.signerCount) {
            var reader = try NodeReader(node, ASN1Tag.sequence, name)
            var fields = try reader.rest(limit: CMSLimits.attributeCount)
            var unsigned: [[UInt8]] = []
            if let last = fields.last, last.hasNumber(of: ASN1Tag.context(1)) {
                unsigned = try Self.parts(of: last, ASN1Tag.context(1))
                fields.removeLast()
            }
            signers.append(
                Signer(
                    fields: fields.map(\.bytes), unsignedAttributes: unsigned,
                    received: node.bytes))
        }
        self.signers = signers
    }

    private static func parts(of node: ASN1Node?, _ tag: UInt8) throws(CMSError) -> [[UInt8]] {
        guard let node else { return [] }
        var reader = try NodeReader(node, tag, "the message")
        return try reader.rest(limit: CMSLimits.certificateCount).map(\.bytes)
    }

    package var signerCount: Int { signers.count }

    /// Adds elements that are not yet present (ETSI EN 319 122-1 §5.4.2).
    ///
    /// - Parameters:
    ///   - lists: DER of revocation lists.
    ///   - responses: DER of OCSPResponses (RFC 5940 §2.1).
    /// - Returns: the added elements.
    package mutating func add(
        certificates: [[UInt8]], lists: [[UInt8]], responses: [[UInt8]]
    ) throws(CMSError) -> AddedValidationData {
        var added = AddedValidationData()
        func add(_ pieces: [[UInt8]], to all: inout [[UInt8]]) -> Int {
            var known = Set(all)
            let new = pieces.filter { known.insert($0).inserted }
            all += new
            added.bytes += new.map(\.count).reduce(0, +)
            return new.count
        }
        let format = DERWriter.objectIdentifier(.ocspResponse)
        let others = responses.map { DERWriter.element(ASN1Tag.context(1), of: [format, $0]) }
        added.certs = add(certificates, to: &self.certificates)
        added.crls = add(lists, to: &revocations)
        added.ocsps = add(others, to: &revocations)
        // RFC 5652 §5.1: revocation data other than CRLs require version 5.
        if revocations.contains(where: { $0.first != ASN1Tag.sequence }) {
            version = max(version, 5)
        }
        guard max(self.certificates.count, revocations.count) <= CMSLimits.certificateCount else {
            throw CMSError(
                .limitExceeded, "the message would have over \(CMSLimits.certificateCount) elements"
            )
        }
        return added
    }

    package mutating func add(digest: DigestAlgorithm) {
        let known = digestAlgorithms.contains { der in
            let node = ASN1Node.parse(der, .ber)
            let algorithm = node.flatMap { try? AlgorithmIdentifier($0, "a digest algorithm") }
            return algorithm.flatMap { DigestAlgorithm(named: $0) } == digest
        }
        if !known { digestAlgorithms.append(digest.identifier.encoded) }
    }

    /// Adds the signers of another message over this content, with all that they bring. The signers
    /// are sorted (X.690 §11.6), each with unchanged bytes.
    package mutating func addSigners(of other: SignedDataUpdate) throws(CMSError) {
        guard signers.count + other.signers.count <= CMSLimits.signerCount else {
            throw CMSError(
                .limitExceeded, "the message would have over \(CMSLimits.signerCount) signers")
        }
        signers = (signers + other.signers).sorted {
            $0.encoded.lexicographicallyPrecedes($1.encoded)
        }
        for der in other.digestAlgorithms where !digestAlgorithms.contains(der) {
            digestAlgorithms.append(der)
        }
        certificates += other.certificates.filter { !certificates.contains($0) }
        revocations += other.revocations.filter { !revocations.contains($0) }
        version = max(version, other.version)
    }

    /// Adds an unsigned attribute to one SignerInfo.
    ///
    /// - Parameter index: less than ``signerCount``.
    package mutating func add(_ attribute: CMSAttribute, toSigner index: Int) {
        signers[index].unsignedAttributes.append(attribute.encoded)
        signers[index].received = nil
    }

    /// The whole message.
    package var encoded: [UInt8] {
        let data = DERWriter.sequence(
            DERWriter.integer(version), DERWriter.setOf(digestAlgorithms), content,
            certificates.isEmpty ? [] : DERWriter.setOf(certificates, tag: ASN1Tag.context(0)),
            revocations.isEmpty ? [] : DERWriter.setOf(revocations, tag: ASN1Tag.context(1)),
            // The order of signers is kept, so that indexes stay valid.
            DERWriter.element(ASN1Tag.set, of: signers.map(\.encoded)))
        return DERWriter.sequence(type, DERWriter.element(ASN1Tag.context(0), of: [data]))
    }
}

extension SignedData {
    /// A message with one signer, with one more unsigned attribute. Signed data do not change.
    ///
    /// - Parameter message: DER, or BER as some TSAs write it.
    package static func adding(
        _ attribute: CMSAttribute, to message: [UInt8]
    ) throws(CMSError) -> [UInt8] {
        var update = try SignedDataUpdate(message)
        guard update.signerCount == 1 else {
            throw CMSError(.malformed, "the message has several signers, or none")
        }
        update.add(attribute, toSigner: 0)
        return update.encoded
    }
}
