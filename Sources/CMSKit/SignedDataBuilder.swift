package import Base
import CryptoBridge

/// Creates a SignedData with one signer, detached unless content is given. The default is a CAdES
/// baseline signature for PAdES (ETSI EN 319 142-1 §6.3): content-type, message-digest and
/// signing-certificate-v2, no signing-time.
package struct SignedDataBuilder: Sendable {
    package let signer: CMSSigner
    /// The claimed signing time; forbidden in PAdES, where M of the signature dictionary contains
    /// it.
    package var signingTime: CalendarTime?
    /// Further signed attributes, in any order.
    package var extraSignedAttributes: [CMSAttribute] = []
    package var contentType = OID.data
    /// Attached content.
    package var content: [UInt8]?

    /// Whether the message contains the signer's certificate and chain.
    package var includesCertificates = true

    package init(signer: CMSSigner) { self.signer = signer }

    /// Everything but the signature value.
    package func prepare(messageDigest: [UInt8]) throws(CMSError) -> PreparedSignedData {
        guard messageDigest.count == signer.digest.byteCount else {
            throw CMSError(
                .invalidParameter,
                "a digest of \(messageDigest.count) bytes, \(signer.digest.displayName) has "
                    + "\(signer.digest.byteCount)")
        }
        let attributes =
            [
                CMSAttribute(oid: .contentType, values: [DERWriter.objectIdentifier(contentType)]),
                CMSAttribute(oid: .messageDigest, values: [DERWriter.octets(messageDigest)]),
                signer.reference,
            ] + extraSignedAttributes + (signingTime.map { [.signingTime($0)] } ?? [])
        guard Set(attributes.map(\.oid)).count == attributes.count else {
            throw CMSError(.invalidParameter, "a signed attribute given twice")
        }
        return PreparedSignedData(
            toBeSigned: DERWriter.setOf(attributes.map(\.encoded)), certificate: signer.certificate,
            publicKey: signer.key.publicKey, chain: signer.chain, digest: signer.digest,
            scheme: signer.scheme, contentType: contentType, content: content,
            includesCertificates: includesCertificates)
    }

    /// The complete message for content with this hash.
    package func sign(messageDigest: [UInt8]) throws(CMSError) -> [UInt8] {
        let prepared = try prepare(messageDigest: messageDigest)
        return try prepared.encode(signature: try signature(for: prepared), unsignedAttributes: [])
    }

    /// The signature value of a prepared message. It is verified before it is returned, which also
    /// detects a key whose private and public parts do not match.
    package func signature(for prepared: PreparedSignedData) throws(CMSError) -> [UInt8] {
        let input = try prepared.input(for: signer.key.takes)
        let signature: [UInt8]
        do {
            signature = try signer.key.sign(input, scheme: signer.scheme)
        } catch {
            throw CMSError(.signingFailed, "the signature was not made", cause: error)
        }
        guard !signer.key.verifiesItself else { return signature }
        do {
            try prepared.check(signature)
        } catch {
            throw CMSError(
                .signingFailed, "the signature was not made",
                cause: SigningFailure(.wrongAnswer, error.detail, cause: error))
        }
        return signature
    }

    /// Announces the signature over content with this hash.
    package func announce(messageDigest: [UInt8]) throws {
        try signer.key.announce(
            prepare(messageDigest: messageDigest).input(for: signer.key.takes),
            scheme: signer.scheme)
    }

    /// The longest possible result of ``sign(messageDigest:)`` in bytes: the message with the
    /// longest signature of the key. All other fields have a fixed length.
    package func longestByteCount() throws(CMSError) -> Int {
        let prepared = try prepare(
            messageDigest: [UInt8](repeating: 0, count: signer.digest.byteCount))
        let longest = [UInt8](repeating: 0, count: signer.key.publicKey.maximumSignatureByteCount)
        return try prepared.encode(signature: longest, unsignedAttributes: []).count
    }

    /// ``longestByteCount()`` with space for unsigned attributes.
    ///
    /// - Parameter longest: ``longestByteCount()`` if already computed.
    package func maximumByteCount(
        unsignedAttributesByteCount: Int = 0, longest: Int? = nil
    ) throws(CMSError) -> Int {
        let base = if let longest { longest } else { try longestByteCount() }
        guard unsignedAttributesByteCount > 0 else { return base }
        // Adds the header of [1], and up to four more length bytes in each of the five enclosing
        // elements.
        return base + unsignedAttributesByteCount + 6 + 5 * 4
    }
}
