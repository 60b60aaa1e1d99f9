package import ByteKit
import CMSKit
package import CryptoBridge
package import PDFCore
package import TimestampKit

/// The document timestamp that proves all else of a document: read, not verified.
package struct NewestTimestamp {
    package let authority: Certificate
    package let info: TSTInfo
    /// Until when it proves anything.
    package let end: CalendarTime

    /// - Returns: nil where nothing is behind it but signatures, or there is none.
    package init?(of document: PDFDocument) throws {
        let candidates = try DocumentVerifier.candidates(in: AcroForm(of: document), of: document)
        guard let token = candidates.last?.token,
            let authority = token.signedData.certificates.lazy
                .compactMap({ try? Certificate(der: $0) })
                .first(where: { !$0.isCA && $0.extendedKeyUsage != nil })
        else { return nil }
        self.authority = authority
        info = token.info
        end =
            TimestampEnd.of(
                token.signedData.path(above: authority), digest: info.messageImprint.digest)
            ?? authority.notAfter
    }
}
