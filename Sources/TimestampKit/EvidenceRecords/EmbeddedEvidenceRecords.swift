internal import Base
package import CMSKit
package import CryptoBridge

/// The evidence records in the unsigned attributes of a CMS message (RFC 4998 Appendix A, ETSI TS
/// 119 122-3 §5).
package struct EmbeddedEvidenceRecords: Sendable {
    /// One record, and the place where it is.
    package struct Item: Sendable {
        /// Whether the record covers the detached content as a separate object, and not only the
        /// message (id-aa-er-external).
        package let isExternal: Bool
        /// The record; nil if it is malformed.
        package let record: EvidenceRecord?
        fileprivate let value: [UInt8]

        fileprivate init(_ value: [UInt8], isExternal: Bool) {
            self.isExternal = isExternal
            self.value = value
            record = try? EvidenceRecord(value)
        }

        fileprivate var time: CalendarTime? {
            record?.chains.first?.first?.token?.info.genTime.time
        }
    }

    /// In chronological order.
    package let items: [Item]
    private let root: ASN1Node?

    /// - Parameters:
    ///   - message: the parsed message.
    ///   - bytes: its DER or BER.
    package init(in message: SignedData, _ bytes: [UInt8]) {
        let attributes = message.signers.flatMap(\.unsignedAttributes)
        let found = attributes.filter { [.evidenceInternal, .evidenceExternal].contains($0.oid) }
            .flatMap { attribute in
                attribute.values.map { Item($0, isExternal: attribute.oid == .evidenceExternal) }
            }
        // Unreadable records are last, so that they change no other record's message.
        let latest = CalendarTime(secondsSinceEpoch: .max / 4)
        items = found.prefix(EvidenceRecordLimits.recordCount)
            .sorted { ($0.time ?? latest) < ($1.time ?? latest) }
        root = found.isEmpty ? nil : ASN1Node.parse(bytes, .ber)
    }

    /// The algorithms with which the signed content must be hashed to verify external records.
    package var contentDigests: Set<DigestAlgorithm> {
        Set(items.filter(\.isExternal).flatMap { $0.record?.objectDigests ?? [] })
    }

    /// The message as the record at `index` covers it: without this record and later ones, but with
    /// unchanged encoding.
    package func message(before index: Int) -> [UInt8]? {
        guard let root else { return nil }
        let removed = Set(items[index...].map(\.value))
        func rebuilt(_ node: ASN1Node, _ depth: Int) -> [UInt8] {
            var parts = Self.children(of: node)
            // ContentInfo, [0], SignedData, signerInfos, SignerInfo, unsignedAttrs, Attribute.
            if depth == 5 {
                let attributes = parts.compactMap { Self.attribute($0, without: removed) }
                return attributes.isEmpty ? [] : Self.element(node, attributes)
            }
            guard let last = parts.popLast() else { return node.bytes }
            let isLeaf = depth == 4 && !last.hasNumber(of: ASN1Tag.context(1))
            var all = parts.map(\.bytes)
            if depth == 3 {
                // Any signer may have records.
                all = parts.map { rebuilt($0, depth + 1) }
            }
            return Self.element(node, all + [isLeaf ? last.bytes : rebuilt(last, depth + 1)])
        }
        return rebuilt(root, 0)
    }

    private static func children(of node: ASN1Node) -> [ASN1Node] {
        var reader = node.reader
        var children: [ASN1Node] = []
        while let child = reader.next() { children.append(child) }
        return children
    }

    /// An attribute without removed records; nil if nothing remains.
    private static func attribute(
        _ node: ASN1Node, without removed: Set<[UInt8]>
    ) -> [UInt8]? {
        let parts = children(of: node)
        guard parts.count == 2, let type = parts[0].objectIdentifier,
            [.evidenceInternal, .evidenceExternal].contains(type)
        else { return node.bytes }
        let values = children(of: parts[1])
        let kept = values.filter { !removed.contains($0.bytes) }
        guard kept.count < values.count else { return node.bytes }
        guard !kept.isEmpty else { return nil }
        return element(node, [parts[0].bytes, element(parts[1], kept.map(\.bytes))])
    }

    /// An element with other content, of indefinite length if it was before.
    private static func element(_ node: ASN1Node, _ parts: [[UInt8]]) -> [UInt8] {
        guard ASN1Node.isIndefinite(Array(node.whole.prefix(2))) else {
            return DERWriter.element(node.tag, of: parts)
        }
        return [node.tag, 0x80] + parts.joined() + [0, 0]
    }
}
