import CryptoBridge

/// Builds SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) from the bare numbers that vectors give.
enum VectorKey {
    static func rsa(n: [UInt8], e: [UInt8]) throws -> PublicKey {
        try key(
            [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01], [0x05, 0x00],
            sequence([integer(n), integer(e)]))
    }

    static func dsa(p: [UInt8], q: [UInt8], g: [UInt8], y: [UInt8]) throws -> PublicKey {
        try key(
            [0x2A, 0x86, 0x48, 0xCE, 0x38, 0x04, 0x01],
            sequence([integer(p), integer(q), integer(g)]), integer(y))
    }

    /// - Parameter point: as SEC 1 §2.3.3 encodes it, compressed or not.
    static func ec(curve: [UInt8], point: [UInt8]) throws -> PublicKey {
        try key([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01], element(0x06, curve), point)
    }

    /// The content of the object identifier of a curve under its NIST or SEC name.
    static let curves: [String: [UInt8]] = {
        // 1.3.132.0.x (SEC 2)
        let sec: [(String, UInt8)] = [
            ("P-224", 33), ("P-384", 34), ("P-521", 35), ("K-163", 1), ("B-163", 15),
            ("K-233", 26), ("B-233", 27), ("K-283", 16), ("B-283", 17), ("K-409", 36),
            ("B-409", 37), ("K-571", 38), ("B-571", 39), ("SECP256K1", 10),
        ]
        var all = Dictionary(uniqueKeysWithValues: sec.map { ($0, [0x2B, 0x81, 0x04, 0x00, $1]) })
        // 1.2.840.10045.3.1.x (X9.62)
        for (name, last) in [("P-192", UInt8(1)), ("P-256", 7), ("SECP256R1", 7)] {
            all[name] = [0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, last]
        }
        return all
    }()

    static func sequence(_ parts: [[UInt8]]) -> [UInt8] { element(0x30, parts.flatMap { $0 }) }

    static func integer(_ digits: [UInt8]) -> [UInt8] {
        var content = Array(digits.drop { $0 == 0 })
        if content.first.map({ $0 >= 0x80 }) ?? true { content.insert(0, at: 0) }
        return element(0x02, content)
    }

    private static func key(
        _ algorithm: [UInt8], _ parameters: [UInt8], _ bits: [UInt8]
    ) throws -> PublicKey {
        try PublicKey(
            spkiDER: sequence([
                sequence([element(0x06, algorithm), parameters]), element(0x03, [0] + bits),
            ]))
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 0x80 { return [tag, UInt8(count)] + content }
        if count < 0x100 { return [tag, 0x81, UInt8(count)] + content }
        return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + content
    }
}
