import Base
import CMSKit
import CryptoBridge
import PDFCore
import PDFVerification
import TimestampKit
import TrustKit

/// What a document or message brings along for its validation: what, for whom, until when. Nothing
/// of it is verified.
public struct ShownValidationData: Encodable, Sendable {
    /// A certificate, revocation list or response.
    public struct Piece: Encodable, Sendable {
        /// `certificate`, `ocsp` or `crl`.
        public let kind: String
        /// The subjects that it is of or about; for a list, whose certificates it is about. Empty
        /// where they are not known.
        public let `for`: [String]
        /// When it was said, or a certificate begins.
        public let from: Moment
        /// Until when it counts. Nil where it does not say.
        public let until: Moment?
        /// Its length.
        public let bytes: Int

        /// `ocsp about CN=Signer, of 2026-11-22T14:58:32Z until 2026-11-23T14:58:32Z, 773 bytes`.
        public var description: String {
            let who = self.for.isEmpty ? "somebody unknown" : self.for.joined(separator: " and ")
            let link = kind == "certificate" ? "of" : kind == "crl" ? "by" : "about"
            let end = until.map { " until \($0)" } ?? ""
            return "\(kind) \(link) \(who), from \(from)\(end), \(bytes) bytes"
        }
    }

    /// The first of them; ``omitted`` says how many are left out.
    public let pieces: [Piece]
    /// How many signatures have a list of their own of what they need (VRI); nil for messages.
    public let signatureLists: Int?
    /// Until when the newest time stamp over all of it proves anything. Nil where there
    /// is none.
    public let renewBefore: Moment?
    /// Pieces that are not named here.
    public let omitted: Int

    /// Most pieces of one kind that are told.
    private static let limit = 256

    /// - Parameter carried: DER of certificates that stand elsewhere, about whom it may speak.
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
        // In their order, not a set's, which is another one in each run.
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
            } + responses.map { Self.piece($0, pairs) }
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
        _ response: OCSPResponse, _ pairs: [(Certificate, Certificate)]
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

    /// Of a document; nil where it brings nothing.
    init?(_ document: PDFDocument) throws {
        guard let store = try StoredValidationData(of: document) else { return nil }
        self.init(
            store.material, carried: store.carried, signatureLists: store.signatureListCount,
            renewBefore: try NewestTimestamp(of: document)?.end)
    }

    /// Of a message; nil where it brings nothing but certificates.
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
