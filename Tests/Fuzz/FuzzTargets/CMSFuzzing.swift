import CryptoBridge

@testable import CMSKit

/// What a fuzzer runs: parse hostile bytes under both encodings, verify whatever comes out, and
/// encode nothing. It must return, whatever the bytes are.
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
