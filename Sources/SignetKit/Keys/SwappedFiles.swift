import CryptoBridge
import SystemBridge

/// Detects that the key file and another file were interchanged.
package enum SwappedFiles {
    /// Whether a file contains a private key, encrypted or not, so that it is not a document.
    package static func isKey(_ path: String) -> Bool {
        guard FileSystem.isRegularFile(path), let file = try? InputFile(path: path),
            let head = try? file.bytes(at: 0, count: min(file.byteCount, 64))
        else { return false }
        let starts = ["0", "-----BEGIN ", "Bag Attributes"]
        guard starts.contains(where: { head.starts(with: $0.utf8) }), var bytes = bytes(path)
        else { return false }
        do {
            return try !CredentialReader.read(SecretBytes(consuming: &bytes)) { nil }.keys.isEmpty
        } catch {
            return error.code == .passphraseNeeded
        }
    }

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
