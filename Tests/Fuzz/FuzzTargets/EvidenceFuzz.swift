import Base
import CMSKit
import CryptoBridge
import NetworkBridge
import PDFCore
import PDFVerification
import TrustKit

/// Parses the input as validation data: an OCSP response, a CRL, a CMS message with either, a
/// security store, or a cached response.
///
/// Parsed data must be parsed again from its own bytes. A revocation status must not be based on
/// unsigned data.
enum EvidenceFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        if let response = OCSPResponse(bytes) {
            guard let again = OCSPResponse(response.der), again.producedAt == response.producedAt
            else { return "a response that is read differently again" }
        }
        if let list = RevocationList(bytes) {
            guard let again = RevocationList(list.der), again.thisUpdate == list.thisUpdate else {
                return "a list that is read differently again"
            }
        }
        if let kept = KeptAnswer(bytes, isWhole: false) {
            guard let head = kept.head, let again = KeptAnswer(head + kept.body),
                again.address == kept.address, again.until == kept.until, again.body == kept.body
            else { return "an answer that is kept differently again" }
        }
        return failure(of: [bytes], RevocationEvidence(listsIn: [bytes], responsesIn: [bytes]))
            ?? messageFailure(bytes) ?? storeFailure(bytes)
    }

    private static func failure(of pieces: [[UInt8]], _ evidence: RevocationEvidence) -> String? {
        var certificates = evidence.responses.flatMap(\.certificates)
        certificates += pieces.compactMap { try? Certificate(der: $0) }
        let paths = certificates.prefix(8).map { certificate in
            JudgedPath(
                role: .signer, leaf: certificate, chain: [certificate, certificate],
                candidates: [], time: time, carried: [])
        }
        let validator = PathValidator(anchors: .certificates([]), now: time)
        let material = ValidationMaterial(certificates: certificates, evidence: evidence)
        let audit = try? validator.audit(Array(paths), with: material, at: time)
        for entry in audit?.entries ?? [] where entry.isKnown && !entry.needsNone {
            // Only the certificate's own key is accepted for CRLs here.
            let isOwn = entry.records.allSatisfy { word in
                word.evidence.lists.allSatisfy { $0.isSigned(by: entry.certificate) }
                    && word.evidence.responses.allSatisfy { response in
                        ([entry.certificate] + certificates).contains { response.isSigned(by: $0) }
                    }
            }
            guard isOwn else { return "known by what nobody signed" }
        }
        return nil
    }

    private static let time = CalendarTime(secondsSinceEpoch: 1_780_000_000)

    /// Data added to a message must be found in it, and existing data must remain.
    private static func messageFailure(_ bytes: [UInt8]) -> String? {
        guard let message = try? SignedData(bytes), var update = try? SignedDataUpdate(bytes),
            (try? update.add(certificates: [], lists: [], responses: [[0x30, 0x00]])) != nil
        else { return nil }
        guard let again = try? SignedData(update.encoded) else {
            return "a message that cannot be read after an addition"
        }
        guard Set(again.certificateChoices) == Set(message.certificateChoices),
            Set(again.revocationChoices).isSuperset(of: message.revocationChoices),
            again.ocspResponses.contains([0x30, 0x00]),
            again.signers.map(\.signature) == message.signers.map(\.signature)
        else { return "a message that lost something by an addition" }
        for signer in message.signers {
            guard let index = try? ArchiveHashIndex(of: message, signer, digest: .sha256),
                let read = try? ArchiveHashIndex(index.encoded), read.isContained(in: index)
            else { return "an index that is not contained in itself" }
        }
        return failure(of: message.certificates, RevocationEvidence(in: message))
    }

    /// Uses the bytes as every entry of a document's security store.
    private static func storeFailure(_ bytes: [UInt8]) -> String? {
        let minimal = FuzzDocuments.minimal
        let entries = "[3 0 R 3 0 R null 1]"
        let catalog =
            "1 0 obj\n<</Type/Catalog/Pages 2 0 R/DSS<</Certs\(entries)/OCSPs\(entries)"
            + "/CRLs\(entries)/VRI\(entries)>>>>\nendobj\n"
        let head = "3 0 obj\n<</Length \(bytes.count)>>\nstream\n"
        let offsets = [minimal.count, minimal.count + catalog.utf8.count].map { offset in
            let digits = String(offset)
            return String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }
        let body =
            minimal + Array(catalog.utf8) + Array(head.utf8) + bytes
            + Array("\nendstream\nendobj\n".utf8)
        let tail =
            "xref\n1 1\n\(offsets[0])3 1\n\(offsets[1])trailer\n<</Size 4/Root 1 0 R/Prev "
            + "\(FuzzDocuments.body.count)>>\nstartxref\n\(body.count)\n%%EOF\n"
        guard let document = try? PDFDocument(source: MemorySource(body + Array(tail.utf8))),
            let store = try? StoredValidationData(of: document)
        else { return "a store that is not found" }
        return failure(of: [], store.material.evidence)
    }
}
