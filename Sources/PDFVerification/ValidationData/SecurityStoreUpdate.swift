package import Base
package import CryptoBridge
package import PDFCore
import PDFSigning
package import TrustKit

/// Adds to a document's security store (ISO 32000-2 §12.8.4.3, ETSI EN 319 142-1 §5.4.2).
///
/// Existing entries stay byte for byte. VRI entries are kept and never written: viewers disagree
/// about their keys, and the standard advises against them.
package struct SecurityStoreUpdate {
    private let document: PDFDocument
    private var store: PDFDictionary
    private let id: ObjectID?
    /// The decoded streams of the existing store.
    private var known: Set<[UInt8]>

    package init(of document: PDFDocument) throws {
        self.document = document
        let entry = try document.catalog()["DSS"]
        id = entry?.referenceValue
        store = try entry.flatMap { try document.resolve($0).dictionaryValue } ?? PDFDictionary()
        let held = try DocumentSecurityStore(of: document)
        known = Set(held.certificates.map(\.der))
        known.formUnion(held.evidence.lists.map(\.der))
        known.formUnion(held.evidence.responses.map(\.der))
    }

    /// Writes the missing data into the update.
    package mutating func add(
        certificates: [Certificate], evidence: RevocationEvidence,
        to update: inout IncrementalUpdate
    ) throws -> AddedValidationData {
        var added = AddedValidationData()
        func append(
            _ key: PDFName, _ pieces: [[UInt8]],
            _ count: WritableKeyPath<AddedValidationData, Int>
        ) throws {
            var references: [PDFObject] = []
            for piece in pieces where known.insert(piece).inserted {
                let stream = PDFStream(dictionary: PDFDictionary(), data: piece)
                references.append(.reference(update.add(.stream(stream))))
                added[keyPath: count] += 1
                added.bytes += piece.count
            }
            guard !references.isEmpty else { return }
            let earlier = try document.value(store, key).arrayValue ?? []
            store[key] = .array(earlier + references)
        }
        try append("Certs", certificates.map(\.der), \.certs)
        try append("OCSPs", evidence.responses.map(\.der), \.ocsps)
        try append("CRLs", evidence.lists.map(\.der), \.crls)
        guard !added.isEmpty else { return added }
        if let id {
            update.set(id, .dictionary(store))
        } else {
            let place = update.add(.dictionary(store))
            try update.changeCatalog(of: document) { $0["DSS"] = .reference(place) }
            try declareExtension(in: &update)
        }
        return added
    }

    /// Declares ETSI's extension of PDF 1.7 for the store; PDF 2.0 includes it (EN 319 142-1 §5.4).
    private func declareExtension(in update: inout IncrementalUpdate) throws {
        guard document.version == PDFVersion(major: 1, minor: 7) else { return }
        let catalog = try document.catalog()
        let entry = catalog["Extensions"]
        // An indirect object may have other uses.
        guard entry == nil || entry?.dictionaryValue != nil else { return }
        var extensions = entry?.dictionaryValue ?? PDFDictionary()
        let adobe = try document.value(extensions, "ADBE").dictionaryValue
        let adobeLevel = try adobe.flatMap { try document.value($0, "ExtensionLevel").integerValue }
        guard extensions["ESIC"] == nil, adobeLevel ?? 0 < Self.adobeLevelWithStore else { return }
        extensions["ESIC"] = .dictionary([
            "BaseVersion": .name("1.7"), "ExtensionLevel": .integer(1),
        ])
        try update.changeCatalog(of: document) { $0["Extensions"] = .dictionary(extensions) }
    }

    private static let adobeLevelWithStore = 8
}
