internal import Base

extension PublicKey {
    /// The only digest that the key signs with: of EdDSA keys in CMS (RFC 8419 §3.1), of ML-DSA keys
    /// there (RFC 9882 §3.3: every validator supports SHA-512), and of RSA-PSS keys with parameters
    /// (RFC 4055 §1.2); nil if there is a choice.
    package var requiredDigest: DigestAlgorithm? {
        switch algorithm {
        case .ed25519, .quantumSafe: return .sha512
        case .ed448: return .shake256
        case .rsaPSS:
            var fields = ASN1Reader.single(spkiDER[...], .definite)?.reader
            var identifier = fields?.next(ASN1Tag.sequence)?.reader
            _ = identifier?.next()
            guard var parameters = identifier?.next(ASN1Tag.sequence)?.reader else { return nil }
            var wrapper = parameters.next(ASN1Tag.context(0))?.reader
            var hash = wrapper?.next(ASN1Tag.sequence)?.reader
            guard let oid = hash?.next()?.objectIdentifier else { return .sha1 }
            return DigestAlgorithm(name: Certificate.shortName(oid))
        default: return nil
        }
    }

    /// An RSA key from modulus and exponent, most significant byte first (RFC 8017 A.1.1).
    package convenience init(modulus: [UInt8], exponent: [UInt8]) throws(CryptoError) {
        try self.init(
            pkcs1DER: DERWriter.sequence([
                DERWriter.unsigned(modulus), DERWriter.unsigned(exponent),
            ]))
    }

    /// A DSA key from its parameters and value (RFC 3279 §2.3.2).
    package convenience init(
        prime: [UInt8], subprime: [UInt8], base: [UInt8], value: [UInt8]
    ) throws(CryptoError) {
        let parameters = DERWriter.sequence([prime, subprime, base].map(DERWriter.unsigned))
        try self.init(algorithm: .dsa, parameters: parameters, bits: DERWriter.unsigned(value))
    }

    /// An EC or Edwards key from PKCS#11 attributes.
    ///
    /// - Parameters:
    ///   - parameters: CKA_EC_PARAMS: the curve's identifier, or for Edwards curves also its name.
    ///   - point: CKA_EC_POINT: in an OCTET STRING (version 2.40), in a BIT STRING (3.0), or bare
    ///     (3.1).
    package convenience init(curve parameters: [UInt8], point: [UInt8]) throws(CryptoError) {
        guard let curve = ASN1Reader.single(parameters[...], .definite) else {
            throw CryptoError(.malformedKey, "a key on an unknown curve")
        }
        let edwards: (oid: OID, byteCount: Int)? =
            switch (curve.objectIdentifier, curve.printable) {
            case (OID.ed25519, _), (_, "edwards25519"): (OID.ed25519, 32)
            case (OID.ed448, _), (_, "edwards448"): (OID.ed448, 57)
            default: nil
            }
        if let edwards {
            guard let bytes = Self.bare(point, where: { $0.count == edwards.byteCount }) else {
                throw CryptoError(.malformedKey, "a point that is not on the curve")
            }
            try self.init(algorithm: edwards.oid, parameters: [], bits: bytes)
            return
        }
        // Compressed (two forms) and uncompressed points (SEC 1 §2.3.3).
        let forms: [UInt8] = [0x02, 0x03, 0x04]
        let bytes = Self.bare(point) { point in
            point.count % 2 == 1 && point.first.map(forms.contains) == true
        }
        guard curve.objectIdentifier != nil, let bytes else {
            throw CryptoError(.malformedKey, "a key on an unknown curve")
        }
        try self.init(algorithm: .ecPublicKey, parameters: parameters, bits: bytes)
    }

    /// The accepted form of `point`: the content of its element, or the bytes themselves.
    private static func bare(
        _ point: [UInt8], where isPoint: (ArraySlice<UInt8>) -> Bool
    ) -> [UInt8]? {
        var readings: [ArraySlice<UInt8>] = []
        if let element = ASN1Reader.single(point[...], .definite) {
            if element.tag == ASN1Tag.octetString { readings.append(element.content) }
            if element.tag == ASN1Tag.bitString, element.content.first == 0 {
                readings.append(element.content.dropFirst())
            }
        }
        readings.append(point[...])
        return readings.first(where: isPoint).map { Array($0) }
    }

    private convenience init(
        algorithm: OID, parameters: [UInt8], bits: [UInt8]
    ) throws(CryptoError) {
        try self.init(
            spkiDER: DERWriter.sequence([
                DERWriter.sequence(DERWriter.objectIdentifier(algorithm), parameters),
                DERWriter.element(ASN1Tag.bitString, [0] + bits),
            ]))
    }
}

extension ASN1Element {
    fileprivate var printable: String? {
        tag == ASN1Tag.printableString ? String(decoding: content, as: UTF8.self) : nil
    }
}
