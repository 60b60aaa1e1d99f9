package import Base
package import CryptoBridge

/// Dates until which algorithms are considered secure (ETSI TS 119 312, with the dates of EU
/// validators).
package enum AlgorithmPolicy {
    /// The smallest RSA or DSA modulus ever accepted, and the smallest accepted without an end
    /// date.
    static let modulusFloor = 1900
    static let modulusLasting = 3000
    /// Least bits of an elliptic curve's order.
    static let curveFloor = 224
    static let curveLasting = 256

    private static let end2004 = date(2004, 8)
    private static let end2012 = date(2012, 8)
    private static let end2021 = date(2021, 10)
    private static let end2029 = date(2029, 1)

    /// The time from which the hash is no longer considered secure; nil if none is set.
    package static func expiry(of digest: DigestAlgorithm) -> CalendarTime? {
        switch digest {
        case .md5: end2004
        case .sha1: end2012
        case .sha224, .sha3_224: end2029
        default: nil
        }
    }

    /// The time from which the key is no longer considered secure: the distant past for a key that
    /// never was, nil if none is set.
    package static func expiry(of key: PublicKey) -> CalendarTime? {
        switch key.algorithm {
        case .rsa(let bits), .rsaPSS(let bits), .dsa(let bits):
            if bits < modulusFloor { return never }
            return bits < modulusLasting ? end2029 : nil
        case .ec:
            if key.bits < curveFloor { return never }
            return key.bits < curveLasting ? end2021 : nil
        case .ed25519, .ed448, .quantumSafe: return nil
        case .other: return never
        }
    }

    /// Messages about everything that is too weak at `time`; empty if nothing is.
    package static func weaknesses(
        digest: DigestAlgorithm?, key: PublicKey, at time: CalendarTime
    ) -> [String] {
        var weaknesses = [weakness(of: digest, at: time)].compactMap { $0 }
        if let end = expiry(of: key), time >= end {
            // A later time is usually chosen: the date explains why the key is secure today.
            let start = end == never ? "" : " from \(end.moment.day) on"
            weaknesses.append("the key is too weak\(start) (\(key.algorithm))")
        }
        return weaknesses
    }

    /// The message that a hash is broken; nil if it is not.
    static func weakness(of digest: DigestAlgorithm?, at time: CalendarTime) -> String? {
        guard let digest, let end = expiry(of: digest), time >= end else { return nil }
        return "\(digest.displayName) is no longer secure"
    }

    private static let never = CalendarTime(secondsSinceEpoch: -62_135_596_800)

    private static func date(_ year: Int, _ month: Int) -> CalendarTime {
        CalendarTime(year: year, month: month, day: 1, hour: 0, minute: 0, second: 0) ?? never
    }
}
