package import ByteKit
import CMSKit
package import CryptoBridge
package import PDFCore
package import TimestampKit
package import TrustKit

/// The document timestamp that is to prove all else of a document: who made it is verified, neither
/// whether they are to be believed nor what it is over.
package struct NewestTimestamp {
    package let authority: Certificate
    package let token: TimestampToken
    package let byteRange: ByteRange
    /// Until when it proves anything.
    package let end: CalendarTime

    /// - Returns: nil where nothing is behind it but signatures, or there is none.
    package init?(of document: PDFDocument) throws {
        let candidates = try SignatureCandidate.all(in: AcroForm(of: document), of: document)
        guard let newest = candidates.last, let token = newest.token, let value = newest.value,
            let authority = try token.authority()
        else { return nil }
        self.authority = authority
        self.token = token
        byteRange = value.byteRange
        end =
            TimestampEnd.of(
                token.signedData.path(above: authority), digest: token.info.messageImprint.digest)
            ?? authority.notAfter
    }

    /// What the document's store brings for its validation.
    package static func material(
        of document: PDFDocument
    ) throws(PDFError) -> ValidationMaterial {
        try DocumentSecurityStore(of: document).material
    }
}
