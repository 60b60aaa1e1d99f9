import Base
import CryptoBridge
import TextBridge
import TrustKit

/// The signing certificate of an XML signature: named by its hash in the signed properties (ETSI EN
/// 319 132-1 §5.2.2).
struct XMLSigner {
    /// The certificates in `KeyInfo`.
    private(set) var certificates: [Certificate] = []
    /// Nil if it is missing.
    private(set) var certificate: Certificate?
    /// Whether the signed properties name ``certificate``; nil if they name none.
    private(set) var isReferenced: Bool?
    private(set) var problems: [VerificationProblem] = []

    private static let certificateLimit = 64

    /// - Parameter others: certificates outside `KeyInfo`.
    init(of element: XMLBranch, _ signed: XMLBranch?, _ others: [Certificate]) throws {
        certificates = element.all("KeyInfo", in: XMLAlgorithm.namespace)
            .flatMap { $0.all("X509Data", in: XMLAlgorithm.namespace) }
            .flatMap { $0.all("X509Certificate", in: XMLAlgorithm.namespace) }
            .prefix(Self.certificateLimit).compactMap(\.base64)
            .compactMap { try? Certificate(der: $0) }
        let properties = signed?.only("SignedSignatureProperties", in: XAdESReader.namespace)
        let named =
            (properties?.all("SigningCertificateV2", in: XAdESReader.namespace) ?? [])
            + (properties?.all("SigningCertificate", in: XAdESReader.namespace) ?? [])
        guard named.count == 1 else {
            certificate = certificates.first
            problems.append(
                .doubt(
                    .signingCertificateReferenceMissing,
                    "the signed properties do not name one signing certificate",
                    .noSigningCertificateFound))
            return
        }
        guard
            let digestElement = named[0].all("Cert", in: XAdESReader.namespace).first?
                .only("CertDigest", in: XAdESReader.namespace),
            let digest = digestElement.only("DigestMethod", in: XMLAlgorithm.namespace)?[
                attribute: "Algorithm"
            ].flatMap(XMLAlgorithm.digest),
            let value = digestElement.only("DigestValue", in: XMLAlgorithm.namespace)?.base64
        else {
            problems.append(
                .doubt(
                    .signingCertificateMismatch,
                    "the reference to the signing certificate cannot be read",
                    .noSigningCertificateFound))
            return
        }
        for candidate in certificates + others where certificate == nil {
            if try digest.hash(candidate.der) == value { certificate = candidate }
        }
        isReferenced = certificate != nil
        if certificate == nil {
            problems.append(
                .doubt(
                    .signerCertificateMissing,
                    "the signature does not contain its signing certificate",
                    .noSigningCertificateFound))
        }
    }
}
