internal import Base

/// ECDSA and DSA signatures as r‖s (IEEE P1363) instead of DER SEQUENCE { r, s }.
package enum RawSignature {
    /// r‖s, each padded to `integerByteCount`; nil if `der` is not exact DER or a number is too
    /// large.
    package static func p1363(fromDER der: [UInt8], integerByteCount: Int) -> [UInt8]? {
        guard let sequence = ASN1Reader.single(der[...], .definite),
            sequence.tag == ASN1Tag.sequence
        else { return nil }
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
        // Only one DER encoding is accepted.
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
    /// Length of r and of s in raw signatures of this key; nil for keys without this format.
    package var rawSignatureIntegerByteCount: Int? {
        switch algorithm {
        case .ec: (bits + 7) / 8
        // The longest DER signature gives the length of r and s.
        case .dsa: (maximumSignatureByteCount - 8) / 2
        default: nil
        }
    }
}

extension DigestAlgorithm {
    /// The DigestInfo of a hash, which PKCS#1 v1.5 signatures sign (RFC 8017 §9.2).
    package func digestInfo(of digest: [UInt8]) -> [UInt8] {
        let algorithm = DERWriter.sequence(DERWriter.objectIdentifier(oid), DERWriter.null)
        return DERWriter.sequence(algorithm, DERWriter.octets(digest))
    }
}
