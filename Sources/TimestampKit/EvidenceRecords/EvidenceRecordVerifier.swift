package import Base
internal import CMSKit
package import CryptoBridge
internal import TrustKit

/// A data object of which an evidence record is to prove the existence.
package struct EvidencedObject: Sendable {
    /// Name for people.
    package let name: String
    /// Hashes of the object. Several for one algorithm are alternatives, such as encodings.
    package let hashes: [DigestAlgorithm: [[UInt8]]]
    /// The algorithms for which the object could be an inner node of the tree.
    package let ambiguous: Set<DigestAlgorithm>

    package init(
        name: String, hashes: [DigestAlgorithm: [[UInt8]]], ambiguous: Set<DigestAlgorithm> = []
    ) {
        self.name = name
        self.hashes = hashes
        self.ambiguous = ambiguous
    }
}

/// The result of verifying an evidence record.
package struct EvidenceRecordCheck: Sendable {
    /// The result for one archive timestamp.
    package struct Stamp: Sendable {
        /// Numbers of the chain and of the timestamp in the chain, from 1.
        package let place: (chain: Int, number: Int)
        package let check: TimestampCheck
        /// Algorithm of the hash tree; nil if it is unknown.
        package let digest: DigestAlgorithm?
        /// Whether the tree covers what it must cover: the objects, or the earlier timestamps.
        package let covers: Bool
    }

    /// Oldest first.
    package let stamps: [Stamp]
    /// For each object whether every chain covers it; nil if that cannot be determined.
    package let coverage: [Bool?]
    /// Number of hashes in the first list of the oldest archive timestamp.
    package let firstHashCount: Int

    package var verdict: Verdict { stamps.map(\.check.verdict).max() ?? .failed }
}

