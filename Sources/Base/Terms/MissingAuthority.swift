/// The missing part of a certificate chain that does not reach a trust anchor.
public enum MissingAuthority: Equatable, Sendable {
    /// The root certificate of this CA is not trusted; with its SHA-256 in hexadecimal.
    case untrustedRoot(String, sha256: String)
    /// The signing certificate is self-signed and not trusted; with its subject and SHA-256.
    case untrustedCertificate(String, sha256: String)
    /// The certificate of this issuer was not found.
    case unknownIssuer(String)
    /// A CA of this name is trusted, but its key did not sign the certificate.
    case otherKey(String)
}
