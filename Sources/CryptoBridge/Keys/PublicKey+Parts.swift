extension PublicKey {
    /// An RSA key of its numbers, most significant byte first (RFC 8017 A.1.1).
    package convenience init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        try self.init(
            pkcs1DER: DERWriter.sequence([
                DERWriter.unsigned(modulus), DERWriter.unsigned(exponent),
            ]))
    }

    /// A DSA key of its numbers (RFC 3279 §2.3.2).
    package convenience init(
        prime: [UInt8], subprime: [UInt8], base: [UInt8], value: [UInt8]
    ) throws(CryptoError) {
        let parameters = DERWriter.sequence([prime, subprime, base].map(DERWriter.unsigned))
        try self.init(
            algorithm: "1.2.840.10040.4.1", parameters: parameters, bits: DERWriter.unsigned(value))
    }

    /// A key on a curve, as PKCS#11 modules describe it.
    ///
    /// - Parameters:
    ///   - parameters: CKA_EC_PARAMS: the curve's identifier, or for Edwards curves also its name.
    ///   - point: CKA_EC_POINT: in an OCTET STRING (version 2.40), in a BIT STRING (3.0), or bare
    ///     (3.1).
    package convenience init(curve parameters: [UInt8], point: [UInt8]) throws(CryptoError) {
        guard let curve = DERReader.single(parameters[...]) else {
            throw CryptoError(.malformedKey, "a key on an unknown curve")
        }
        let edwards: (oid: String, byteCount: Int)? =
            switch (curve.objectIdentifier, curve.printable) {
            case ("1.3.101.112", _), (_, "edwards25519"): ("1.3.101.112", 32)
            case ("1.3.101.113", _), (_, "edwards448"): ("1.3.101.113", 57)
            default: nil
            }
        if let edwards {
            guard let bytes = Self.bare(point, where: { $0.count == edwards.byteCount }) else {
                throw CryptoError(.malformedKey, "a point that is none of the curve")
            }
            try self.init(algorithm: edwards.oid, parameters: [], bits: bytes)
            return
        }
        // 0x04: uncompressed; 0x02 and 0x03: compressed (SEC 1 §2.3.3).
        let bytes = Self.bare(point) {
            $0.count % 2 == 1 && ($0.first == 0x04 || $0.first == 0x02 || $0.first == 0x03)
        }
        guard curve.objectIdentifier != nil, let bytes else {
            throw CryptoError(.malformedKey, "a key on an unknown curve")
        }
        try self.init(algorithm: "1.2.840.10045.2.1", parameters: parameters, bits: bytes)
    }

    /// The first reading of a point that may be one: inside an element, else as it is.
    private static func bare(
        _ point: [UInt8], where isPoint: (ArraySlice<UInt8>) -> Bool
    ) -> [UInt8]? {
        var readings: [ArraySlice<UInt8>] = []
        if let element = DERReader.single(point[...]) {
            if element.tag == DERTag.octetString { readings.append(element.content) }
            if element.tag == DERTag.bitString, element.content.first == 0 {
                readings.append(element.content.dropFirst())
            }
        }
        readings.append(point[...])
        return readings.first(where: isPoint).map { Array($0) }
    }

    private convenience init(
        algorithm: String, parameters: [UInt8], bits: [UInt8]
    ) throws(CryptoError) {
        guard let identifier = DERWriter.objectIdentifier(algorithm) else {
            throw CryptoError(.internalFailure, "an algorithm without a number")
        }
        try self.init(
            spkiDER: DERWriter.sequence([
                DERWriter.sequence([identifier, parameters]),
                DERWriter.element(DERTag.bitString, [0] + bits),
            ]))
    }
}

extension DERElement {
    fileprivate var printable: String? {
        tag == DERTag.printableString ? String(decoding: content, as: UTF8.self) : nil
    }
}

extension DERWriter {
    /// A number that is not negative, most significant byte first.
    static func unsigned(_ bytes: [UInt8]) -> [UInt8] {
        var digits = Array(bytes.drop { $0 == 0 })
        if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
        return element(DERTag.integer, digits)
    }
}
