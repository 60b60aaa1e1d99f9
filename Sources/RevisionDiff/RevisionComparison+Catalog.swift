import Base
import PDFCore
import PDFSigning

/// Parts of the whole document: trailer, catalog, metadata, validation data.
extension RevisionComparison {
    /// - Returns: whether the revisions can be compared.
    mutating func compareTrailer() throws -> Bool {
        let root = try new.catalogID
        if try old.catalogID != root {
            // A catalog with a new number is compared like any other.
            guard try !existed(root) else {
                forbid("the catalog was replaced")
                return false
            }
            note(.archival, "the catalog has another object number")
        }
        guard old.trailer["Encrypt"] == new.trailer["Encrypt"] || !new.isEncrypted else {
            forbid("the encryption dictionary was replaced")
            return false
        }
        guard try !isKeyLost() else {
            forbid(
                "the trailer entry /ID was changed, from which the encryption key is derived")
            return false
        }
        for key in try equivalence.changedKeys(old.trailer, new.trailer)
        where new.trailer[key] != nil && key != "Root" && key != "Encrypt" {
            if PermittedChanges.trailer.contains(key) { continue }
            if try !sameContent.holds(old.trailer[key], new.trailer[key]) {
                forbid("the trailer entry /\(key) was changed")
            }
        }
        return true
    }

    /// Whether the first part of /ID changed: viewers use the newest trailer's (ISO 32000-2
    /// §7.6.4.3.2) and cannot open the document, up to encryption revision 4.
    private func isKeyLost() throws -> Bool {
        guard old.encryption?.keyDependsOnIdentifier == true else { return false }
        let parts = try [old, new].map { document in
            try document.value(document.trailer, "ID").arrayValue?.first.flatMap {
                try document.resolve($0).stringValue
            }
        }
        return parts[0] != parts[1]
    }

    mutating func compareCatalog() throws {
        // An object rewritten by another revision is not read again for each revision.
        let id = try old.catalogID
        let isSame = try id == new.catalogID && unexplainedObjects[id.number] == nil
        if try id == new.catalogID { accept(id) }
        let (before, after) = (try old.catalog(), try new.catalog())
        guard after.duplicateKeys.isEmpty else {
            return forbid("the catalog has a duplicate key /\(after.duplicateKeys[0])")
        }
        for key in isSame ? [] : try equivalence.changedKeys(before, after) {
            let change = (before[key], after[key])
            switch PermittedChanges.catalog[key] {
            case .comparedByPart?: break
            case .named(let level, let words)?: noteTechnical(level, words)
            case .content(let level, let words)?: note(level, words)
            case .version?: compareVersion(change.0, change.1)
            // Its objects are compared with the structure tree.
            case .structureTree?:
                if before[key] != nil {
                    forbid("the structure tree was replaced")
                } else {
                    try judgeNewStructureTree(after[key])
                }
            case .names?: try compareNames(change.0, change.1)
            case .permissions? where try namesNewCertification(change.0, change.1):
                result.note(
                    .forbidden, "the certification entry (/Perms) was changed", part: .certification
                )
            case .permissions?: forbid("the certification entry (/Perms) was changed")
            case nil: forbid("the catalog entry /\(key) was changed")
            }
        }
        try compareExtensions(before["Extensions"], after["Extensions"])
        try compareMetadata(before["Metadata"], after["Metadata"])
        try compareSecurityStore(before["DSS"], after["DSS"])
    }

    private mutating func compareVersion(_ before: PDFObject?, _ after: PDFObject?) {
        let (was, now) = (
            before?.nameValue.flatMap { PDFVersion($0.bytes) },
            after?.nameValue.flatMap { PDFVersion($0.bytes) }
        )
        guard let now, now >= was ?? now else { return forbid("the PDF version was lowered") }
        // Viewers use the higher one of /Version and the header (ISO 32000-2 §7.2.2).
        note(
            .archival,
            now > old.version
                ? "the PDF version was raised to \(now)"
                : "the entry /Version was set to \(now), not higher than \(old.version)")
    }

