internal import Base
internal import COpenSSL

/// CMS enveloped data (RFC 5652 §6): content encrypted for the holders of certificates.
@safe
package final class EnvelopedData {
    /// The identifier of a recipient's certificate.
    package enum Recipient: Equatable, Sendable {
        /// Hexadecimal serial.
        case issuerAndSerial(issuer: String, serial: String)
        /// Hexadecimal.
        case subjectKeyIdentifier(String)
    }

    private let message: OpaquePointer
    private var readParts: EnvelopeParts?

    /// Longest message read.
    private static let byteLimit = 1_048_576
    /// Maximum number of recipients that a message may have.
    private static let recipientLimit = 1000
    package let recipientCount: Int

    package init(_ der: [UInt8]) throws(CryptoError) {
        guard der.count <= Self.byteLimit else {
            throw CryptoError(.limitExceeded, "enveloped data of \(der.count) bytes")
        }
        OpenSSL.prepare()
        let message = try unsafe OpenSSL.require(
            COpenSSL_enveloped(der, der.count), "not CMS EnvelopedData", .malformedBundle)
        unsafe self.message = message
        recipientCount = Int(unsafe COpenSSL_enveloped_recipient_count(message))
        guard recipientCount <= Self.recipientLimit else {
            throw CryptoError(
                .limitExceeded,
                "EnvelopedData for \(recipientCount) recipients; the limit is "
                    + "\(Self.recipientLimit)")
        }
    }

    deinit { unsafe CMS_ContentInfo_free(message) }

    /// Recipients with certificates, at most `limit`.
    package func recipients(limit: Int) -> [Recipient] {
        var found: [Recipient] = []
        while found.count < limit {
            var issuer: OpaquePointer?
            var serial: UnsafeMutablePointer<ASN1_INTEGER>?
            var key: UnsafeMutablePointer<ASN1_OCTET_STRING>?
            guard
                unsafe COpenSSL_enveloped_recipient(
                    message, Int32(found.count), &issuer, &serial, &key) == 1
            else { break }
            if let issuer = unsafe issuer, let serial = unsafe serial {
                let name = unsafe OpenSSL.encode { unsafe i2d_X509_NAME(issuer, $0) } ?? []
                found.append(
                    .issuerAndSerial(
                        issuer: (try? DistinguishedName(der: name))?.description ?? "",
                        serial: unsafe Self.hex(serial)))
            } else {
                found.append(.subjectKeyIdentifier(unsafe key.map { unsafe Self.hex($0) } ?? ""))
            }
        }
        return found
    }

    private static func hex(_ string: UnsafeMutablePointer<ASN1_STRING>) -> String {
        let count = Int(unsafe ASN1_STRING_length(string))
        guard let start = unsafe ASN1_STRING_get0_data(string), count > 0 else { return "" }
        return unsafe Hex.encode(Array(UnsafeBufferPointer(start: start, count: count)))
    }

    /// The parts of the message, parsed once; nil if it has none.
    func parts() throws(CryptoError) -> EnvelopeParts? {
        if let readParts { return readParts }
        // Re-encoded with definite lengths and without segmented strings, whatever the message's
        // encoding.
        let der = try unsafe OpenSSL.require(
            OpenSSL.encode({ unsafe i2d_CMS_ContentInfo(message, $0) }),
            "the EnvelopedData cannot be encoded")
        readParts = EnvelopeParts(der)
        return readParts
    }
}
