internal import Base

/// ECDSA and DSA signatures as r‖s (IEEE P1363) instead of DER SEQUENCE { r, s }.
package enum RawSignature {
    /// r‖s, each padded to `integerByteCount`; nil when `der` is no exact DER signature or a
    /// number is too large.
    package static func p1363(fromDER der: [UInt8], integerByteCount: Int) -> [UInt8]? {
        guard let sequence = ASN1Reader.single(der[...], .definite),
            sequence.tag == ASN1Tag.sequence
        else {
            return nil
        }
        var reader = sequence.reader
        var output: [UInt8] = []
        for _ in 0..<2 {
            guard let integer = reader.next(ASN1Tag.integer), let first = integer.content.first,
                first < 0x80
            else { return nil }
            let digits = integer.content.drop { $0 == 0 }
            guard digits.count <= integerByteCount else { return nil }
            output += [UInt8](repeating: 0, count: integerByteCount - digits.count) + digits
        }
        // One encoding only.
        guard reader.isAtEnd, self.der(fromP1363: output) == der else { return nil }
        return output
    }

    /// DER of r‖s; nil when the halves differ in length.
    package static func der(fromP1363 raw: [UInt8]) -> [UInt8]? {
        guard !raw.isEmpty, raw.count % 2 == 0 else { return nil }
        return DERWriter.sequence(
            [raw.prefix(raw.count / 2), raw.suffix(raw.count / 2)].map {
                DERWriter.unsigned(Array($0))
            })
    }
}

extension PublicKey {
    /// Bytes of r and of s in this key's raw signatures; nil for keys that have none.
    package var rawSignatureIntegerByteCount: Int? {
        switch algorithm {
        case .ec: (bits + 7) / 8
        // 256-bit subgroups are all that is generated; the longest DER signature tells others.
        case .dsa: (maximumSignatureByteCount - 8) / 2
        default: nil
        }
    }
}

extension DigestAlgorithm {
    /// A hash with its name in front, which RSA signatures of PKCS#1 v1.5 sign (RFC 8017 §9.2).
    package func digestInfo(of digest: [UInt8]) -> [UInt8] {
        let algorithm = DERWriter.sequence(DERWriter.objectIdentifier(oid), DERWriter.null)
        return DERWriter.sequence(algorithm, DERWriter.octets(digest))
    }
}
