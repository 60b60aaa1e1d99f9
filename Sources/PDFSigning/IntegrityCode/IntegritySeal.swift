internal import Base
package import CMSKit
package import CryptoBridge
package import PDFCore
package import TimestampKit

/// Adds the required MAC to new revisions of a document (ISO/TS 32004): as an attribute of the new
/// signature, or in the trailer if the revision has no signature.
package struct IntegritySeal {
    private let encryption: PDFEncryption

    /// Bytes reserved for the attribute. It takes fewer than 500 bytes with the longest digest.
    package static let byteCount = 512

    private init(_ encryption: PDFEncryption) { self.encryption = encryption }

    /// Nil if revisions need no MAC. Existing MACs are checked first, because a new one would
    /// confirm them.
    ///
    /// - Throws: `integrityProtected` if a MAC is missing, wrong or impossible to compute.
    package static func of(_ document: PDFDocument) throws -> IntegritySeal? {
        let codes = try IntegrityCodes(of: document)
        guard !codes.isEmpty else { return nil }
        let hasher = ByteRangeHasher(of: document.source)
        hasher.begin(codes.requests)
        guard let report = try codes.report(digestOf: hasher.digest) else { return nil }
        if let problem = report.problems.first {
            if document.encryption?.hasKey == false {
                throw PDFError(.passwordNeeded, problem.message)
            }
            throw PAdESError(.integrityProtected, problem.message)
        }
        // MACs of older revisions do not require new ones.
        guard report.isPresent || report.isRequired, let encryption = document.encryption else {
            return nil
        }
        return IntegritySeal(encryption)
    }

    /// The MAC settings of a document prepared for the signature `id`; nil if it was prepared
    /// without a MAC.
    ///
    /// - Throws: `integrityProtected` if it was prepared for another signature.
    package static func ofPending(
        _ id: ObjectID, in document: PDFDocument
    ) throws -> IntegritySeal? {
        let entry = document.trailer["AuthCode"]
        guard let encryption = document.encryption, entry != nil || encryption.demandsIntegrityCode
        else { return nil }
        guard entry == Self.entry(for: id) else {
            throw PAdESError(
                .integrityProtected,
                "the MAC does not belong to the signature without a "
                    + "value")
        }
        return IntegritySeal(encryption)
    }

    /// The trailer entry for a MAC in a signature (ISO/TS 32004 §5.2).
    package static func entry(for signature: ObjectID) -> PDFObject {
        .dictionary([
            "MACLocation": .name("AttachedToSig"), "SigObjRef": .reference(signature),
        ])
    }

    // MARK: In the trailer

    /// Writes an update without a signature, with the MAC in the trailer (ISO/TS 32004 §5.2).
    ///
    /// - Parameter fileIdentifier: see ``IncrementalUpdate/serialize(fileIdentifier:)``.
    package func serialize(
        _ update: IncrementalUpdate, of document: PDFDocument, fileIdentifier: [UInt8]
    ) throws -> SerializedUpdate {
        let digest = DigestAlgorithm.sha256
        // The placeholder is as long as the MAC and unique in the file.
        let stand = Hex.digits(
            of: try token(
                digest, dataDigest: [UInt8](repeating: 0, count: digest.byteCount), signature: nil))
        let hole = [UInt8](repeating: UInt8(ascii: " "), count: Self.numbersByteCount)
        var update = update
        update.setTrailer(
            "AuthCode",
            .verbatim(
                Array("<</MACLocation/Standalone/ByteRange[0 ".utf8) + hole + Array("]/MAC <".utf8)
                    + stand + Array(">>>".utf8)))
        var serialized = try update.serialize(fileIdentifier: fileIdentifier)
        guard let digits = serialized.bytes.firstRange(of: stand) else {
            throw PAdESError(.integrityProtected, "the MAC was not written")
        }
        let start = serialized.startOffset
        let gap = (digits.lowerBound - 1)..<(digits.upperBound + 1)
        let (first, second) = (start + gap.lowerBound, start + gap.upperBound)
        let numbers = "\(first) \(second) \(serialized.bytes.count - gap.upperBound)".utf8
        let place = gap.lowerBound - "]/MAC ".utf8.count - hole.count
        serialized.bytes.replaceSubrange(place..<(place + numbers.count), with: numbers)

        let context = try DigestContext(digest)
        try document.source.stream(range: 0..<start) { try context.update($0) }
        try context.update(serialized.bytes[..<gap.lowerBound])
        try context.update(serialized.bytes[gap.upperBound...])
        let code = Hex.digits(of: try token(digest, dataDigest: context.finish(), signature: nil))
        guard code.count == digits.count else {
            throw PAdESError(.integrityProtected, "the MAC has a wrong length")
        }
        serialized.bytes.replaceSubrange(digits, with: code)
        return serialized
    }

    /// Space for three numbers of a byte range.
    private static let numbersByteCount = 3 * 20

    // MARK: In a signature

    /// The MAC as an unsigned attribute.
    ///
    /// - Parameters:
    ///   - dataDigest: the digest of the signed byte range.
    ///   - signature: the signature value.
    package func attribute(
        digest: DigestAlgorithm, dataDigest: [UInt8], signature: [UInt8]
    ) throws -> CMSAttribute {
        CMSAttribute(
            oid: .integrityToken,
            values: [try token(digest, dataDigest: dataDigest, signature: signature)])
    }

    private func token(
        _ digest: DigestAlgorithm, dataDigest: [UInt8], signature: [UInt8]?
    ) throws -> [UInt8] {
        guard var key = try encryption.integrityKey() else {
            throw PAdESError(
                .integrityProtected, "the encryption dictionary has no salt for MACs")
        }
        defer { SecretBytes.wipe(&key) }
        return try IntegrityToken.make(
            keyEncryptionKey: key, digest: digest, dataDigest: dataDigest, signature: signature)
    }

    /// A timestamp token with the MAC added as an unsigned attribute.
    ///
    /// - Parameter dataDigest: the timestamped digest.
    package func sealed(
        _ token: TimestampToken, digest: DigestAlgorithm, dataDigest: [UInt8]
    ) throws -> [UInt8] {
        guard let signer = token.signedData.signers.first else {
            throw CMSError(.malformed, "the timestamp has no signer")
        }
        return try SignedData.adding(
            attribute(digest: digest, dataDigest: dataDigest, signature: signer.signature),
            to: token.encoded)
    }
}