/// Verifies evidence records by all requirements of RFC 4998 §§4.3 and 5.3, and RFC 6283 §§3.3 and
/// 4.3.
package struct EvidenceRecordVerifier {
    private let timestamps: TimestampVerifier
    /// Validation time.
    private let time: CalendarTime

    /// - Parameter timestamps: verifies the newest timestamp at the validation time.
    package init(_ timestamps: TimestampVerifier) {
        self.timestamps = timestamps
        time = timestamps.time
    }

    /// Verifies the record for all objects together. Without objects it cannot pass.
    package func verify(
        _ record: EvidenceRecord, _ objects: [EvidencedObject]
    ) throws(CryptoError) -> EvidenceRecordCheck {
        var verifier = timestamps
        let all = record.timestamps
        for token in all.compactMap(\.token) {
            verifier.additionalCertificates += token.signedData.certificates.compactMap {
                try? Certificate(der: $0)
            }
            verifier.evidence.formUnion(RevocationEvidence(in: token.signedData))
        }
        if let xml = record.xml {
            verifier.additionalCertificates += xml.certificates.compactMap {
                try? Certificate(der: $0)
            }
            verifier.evidence.formUnion(
                RevocationEvidence(listsIn: xml.lists, responsesIn: xml.responses))
        }
        var stamps: [EvidenceRecordCheck.Stamp] = []
        var coverage: [Bool?] = objects.map { _ in true }
        for (chain, members) in record.chains.enumerated() {
            for (number, member) in members.enumerated() {
                let found =
                    number == 0
                    ? try leaves(of: objects, record, chain, &coverage)
                    : try renewed(members[number - 1], by: member, first: members[0])
                let next = all.dropFirst(stamps.count + 1).first?.token?.info.genTime.time
                let former = stamps.last?.check.info?.genTime.time
                stamps.append(
                    try stamp(
                        member, found,
                        Place(
                            chain: chain + 1, number: number + 1, former: former,
                            verifier: verifier.moved(to: min(next ?? time, time)),
                            isListed: record.lists(member))))
            }
        }
        let first = record.chains[0][0]
        return EvidenceRecordCheck(
            stamps: stamps, coverage: coverage, firstHashCount: first.tree?.first?.count ?? 1)
    }

    // MARK: What a tree must cover

    /// Whether an archive timestamp covers what it must cover.
    private struct Leaves {
        /// Whether everything required is covered.
        var isComplete = true
        var problems: [VerificationProblem] = []
    }

    /// The data objects in the first archive timestamp of a chain: their hashes, and after a
    /// renewal of the hash tree the hashes over them and all earlier chains (RFC 4998 §5.2).
    private func leaves(
        of objects: [EvidencedObject], _ record: EvidenceRecord, _ chain: Int,
        _ coverage: inout [Bool?]
    ) throws(CryptoError) -> Leaves {
        let stamp = record.chains[chain][0]
        var leaves = Leaves()
        guard let digest = stamp.digest else {
            coverage = coverage.map { $0 == true ? nil : $0 }
            leaves.isComplete = false
            return leaves
        }
        if objects.isEmpty {
            leaves.isComplete = false
            leaves.problems.append(
                .doubt(
                    .objectMissing, "the data objects of the evidence record are not given",
                    .signedDataNotFound))
        }
        let earlier = chain == 0 ? [] : try record.sequenceHashes(ofFirst: chain, digest)
        for (index, object) in objects.enumerated() {
            guard let own = object.hashes[digest] else {
                leaves.isComplete = false
                coverage[index] = coverage[index] == true ? nil : coverage[index]
                leaves.problems.append(
                    .doubt(
                        .digestUnavailable,
                        "the \(digest.displayName) hash of \(object.name) is not given",
                        .signedDataNotFound))
                continue
            }
            if try !covers(own, record, chain, earlier) {
                leaves.isComplete = false
                coverage[index] = false
                leaves.problems.append(
                    .failure(
                        chain == 0 ? .objectNotRecorded : .renewalMismatch,
                        chain == 0
                            ? "the evidence record does not cover \(object.name): the file was "
                                + "modified, or is another one"
                            : "the renewed hash tree does not cover \(object.name) together with "
                                + "the earlier chains", .hashFailure))
            }
            if object.ambiguous.contains(digest) {
                leaves.problems.append(
                    .doubt(
                        .objectAmbiguous,
                        "\(object.name) has the form of a node of the hash tree: whether such a "
                            + "file existed is not proven"))
            }
        }
        return leaves
    }

    /// Whether the first archive timestamp of a chain covers an object, and the chains before.
    ///
    /// - Parameters:
    ///   - own: hashes of the object, which are alternatives.
    ///   - earlier: hashes of the chains before, which are alternatives; empty for the first chain.
    private func covers(
        _ own: [[UInt8]], _ record: EvidenceRecord, _ chain: Int, _ earlier: [[UInt8]]
    ) throws(CryptoError) -> Bool {
        let stamp = record.chains[chain][0]
        guard chain > 0, let digest = stamp.digest else { return own.contains(where: stamp.lists) }
        if record.xml != nil {
            // RFC 6283 §4.2.2: the list contains both hashes.
            return own.contains(where: stamp.lists) && earlier.contains(where: stamp.lists)
        }
        for hash in own {
            for former in earlier where stamp.lists(try digest.hash(hash + former)) { return true }
        }
        return false
    }

    /// The timestamp before a renewed one in the same chain.
    private func renewed(
        _ former: ArchiveTimestamp, by stamp: ArchiveTimestamp, first: ArchiveTimestamp
    ) throws(CryptoError) -> Leaves {
        var leaves = Leaves()
        if first.digest != stamp.digest {
            leaves.problems.append(
                .failure(
                    .algorithmMismatch,
                    "the archive timestamps of one chain use different hash algorithms",
                    .formatFailure))
        }
        guard let digest = stamp.digest else {
            leaves.isComplete = false
            return leaves
        }
        let possible = try former.timestampHashes(digest)
        if !possible.contains(where: { stamp.lists($0) }) {
            leaves.isComplete = false
            leaves.problems.append(
                .failure(
                    .renewalMismatch,
                    "the archive timestamp does not cover the timestamp before it", .hashFailure))
        }
        return leaves
    }

    // MARK: One archive timestamp

    /// The place of an archive timestamp in its record.
    private struct Place {
        let chain: Int
        let number: Int
        /// Time of the timestamp before; nil for the first.
        let former: CalendarTime?
        /// Verifies at the time of the next timestamp.
        let verifier: TimestampVerifier
        /// Whether the record lists the hash algorithm.
        let isListed: Bool
    }

    private func stamp(
        _ stamp: ArchiveTimestamp, _ leaves: Leaves, _ place: Place
    ) throws(CryptoError) -> EvidenceRecordCheck.Stamp {
        let (verifier, numbers) = (place.verifier, (place.chain, place.number))
        guard let token = stamp.token else {
            let problem = VerificationProblem.failure(
                .timestampInvalid, "the timestamp is not a readable RFC 3161 timestamp")
            return .init(
                place: numbers,
                check: TimestampCheck(info: nil, problems: leaves.problems + [problem]),
                digest: stamp.digest, covers: false)
        }
        var problems = leaves.problems
        let imprint = token.info.messageImprint
        if let named = stamp.digestAlgorithm, !named.isSame(as: imprint.algorithm) {
            problems.append(
                .failure(
                    .imprintAlgorithmMismatch,
                    "the hash tree and its timestamp use different hash algorithms", .hashFailure))
        }
        if let former = place.former, token.info.genTime.time < former {
            problems.append(
                .failure(
                    .timestampOrder,
                    "the archive timestamp is older than the one before it", .formatFailure))
        }
        var root: [UInt8]?
        if let tree = stamp.tree, let digest = stamp.digest {
            root = try ReducedHashTree.root(of: tree, digest)
            if root == nil {
                problems.append(
                    .failure(.hashTreeMalformed, "the hash tree contains an invalid list of hashes")
                )
            }
            if let first = tree.first, Set(first).count < first.count {
                problems.append(
                    .doubt(.hashRepeated, "the first list of the hash tree repeats a hash"))
            }
        } else if stamp.tree == nil {
            root = imprint.hashedMessage
        }
        if !place.isListed {
            problems.append(
                .remark(
                    .recordAlgorithmUnlisted,
                    "the evidence record does not list the hash algorithm of this timestamp"))
        }
        let check = try verifier.verify(token, hash: root).standingAlone(verifier)
        return .init(
            place: numbers, check: check.adding(problems), digest: stamp.digest,
            covers: leaves.isComplete && root != nil)
    }
}

extension ArchiveTimestamp {
    /// Whether the first list of the tree contains a hash; without a tree, whether the timestamp is
    /// over it.
    fileprivate func lists(_ hash: [UInt8]) -> Bool {
        guard let tree else { return token?.info.messageImprint.hashedMessage == hash }
        return tree.first?.contains(hash) ?? false
    }
}

extension EvidenceRecord {
    /// Whether digestAlgorithms contains the algorithm of an archive timestamp (RFC 4998 §3.1).
    fileprivate func lists(_ stamp: ArchiveTimestamp) -> Bool {
        guard let digest = stamp.digest else { return true }
        return algorithms.contains { $0.oid == digest.oid }
    }
}