    /// Whether the only change is a new certification signature (ISO 32000-2 §12.8.6).
    private func namesNewCertification(_ before: PDFObject?, _ after: PDFObject?) throws -> Bool {
        let earlier = try old.resolve(before ?? .null).dictionaryValue ?? PDFDictionary()
        guard let later = try new.resolve(after ?? .null).dictionaryValue,
            let id = later["DocMDP"]?.referenceValue
        else { return false }
        return try equivalence.changedKeys(earlier, later) == ["DocMDP"] && !existed(id)
    }

    /// Keys of an extension dictionary (ISO 32000-2 Table 49).
    private static let extensionKeys: Set<PDFName> = [
        "Type", "BaseVersion", "ExtensionLevel", "URL", "ExtensionRevision",
    ]

    /// The objects that only declare extensions, and their declarations; nil if there are other
    /// entries (ISO 32000-2 §7.12).
    private func declarations(
        _ entry: PDFObject?, in document: PDFDocument
    ) throws -> Set<ObjectID>? {
        guard let entry else { return [] }
        guard let developers = try document.resolve(entry).dictionaryValue else { return nil }
        var ids = Set([entry.referenceValue].compactMap { $0 })
        var stack = developers.entries.filter { $0.key != "Type" }.map(\.value)
        while let next = stack.popLast() {
            try memory.values.spend(1)
            if let id = next.referenceValue { guard ids.insert(id).inserted else { continue } }
            switch try document.resolve(next) {
            case .null: break
            case .array(let elements): stack += elements
            case .dictionary(let declared) where Self.extensionKeys.isSuperset(of: declared.keys):
                break
            default: return nil
            }
        }
        return ids
    }

    /// Compares extensions: objects with nothing but declarations may be rewritten.
    private mutating func compareExtensions(_ before: PDFObject?, _ after: PDFObject?) throws {
        let isKept = before == after
        guard !isKept || !unexplainedObjects.isEmpty && before != nil else { return }
        let (was, now) = (try declarations(before, in: old), try declarations(after, in: new))
        guard let was, let now else {
            // Other objects must stay unchanged.
            if !isKept { forbid("the catalog entry /Extensions was changed") }
            return
        }
        if let taken = try now.subtracting(was).sorted().first(where: { try existed($0) }) {
            return forbid(
                "the catalog entry /Extensions refers to a signed object (object \(taken.number))")
        }
        guard was.contains(where: { unexplainedObjects[$0.number] != nil }) else { return }
        let named = try namedByCatalog(besides: "Extensions")
        let holders = Set(was.map(\.number) + [try old.catalogID.number])
        for id in was.sorted() where unexplainedObjects[id.number] != nil && !named.contains(id) {
            guard try belongsOnly(to: holders, id) else { continue }
            accept(id)
            note(.archival, "PDF version information was added (not visible)")
        }
    }

    /// Compares names: editors keep named appearances for icons of comments; all other names have
    /// an effect or a target.
    private mutating func compareNames(_ before: PDFObject?, _ after: PDFObject?) throws {
        let earlier = try old.resolve(before ?? .null).dictionaryValue ?? PDFDictionary()
        let later = try new.resolve(after ?? .null).dictionaryValue ?? PDFDictionary()
        if try equivalence.changedKeys(earlier, later) == ["AP"] {
            note(.annotations, "annotation icons were added")
        } else {
            forbid("the catalog entry /Names was changed")
        }
    }

