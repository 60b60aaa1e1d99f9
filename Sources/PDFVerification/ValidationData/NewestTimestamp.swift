package import Base
import CMSKit
package import CryptoBridge
package import PDFCore
package import PDFSigning
package import TimestampKit
package import TrustKit

/// The document timestamp that is to prove all else of a document: who made it is verified, neither
/// whether they are to be believed nor what it is over.
package struct NewestTimestamp {
    package let authority: Certificate
    package let token: TimestampToken
    package let byteRange: ByteRange
    /// Until when it proves anything, as far as its own certificates tell: those that are not among
    /// them may end before.
    package let end: CalendarTime
    /// Of the signatures.
    private let messages: [SignedData]

    /// - Returns: nil where nothing is behind it but signatures, or there is none.
    package init?(of document: PDFDocument) throws {
        let candidates = try SignatureCandidate.all(in: AcroForm(of: document), of: document)
        guard let newest = candidates.last, let token = newest.token, let value = newest.value,
            let authority = try token.authority()
        else { return nil }
        self.authority = authority
        self.token = token
        byteRange = value.byteRange
        messages = candidates.compactMap(\.message)
        end =
            TimestampEnd.of(
                token.signedData.path(above: authority), digest: token.info.messageImprint.digest)
            ?? authority.notAfter
    }

    /// Whether something is there about the certificate of each signer, be it what it may: one
    /// signature without is not proven by a time stamp.
    package func hasEvidence(among material: ValidationMaterial) -> Bool {
        messages.allSatisfy { message in
            let certificates = message.certificates.compactMap { try? Certificate(der: $0) }
            let evidence = material.evidence + RevocationEvidence(in: message)
            return message.signers.allSatisfy { signer in
                guard let leaf = certificates.first(where: signer.identifier.names) else {
                    return false
                }
                return RevocationCheck.needsNone(leaf)
                    || evidence.lists.contains { $0.issuer == leaf.issuer }
                    || (certificates + material.certificates).contains { issuer in
                        issuer.subjectDER == leaf.issuerDER
                            && evidence.responses.contains {
                                !$0.answers(about: leaf, issuer: issuer).isEmpty
                            }
                    }
            }
        }
    }

    /// What the document's store brings for its validation.
    package static func material(
        of document: PDFDocument
    ) throws(PDFError) -> ValidationMaterial {
        try DocumentSecurityStore(of: document).material
    }
}
