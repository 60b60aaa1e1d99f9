import Base
package import CryptoBridge

extension Certificate {
    package func message(required: Certificate) throws(CryptoError) -> String {
        try "the signature is by \(inWords), not by the required signer \(required.inWords)"
    }

    /// The name and the fingerprint.
    private var inWords: String {
        get throws(CryptoError) {
            let pairs = try sha256.map { Hex.encode([$0]).uppercased() }
            return "\(displayName.inQuotes) (SHA-256 \(pairs.joined(separator: ":")))"
        }
    }
}
