import Base
import CMSKit
import CryptoBridge
import Testing
import TrustKit

@testable import TimestampKit

/// Evidence records with one lie each: none passes (RFC 4998 §§4.3 and 5.3).
struct EvidenceRecordForgeryTests {
    private let fixture: TimestampFixture
    private let files: [[UInt8]]

    init() throws {
        fixture = try TimestampFixture()
        files = (1...5).map { Array("file \($0)".utf8) }
    }

    // MARK: Records

    private func token(
        _ root: [UInt8], _ digest: DigestAlgorithm = .sha256, after seconds: Int = 0
    ) throws -> TimestampToken {
        try fixture.token {
            $0.imprint = MessageImprint(digest: digest, hash: root)
            $0.time = Moment(fixture.time.adding(seconds: seconds))
        }
    }

    private func tree(
        _ digest: DigestAlgorithm = .sha256, hashes: [[UInt8]]? = nil
    ) throws -> HashTree {
        let hashes = try hashes ?? files.map { try digest.hash($0) }
        return try HashTree(leaves: hashes.flatMap(\.self), digest)
    }

    /// A record for one file of a tree over all files.
    private func record(
        of file: Int, _ digest: DigestAlgorithm = .sha256,
        _ change: (inout [[[UInt8]]]) throws -> Void = { _ in }
    ) throws -> EvidenceRecord {
        let tree = try tree(digest)
        var lists = try #require(tree.reduced(to: digest.hash(files[file])))
        try change(&lists)
        let stamp = ArchiveTimestamp(try token(tree.root, digest), digest: digest, tree: lists)
        return EvidenceRecord(stamp, digest: digest)
    }

    private func object(_ bytes: [UInt8]) throws -> EvidencedObject {
        let digests: [DigestAlgorithm] = [.sha1, .sha256, .sha512]
        return EvidencedObject(
            name: "file",
            hashes: try digests.reduce(into: [:]) { $0[$1] = [try $1.hash(bytes)] },
            ambiguous: try NodeForm.ambiguous(Set(digests)) { try $0(bytes.span) })
    }

    private func check(_ record: EvidenceRecord, _ objects: [UInt8]...) throws
        -> EvidenceRecordCheck
    {
        let verifier = EvidenceRecordVerifier(
            fixture.verifier(at: fixture.time.adding(seconds: 1000)))
        // As a file, so that writing and reading are tested too.
        return try verifier.verify(
            EvidenceRecord(record.encoded), objects.map { try object($0) })
    }

    /// The codes of all problems, also of remarks.
    private func remarks(_ check: EvidenceRecordCheck) -> Set<ProblemCode> {
        Set(check.stamps.flatMap(\.check.problems).filter { $0.verdict == nil }.map(\.code))
    }

    private func codes(_ check: EvidenceRecordCheck) -> [ProblemCode] {
        check.stamps.flatMap(\.check.problems).filter { $0.verdict != nil }.map(\.code)
    }

    /// The record after a renewal of its timestamp.
    private func renewed(
        _ record: EvidenceRecord, _ digest: DigestAlgorithm = .sha256, after seconds: Int = 100
    ) throws -> EvidenceRecord {
        var record = record
        let hash = try #require(record.timestamps.last).timestampHashes(digest)[0]
        record.renew(
            with: ArchiveTimestamp(
                try token(hash, digest, after: seconds), digest: digest, tree: nil))
        return record
    }

    /// The record after a renewal of its hash tree.
    private func rehashed(
        _ record: EvidenceRecord, _ file: [UInt8], _ digest: DigestAlgorithm = .sha512,
        over count: Int? = nil
    ) throws -> EvidenceRecord {
        var record = record
        let earlier = try record.formerChains.hashes(
            ofFirst: count ?? record.chains.count, digest)[0]
        let root = try digest.hash(digest.hash(file) + earlier)
        record.renewTree(
            with: ArchiveTimestamp(
                try token(root, digest, after: 200), digest: digest, tree: nil), digest: digest)
        return record
    }

    // MARK: Honest records

    @Test func everyFileOfATreePasses() throws {
        for (index, file) in files.enumerated() {
            let found = try check(record(of: index), file)
            #expect(found.verdict == .passed, "\(codes(found))")
            #expect(found.coverage == [true])
        }
    }

