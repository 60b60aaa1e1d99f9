import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TrustKit

@testable import SignetKit
@testable import TimestampKit

/// Parses arbitrary bytes as an evidence record, as a message with evidence records, and as a list
/// of leaves. It must return for all bytes.
enum EvidenceRecordFuzzing {
    /// - Returns: the failure; nil if the result is correct.
    static func failure(of bytes: [UInt8]) -> String? {
        if let problem = failureOfLeaves(bytes) { return problem }
        if let message = try? SignedData(bytes, encoding: .ber) {
            let records = EmbeddedEvidenceRecords(in: message, bytes)
            for index in records.items.indices {
                guard let rest = records.message(before: index),
                    (try? SignedData(rest, encoding: .ber)) != nil
                else { return "a message without its records is not a message" }
            }
        }
        guard let record = try? EvidenceRecord(bytes) else { return nil }
        guard let again = try? EvidenceRecord(record.encoded), again.encoded == record.encoded,
            again.timestamps.count == record.timestamps.count
        else { return "a record that is written differently" }
        let hashes = Dictionary(
            uniqueKeysWithValues: record.objectDigests.map {
                ($0, record.chains[0][0].tree?.first ?? [])
            })
        let verifier = TimestampVerifier(
            anchors: .certificates([]), time: CalendarTime(secondsSinceEpoch: 1_780_000_000))
        let objects = [EvidencedObject(name: "object", hashes: hashes)]
        let check = try? EvidenceRecordVerifier(verifier).verify(record, objects)
        // There are no trust anchors, so no record may pass.
        return check?.verdict == .passed ? "passed without an anchor" : nil
    }

    /// The lines of the blocks must be those of the whole list.
    private static func failureOfLeaves(_ bytes: [UInt8]) -> String? {
        guard bytes.starts(with: "signet.tree".utf8),
            let leaves = try? TreeLeaves(InputFile(bytes: bytes, name: "list"))
        else { return nil }
        var names: [String] = []
        let isRead: Void? = try? leaves.forEach { names.append($0.name) }
        let blocks = try? leaves.blocks.indices.flatMap { try leaves.lines(ofBlock: $0) }
        guard isRead != nil, names.count == leaves.count, blocks?.map(\.name) == names else {
            return "the blocks of a list of leaves have other lines"
        }
        return names.contains { $0.split(separator: "/").contains("..") }
            ? "a name leads out of the folder" : nil
    }
}
