package import Base
import CMSKit
import CryptoBridge
package import PDFCore
package import PDFSigning
package import TimestampKit
package import TrustKit

/// The newest document timestamp. Its signature is verified; its trust and its message imprint are
/// not.
package struct NewestTimestamp {
    package let token: TimestampToken
    package let byteRange: ByteRange
    /// End of validity according to its embedded certificates. Other certificates of the chain may
    /// expire earlier.
    package let end: CalendarTime
    /// The CMS of each signature.
    private let messages: [SignedData]

    /// - Returns: nil if there is no timestamp, or a signature follows it.
    package init?(of document: PDFDocument) throws {
        let candidates = try SignatureCandidate.all(in: AcroForm(of: document), of: document)
        guard let newest = candidates.last, let token = newest.token, let value = newest.value,
            let authority = try token.authority()
        else { return nil }
        self.token = token
        byteRange = value.byteRange
        messages = candidates.compactMap(\.message)
        end =
            TimestampEnd.of(
                token.signedData.path(above: authority), digest: token.info.messageImprint.digest)
            ?? authority.notAfter
    }

    /// Whether `material` contains revocation data for every signing certificate. Without it,
    /// another timestamp does not preserve a signature.
    package func hasEvidence(among material: ValidationMaterial) -> Bool {
        messages.allSatisfy { message in
            let certificates = message.certificates.compactMap { try? Certificate(der: $0) }
            let evidence = material.evidence + RevocationEvidence(in: message)
            return message.signers.allSatisfy { signer in
                guard let leaf = certificates.first(where: signer.identifier.names) else {
                    return false
                }
                return RevocationCheck.needsNone(leaf)
                    || evidence.lists.contains { $0.issuer.isSame(as: leaf.issuer) }
                    || (certificates + material.certificates).contains { issuer in
                        issuer.isNamedAsIssuer(of: leaf)
                            && evidence.responses.contains {
                                !$0.answers(about: leaf, issuer: issuer).isEmpty
                            }
                    }
            }
        }
    }

    /// The validation data in the document's store.
    package static func material(of document: PDFDocument) throws(PDFError) -> ValidationMaterial {
        try DocumentSecurityStore(of: document).material
    }
}