    @Test(arguments: 1...17) func treesOfAnySizeLeadToTheRoot(_ count: Int) throws {
        let hashes = try (0..<count).map { try DigestAlgorithm.sha256.hash([UInt8($0)]) }
        let tree = try tree(hashes: hashes)
        for hash in hashes {
            let lists = try #require(tree.reduced(to: hash))
            #expect(try ReducedHashTree.root(of: lists, .sha256) == tree.root)
            #expect(lists[0].contains(hash) && lists.dropFirst().allSatisfy { $0.count == 1 })
        }
        #expect(tree.reduced(to: [UInt8](repeating: 0, count: 32)) == nil)
    }

    @Test func renewedRecordsPass() throws {
        let once = try renewed(record(of: 0))
        #expect(try check(once, files[0]).verdict == .passed)
        let twice = try rehashed(once, files[0])
        let found = try check(twice, files[0])
        #expect(found.verdict == .passed, "\(codes(found))")
        #expect(found.stamps.map(\.place.chain) == [1, 1, 2])
    }

    /// RFC 4998 §4.3 sorts the lists, so any order is accepted.
    @Test func unsortedListsPass() throws {
        var bytes = try record(of: 0).encoded
        let lists = try #require(try record(of: 0).timestamps[0].tree)
        let (first, second) = (lists[0][0], lists[0][1])
        let sorted = DERWriter.octets(first) + DERWriter.octets(second)
        let place = try #require(bytes.firstRange(of: sorted))
        bytes.replaceSubrange(place, with: DERWriter.octets(second) + DERWriter.octets(first))
        let found = try check(EvidenceRecord(bytes), files[0])
        #expect(found.verdict == .passed, "\(codes(found))")
    }

    // MARK: Lies

    @Test func anotherFileFails() throws {
        let found = try check(record(of: 0), Array("other".utf8))
        #expect(found.verdict == .failed && codes(found) == [.objectNotRecorded])
        #expect(found.coverage == [false])
        // Together with a covered file too.
        #expect(try check(record(of: 0), files[0], Array("other".utf8)).verdict == .failed)
    }

    @Test func nothingPassesWithoutAnObject() throws {
        let found = try check(record(of: 0))
        #expect(found.verdict == .indeterminate && codes(found) == [.objectMissing])
    }

    @Test func swappedAndTruncatedTreesFail() throws {
        let other = try #require(tree().reduced(to: DigestAlgorithm.sha256.hash(files[3])))
        let hash = try DigestAlgorithm.sha256.hash(files[0])
        let changes: [(inout [[[UInt8]]]) -> Void] = [
            { $0 = other }, { $0[0] = [hash, other[0][0]] }, { $0.removeLast() },
            { $0.removeFirst() }, { $0.append([hash]) }, { $0.append([]) }, { $0 = [] },
            { $0[0].append(Array(hash.dropLast())) }, { $0[0] = [hash] }, { $0.reverse() },
        ]
        for (index, change) in changes.enumerated() {
            let found = try check(record(of: 0, .sha256, change), files[0])
            #expect(found.verdict == .failed, "\(index)")
        }
    }

    /// The concatenated hashes of two files have the hash of their node.
    @Test func aNodeIsNoFile() throws {
        let lists = try #require(tree().reduced(to: DigestAlgorithm.sha256.hash(files[0])))
        let node = lists[0].sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
        let forged = try record(of: 0) { lists in
            lists[0] = [try DigestAlgorithm.sha256.hash(node)] + lists[1]
            lists.remove(at: 1)
        }
        let found = try check(forged, node)
        #expect(found.verdict == .indeterminate && codes(found) == [.objectAmbiguous])
    }

