/// Padding of RSA signatures (RFC 8017).
public enum RSAPadding: String, Sendable, CaseIterable { case pkcs1, pss }
