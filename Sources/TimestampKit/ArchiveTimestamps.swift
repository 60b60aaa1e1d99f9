package import Base
package import CMSKit
package import CryptoBridge
package import TrustKit

/// The result of checking the archive timestamps over one signature (ETSI EN 319 122-1 §5.5.3).
package struct ArchiveTimestamps: Sendable {
    package struct Proof: Sendable {
        package let time: CalendarTime
        package let check: TimestampCheck
        package let index: ArchiveHashIndex
    }

    /// Newest first.
    package fileprivate(set) var proofs: [Proof] = []
    /// The newest readable timestamp, trusted or not; nil if there is none.
    package fileprivate(set) var newest: TimestampCheck?
    package fileprivate(set) var problems: [VerificationProblem] = []

    package init() {}

    /// Proof of existence of an unsigned attribute value; nil if no timestamp covers it.
    package func time(covering value: [UInt8], of oid: OID) -> CalendarTime? {
        proofs.filter { $0.index.covers(value, of: oid) }.map(\.time).min()
    }

    /// The validation data of the message with a proof of existence before a time.
    package func evidence(
        of message: SignedData, before end: CalendarTime
    ) throws(CryptoError) -> RevocationEvidence {
        var evidence = RevocationEvidence()
        for proof in proofs where proof.time <= end {
            let covered = try proof.index.covered(of: message)
            evidence.formUnion(
                RevocationEvidence(listsIn: covered.lists, responsesIn: covered.responses))
        }
        return evidence
    }
}

extension TimestampToken {
    /// Reads a token in DER or, as some TSAs write it, BER.
    package init(attributeValue value: [UInt8]) throws(CMSError) {
        self = try SignedData.Encoding.either { encoding throws(CMSError) in
            try TimestampToken(value, encoding: encoding)
        }
    }

    /// The TSA certificate, found among the token's certificates by checking the signature; nil if
    /// none matches. Trust is not checked.
    package func authority() throws(CryptoError) -> Certificate? {
        let check = try SignedDataVerifier(profile: .timestampToken).verify(signedData).first
        return check?.isVerified == true ? check?.signer : nil
    }

    /// The index that makes the token an archive timestamp: an unsigned attribute of the token.
    fileprivate var archiveIndex: [UInt8]? {
        guard let signer = signedData.signers.first else { return nil }
        let values = signer.unsignedAttributes.values(.archiveHashIndex)
        return values.count == 1 ? values[0] : nil
    }
}

extension SignedData {
    /// The message imprint for an archive timestamp over one SignerInfo.
    ///
    /// - Parameter contentHash: hash of the content with `digest`.
    /// - Returns: the hash, and the index to add to the token.
    package func archiveImprint(
        of signer: SignerInfo, digest: DigestAlgorithm, contentHash: [UInt8]
    ) throws -> (hash: [UInt8], index: [UInt8]) {
        let index = try ArchiveHashIndex(of: self, signer, digest: digest).encoded
        let bytes = archivedBytes(of: signer, contentHash: contentHash, index: index)
        return (try digest.hash(bytes), index)
    }

    package var archiveDigests: Set<DigestAlgorithm> {
        timestampDigests { $0.unsignedAttributes.values(.archiveTimeStamp) }
    }

    func timestampDigests(_ values: (SignerInfo) -> [[UInt8]]) -> Set<DigestAlgorithm> {
        Set(
            signers.flatMap(values).prefix(TimestampLimits.tokenCount)
                .compactMap { try? TimestampToken(attributeValue: $0) }
                .compactMap(\.info.messageImprint.digest))
    }
}

extension TimestampVerifier {
    /// Validates the archive timestamps over one SignerInfo, newest first: each at the time at
    /// which a later one proves its existence.
    ///
    /// - Parameter contentHash: returns a hash of the content; nil if it is not available.
    package func archiveTimestamps(
        of signer: SignerInfo, in message: SignedData,
        contentHash: (DigestAlgorithm) throws -> [UInt8]?
    ) throws -> ArchiveTimestamps {
        var found = ArchiveTimestamps()
        let tokens = Self.archiveTokens(of: signer, &found)
        var present: [DigestAlgorithm: ArchiveHashIndex] = [:]
        for (value, token) in tokens {
            guard let der = token.archiveIndex else {
                // Earlier kinds of indexes are ignored, as if there were no timestamp.
                found.problems.append(
                    .remark(
                        .timestampUntrusted,
                        "the archive timestamp has no supported index of hashes (EN 319 "
                            + "122-1 §5.5.2)"))
                continue
            }
            guard let index = try? ArchiveHashIndex(der),
                index.digest == token.info.messageImprint.digest
            else {
                found.problems.append(Self.unusable("its index of hashes cannot be read"))
                continue
            }
            let all =
                try present[index.digest]
                ?? ArchiveHashIndex(of: message, signer, digest: index.digest)
            present[index.digest] = all
            let proven = found.time(covering: value, of: .archiveTimeStamp)
            var verifier = self.moved(to: proven ?? time)
            // The revocation data of the newest timestamp is often as old as the timestamp
            // itself, and newer data is not yet available.
            verifier.demandsPresentEvidence = proven != nil
            let newer = found
            verifier.evidenceBefore = { end throws(CryptoError) in
                try newer.evidence(of: message, before: end)
            }
            let hash = try contentHash(index.digest).map { content in
                try index.digest.hash(
                    message.archivedBytes(of: signer, contentHash: content, index: der))
            }
            let check = try verifier.verify(token, hash: hash)
            found.newest = found.newest ?? check
            if let problem = verifier.problem(with: check, "the archive timestamp") {
                found.problems.append(problem)
            } else if !index.isContained(in: all) {
                found.problems.append(Self.unusable("data that it covers is missing"))
            } else {
                found.proofs.append(
                    ArchiveTimestamps.Proof(
                        time: token.info.provenTime, check: check, index: index))
            }
        }
        return found
    }

    /// The readable archive timestamps, newest first.
    private static func archiveTokens(
        of signer: SignerInfo, _ found: inout ArchiveTimestamps
    ) -> [(value: [UInt8], token: TimestampToken)] {
        let values = signer.unsignedAttributes.values(.archiveTimeStamp)
            .prefix(TimestampLimits.tokenCount)
        var tokens: [(value: [UInt8], token: TimestampToken)] = []
        for value in values {
            if let token = try? TimestampToken(attributeValue: value) {
                tokens.append((value, token))
            } else {
                found.problems.append(unusable("it cannot be read"))
            }
        }
        return tokens.sorted { $0.token.info.genTime.time > $1.token.info.genTime.time }
    }

    private static func unusable(_ why: String) -> VerificationProblem {
        .doubt(.timestampInvalid, "the archive timestamp: \(why)")
    }
}

/// The newest archive timestamp over one signer of a message: parsed, not verified.
package enum NewestArchiveTimestamp {
    /// Time at which its proof of existence ends; nil if unknown.
    package static func end(of signer: SignerInfo) -> CalendarTime? {
        let tokens = signer.unsignedAttributes.values(.archiveTimeStamp)
            .prefix(TimestampLimits.tokenCount)
            .compactMap { try? TimestampToken(attributeValue: $0) }
        guard let newest = tokens.max(by: { $0.info.genTime.time < $1.info.genTime.time }),
            let authority = try? newest.authority()
        else { return nil }
        return TimestampEnd.of(
            newest.signedData.path(above: authority), digest: newest.info.messageImprint.digest)
    }
}
