import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFVerification
import TimestampKit
import TrustKit

/// The validation data in a document or message: kind, subject and validity. Nothing is verified.
public struct ShownValidationData: Encodable, Sendable {
    /// A certificate, CRL or OCSP response.
    public struct Piece: Encodable, Sendable {
        /// Kind of item: `certificate`, `ocsp` or `crl`.
        public let kind: String
        /// Subject of a certificate, subjects of an OCSP response's certificates, or issuer of a
        /// CRL. Empty if unknown.
        public let `for`: [String]
        /// When it was issued, or the certificate's validity starts.
        public let from: Moment
        /// Until when the item is valid; nil if unlimited.
        public let until: Moment?
        /// Length in bytes.
        public let bytes: Int

        /// Text such as `ocsp about CN=Signer, from 2026-11-22T14:58:32Z until
        /// 2026-11-23T14:58:32Z, 773 bytes`.
        public var description: String {
            let who = self.for.isEmpty ? "an unknown issuer" : self.for.joined(separator: " and ")
            let link = kind == "certificate" ? "of" : kind == "crl" ? "by" : "about"
            let end = until.map { " until \($0)" } ?? ""
            return "\(kind) \(link) \(who), from \(from)\(end), \(bytes) bytes"
        }
    }

    /// The first items; ``omitted`` is the number of the others.
    public let pieces: [Piece]
    /// Number of signatures with their own list of validation data (VRI); nil for messages.
    public let signatureLists: Int?
    /// When the proof by the newest timestamp over the data expires; nil without a timestamp.
    public let renewBefore: Moment?
    /// Number of items that are not listed.
    public let omitted: Int

    /// Maximum number of items of one kind that are listed.
    private static let limit = 256

    /// - Parameter carried: DER of certificates elsewhere in the file, which the data may be about.
    init(
        _ material: ValidationMaterial, carried: [[UInt8]], signatureLists: Int? = nil,
        renewBefore: CalendarTime?
    ) {
        let own = material.certificates.prefix(Self.limit)
        let (lists, responses) = (
            material.evidence.lists.prefix(Self.limit),
            material.evidence.responses.prefix(Self.limit)
        )
        let others = carried.prefix(Self.limit).compactMap { try? Certificate(der: $0) }
        // Duplicates are removed without a set, because the order of a set differs between runs.
        var seen: Set<Certificate> = []
        let known = (own + others + responses.flatMap(\.certificates))
            .filter { seen.insert($0).inserted }.prefix(Self.limit)
        let pairs = known.flatMap { certificate in
            known.filter { $0.isNamedAsIssuer(of: certificate) }.map { (certificate, $0) }
        }
        pieces =
            own.map { certificate in
                Piece(
                    kind: "certificate", for: [certificate.subject.description],
                    from: certificate.notBefore.moment, until: certificate.notAfter.moment,
                    bytes: certificate.der.count)
            } + responses.map { Self.piece($0, pairs: pairs) }
            + lists.map { list in
                Piece(
                    kind: "crl", for: [list.issuer.description], from: list.thisUpdate.moment,
                    until: list.nextUpdate?.moment, bytes: list.der.count)
            }
        omitted =
            material.certificates.count + material.evidence.lists.count
            + material.evidence.responses.count - pieces.count
        self.signatureLists = signatureLists
        self.renewBefore = renewBefore?.moment
    }

    private static func piece(
        _ response: OCSPResponse, pairs: [(Certificate, Certificate)]
    ) -> Piece {
        var subjects: [String] = []
        var said: RevocationStatement?
        for (certificate, issuer) in pairs {
            guard let answer = response.answers(about: certificate, issuer: issuer).first else {
                continue
            }
            let subject = certificate.subject.description
            if !subjects.contains(subject) { subjects.append(subject) }
            said = said ?? answer.statement
        }
        return Piece(
            kind: "ocsp", for: subjects, from: (said?.thisUpdate ?? response.producedAt).moment,
            until: said?.nextUpdate?.moment, bytes: response.der.count)
    }

    /// The validation data of a document; nil if it contains none.
    init?(_ document: PDFDocument) throws {
        guard let store = try StoredValidationData(of: document) else { return nil }
        self.init(
            store.material, carried: store.carried, signatureLists: store.signatureListCount,
            renewBefore: try NewestTimestamp(of: document)?.end)
    }

    /// The validation data of a message; nil if it contains only certificates.
    init?(_ message: SignedData) {
        let evidence = RevocationEvidence(in: message)
        guard !evidence.isEmpty else { return nil }
        self.init(
            ValidationMaterial(
                certificates: message.certificates.compactMap { try? Certificate(der: $0) },
                evidence: evidence), carried: message.stampCertificates,
            renewBefore: message.signers.compactMap { NewestArchiveTimestamp.end(of: $0) }.min())
    }
}
