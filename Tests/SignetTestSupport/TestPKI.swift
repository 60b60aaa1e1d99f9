package import Base
import CMSKit
package import CryptoBridge

/// A CA for tests, with fixed dates.
package enum TestPKI {
    /// A time at which all certificates below are valid.
    package static let now = time(2026, 6, 1)
    package static let start = time(2025, 1, 1)
    package static let end = time(2028, 1, 1)

    package static func time(_ year: Int, _ month: Int, _ day: Int) -> CalendarTime {
        CalendarTime(year: year, month: month, day: day, hour: 0, minute: 0, second: 0)
            ?? CalendarTime(secondsSinceEpoch: 0)
    }

    /// A key with its certificate and its issuer certificates.
    package struct Identity: Sendable {
        package let key: PrivateKey
        package let certificate: Certificate
        package let chain: [Certificate]
    }

    /// Creates a root CA with its own name.
    package static func root(
        _ name: String = "CN=Test Root,O=Signet,C=CZ",
        type: KeyType = .ec(curve: .p256), keyUsage: KeyUsage? = nil,
        key existing: PrivateKey? = nil
    ) throws -> Identity {
        try issue(name, type: type, by: nil, profile: .ca, key: existing) { $0.keyUsage = keyUsage }
    }

    /// Creates a certificate issued by `issuer`; nil makes it self-signed.
    package static func issue(
        _ name: String = "CN=Jan Novák,O=Firma,C=CZ", type: KeyType = .ec(curve: .p256),
        by issuer: Identity?, profile: CertificateProfile = .signer,
        from: CalendarTime = start, to: CalendarTime = end, key existing: PrivateKey? = nil,
        configure: (inout CertificateBuilder) -> Void = { _ in }
    ) throws -> Identity {
        let key: PrivateKey
        if let existing { key = existing } else { key = try PrivateKey.generate(type) }
        var builder = CertificateBuilder(
            subject: try DistinguishedName(rfc4514: name), publicKey: key.publicKey,
            notBefore: from, notAfter: to, profile: profile)
        configure(&builder)
        guard let issuer else {
            return Identity(key: key, certificate: try builder.selfSigned(by: key), chain: [])
        }
        return Identity(
            key: key, certificate: try builder.issued(by: issuer.certificate, key: issuer.key),
            chain: [issuer.certificate] + issuer.chain)
    }

    /// Creates a self-signed certificate.
    package static func selfSigned(
        _ name: String = "CN=Self", type: KeyType = .ec(curve: .p256),
        profile: CertificateProfile = .signer
    ) throws -> Identity {
        try issue(name, type: type, by: nil, profile: profile)
    }
}

extension CredentialReader {
    package static func read(
        _ data: [UInt8], passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> CredentialBundle {
        try read(SecretBytes(copying: data), passphrase: passphrase)
    }
}
