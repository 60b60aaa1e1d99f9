import Base
package import CryptoBridge

extension Certificate {
    package func message(required: Certificate) throws(CryptoError) -> String {
        try "the signing certificate is not the required one: signed by \(inWords); required: "
            + required.inWords
    }

    /// The name and the fingerprint.
    private var inWords: String {
        get throws(CryptoError) {
            let pairs = try sha256.map { Hex.encode([$0]).uppercased() }
            return "\(displayName.inQuotes) (SHA-256 \(pairs.joined(separator: ":")))"
        }
    }
}
