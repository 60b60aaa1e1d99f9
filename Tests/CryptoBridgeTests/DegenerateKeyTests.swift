import CryptoBridge
import SignetTestSupport
import Testing

/// Public keys under which anybody can sign.
struct DegenerateKeyTests {
    /// A SubjectPublicKeyInfo around the bytes of a key.
    private func spki(_ oid: String, _ key: [UInt8]) -> [UInt8] {
        TestDER.sequence(TestDER.sequence(TestDER.oid(oid)), TestDER.element(0x03, [0] + key))
    }

    private func expectRefused(_ spki: [UInt8], _ location: SourceLocation = #_sourceLocation) {
        #expect(throws: CryptoError(.degenerateKey, ""), sourceLocation: location) {
            try PublicKey(spkiDER: spki)
        }
    }

    /// Every point of order 1, 2, 4 and 8, with either sign, and what is at least the prime.
    @Test func smallPointsOfEdwards25519() throws {
        let ff = [UInt8](repeating: 0xFF, count: 30)
        let zeros = [UInt8](repeating: 0, count: 31)
        let eighths: [[UInt8]] = [
            [
                0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF,
                0x98, 0xF0, 0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88,
                0x6D, 0x53, 0xFC, 0x05,
            ],
            [
                0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10,
                0x67, 0x0F, 0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77,
                0x92, 0xAC, 0x03, 0x7A,
            ],
        ]
        let points =
            [[0] + zeros, [1] + zeros] + eighths
            + (UInt8(0xEC)...0xFF).map { [$0] + ff + [0x7F] }
        for point in points {
            expectRefused(spki("1.3.101.112", point))
            var negative = point
            negative[31] |= 0x80
            expectRefused(spki("1.3.101.112", negative))
        }
        let good = try PrivateKey.generate(.ed25519).publicKey
        #expect(try PublicKey(spkiDER: good.spkiDER) == good)
    }

    @Test func smallPointsOfEdwards448() {
        let zeros = [UInt8](repeating: 0, count: 55)
        let prime =
            [UInt8](repeating: 0xFF, count: 27) + [0xFE] + [UInt8](repeating: 0xFF, count: 27)
        for first in [[0] + zeros, [1] + zeros, [0xFE] + prime, [0xFF] + prime] {
            for sign: UInt8 in [0, 0x80] { expectRefused(spki("1.3.101.113", first + [sign])) }
        }
    }

    @Test func thePointAtInfinity() {
        let curve = TestDER.sequence(
            TestDER.oid("1.2.840.10045.2.1"), TestDER.oid("1.2.840.10045.3.1.7"))
        let key = TestDER.sequence(curve, TestDER.element(0x03, [0, 0]))
        #expect(throws: CryptoError.self) { try PublicKey(spkiDER: key) }
    }
}
