import Base
import Containers
import CryptoBridge
import TimestampKit

// Evidence records (RFC 4998, RFC 6283) in containers (ETSI EN 319 162-1 §4.3.3 and §4.4.5).
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
    /// container.
    func evidenceRecord(
        _ unit: SignatureContainer.Unit, _ container: SignatureContainer, _ files: CoveredFiles
    ) throws -> ContainedRecord {
        let name = unit.entry.name
        let covered = try unit.manifest.map { try files.check($0, at: now) }
        var entries =
            unit.manifest?.references.compactMap { $0.file.entry(in: container.archive) }
            ?? [unit.signed].compactMap(\.self)
        // In ASiC-S the record is over the file, whatever a manifest adds (§4.3.3.2).
        if container.kind == .simple, let file = container.files.first,
            !entries.contains(where: { $0.name == file.name })
        {
            entries.append(file)
        }
        let bytes = try container.archive.bytes(
            of: unit.entry, limit: EvidenceRecordLimits.byteCount)
        func unchecked(_ reason: String) -> ContainedRecord {
            ContainedRecord(
                problems: [
                    .doubt(
                        .evidenceRecordUnchecked,
                        "the evidence record \(name.inQuotes) was not checked: \(reason)")
                ] + (covered?.problems ?? []))
        }
        guard let first = entries.first else {
            return unchecked("the files that it covers are unknown")
        }
        let record: EvidenceRecord
        do {
            record = try EvidenceRecordFile.read(bytes)
        } catch let error as ContainerError where error.code == .unsupported {
            return unchecked(error.detail)
        } catch  where !error.isOfMachine {
            var result = Self.unreadable(
                name, "the evidence record cannot be read: \(error)", error)
            result.kind = .timestamp
            return ContainedRecord(signatures: [result])
        }
        let objects = try entries.map { try object($0, of: record, container, files) }
        let check = try EvidenceRecordVerifier(timestamps.verifier).verify(record, objects)
        let content = entries.count == 1 ? first.name : "\(entries.count) files"
        var signatures = try check.signatures(named: "\(name), ", content: content, timestamps)
        for index in signatures.indices { signatures[index].adopt(covered, of: first) }
        // The manifest is not covered (EN 319 162-1 §4.4.5).
        let note = VerificationProblem.remark(
            .fileNotCovered,
            "the evidence record \(name.inQuotes) covers the content of files, not their names")
        return ContainedRecord(
            signatures: signatures, problems: unit.manifest == nil ? [] : [note],
            certificates: record.certificates)
    }

    /// An entry as a data object, hashed as the record needs it.
    private func object(
        _ entry: ZIPEntry, of record: EvidenceRecord, _ container: SignatureContainer,
        _ files: CoveredFiles
    ) throws -> EvidencedObject {
        let limit = EvidenceRecordLimits.canonicalByteCount
        var content: [UInt8] = []
        let ambiguous = try NodeForm.ambiguous(record.objectDigests) { inspect in
            try container.archive.stream(entry) { part in
                try inspect(part)
                guard record.xml != nil else { return }
                for index in part.indices where content.count <= limit {
                    content.append(part[index])
                }
            }
        }
        let hashes = try record.objectDigests.reduce(into: [DigestAlgorithm: [[UInt8]]]()) {
            $0[$1] = [try files.hash(of: entry, $1)]
        }
        var object = EvidencedObject(name: entry.name, hashes: hashes, ambiguous: ambiguous)
        object.forms = try record.canonicalHashes(of: content, named: entry.name)
        return object
    }
}
