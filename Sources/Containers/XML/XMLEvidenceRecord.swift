import Base
import CryptoBridge
import TextBridge
package import TimestampKit
import TrustKit

/// Reads evidence records in XML (RFC 6283) as ``EvidenceRecord``.
package enum XMLEvidenceRecord {
    private static let namespace = "urn:ietf:params:xml:ns:ers"

    /// Whether XML is an evidence record: its root element has the name of one.
    package static func isRecord(_ bytes: [UInt8]) -> Bool {
        (try? XMLTree(bytes, byteLimit: ContainerLimits.recordByteCount))?.root.name
            == XMLName("EvidenceRecord", namespace: namespace)
    }

    /// - Throws: ``XMLError``, or ``ContainerError``: `unsupported` for an unknown algorithm.
    package static func read(_ bytes: [UInt8]) throws -> EvidenceRecord {
        let tree = try XMLTree(bytes, byteLimit: ContainerLimits.recordByteCount)
        guard tree.root.name == XMLName("EvidenceRecord", namespace: namespace) else {
            throw ContainerError(.malformed, "its root element is not an EvidenceRecord")
        }
        let version = tree.root[attribute: "Version"] ?? ""
        guard version == "1.0" else {
            throw ContainerError(
                .unsupported, "the version \(version.inQuotes) of the evidence record is unknown")
        }
        let sequence = try tree.root.required("ArchiveTimeStampSequence")
        let branches = try sequence.ordered(
            "ArchiveTimeStampChain", limit: EvidenceRecordLimits.chainCount)
        var parts = EvidenceRecord.XMLParts()
        parts.isOverEncryptedData =
            !tree.root.all("EncryptionInformation", in: namespace).isEmpty
        parts.hasSupportingInformation =
            !tree.root.all("SupportingInformationList", in: namespace).isEmpty
        var chains: [[ArchiveTimestamp]] = []
        var rest = EvidenceRecordLimits.timestampCount
        for (index, branch) in branches.enumerated() {
            let chain = try Chain(branch, tree)
            parts.forms.append(chain.objectForm)
            if index > 0 {
                parts.formerHashes.append(
                    try chain.hash(of: sequence, omitting: Array(branches[index...])))
            }
            chains.append(try chain.timestamps(limit: rest, &parts))
            rest -= chains[index].count
        }
        return EvidenceRecord(chains: chains, parts)
    }

    /// An ArchiveTimeStampChain: its timestamps have one hash algorithm and one canonicalization.
    private struct Chain {
        private let branch: XMLBranch
        private let tree: XMLTree
        private let digest: DigestAlgorithm
        private let form: XMLTransforms.Canonicalization

        init(_ branch: XMLBranch, _ tree: XMLTree) throws {
            self.branch = branch
            self.tree = tree
            let method = try branch.required("DigestMethod")[attribute: "Algorithm"] ?? ""
            guard let digest = XMLAlgorithm.digest(method) else {
                throw ContainerError(
                    .unsupported, "the digest algorithm \(method.inQuotes) is unknown")
            }
            self.digest = digest
            form = try XMLTransforms.Canonicalization(
                try branch.required("CanonicalizationMethod"))
        }

        func hash(of element: XMLBranch, omitting omitted: [XMLBranch] = []) throws -> [UInt8] {
            try digest.hash(try form.octets(of: element, in: tree, omitting: omitted))
        }

        /// Hashes a data object, given with its name, in canonical form; nil if it is not XML.
        var objectForm: @Sendable ([UInt8], String) throws -> CanonicalHash? {
            { [form, digest] bytes, name in
                do {
                    let file = try form.form(of: bytes, named: name)
                    return CanonicalHash(
                        value: try digest.hash(file.octets), problem: file.problem)
                } catch let error as ContainerError {
                    // XML begins so in every encoding, after a byte order mark or none.
                    guard bytes.prefix(4).contains(UInt8(ascii: "<")) else { return nil }
                    return CanonicalHash(
                        value: nil,
                        problem: .doubt(.digestUnavailable, error.detail, .signedDataNotFound))
                }
            }
        }

        func timestamps(
            limit: Int, _ parts: inout EvidenceRecord.XMLParts
        ) throws -> [ArchiveTimestamp] {
            let members = try branch.ordered("ArchiveTimeStamp", limit: limit)
            return try members.enumerated().map { index, member in
                let stamp = try member.required("TimeStamp")
                let token = try stamp.required("TimeStampToken")
                guard token[attribute: "Type"] == "RFC3161" else {
                    throw ContainerError(.unsupported, "a timestamp is not an RFC 3161 timestamp")
                }
                guard let bytes = token.base64 else {
                    throw ContainerError(.malformed, "a timestamp is not in base64")
                }
                Self.collect(stamp, &parts)
                return ArchiveTimestamp(
                    timestamp: bytes, digest, tree: try Self.tree(of: member),
                    canonicalHash: index + 1 < members.count ? try hash(of: stamp) : nil)
            }
        }

        private static func tree(of member: XMLBranch) throws -> [[[UInt8]]]? {
            let found = member.all("HashTree", in: namespace)
            guard found.count <= 1 else {
                throw ContainerError(.malformed, "an archive timestamp has several hash trees")
            }
            return try found.first?.ordered("Sequence", limit: EvidenceRecordLimits.listCount)
                .map { list in
                    try list.all("DigestValue", in: namespace).map { element in
                        guard let value = element.base64 else {
                            throw ContainerError(.malformed, "a hash is not in base64")
                        }
                        return value
                    }
                }
        }

        /// Collects the certificates and revocation data next to a timestamp.
        private static func collect(
            _ stamp: XMLBranch, _ parts: inout EvidenceRecord.XMLParts
        ) {
            let items = stamp.all("CryptographicInformationList", in: namespace)
                .flatMap { $0.all("CryptographicInformation", in: namespace) }
            for item in items.prefix(ContainerLimits.signatureCount) {
                guard let value = item.base64 else { continue }
                switch item[attribute: "Type"] {
                case "CERT": parts.certificates.append(value)
                case "CRL": parts.lists.append(value)
                case "OCSP": parts.responses.append(value)
                default: break
                }
            }
        }
    }
}

extension XMLBranch {
    /// The only child with that name and the namespace of the parent.
    fileprivate func required(_ local: String) throws -> XMLBranch {
        guard let found = only(local, in: name.namespace) else {
            throw ContainerError(.malformed, "\(name.local) must have exactly one \(local)")
        }
        return found
    }

    /// The children with that name, whose `Order` counts from 1 (RFC 6283 §3.1): canonical forms
    /// have the order of the document.
    fileprivate func ordered(_ local: String, limit: Int) throws -> [XMLBranch] {
        let found = all(local, in: name.namespace)
        guard !found.isEmpty, found.count <= limit else {
            throw ContainerError(
                .malformed, "\(name.local) has \(found.count) \(local), not 1 to \(limit)")
        }
        let orders = found.map { $0[attribute: "Order"].flatMap { Int($0) } ?? 0 }
        guard orders == Array(1...found.count) else {
            throw ContainerError(
                .malformed,
                "the Order attributes of \(local) in \(name.local) do not count from 1")
        }
        return found
    }
}
