import Base
import CMSKit
import CryptoBridge
import PDFSigning
import TimestampKit

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
