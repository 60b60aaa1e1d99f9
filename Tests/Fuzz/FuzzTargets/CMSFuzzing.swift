import CryptoBridge

@testable import CMSKit

/// Parses arbitrary bytes with both encodings and verifies the result. Encodes nothing. It must
/// return for all bytes.
enum CMSFuzzing {
    static func run(_ bytes: [UInt8]) {
        for encoding in [SignedData.Encoding.der, .ber] {
            guard let message = try? SignedData(bytes, encoding: encoding) else { continue }
            var digests: [DigestAlgorithm: [UInt8]] = [:]
            for algorithm in message.requiredDigests {
                digests[algorithm] = [UInt8](repeating: 0, count: algorithm.byteCount)
            }
            for profile in [SignedDataVerifier.Profile.pades, .detached, .attached] {
                _ = try? SignedDataVerifier(profile: profile).verify(
                    message, contentDigests: digests)
            }
        }
    }
}
