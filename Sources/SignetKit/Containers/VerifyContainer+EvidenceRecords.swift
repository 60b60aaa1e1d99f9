import Base
import Containers
import TimestampKit

// Evidence records (RFC 4998) in containers (ETSI EN 319 162-1 §4.3.3 and §4.4.5).
extension VerifyContainer {
    /// What an evidence record of a container proves.
    struct ContainedRecord {
        /// One result for each archive timestamp, oldest first.
        var signatures: [VerifiedSignature] = []
        var problems: [VerificationProblem] = []
        /// DER of the certificates.
        var certificates: [[UInt8]] = []
    }

    /// Verifies a record over the files of its manifest, or over the only file of an ASiC-S
    /// container. Records in XML (RFC 6283) are not checked.
    func evidenceRecord(
        _ unit: SignatureContainer.Unit, _ container: SignatureContainer, _ files: CoveredFiles
    ) throws -> ContainedRecord {
        let name = unit.entry.name
        let covered = try unit.manifest.map { try files.check($0) }
        let entries =
            unit.manifest?.references.compactMap { $0.file.entry(in: container.archive) }
            ?? [unit.signed].compactMap(\.self)
        let bytes = try container.archive.bytes(
            of: unit.entry, limit: EvidenceRecordLimits.byteCount)
        guard let first = entries.first, bytes.first == ASN1Tag.sequence else {
            let reason = entries.isEmpty ? "the files that it covers are unknown" : "it is XML"
            return ContainedRecord(
                problems: [
                    .doubt(
                        .evidenceRecordUnchecked,
                        "the evidence record \(name.inQuotes) was not checked: \(reason)")
                ] + (covered?.problems ?? []))
        }
        guard let record = try? EvidenceRecord(bytes) else {
            var result = Self.unreadable(name, "the evidence record cannot be read")
            result.kind = .timestamp
            return ContainedRecord(signatures: [result])
        }
        let objects = try entries.map { entry in
            let hashes = try record.objectDigests.map { ($0, [try files.hash(of: entry, $0)]) }
            let content =
                entry.byteCount <= ReducedHashTree.nodeByteLimit
                ? try container.archive.bytes(of: entry, limit: ReducedHashTree.nodeByteLimit) : []
            return EvidencedObject(
                name: entry.name, hashes: Dictionary(hashes) { $1 },
                ambiguous: record.objectDigests.filter { ReducedHashTree.mayBeNode(content, $0) })
        }
        let check = try EvidenceRecordVerifier(timestamps.verifier).verify(record, objects)
        let content = entries.count == 1 ? first.name : "\(entries.count) files"
        var signatures = try check.signatures(named: "\(name), ", content: content, timestamps)
        for index in signatures.indices { signatures[index].adopt(covered, of: first) }
        return ContainedRecord(signatures: signatures, certificates: record.certificates)
    }
}