    private func mayBeNode(_ bytes: [UInt8], parts size: Int = .max) -> Bool {
        var form = NodeForm(.sha256)
        for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
            form.update(bytes[start..<min(start + min(size, bytes.count), bytes.count)].span)
        }
        return form.mayBeNode
    }

    /// A leaf of a renewed tree is not sorted, and a node of a group may be of any size.
    @Test(arguments: [7, 32, 33, .max]) func inputsOfHashesAreNodes(_ size: Int) throws {
        let hashes = try (0..<4).map { try DigestAlgorithm.sha256.hash([UInt8($0)]) }
            .sorted { $0.lexicographicallyPrecedes($1) }
        #expect(mayBeNode(hashes[0] + hashes[1], parts: size))
        #expect(mayBeNode(hashes[1] + hashes[0], parts: size))
        #expect(mayBeNode(hashes.flatMap(\.self), parts: size))
        #expect(!mayBeNode(hashes.reversed().flatMap(\.self), parts: size))
        #expect(!mayBeNode(hashes[1] + hashes[0] + [0], parts: size))
        #expect(!mayBeNode(hashes[0], parts: size))
        let rest = [UInt8](repeating: 0xFF, count: 32 * 40_000)
        #expect(mayBeNode(hashes[0] + hashes[1] + rest, parts: size))
        // Text, also with characters of several bytes between the parts.
        #expect(!mayBeNode(Array(String(repeating: "ä", count: 32).utf8), parts: size))
        #expect(!mayBeNode([UInt8](repeating: 0x20, count: 96), parts: size))
    }

    @Test func aLeafOfARenewedTreeIsNoFile() throws {
        let leaf = try DigestAlgorithm.sha512.hash(files[0]) + DigestAlgorithm.sha512.hash(files[1])
        for bytes in [leaf, Array(leaf.suffix(64) + leaf.prefix(64))] {
            let stamp = ArchiveTimestamp(
                try token(DigestAlgorithm.sha512.hash(bytes), .sha512), digest: .sha512, tree: nil)
            let found = try check(EvidenceRecord(stamp, digest: .sha512), bytes)
            #expect(found.verdict == .indeterminate && codes(found) == [.objectAmbiguous])
        }
    }

    /// Millions of elements of indefinite length are converted once, and not for each chain.
    @Test(.timeLimit(.minutes(1))) func manyElementsInManyChainsEnd() throws {
        let count = 300_000
        let stamp = try record(of: 0).timestamps[0]
        let fields = try #require(ASN1Node.parse(stamp.encoded, .der)).content
        let head = try #require(ASN1Node.byteCount(in: Array(fields), .der))
        let pairs: [[UInt8]] = Array(repeating: [0x30, 0x00], count: count)
        let attributes: [UInt8] = [0xA1, 0x80, 0x30, 0x80] + pairs.joined() + [0, 0, 0, 0]
        let first = DERWriter.sequence(
            [Array(fields.prefix(head)), attributes, Array(fields.dropFirst(head))])
        let later = DERWriter.sequence(stamp.encoded)
        let chains =
            [DERWriter.sequence(first)]
            + Array(repeating: later, count: EvidenceRecordLimits.chainCount - 1)
        let bytes = DERWriter.sequence(
            DERWriter.integer(1), DERWriter.sequence(), DERWriter.sequence(chains))
        let start = ContinuousClock.now
        let found = try EvidenceRecordVerifier(
            fixture.verifier(at: fixture.time.adding(seconds: 1000))
        ).verify(EvidenceRecord(bytes), [object(files[0])])
        #expect(found.verdict == .failed)
        #expect(ContinuousClock.now - start < .seconds(20))
    }

    @Test func theObjectIsNotYoungerThanTheRecord() throws {
        var object = try object(files[0])
        let verifier = EvidenceRecordVerifier(
            fixture.verifier(at: fixture.time.adding(seconds: 1000)))
        object.claimedTime = fixture.time.adding(seconds: 500)
        let claimed = try verifier.verify(record(of: 0), [object])
        #expect(claimed.verdict == .passed)
        #expect(remarks(claimed).contains(.claimedTimeAfterProof))
        object.notBefore = fixture.time.adding(seconds: 500)
        let younger = try verifier.verify(record(of: 0), [object])
        #expect(younger.verdict == .indeterminate && codes(younger) == [.timestampOrder])
    }

    @Test func whatStaysOpenIsSaid() throws {
        #expect(remarks(try check(record(of: 0), files[0])).isEmpty)
        let stamp = ArchiveTimestamp(
            try token(DigestAlgorithm.sha256.hash(files[0])), digest: .sha256, tree: nil)
        let single = EvidenceRecord(stamp, digest: .sha256)
        #expect(remarks(try check(single, files[0])).isEmpty)
        let hash = EvidencedObject(
            name: "hash", hashes: [.sha256: [try DigestAlgorithm.sha256.hash(files[0])]],
            ambiguous: nil)
        let verifier = EvidenceRecordVerifier(
            fixture.verifier(at: fixture.time.adding(seconds: 1000)))
        #expect(remarks(try verifier.verify(single, [hash])) == [.objectFormUnchecked])
    }

    @Test func repeatedHashesDoNotPass() throws {
        let hash = try DigestAlgorithm.sha256.hash(files[0])
        let root = try ReducedHashTree.node(of: [hash, hash], .sha256)
        let stamp = ArchiveTimestamp(try token(root), digest: .sha256, tree: [[hash, hash]])
        let found = try check(EvidenceRecord(stamp, digest: .sha256), files[0], files[0])
        #expect(found.verdict == .indeterminate && codes(found) == [.hashRepeated])
    }

    @Test func aLaterTimestampIsNotOlder() throws {
        let found = try check(renewed(record(of: 0), after: -100), files[0])
        #expect(found.verdict == .failed && codes(found).contains(.timestampOrder))
        #expect(!codes(found).contains(.timeInFuture))
    }

    @Test func aRenewalCoversTheTimestampBefore() throws {
        var forged = try record(of: 0)
        let other = try record(of: 1).timestamps[0].timestampHashes(.sha256)[0]
        forged.renew(
            with: ArchiveTimestamp(
                try token(other, after: 100), digest: .sha256, tree: nil))
        let found = try check(forged, files[0])
        #expect(found.verdict == .failed && codes(found).contains(.renewalMismatch))
    }

    @Test func aNewTreeCoversAllEarlierChains() throws {
        let once = try rehashed(record(of: 0), files[0])
        let forged = try rehashed(once, files[0], .sha256, over: 1)
        let found = try check(forged, files[0])
        #expect(found.verdict == .failed && codes(found).contains(.renewalMismatch))
        // The file, but not together with the chains.
        var bare = try record(of: 0)
        let hash = try DigestAlgorithm.sha512.hash(files[0])
        bare.renewTree(
            with: ArchiveTimestamp(
                try token(hash, .sha512, after: 200), digest: .sha512, tree: nil), digest: .sha512)
        #expect(try check(bare, files[0]).verdict == .failed)
        // Another file in the new tree.
        #expect(try check(rehashed(record(of: 0), files[1]), files[0]).verdict == .failed)
    }

    @Test func algorithmsAreNotDowngraded() throws {
        // A hash that was broken before.
        #expect(try check(record(of: 0, .sha1), files[0]).verdict == .indeterminate)
        #expect(
            try check(rehashed(record(of: 0), files[0], .sha1), files[0]).verdict
                == .indeterminate)
        // Another hash in the same chain.
        let mixed = try check(renewed(record(of: 0), .sha512), files[0])
        #expect(mixed.verdict == .failed && codes(mixed).contains(.algorithmMismatch))
        // The tree names another hash than its timestamp.
        let hash = try DigestAlgorithm.sha512.hash(files[0])
        let stamp = ArchiveTimestamp(
            try token(DigestAlgorithm.sha256.hash(files[0])), digest: .sha512, tree: [[hash]])
        let named = try check(EvidenceRecord(stamp, digest: .sha512), files[0])
        #expect(named.verdict == .failed && codes(named).first == .imprintAlgorithmMismatch)
    }

    @Test func malformedRecordsAreRefused() throws {
        let bytes = try record(of: 0).encoded
        #expect(throws: CMSError.self) { try EvidenceRecord([0x31] + bytes.dropFirst()) }
        #expect(throws: CMSError.self) { try EvidenceRecord(bytes + [0]) }
        #expect(throws: CMSError.self) { try EvidenceRecord(Array(bytes.dropLast())) }
        let head = [
            DERWriter.integer(1), DERWriter.sequence(), DERWriter.sequence(DERWriter.sequence()),
        ]
        #expect(throws: CMSError.self) { try EvidenceRecord(DERWriter.sequence(head)) }
    }
}
