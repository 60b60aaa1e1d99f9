internal import Base
import CMSKit
import CryptoBridge
import PDFSigning
import SystemBridge
import TimestampKit

/// Error: a signature value is longer than its reserved space.
struct ReservationExceeded: Error {
    /// Length of the value and of the reserved space, in bytes.
    let detail: String
}

/// A prepared update, and the hash of its signed byte range. The output contains the original, but
/// not yet the update.
struct HashedDocument {
    let prepared: PreparedSignature
    let output: AtomicOutput
    let messageDigest: [UInt8]
    /// Name in the error message if the value cannot be embedded.
    let source: String

    /// The error if the value is longer than the reserved space; nil if it fits.
    func excess(of value: [UInt8]) -> ReservationExceeded? {
        guard value.count > prepared.reservedByteCount else { return nil }
        return ReservationExceeded(
            detail: "\(value.count) bytes, \(prepared.reservedByteCount) reserved")
    }

    /// Appends the update with the value.
    ///
    /// - Returns: the output, to be committed.
    /// - Throws: ``ReservationExceeded`` among others: the reserved space was fixed when the update
    ///   was prepared.
    func holding(_ value: [UInt8]) throws -> AtomicOutput {
        if let excess = excess(of: value) { throw excess }
        var prepared = prepared
        try reading(source) { try prepared.embed(value) }
        try writing(output.path) { try output.write(prepared.bytes) }
        return output
    }
}

/// 16 random bytes for /ID of the trailer (ISO 32000-2 §14.4). They need not be secret, so the
/// system's generator is used and OpenSSL is not loaded.
func newFileIdentifier() -> [UInt8] {
    (0..<2).flatMap { _ in
        let word = UInt64.random(in: .min ... .max)
        return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
}

extension SignedDataBuilder {
    /// Creates the complete CMS message, with a timestamp over its signature if required.
    ///
    /// - Parameters:
    ///   - source: the source of the key, named in errors.
    ///   - seal: creates the document's MAC, if it has one.
    func sign(
        messageDigest: [UInt8], timestamps: TimestampAuthorities?, source: String,
        seal: IntegritySeal? = nil
    ) throws -> (message: [UInt8], stamp: ObtainedTimestamp?) {
        guard timestamps != nil || seal != nil else {
            return (try reading(source) { try sign(messageDigest: messageDigest) }, nil)
        }
        let prepared = try reading(source) { try prepare(messageDigest: messageDigest) }
        let signature = try reading(source) { try self.signature(for: prepared) }
        let stamp = try timestamps?.stamp(signature: signature)
        return (
            try prepared.finish(
                signature: signature, timestamp: stamp, seal: seal, messageDigest: messageDigest),
            stamp
        )
    }
}

extension PreparedSignedData {
    /// The complete message, with a timestamp over the signature (ETSI EN 319 122-1 §5.3) and the
    /// document's MAC, if required.
    ///
    /// - Parameter messageDigest: hash of the signed byte range.
    func finish(
        signature: [UInt8], timestamp: ObtainedTimestamp?, seal: IntegritySeal?,
        messageDigest: [UInt8]
    ) throws -> [UInt8] {
        var attributes: [CMSAttribute] = []
        if let timestamp {
            try checkTime(of: timestamp)
            attributes.append(
                CMSAttribute(oid: .signatureTimeStamp, values: [timestamp.token.encoded]))
        }
        if let seal {
            attributes.append(
                try seal.attribute(digest: digest, dataDigest: messageDigest, signature: signature))
        }
        return try finish(signature: signature, unsignedAttributes: attributes)
    }

    /// A timestamp before the certificate's validity would make the signature permanently invalid.
    private func checkTime(of stamp: ObtainedTimestamp) throws {
        let time = stamp.token.info.genTime.time
        guard let young = ([certificate] + chain).first(where: { time < $0.notBefore }) else {
            return
        }
        let name = young.displayName
        throw SignetError(
            .serviceUnavailable,
            "\(stamp.server): the timestamp is \(time.text), but the certificate of \(name.inQuotes) is valid "
                + "only from \(young.notBefore.text): the signature would be invalid",
            hint: Sentence(.setClock))
    }
}
