import Base
import CMSKit
import CryptoBridge
import SystemBridge

/// A credential for a service that signs with a certificate that is not known in advance. It is
/// used only to prepare a document: the service returns a whole CMS signature with its certificate.
enum StandInCredential {
    private static let validSeconds = 3600

    /// - Parameter name: the signer's name in the signature appearance; nil if it is not known.
    static func make(named name: String?) throws -> SigningCredential {
        let key = try PrivateKey.generate(.ec(curve: .p256))
        let values = [("OU", Certificate.standInMark), ("CN", name)].compactMap { type, value in
            value.map { "\(type)=\(DistinguishedName.escape($0))" }
        }
        let now = SystemClock.now()
        let certificate = try CertificateBuilder(
            subject: DistinguishedName(rfc4514: values.reversed().joined(separator: ",")),
            publicKey: key.publicKey, notBefore: now.adding(seconds: -validSeconds),
            notAfter: now.adding(seconds: validSeconds)
        ).selfSigned(by: key)
        // The key itself is not kept: it must not sign.
        return try SigningCredential(
            keys: [ExternalSigner(publicKey: key.publicKey)], keyName: "the key of the service",
            certificates: [certificate])
    }
}
