import Base
import CryptoBridge
import TimestampKit

extension VerifyMessage {
    /// Verifies the evidence records in a message (RFC 4998 Appendix A, ETSI TS 119 122-3 §5).
    ///
    /// - Parameters:
    ///   - signers: the results for the signers.
    ///   - contentHash: returns a hash of the signed content; nil if it is not available.
    /// - Returns: the results for the archive timestamps, and the worst verdict.
    func verify(
        _ records: EmbeddedEvidenceRecords, of signers: [Answer],
        _ timestamps: @autoclosure () throws -> VerifyTimestamp,
        contentHash: (DigestAlgorithm) throws -> [UInt8]?
    ) throws -> (signatures: [VerifiedSignature], verdict: Verdict) {
        guard !records.items.isEmpty else { return ([], .passed) }
        let timestamps = try timestamps()
        var signatures: [VerifiedSignature] = []
        for (index, item) in records.items.enumerated() {
            let name = "evidence record \(index + 1)"
            guard let record = item.record, let message = records.message(before: index) else {
                let problem = VerificationProblem.failure(
                    .recordMalformed, "the evidence record is malformed")
                signatures.append(
                    VerifiedSignature(
                        field: name, kind: .timestamp, verdict: .failed,
                        subindication: .formatFailure, problems: [problem]))
                continue
            }
            let digests = record.objectDigests
            let encoding = ReceivedEncoding(message)
            var objects = [
                EvidencedObject(
                    name: "the signature",
                    hashes: try digests.reduce(into: [:]) { $0[$1] = try encoding.hashes($1) })
            ]
            objects[0].notBefore = signers.compactMap(\.notBefore).max()
            objects[0].claimedTime = signers.compactMap { $0.result.claimedTime?.time }.max()
            if item.isExternal {
                let hashes = try digests.reduce(into: [DigestAlgorithm: [[UInt8]]]()) {
                    $0[$1] = try contentHash($1).map { [$0] }
                }
                objects.append(EvidencedObject(name: "the signed content", hashes: hashes))
            }
            let check = try EvidenceRecordVerifier(timestamps.verifier).verify(record, objects)
            signatures += try check.signatures(
                named: "\(name) (\(item.isExternal ? "external" : "internal")), ",
                content: item.isExternal ? "the signature and its content" : "the signature",
                timestamps)
        }
        return (signatures, signatures.map(\.verdict).max() ?? .failed)
    }
}
