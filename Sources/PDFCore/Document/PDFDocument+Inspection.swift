/// An object that a cross-reference entry locates, read without repair.
package struct InspectedObject {
    /// `nil` if the object is unreadable.
    package let object: PDFObject?
    /// The deviation from the syntax, as text.
    package let deviation: String?
    /// See ``ParsedObject/hasDoubtfulLength``.
    package var hasDoubtfulLength = false
    /// End of the object; `nil` in an object stream, and if the object is unreadable.
    package let end: Int?
    /// End of the last byte that a viewer may read as part of the object.
    package let reach: Int?
}

extension PDFDocument {
    /// Reads the object that a cross-reference entry locates.
    ///
    /// - Parameter isKept: whether the object is likely to be read again.
    package func inspect(
        _ entry: CrossReferenceEntry, isKept: Bool = false
    ) throws(PDFError) -> InspectedObject {
        do throws(PDFError) {
            switch entry.location {
            case .free: return InspectedObject(object: .null, deviation: nil, end: nil, reach: nil)
            case .compressed:
                let object = try object(ObjectID(number: entry.number))
                return InspectedObject(object: object, deviation: nil, end: nil, reach: nil)
            case .offset(let offset, let generation):
                let id = ObjectID(number: entry.number, generation: generation)
                let parsed = try exactObject(id, at: offset)
                if isKept { objects.insert(CachedObject(parsed), for: id.number) }
                return InspectedObject(
                    object: parsed.object, deviation: parsed.deviation,
                    hasDoubtfulLength: parsed.hasDoubtfulLength,
                    end: parsed.range.upperBound, reach: parsed.reach)
            }
        } catch {
            guard error.code != .readFailed else { throw error }
            return InspectedObject(object: nil, deviation: error.detail, end: nil, reach: nil)
        }
    }

    /// An object that begins exactly at an offset.
    private func exactObject(_ id: ObjectID, at offset: Int) throws(PDFError) -> ParsedObject {
        if let known = objects[id.number]?.parsed, known.id == id, known.range.lowerBound == offset
        {
            return known
        }
        let parsed = try parsedObject(at: offset, recordsRanges: false)
        guard parsed.id == id else {
            throw PDFError(
                .wrongObject, "there is object \(parsed.id)", offset: offset, object: id)
        }
        return parsed
    }

    /// The generation in the newest entry for an object; `nil` if the object is not in use.
    package func generation(of number: Int) throws(PDFError) -> Int? {
        switch try definition(of: number)?.location {
        case .offset(_, let generation): generation
        case .compressed: 0
        case .free, nil: nil
        }
    }

    /// Reads the object that its newest entry locates.
    package func inspect(_ id: ObjectID) throws(PDFError) -> InspectedObject {
        let location = try location(of: id) ?? .free
        return try inspect(CrossReferenceEntry(number: id.number, location: location))
    }

    /// Maximum length of an unreadable object that is searched for references.
    private static let searchedByteCount = 256 * 1024

    /// Numbers that an unreadable object at `offset` apparently refers to, up to its `endobj`.
    package func apparentReferences(at offset: Int) throws(PDFError) -> [Int] {
        let bytes = try reader.bytes(at: max(0, offset), count: Self.searchedByteCount)
        let end = bytes.firstRange(of: Keyword.Spelling.endobj)?.lowerBound ?? bytes.count
        let words = bytes[..<end].split { !Characters.isRegular(Int($0)) }
        var numbers: [Int] = []
        for index in words.indices.dropFirst(2) where words[index].elementsEqual([82]) {
            if let number = Int(String(decoding: words[index - 2], as: UTF8.self)),
                Int(String(decoding: words[index - 1], as: UTF8.self)) != nil
            {
                numbers.append(number)
            }
        }
        return numbers
    }
}