    /// Compares metadata: XMP may be rewritten, but not with entities, which could hide text.
    private mutating func compareMetadata(_ before: PDFObject?, _ after: PDFObject?) throws {
        guard let id = after?.referenceValue else {
            if before != nil { forbid("the metadata was removed") }
            return
        }
        if id == before?.referenceValue {
            let holder = try old.catalogID.number
            guard unexplainedObjects[id.number] != nil, try belongsOnly(to: [holder], id),
                try !namedByCatalog(besides: "Metadata").contains(id)
            else { return }
        } else if try existed(id) {
            return forbid("the metadata was replaced by another object")
        }
        guard let stream = try new.object(id).streamValue,
            stream.dictionary["Type"]?.nameValue == "Metadata",
            try isPlainXMP(new.decodedData(of: stream))
        else { return forbid("the metadata was replaced by another object") }
        accept(id)
        note(.archival, "metadata updated")
    }

    private func isPlainXMP(_ bytes: [UInt8]) throws -> Bool {
        try memory.values.spend(bytes.count / 2)
        // Byte search is about a hundred times faster than the generic search.
        func has(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8), from: 0) != nil }
        return (has("xmpmeta") || has("rdf:RDF")) && !has("<!DOCTYPE") && !has("<!ENTITY")
    }

    mutating func compareInformation() throws {
        guard let id = new.trailer["Info"]?.referenceValue else {
            // Some viewers use a direct /Info in the trailer, or none if it is missing.
            if let entry = new.trailer["Info"], try new.resolve(entry) != .null,
                try !sameContent.holds(old.trailer["Info"], entry)
            {
                note(.archival, "document information (title, author, dates) updated")
                if old.trailer["Info"]?.dictionaryValue == nil {
                    reportUncertain("the document information (/Info) was moved into the trailer")
                }
            } else if try old.resolve(old.trailer["Info"] ?? .null) != .null {
                note(.archival, "the document information (title, author, dates) was removed")
            }
            return
        }
        let isSameObject = old.trailer["Info"]?.referenceValue == id
        if isSameObject {
            guard unexplainedObjects[id.number] != nil,
                try belongsOnly(to: [ReferenceIndex.trailer], id),
                try new.object(id).dictionaryValue != nil
            else { return }
            accept(id)
        } else if try existed(id) {
            return forbid("the document information was replaced")
        }
        note(.archival, "document information (title, author, dates) updated")
    }

    // MARK: Validation data (ISO 32000-2 §12.8.4.3)

    /// Validation data is not signed: it may be added, removed or rewritten if its objects have no
    /// other use. Existing signatures must still be valid with it.
    private mutating func compareSecurityStore(_ before: PDFObject?, _ after: PDFObject?) throws {
        guard let after else {
            if let before {
                note(.archival, "the validation data (DSS) was removed")
                try settleSecurityStore(SecurityStoreParts(before, in: old))
            }
            return
        }
        guard let later = try new.resolve(after).dictionaryValue else {
            return forbid("the validation data (DSS) is not a dictionary")
        }
        if let stranger = later.keys.first(where: { !SecurityStoreParts.storeKeys.contains($0) }) {
            return forbid("the validation data (DSS) has the unknown entry /\(stranger)")
        }
        let earlierParts = try partsOfStore(before)
        if before == after, unexplainedObjects.values.allSatisfy({ !earlierParts.contains($0) }) {
            memory.knownStore = (section, earlierParts)
            return
        }
        let laterParts = try SecurityStoreParts(after, in: new)
        try memory.values.spend(laterParts.elementCount * Self.costOfElement)
        memory.knownStore = (section, laterParts)
        let taken = laterParts.streams.subtracting(earlierParts.streams)
            .union(laterParts.containers.subtracting(earlierParts.containers))
        for id in taken.sorted() {
            if try existed(id) {
                forbid("the validation data (DSS) refers to a signed object (object \(id.number))")
            }
        }
        try settleSecurityStore(earlierParts)
        let earlier = try old.resolve(before ?? .null).dictionaryValue ?? PDFDictionary()
        let entriesBefore = try old.value(earlier, "VRI").dictionaryValue ?? PDFDictionary()
        let entriesAfter = try new.value(later, "VRI").dictionaryValue ?? PDFDictionary()
        for key in entriesBefore.keys
        where try new.resolve(entriesAfter[key] ?? .null).dictionaryValue == nil {
            note(.archival, "the validation data of an earlier signature (VRI) was removed")
        }
        if earlierParts != laterParts { note(.archival, "validation data (DSS) added") }
    }

    /// Budget cost of an element in the lists of validation data.
    private static let costOfElement = 8

    private func partsOfStore(_ before: PDFObject?) throws -> SecurityStoreParts {
        if let known = memory.knownStore, known.section == section + 1 { return known.parts }
        return try SecurityStoreParts(before, in: old)
    }

    /// Accepts rewritten parts that have no other use.
    private mutating func settleSecurityStore(_ parts: SecurityStoreParts) throws {
        guard unexplainedObjects.values.contains(where: parts.contains) else { return }
        let containers = try parts.containers.filter { try stays(parts.kind(of: $0), id: $0) }
        let holders = Set(containers.map(\.number) + [try old.catalogID.number])
        let named = try namedByCatalog(besides: "DSS")
        for id in containers where unexplainedObjects[id.number] != nil {
            if try belongsOnly(to: holders, id), !named.contains(id) { accept(id) }
        }
        for id in parts.streams where unexplainedObjects[id.number] != nil {
            guard try belongsOnly(to: holders, id), try stays(.stream, id: id),
                !named.contains(id), try new.object(id).streamValue != nil
            else { continue }
            accept(id)
            note(.archival, "validation data (DSS) was replaced")
        }
    }
}

