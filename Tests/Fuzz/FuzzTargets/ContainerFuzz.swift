import Base
import Containers
import CryptoBridge
import TimestampKit

/// Reads the input as a container (ETSI EN 319 162-1), or as a file of XML signatures in one.
enum ContainerFuzz {
    private static let time = CalendarTime(secondsSinceEpoch: 1_780_000_000)

    /// A container that was read has the same files after its entries were copied.
    static func failure(of bytes: [UInt8]) -> String? {
        guard let container = try? SignatureContainer(MemorySource(bytes), name: "a.asice") else {
            return nil
        }
        let files = CoveredFiles(container)
        for unit in container.units {
            if let manifest = unit.manifest { _ = try? files.check(manifest, at: time) }
            guard unit.form == .signatureFile,
                let content = try? container.archive.bytes(of: unit.entry, limit: 1 << 20)
            else { continue }
            verify(content, files, container.archive)
        }
        var copy: [UInt8] = []
        do {
            var writer = ZIPWriter { part in
                for index in part.indices { copy.append(part[index]) }
            }
            try writer.copy(container.archive)
            try writer.finish(comment: container.archive.comment)
        } catch {
            return "the copy fails: \(error)"
        }
        return copy == bytes ? nil : "the copy of the archive is another"
    }

    /// - Parameter bytes: a file of XML signatures.
    static func signatureFailure(of bytes: [UInt8]) -> String? {
        var archive: [UInt8] = []
        do {
            var writer = ZIPWriter { part in
                for index in part.indices { archive.append(part[index]) }
            }
            try writer.add("a.xml", Array("<a/>".utf8))
            try writer.add("META-INF/signatures.xml", bytes)
            try writer.finish()
        } catch {
            return "the container cannot be written: \(error)"
        }
        guard let container = try? SignatureContainer(MemorySource(archive), name: "a.asice")
        else { return "the container cannot be read" }
        verify(bytes, CoveredFiles(container), container.archive)
        return nil
    }

    /// - Parameter bytes: an evidence record in XML, also taken as the object that it covers.
    static func recordFailure(of bytes: [UInt8]) -> String? {
        guard let record = try? XMLEvidenceRecord.read(bytes) else { return nil }
        let hashes = record.objectDigests.map { ($0, [(try? $0.hash(bytes)) ?? []]) }
        var object = EvidencedObject(
            name: "object", hashes: Dictionary(uniqueKeysWithValues: hashes))
        object.forms = (try? record.canonicalHashes(of: bytes, named: "a.xml")) ?? []
        let verifier = TimestampVerifier(
            anchors: .certificates([]), time: time)
        let check = try? EvidenceRecordVerifier(verifier).verify(
            record, [object])
        // There are no trust anchors, so no record may pass.
        return check?.verdict == .passed ? "passed without an anchor" : nil
    }

    private static func verify(_ bytes: [UInt8], _ files: CoveredFiles, _ archive: ZIPArchive) {
        _ = try? XAdESFile(bytes).signatures(files, in: archive, [])
    }
}
