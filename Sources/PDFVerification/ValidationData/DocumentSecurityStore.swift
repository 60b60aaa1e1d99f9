import Base
import CryptoBridge
package import PDFCore
import PDFSigning
package import TrustKit

/// What a document brings along for its own validation: certificates, revocation lists and OCSP
/// responses of its document security store (ISO 32000-2 §12.8.4.3). Hints and signed statements,
/// never trust.
struct DocumentSecurityStore {
    private(set) var material = ValidationMaterial()
    /// Whether there is a store at all.
    private(set) var exists = false
    /// Whether all of it was read: what was left out may say that a certificate was revoked.
    private(set) var isWhole = true

    /// What follows for every signature.
    var problems: [VerificationProblem] {
        isWhole
            ? []
            : [
                .doubt(
                    .validationDataTooLarge,
                    "the document brings more validation data than is read: what was left out may "
                        + "speak against a certificate", .tryLater)
            ]
    }

    var certificates: [Certificate] { material.certificates }
    var evidence: RevocationEvidence { material.evidence }

    /// Reads what can be read of the newest store; the rest is left out.
    init(of document: PDFDocument) throws(PDFError) {
        guard let store = try document.value(document.catalog(), "DSS").dictionaryValue else {
            return
        }
        exists = true
        var reading = Reading(document: document)
        material.certificates = reading.streams(store, "Certs", limit: Certificate.byteLimit)
            .compactMap { try? Certificate(der: $0) }
        material.evidence = RevocationEvidence(
            listsIn: reading.streams(store, "CRLs", limit: RevocationList.byteLimit),
            responsesIn: reading.streams(store, "OCSPs", limit: OCSPResponse.byteLimit))
        isWhole = reading.isWhole
    }

    /// Decodes streams, each once however often it is named, and not more than there is room for.
    private struct Reading {
        let document: PDFDocument
        var isWhole = true
        private var seen: Set<ObjectID> = []
        /// How many more bytes may come out of all streams together.
        private var budget = 32 << 20

        init(document: PDFDocument) { self.document = document }

        mutating func streams(_ store: PDFDictionary, _ key: PDFName, limit: Int) -> [[UInt8]] {
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

/// What a document brings along for its validation, to be shown.
package struct StoredValidationData {
    package let material: ValidationMaterial
    /// DER of the certificates in signatures and time stamps.
    package let carried: [[UInt8]]
    /// Signatures with an entry of their own (VRI).
    package let signatureListCount: Int

    /// - Returns: nil where there is no store.
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
