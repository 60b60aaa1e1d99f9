import Base
import CryptoBridge
package import PDFCore
import PDFSigning
package import TrustKit

/// Validation data in the document security store (ISO 32000-2 §12.8.4.3): certificates, CRLs and
/// OCSP responses. The store does not make a certificate trusted.
struct DocumentSecurityStore {
    private(set) var material = ValidationMaterial()
    private(set) var exists = false
    /// Whether the store was read completely: the unread part may contain a revocation.
    private(set) var isWhole = true

    /// Problems of the store that apply to every signature.
    var problems: [VerificationProblem] {
        isWhole
            ? []
            : [
                .doubt(
                    .validationDataTooLarge,
                    "not all validation data was read (limit reached): the rest may contain a revocation",
                    .tryLater)
            ]
    }

    var certificates: [Certificate] { material.certificates }
    var evidence: RevocationEvidence { material.evidence }

    /// Reads the newest store and skips its unreadable parts.
    init(of document: PDFDocument) throws(PDFError) {
        guard let store = try document.value(document.catalog(), "DSS").dictionaryValue else {
            return
        }
        exists = true
        var reading = Reading(document: document)
        material.certificates = reading.streams(store, key: "Certs", limit: Certificate.byteLimit)
            .compactMap { try? Certificate(der: $0) }
        material.evidence = RevocationEvidence(
            listsIn: reading.streams(store, key: "CRLs", limit: RevocationList.byteLimit),
            responsesIn: reading.streams(store, key: "OCSPs", limit: OCSPResponse.byteLimit))
        isWhole = reading.isWhole
    }

    /// Decodes each stream once, within a size budget.
    private struct Reading {
        let document: PDFDocument
        var isWhole = true
        private var seen: Set<ObjectID> = []
        /// The remaining bytes for all decoded streams together.
        private var budget = 32 << 20

        init(document: PDFDocument) { self.document = document }

        mutating func streams(_ store: PDFDictionary, key: PDFName, limit: Int) -> [[UInt8]] {
            let entries = (try? document.value(store, key))?.arrayValue ?? []
            var found: [[UInt8]] = []
            for entry in entries {
                if let id = entry.referenceValue, !seen.insert(id).inserted { continue }
                guard let stream = (try? document.resolve(entry))?.streamValue else { continue }
                guard found.count < RevocationEvidence.countLimit, budget > 0,
                    stream.dataRange?.count ?? 0 <= limit
                else {
                    isWhole = false
                    continue
                }
                guard let data = try? document.decodedData(of: stream) else { continue }
                budget -= data.count
                found.append(data)
            }
            return found
        }
    }
}

package struct StoredValidationData {
    package let material: ValidationMaterial
    /// DER of the certificates in signatures and timestamps.
    package let carried: [[UInt8]]
    /// Number of signatures with a VRI entry.
    package let signatureListCount: Int

    /// - Returns: nil if the document has no store.
    package init?(of document: PDFDocument) throws {
        let store = try DocumentSecurityStore(of: document)
        guard store.exists else { return nil }
        material = store.material
        carried = try SignatureCandidate.all(in: AcroForm(of: document), of: document)
            .flatMap(\.carriedCertificates)
        let entry = try document.value(document.catalog(), "DSS").dictionaryValue
        let lists = try entry.flatMap { try document.value($0, "VRI").dictionaryValue }
        signatureListCount = lists?.keys.count ?? 0
    }
}
