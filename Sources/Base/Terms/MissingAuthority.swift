/// Where a path ends that does not reach an anchor.
public enum MissingAuthority: Equatable, Sendable {
    /// The path reaches this authority's own root, which nobody trusts; with the SHA-256 of its
    /// certificate, in hexadecimal.
    case untrustedRoot(String, sha256: String)
    /// The certificate is self-signed, and nobody trusts it; with its SHA-256.
    case untrustedCertificate(sha256: String)
    /// The certificate of this issuer is not at hand, a root's or another's.
    case unknownIssuer(String)
    /// An authority of this issuer's name is trusted, and its key did not sign the certificate.
    case otherKey(String)
}
