import CryptoBridge
import SystemBridge

/// Detects that the key file and the certificate file were interchanged.
enum SwappedFiles {
    /// The error if the key file contains only certificates, and the certificate file a key.
    static func error(key: String, certificate: String?) -> SignetError? {
        guard let certificate, let first = bytes(key), var second = bytes(certificate) else {
            return nil
        }
        defer { SecretBytes.wipe(&second) }
        guard !holdsKey(first), (try? Certificate.readAll(first)) != nil, holdsKey(second) else {
            return nil
        }
        return SignetError(
            .usage,
            "the files of key and certificate are swapped: '\(key)' contains a certificate, "
                + "'\(certificate)' the private key",
            hint: Sentence(.swapKeyAndCertificate, certificate, key))
    }

    private static func bytes(_ file: String) -> [UInt8]? {
        guard FileSystem.isRegularFile(file) else { return nil }
        return try? FileSystem.readAll(file, limit: SigningCredential.byteLimit)
    }

    private static func holdsKey(_ bytes: [UInt8]) -> Bool {
        bytes.firstRange(of: Array("PRIVATE KEY-----".utf8), from: 0) != nil
            || CredentialReader.isPlainDERKey(bytes)
    }
}
