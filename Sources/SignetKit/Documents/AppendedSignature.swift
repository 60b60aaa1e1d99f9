internal import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFSigning
import SystemBridge
import TimestampKit

/// The value of a signature is longer than the room reserved for it.
struct ReservationExceeded: Error {
    /// Both numbers.
    let detail: String
}

/// A signature or document timestamp laid out in an incremental update; its value is still to be
/// made. It leads to a ``HashedDocument``, and that to the output.
struct AppendedSignature {
    let input: ScannedInput
    let prepared: PreparedSignature
    /// Hashes what the value covers.
    let digest: DigestAlgorithm
    let reservedByteCount: Int

    /// Hashes all that the value covers.
    ///
    /// - Parameters:
    ///   - original: of the file that the update is for.
    ///   - source: who is at fault when hashing fails.
    func hashed(behind original: CopiedOriginal, source: String) throws -> HashedDocument {
        let hash = try reading(source) {
            let context = try original.hash.copy()
            try context.update(prepared.headBytes)
            try context.update(prepared.tailBytes)
            return try context.finish()
        }
        return HashedDocument(
            appended: self, output: original.output, messageDigest: hash, source: source)
    }

    /// 16 bytes that no other file has, for the trailer's /ID. They are no secret: the system's
    /// generator serves, and OpenSSL's need not be started for them.
    static func fileIdentifier() -> [UInt8] {
        (0..<2).flatMap { _ in
            let word = UInt64.random(in: .min ... .max)
            return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
        }
    }
}

/// A laid-out document and the hash of what its signature's value covers. The original is in the
/// output, the update is not yet.
struct HashedDocument {
    private let appended: AppendedSignature
    private let output: AtomicOutput
    let messageDigest: [UInt8]
    private let source: String

    fileprivate init(
        appended: AppendedSignature, output: AtomicOutput, messageDigest: [UInt8], source: String
    ) {
        self.appended = appended
        self.output = output
        self.messageDigest = messageDigest
        self.source = source
    }

    /// Why the value is too long for the room that was left for it; nil where it is not.
    func excess(of value: [UInt8]) -> ReservationExceeded? {
        guard value.count > appended.reservedByteCount else { return nil }
        return ReservationExceeded(
            detail: "\(value.count) bytes, \(appended.reservedByteCount) reserved")
    }

    /// Appends the update with the value.
    ///
    /// - Returns: the output, to be committed.
    /// - Throws: ``ReservationExceeded`` among others: the room for the value was fixed when the
    ///   document was laid out.
    func holding(_ value: [UInt8]) throws -> AtomicOutput {
        if let excess = excess(of: value) { throw excess }
        var prepared = appended.prepared
        try reading(source) { try prepared.embed(value) }
        try writing(output.path) { try output.write(prepared.bytes) }
        return output
    }
}

extension SignedDataBuilder {
    /// The finished message, and the timestamp over its signature where there is to be one.
    ///
    /// - Parameters:
    ///   - source: where the key came from, for messages.
    ///   - seal: makes the document's integrity code, where it has one.
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
    /// The finished message with a timestamp over the signature (ETSI EN 319 122-1 §5.3) and the
    /// integrity code of the document; each where there is to be one.
    ///
    /// - Parameter messageDigest: what the signature covers, hashed.
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
                try seal.attribute(
                    digest: digest, dataDigest: messageDigest, signature: signature))
        }
        return try finish(signature: signature, unsignedAttributes: attributes)
    }

    /// A time before a certificate began would prove the signature invalid for good.
    private func checkTime(of stamp: ObtainedTimestamp) throws {
        let time = stamp.token.info.genTime.time
        guard let young = ([certificate] + chain).first(where: { time < $0.notBefore }) else {
            return
        }
        let name = young.subject.commonName ?? young.subject.description
        throw SignetError(
            .serviceUnavailable,
            "\(stamp.server): stamped at \(time.rfc3339), but the certificate of \(name.inQuotes) is valid "
                + "from \(young.notBefore.rfc3339) on: the signature would never be valid",
            hint: Sentence(.setClock))
    }
}
