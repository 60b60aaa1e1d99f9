/// The purpose of a certificate.
public enum CertificateProfile: String, Sendable, CaseIterable { case signer, tsa, ocsp, ca }
