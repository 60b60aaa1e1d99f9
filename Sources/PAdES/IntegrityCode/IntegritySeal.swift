package import CMSKit
package import CryptoBridge
package import PDFCore
package import TimestampKit
import TrustKit

/// Gives new revisions of a document the integrity code that its author demands (ISO/TS 32004):
/// each as an attribute of the signature that the revision brings.
package struct IntegritySeal {
    private let encryption: PDFEncryption

    /// Room for the attribute. With the longest hash there is it takes fewer than 500 bytes.
    package static let byteCount = 512

    private init(_ encryption: PDFEncryption) { self.encryption = encryption }

    /// Nil where revisions go without a code. The codes that are there are checked first: a new one
    /// would say that all was well.
    ///
    /// - Throws: `integrityProtected` when a code is missing or wrong, or none can be made.
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
        // Codes of older revisions alone ask for no further ones.
        guard report.isPresent || report.isRequired, let encryption = document.encryption else {
            return nil
        }
        return IntegritySeal(encryption)
    }

    /// The seal of a document that waits for the value of the signature `id`; nil where it was laid
    /// out without a code.
    ///
    /// - Throws: `integrityProtected` when it was laid out for another one.
    package static func ofPending(
        _ id: ObjectID, in document: PDFDocument
    ) throws -> IntegritySeal? {
        let entry = document.trailer["AuthCode"]
        guard let encryption = document.encryption, entry != nil || encryption.demandsIntegrityCode
        else { return nil }
        guard entry == Self.entry(for: id) else {
            throw PAdESError(
                .integrityProtected,
                "the document's integrity code does not belong to the signature that waits for its "
                    + "value")
        }
        return IntegritySeal(encryption)
    }

    /// What the trailer says of a code that a signature carries (ISO/TS 32004 §5.2).
    static func entry(for signature: ObjectID) -> PDFObject {
        .dictionary([
            "MACLocation": .name("AttachedToSig"), "SigObjRef": .reference(signature),
        ])
    }

    /// The code as an unsigned attribute.
    ///
    /// - Parameters:
    ///   - dataDigest: the hash of what the signature covers.
    ///   - signature: its value.
    package func attribute(
        digest: DigestAlgorithm, dataDigest: [UInt8], signature: [UInt8]
    ) throws -> CMSAttribute {
        guard var key = try encryption.integrityKey() else {
            throw PAdESError(
                .integrityProtected, "the encryption dictionary has no salt for integrity codes")
        }
        defer { SecretBytes.wipe(&key) }
        let token = try IntegrityToken.make(
            keyEncryptionKey: key, digest: digest, dataDigest: dataDigest, signature: signature)
        return CMSAttribute(oid: IntegrityToken.attribute, values: [token])
    }

    /// A time-stamp token with the code in it, which changes nothing of what its authority signed.
    ///
    /// - Parameter dataDigest: the hash that it stamps.
    package func sealed(
        _ token: TimestampToken, digest: DigestAlgorithm, dataDigest: [UInt8]
    ) throws -> [UInt8] {
        guard let signer = token.signedData.signers.first else {
            throw CMSError(.malformed, "the time stamp has no signer")
        }
        return try SignedData.adding(
            attribute(digest: digest, dataDigest: dataDigest, signature: signer.signature),
            to: token.encoded)
    }
}