struct SecurityStoreParts: Equatable {
    private var kinds: [ObjectID: Kind] = [:]
    var containers: Set<ObjectID> { Set(kinds.keys) }
    var streams: Set<ObjectID> = []
    /// Number of list elements that were read.
    private(set) var elementCount = 0
    private static let maximumCount = 100_000
    static let storeKeys: Set<PDFName> = ["Type", "Certs", "OCSPs", "CRLs", "VRI"]
    private static let listKeys: Set<PDFName> = ["Type", "Cert", "OCSP", "CRL", "TU", "TS"]

    private enum Kind { case store, signatures, signature, list }

    func contains(_ id: ObjectID) -> Bool { kinds[id] != nil || streams.contains(id) }

    /// - Parameter container: one of the objects.
    func kind(of container: ObjectID) -> AuxiliaryObject {
        switch kinds[container] {
        case .store?: .entries(Self.storeKeys)
        case .signatures?: .signatureLists
        case .signature?: .entries(Self.listKeys)
        case .list?, nil: .references
        }
    }

    init(_ store: PDFObject?, in document: PDFDocument) throws(PDFError) {
        guard let store, let dictionary = try document.resolve(store).dictionaryValue else {
            return
        }
        if let id = store.referenceValue { kinds[id] = .store }
        try addArrays(dictionary, ["Certs", "OCSPs", "CRLs"], document)
        guard let entries = dictionary["VRI"] else { return }
        if let id = entries.referenceValue { kinds[id] = .signatures }
        guard let list = try document.resolve(entries).dictionaryValue else { return }
        for key in list.keys {
            if let id = list[key]?.referenceValue,
                kinds.updateValue(.signature, forKey: id) == .signature
            {
                continue
            }
            guard let entry = try document.value(list, key).dictionaryValue else { continue }
            try addArrays(entry, ["Cert", "OCSP", "CRL"], document)
            if let id = entry["TS"]?.referenceValue { streams.insert(id) }
        }
    }

    private mutating func addArrays(
        _ dictionary: PDFDictionary, _ keys: [PDFName], _ document: PDFDocument
    ) throws(PDFError) {
        for key in keys {
            // Several entries may share a list.
            if let id = dictionary[key]?.referenceValue,
                kinds.updateValue(.list, forKey: id) == .list
            {
                continue
            }
            for element in try document.value(dictionary, key).arrayValue ?? [] {
                guard streams.count < Self.maximumCount else { return }
                elementCount += 1
                if let id = element.referenceValue { streams.insert(id) }
            }
        }
    }
}
