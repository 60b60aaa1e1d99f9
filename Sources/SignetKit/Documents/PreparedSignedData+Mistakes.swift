import Base
import CMSKit
import CryptoBridge

extension PreparedSignedData {
    /// The message and hint about a signature value that does not verify.
    func refusal(_ mistake: Mistake?) -> (String, Sentence) {
        let asHash = Sentence(.signHashAsHash, digest.rawValue)
        switch mistake {
        case .hashWithoutName?:
            return (
                "the signature covers the hash without its algorithm identifier (DigestInfo, "
                    + "RFC 8017 §9.2)", asHash
            )
        case .hashedTwice?:
            return ("the signature covers the hash of the hash, not the hash itself", asHash)
        case .hashText?:
            return (
                "the signature covers the hash as text, not its bytes",
                Sentence(.decodeHash, digest.rawValue)
            )
        case .hashItself?:
            return ("the file contains the hash, not its signature", Sentence(.signHashWritten))
        case .otherPadding?:
            let names =
                scheme.name == "rsa-pss" ? ["PSS", "pkcs1"] : ["PKCS#1 v1.5", "pss"]
            return (
                "the signature has another RSA padding than the prepared PDF",
                Sentence(.prepareWithPadding, facts: names)
            )
        case .otherSalt?:
            return (
                "the RSA-PSS salt has another length than the hash (RFC 8017 §9.1)",
                Sentence(.signWithSalt, "\(digest.byteCount)")
            )
        case .otherDigest(let other)?: return refusal(of: other)
        case nil:
            return (
                "the signature does not match the certificate in the prepared PDF",
                Sentence(.signHashWritten)
            )
        }
    }

    /// The message and hint about a signature with another hash algorithm.
    func refusal(of other: DigestAlgorithm) -> (String, Sentence) {
        (
            "the signature uses \(other.displayName), but the PDF was prepared with "
                + digest.displayName,
            other == .sha1
                ? Sentence(.signWithDigest, digest.displayName)
                : Sentence(.prepareWithDigest, digest.displayName, other.rawValue)
        )
    }
}
