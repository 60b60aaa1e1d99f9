import Base

/// The bytes appended to a document to change it (ISO 32000-2 §7.5.6).
package struct SerializedUpdate: Sendable {
    /// The bytes to append to the original. They begin with a line feed if the original does not
    /// end with a line end.
    package var bytes: [UInt8]
    /// Position of the first of ``bytes``: the size of the original.
    package let startOffset: Int
    /// By object, the position in the new file after `n g obj` and its line end.
    package let bodyOffsets: [ObjectID: Int]
}

/// Collects new and changed objects and writes them as an additional revision.
///
/// Other objects are unchanged, and the original bytes are never modified. After a repair, the new
/// section lists every object and refers to no other section, so that viewers find a valid file.
package struct IncrementalUpdate {
    private let document: PDFDocument
    private var objects: [ObjectID: PDFObject] = [:]
    private var trailerChanges: [(key: PDFName, value: PDFObject?)] = []
    private var nextNumber: Int
    private let avoided: ObjectNumberSet

    /// Begins an empty update.
    ///
    /// - Parameter avoided: All referenced numbers. Otherwise an existing reference without an
    ///   object could refer to a new object and display it.
    package init(document: PDFDocument, avoiding avoided: ObjectNumberSet) {
        self.document = document
        self.avoided = avoided
        nextNumber = document.newNumbers.lowerBound
    }

    /// An identifier for a new object. The caller must set that object.
    package mutating func allocate() -> ObjectID {
        nextNumber = freeNumber
        defer { nextNumber += 1 }
        return ObjectID(number: nextNumber)
    }

    /// The next number that is not referenced.
    private var freeNumber: Int {
        var number = nextNumber
        while avoided.contains(number) { number += 1 }
        return number
    }

    /// Sets the content of a new or existing object.
    package mutating func set(_ id: ObjectID, _ object: PDFObject) { objects[id] = object }

    package mutating func add(_ object: PDFObject) -> ObjectID {
        let id = allocate()
        objects[id] = object
        return id
    }

    /// The new value of an object; `nil` if it is unchanged.
    package func pending(_ id: ObjectID) -> PDFObject? { objects[id] }

    /// Changes or removes an entry of the new trailer. `Size`, `Prev` and `ID` are set in any case.
    package mutating func setTrailer(_ key: PDFName, _ value: PDFObject?) {
        trailerChanges.append((key, value))
    }

    /// Keys of older trailers and cross-reference streams that do not apply to the new trailer.
    private static let staleKeys: Set<PDFName> = [
        "Size", "Prev", "XRefStm", "Type", "W", "Index", "Length", "Filter", "DecodeParms", "F",
        "FFilter", "FDecodeParms", "DL", "ID", "AuthCode",
    ]

    /// Writes the update.
    ///
    /// - Parameter random: 16 random bytes for the second part of `ID`, or for both parts if the
    ///   document has none.
    /// - Throws: ``PDFError``, `.offsetTooLarge` if an offset does not fit a table.
    package func serialize(fileIdentifier random: [UInt8]) throws(PDFError) -> SerializedUpdate {
        guard let newest = document.sections.first else {
            throw PDFError(.cannotUpdate, "the document has no cross-reference section")
        }
        let objects = try allObjects()
        let containerNumber = freeNumber
        guard document.newNumbers.contains(containerNumber) else {
            throw PDFError(.limitExceeded, "no object numbers are left")
        }
        let start = document.source.byteCount
        var output: [UInt8] = []
        let last = try document.reader.bytes(at: start - 1, count: 1)
        if last != [10], last != [13] { output.append(10) }

        var section = NewSection(kind: newest.kind, base: document.offsetBase)
        if newest.kind == .rebuilt { try section.replace(newest, except: objects) }
        var bodyOffsets: [ObjectID: Int] = [:]
        for id in objects.keys.sorted() {
            section.add(id, at: start + output.count)
            output += "\(id.number) \(id.generation) obj\n".utf8
            bodyOffsets[id] = start + output.count
            PDFWriter.write(
                try document.encrypted(
                    try writable(objects[id] ?? .null).withKeysOnce, in: id), into: &output)
            output += "\nendobj\n".utf8
        }

        var trailer = PDFDictionary()
        trailer["Size"] = .integer(
            max(document.size, document.highestObjectNumber + 1, nextNumber, section.lowestSize))
        if newest.kind != .rebuilt {
            trailer["Prev"] = .integer(newest.offset - document.offsetBase)
        }
        for entry in newest.trailer.entries where !Self.staleKeys.contains(entry.key) {
            trailer[entry.key] = entry.value.withKeysOnce
        }
        // Without an encryption, /Encrypt refers to nothing.
        if document.encryption == nil, !document.options.permitsEncryption {
            trailer["Encrypt"] = nil
        }
        if trailer["Root"] == nil { trailer["Root"] = .reference(try document.catalogID) }
        trailer["ID"] = try identifier(random)
        for (key, value) in trailerChanges { trailer[key] = value }

        let sectionOffset = start + output.count
        try section.write(
            trailer, at: sectionOffset, containerNumber: containerNumber, into: &output)
        output += "startxref\n\(sectionOffset - document.offsetBase)\n%%EOF\n".utf8
        return SerializedUpdate(bytes: output, startOffset: start, bodyOffsets: bodyOffsets)
    }

    /// The catalog and its form, DSS and permissions dictionaries, if they repeat a key. Viewers
    /// use different values of such a key.
    private func ambiguousObjects() throws(PDFError) -> [ObjectID] {
        guard let catalog = try? document.catalog() else { return [] }
        let parts = ["AcroForm", "DSS", "Perms"].compactMap { catalog[$0]?.referenceValue }
        var found: [ObjectID] = []
        for id in [try document.catalogID] + parts {
            guard let dictionary = try document.object(id).dictionaryValue,
                dictionary != dictionary.withKeysOnce
            else { continue }
            found.append(id)
        }
        return found
    }

    /// The changed objects, and the repaired ones.
    private func allObjects() throws(PDFError) -> [ObjectID: PDFObject] {
        var all = objects
        for id in try ambiguousObjects() where all[id] == nil { all[id] = try document.object(id) }
        var streamBudget = PDFLimits.damagedByteCount
        for id in document.reader.objectsToMend where all[id] == nil {
            // Some IDs are those of objects found at the offset of another object.
            guard let object = try? document.object(id), object != .null else { continue }
            if let range = object.streamValue?.dataRange {
                streamBudget -= range.count
                guard streamBudget > 0 else {
                    throw PDFError(.limitExceeded, "too many damaged streams")
                }
            }
            all[id] = object
        }
        for id in document.reader.numbersToList.map({ ObjectID(number: $0) }) where all[id] == nil {
            all[id] = .null
        }
        return all
    }

    /// Streams of the file are rewritten with their existing data.
    private func writable(_ object: PDFObject) throws(PDFError) -> PDFObject {
        guard case .stream(let stream) = object, stream.dataRange != nil else { return object }
        return .stream(
            PDFStream(dictionary: stream.dictionary, data: try document.rawData(of: stream)))
    }

    /// The first part is permanent, the second part changes with every update (ISO 32000-2 §14.4).
    private func identifier(_ random: [UInt8]) throws(PDFError) -> PDFObject {
        let fresh = PDFObject.string(PDFString(bytes: random, isHexadecimal: true))
        // The key depends on the first part, which is empty if it is missing.
        if let encryption = document.encryption, encryption.keyDependsOnIdentifier {
            let first = PDFString(bytes: encryption.documentID.bytes, isHexadecimal: true)
            return .array([.string(first), fresh])
        }
        for section in document.sections {
            guard let value = section.trailer["ID"] else { continue }
            if case .array(let parts) = try document.resolve(value), parts.count == 2,
                case .string(let first) = try document.resolve(parts[0])
            {
                return .array([.string(first), fresh])
            }
            break
        }
        return .array([fresh, fresh])
    }
}
