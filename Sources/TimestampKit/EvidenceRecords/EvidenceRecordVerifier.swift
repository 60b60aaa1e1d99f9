package import Base
internal import CMSKit
package import CryptoBridge
internal import TrustKit

/// The hash of a data object in canonical form, with the algorithm of a chain (RFC 6283 §3.1.1).
package struct CanonicalHash: Sendable {
    /// Nil if the form could not be computed.
    package let value: [UInt8]?
    /// Why it could not be computed, or what the form does not cover; nil if the object has it.
    package let problem: VerificationProblem?

    package init(value: [UInt8]?, problem: VerificationProblem?) {
        self.value = value
        self.problem = problem
    }
}

/// A data object of which an evidence record is to prove the existence.
package struct EvidencedObject: Sendable {
    /// Name for people.
    package let name: String
    /// Hashes of the object. Several for one algorithm are alternatives, such as encodings.
    package let hashes: [DigestAlgorithm: [[UInt8]]]
    /// The algorithms for which the object could be an inner node of the tree; nil if the object
    /// itself is unknown.
    package let ambiguous: Set<DigestAlgorithm>?
    /// For each chain, the hash in canonical form; nil for an object that is not XML. Empty for
    /// records in ASN.1.
    package var forms: [CanonicalHash?] = []
    /// Time before which the object did not exist; nil if unknown.
    package var notBefore: CalendarTime?
    /// Time at which the object is claimed to be made; nil if unknown.
    package var claimedTime: CalendarTime?

    package init(
        name: String, hashes: [DigestAlgorithm: [[UInt8]]], ambiguous: Set<DigestAlgorithm>? = []
    ) {
        self.name = name
        self.hashes = hashes
        self.ambiguous = ambiguous
    }
}

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
        let earlier = record.chains.count > 1 ? record.formerChains : nil
        var stamps: [EvidenceRecordCheck.Stamp] = []
        var coverage: [Bool?] = objects.map { _ in true }
        for (chain, members) in record.chains.enumerated() {
            for (number, member) in members.enumerated() {
                let found =
                    number == 0
                    ? try leaves(of: objects, record, chain, earlier, &coverage)
                    : try renewed(members[number - 1], by: member, first: members[0])
                let next = all.dropFirst(stamps.count + 1).first?.token?.info.genTime.time
                let own = member.token?.info.genTime.time
                let former = stamps.last?.check.info?.genTime.time
                stamps.append(
                    try stamp(
                        member, found,
                        Place(
                            chain: chain + 1, number: number + 1, former: former,
                            // A next one that is older has a problem itself.
                            verifier: verifier.moved(
                                to: min(max(next ?? time, own ?? time), time)),
                            remarks: record.remarks(on: member, isFirst: stamps.isEmpty))))
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

        mutating func miss(_ problem: VerificationProblem) {
            isComplete = false
            problems.append(problem)
        }
    }

    /// The data objects in the first archive timestamp of a chain: their hashes, and after a
    /// renewal of the hash tree the hashes over them and all earlier chains (RFC 4998 §5.2).
    private func leaves(
        of objects: [EvidencedObject], _ record: EvidenceRecord, _ chain: Int,
        _ former: EvidenceRecord.FormerChains?, _ coverage: inout [Bool?]
    ) throws(CryptoError) -> Leaves {
        let stamp = record.chains[chain][0]
        var leaves = Leaves()
        guard let digest = stamp.digest else {
            coverage = coverage.map { $0 == true ? nil : $0 }
            leaves.isComplete = false
            return leaves
        }
        if objects.isEmpty {
            leaves.miss(
                .doubt(
                    .objectMissing, "the data objects of the evidence record are not given",
                    .signedDataNotFound))
        }
        let listed = stamp.listed
        let earlier = chain == 0 ? [] : try former?.hashes(ofFirst: chain, digest) ?? []
        for (index, object) in objects.enumerated() {
            let found = try covering(object, chain, digest) { own throws(CryptoError) in
                try chain == 0
                    ? own.contains(where: listed.contains)
                    : covers(own, earlier, in: listed, digest, isXML: record.xml != nil)
            }
            if found.isCovered != true {
                coverage[index] = coverage[index] == true ? found.isCovered : coverage[index]
                leaves.isComplete = false
            }
            if found.isCovered == false { coverage[index] = false }
            leaves.problems += [found.problem].compactMap(\.self)
            if object.ambiguous?.contains(digest) ?? false {
                leaves.problems.append(
                    .doubt(
                        .objectAmbiguous,
                        "\(object.name) has the form of a node of the hash tree: whether such a "
                            + "file existed is not proven"))
            }
        }
        guard chain == 0 else { return leaves }
        if leaves.isComplete { leaves.problems += remarks(on: objects, listed, digest) }
        leaves.problems += objects.flatMap { order(of: stamp, $0) }
        return leaves
    }

    /// Whether a chain covers an object, or else its canonical form; nil if that is unknown.
    ///
    /// - Parameter isListed: whether the chain covers one of several alternative hashes.
    private func covering(
        _ object: EvidencedObject, _ chain: Int, _ digest: DigestAlgorithm,
        isListed: ([[UInt8]]) throws(CryptoError) -> Bool
    ) throws(CryptoError) -> (isCovered: Bool?, problem: VerificationProblem?) {
        guard let own = object.hashes[digest] else {
            return (
                nil,
                .doubt(
                    .digestUnavailable,
                    "the \(digest.displayName) hash of \(object.name) is not given",
                    .signedDataNotFound)
            )
        }
        if try isListed(own) { return (true, nil) }
        if object.forms.indices.contains(chain), let form = object.forms[chain] {
            guard let hash = form.value else { return (nil, form.problem) }
            if try isListed([hash]) { return (true, form.problem) }
        }
        return (
            false,
            .failure(
                chain == 0 ? .objectNotRecorded : .renewalMismatch,
                chain == 0
                    ? "the evidence record does not cover \(object.name): the file was modified, or "
                        + "is another one"
                    : "the renewed hash tree does not cover \(object.name) together with the "
                        + "earlier chains", .hashFailure)
        )
    }

    /// What verification of covered objects leaves open.
    ///
    /// - Parameter listed: the first list.
    private func remarks(
        on objects: [EvidencedObject], _ listed: Set<[UInt8]>, _ digest: DigestAlgorithm
    ) -> [VerificationProblem] {
        let known = Set(
            objects.flatMap {
                ($0.hashes[digest] ?? []) + [$0.forms.first??.value].compactMap(\.self)
            })
        let others = listed.subtracting(known).count
        var remarks: [VerificationProblem] = []
        // One other hash is the usual neighbor of a leaf.
        if others > (objects.count > 1 ? 0 : 1) {
            remarks.append(
                .remark(
                    .recordCoversMore,
                    "the record covers \(others) more \(others == 1 ? "file or leaf" : "files or leaves")"
                ))
        }
        if objects.contains(where: { $0.ambiguous == nil }) {
            remarks.append(
                .remark(
                    .objectFormUnchecked,
                    "only a hash was given: whether its object has the form of a node of the hash "
                        + "tree was not checked"))
        }
        return remarks
    }

    /// Contradictions between the first archive timestamp and the facts about an object.
    private func order(
        of stamp: ArchiveTimestamp, _ object: EvidencedObject
    ) -> [VerificationProblem] {
        guard let stamped = stamp.token?.info.provenTime else { return [] }
        if let notBefore = object.notBefore, stamped < notBefore {
            return [
                .doubt(
                    .timestampOrder,
                    "the archive timestamp (\(stamped.text)) is older than \(object.name), which "
                        + "did not exist before \(notBefore.text)", .timestampOrderFailure)
            ]
        }
        guard let claimed = object.claimedTime, claimed > stamped else { return [] }
        return VerificationProblem.claimedTimeRemarks(claimed, proven: stamped, by: nil, at: time)
    }

    /// Whether the first list of a renewed hash tree covers an object and the chains before.
    ///
    /// - Parameters:
    ///   - own: hashes of the object, which are alternatives.
    ///   - earlier: hashes of the chains before, which are alternatives.
    private func covers(
        _ own: [[UInt8]], _ earlier: [[UInt8]], in listed: Set<[UInt8]>, _ digest: DigestAlgorithm,
        isXML: Bool
    ) throws(CryptoError) -> Bool {
        if isXML {
            // RFC 6283 §4.2.2: the list contains both hashes.
            return own.contains(where: listed.contains) && earlier.contains(where: listed.contains)
        }
        for hash in own {
            for former in earlier where listed.contains(try digest.hash(hash + former)) {
                return true
            }
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
        if !possible.contains(where: stamp.listed.contains) {
            leaves.isComplete = false
            leaves.problems.append(
                .failure(
                    .renewalMismatch,
                    "the archive timestamp does not cover the timestamp before it", .hashFailure))
        }
        return leaves
    }

    // MARK: One archive timestamp

    private struct Place {
        let chain: Int
        let number: Int
        /// Time of the timestamp before; nil for the first.
        let former: CalendarTime?
        /// Verifies at the time of the next timestamp.
        let verifier: TimestampVerifier
        let remarks: [VerificationProblem]
    }

    private func stamp(
        _ stamp: ArchiveTimestamp, _ leaves: Leaves, _ place: Place
    ) throws(CryptoError) -> EvidenceRecordCheck.Stamp {
        let (verifier, numbers) = (place.verifier, (place.chain, place.number))
        guard let token = stamp.token else {
            let problem = VerificationProblem.failure(
                .timestampInvalid,
                "the timestamp is not a readable RFC 3161 timestamp"
                    + (stamp.flaw.map { ": \($0)" } ?? ""))
            return .init(
                place: numbers,
                check: TimestampCheck(info: nil, problems: leaves.problems + [problem]),
                digest: stamp.digest, covers: false)
        }
        var problems = leaves.problems
        let imprint = token.info.messageImprint
        if let named = stamp.digestAlgorithm, !named.isSame(as: imprint.algorithm) {
            // First, because it is the cause of others.
            problems.insert(
                .failure(
                    .imprintAlgorithmMismatch,
                    "the hash tree and its timestamp use different hash algorithms", .hashFailure),
                at: 0)
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
        problems += place.remarks
        let check = try verifier.verify(token, hash: root).standingAlone(verifier)
        return .init(
            place: numbers, check: check.adding(problems), digest: stamp.digest,
            covers: leaves.isComplete && root != nil)
    }
}

extension ArchiveTimestamp {
    /// The hashes in the first list of the tree; without a tree, that of the timestamp.
    package var listed: Set<[UInt8]> {
        guard let tree else {
            return Set([token?.info.messageImprint.hashedMessage].compactMap(\.self))
        }
        return Set(tree.first ?? [])
    }
}

extension EvidenceRecord {
    fileprivate func remarks(
        on stamp: ArchiveTimestamp, isFirst: Bool
    ) -> [VerificationProblem] {
        var remarks: [VerificationProblem] = []
        // RFC 4998 §3.1 requires all algorithms in digestAlgorithms.
        if let digest = stamp.digest, !algorithms.contains(where: { $0.oid == digest.oid }) {
            remarks.append(
                .remark(
                    .recordAlgorithmUnlisted,
                    "the evidence record does not list the hash algorithm of this timestamp"))
        }
        if isFirst, isOverEncryptedData {
            remarks.append(
                .remark(
                    .recordOverEncryptedData,
                    "the evidence record is about encrypted data, not about the files in it"))
        }
        if isFirst, xml?.hasSupportingInformation == true {
            remarks.append(
                .remark(
                    .recordInformationUnchecked,
                    "the supporting information in the evidence record was not checked"))
        }
        return remarks
    }
}
