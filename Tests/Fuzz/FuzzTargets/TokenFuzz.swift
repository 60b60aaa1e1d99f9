import CryptoBridge
import KeyBridge

/// Reads a URI of a token or of a provider, a curve and a point as in token attributes, separated by
/// zero bytes.
enum TokenFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
            .map(Array.init)
        if let uri = try? PKCS11URI("pkcs11:" + String(decoding: parts[0], as: UTF8.self)) {
            guard let again = try? PKCS11URI(uri.text), again.path == uri.path,
                again.modulePath == uri.modulePath, again.moduleName == uri.moduleName
            else { return "a URI is written differently: \(uri.text)" }
        }
        if let uri = try? ProviderURI("provider:" + String(decoding: parts[0], as: UTF8.self)) {
            guard (try? ProviderURI(uri.text)) == uri else {
                return "a URI is written differently: \(uri.text)"
            }
        }
        guard parts.count > 2 else { return nil }
        if let key = try? PublicKey(curve: parts[1], point: parts[2]) {
            guard (try? PublicKey(spkiDER: key.spkiDER)) == key else {
                return "a key that cannot be read again"
            }
        }
        _ = try? PublicKey(modulus: parts[1], exponent: parts[2])
        _ = try? PublicKey(prime: parts[1], subprime: parts[2], base: parts[2], value: parts[1])
        return nil
    }
}
