import CMSKit
import CryptoBridge
import PDFCore
import TrustKit

/// What a document brings along for its own validation: certificates, revocation lists and OCSP
/// responses of its document security store (ISO 32000-2 §12.8.4.3). Hints and signed statements,
/// never trust.
struct SecurityStore {
    private(set) var certificates: [Certificate] = []
    private(set) var evidence = RevocationEvidence()
    /// Whether there is a store at all.
    private(set) var exists = false

    var isEmpty: Bool { certificates.isEmpty && evidence.isEmpty }

    /// Reads what can be read of the newest store; the rest is left out.
    init(of document: PDFDocument) throws(PDFError) {
        guard let store = try document.value(document.catalog(), "DSS").dictionaryValue else {
            return
        }
        exists = true
        certificates = Self.streams(store, "Certs", in: document, limit: Certificate.byteLimit)
            .compactMap { try? Certificate(der: $0) }
        evidence = RevocationEvidence(
            lists: Self.streams(store, "CRLs", in: document, limit: RevocationList.byteLimit)
                .compactMap { RevocationList($0) },
            responses: Self.streams(store, "OCSPs", in: document, limit: OCSPResponse.byteLimit)
                .compactMap { OCSPResponse($0) })
    }

    private static func streams(
        _ store: PDFDictionary, _ key: PDFName, in document: PDFDocument, limit: Int
    ) -> [[UInt8]] {
        let entries = (try? document.value(store, key))?.arrayValue ?? []
        return entries.prefix(RevocationEvidence.countLimit).compactMap { entry in
            guard let stream = (try? document.resolve(entry))?.streamValue,
                (stream.dataRange?.count ?? 0) <= limit
            else { return nil }
            return try? document.decodedData(of: stream)
        }
    }
}

extension RevocationEvidence {
    /// What a CMS brings along itself: its lists, and Adobe's signed attribute.
    init(in message: SignedData) {
        let archives = message.signers.flatMap {
            $0.signedAttributes.values(CMSOID.adobeRevocationInfo)
        }.compactMap { try? RevocationInfoArchival($0) }
        let lists = message.revocationLists + archives.flatMap(\.revocationLists)
        self.init(
            lists: lists.prefix(Self.countLimit).compactMap { RevocationList($0) },
            responses: archives.flatMap(\.responses).prefix(Self.countLimit)
                .compactMap { OCSPResponse($0) })
    }
}
