import ByteKit

/// Makes a cross-reference section for a file whose own ones are useless, by looking for objects.
///
/// Of several definitions of an object the last one in the file counts. The trailer is the last
/// dictionary with `Root`: of a trailer, or of a cross-reference stream.
struct CrossReferenceRebuilder {
    /// Objects a rebuilt section may have: they are all in memory at once.
    private static let objectLimit = 2_000_000

    private let source: any ByteSource
    private let headerOffset: Int
    /// Apart from the document's, so that its warnings do not tell of every detour.
    private let objects: IndirectObjectReader
    private var locations: [Int: ObjectLocation] = [:]
    private var trailer: PDFDictionary?
    /// The catalogue found last, for files without any trailer.
    private var catalog: ObjectID?

    init(_ source: any ByteSource, headerOffset: Int, encryption: PDFEncryption? = nil) {
        self.source = source
        self.headerOffset = headerOffset
        objects = IndirectObjectReader(source)
        objects.encryption = encryption
        objects.isLenient = true
    }

    /// Looks through the whole file.
    mutating func section() throws(PDFError) -> CrossReferenceSection {
        var scanner = ObjectScanner(source, from: headerOffset)
        while let hit = try scanner.next() {
            switch hit {
            case .object(let offset):
                if let end = try object(at: offset) { scanner.skip(to: end) }
            case .trailer(let offset):
                var parser = ObjectParser(Lexer(objects.cache, at: offset))
                if let first = try? parser.lexer.next(),
                    case .dictionary(let dictionary)? = try? objects.parse(
                        &parser, startingWith: first, in: nil)
                {
                    take(dictionary)
                }
            }
            guard locations.count <= Self.objectLimit else {
                throw PDFError(
                    .limitExceeded, "more than \(Self.objectLimit) objects in a damaged file")
            }
        }
        if trailer == nil, let catalog { trailer = ["Root": .reference(catalog)] }
        guard var trailer else {
            throw PDFError(.damagedCrossReference, "no catalogue anywhere in the file")
        }
        // What speaks of the lost sections would mislead.
        for key: PDFName in ["Prev", "XRefStm"] { trailer[key] = nil }
        // What was lost may still be referred to: no new object should take its number.
        let size = (locations.keys.max() ?? 0) + 1
        let declared = trailer["Size"]?.integerValue ?? 0
        let isPlausible = declared <= PDFLimits.objectNumber / 2
        trailer["Size"] = .integer(isPlausible ? max(size, declared) : size)
        return CrossReferenceSection(
            offset: source.byteCount, kind: .rebuilt, trailer: trailer, previous: nil,
            endOffset: source.byteCount, container: nil, supplementOffset: nil,
            entries: try entries(), supplement: nil)
    }

    private mutating func take(_ dictionary: PDFDictionary) {
        if case .reference? = dictionary["Root"] { trailer = dictionary }
    }

    /// Notes an object; returns where it ends, unless it is damaged.
    private mutating func object(at offset: Int) throws(PDFError) -> Int? {
        let parsed: ParsedObject
        do {
            parsed = try objects.read(at: offset) { (id) throws(PDFError) in
                // Lengths that stand further on are not known yet: the end is searched for.
                guard case .offset(let position, _)? = locations[id.number] else { return nil }
                return try? objects.read(at: position) { _ in nil }.object.integerValue
            }
        } catch {
            guard error.code == .malformedObject || error.code == .malformedStream else {
                throw error
            }
            return nil
        }
        // Cut off right behind `obj`: a number without endobj is that of the next object.
        if case .integer = parsed.object, parsed.range.upperBound == parsed.bodyRange.upperBound {
            return nil
        }
        let isFragment = try hasEndOfAnother(parsed)
        // Nothing for which to forget an object that is whole.
        if isFragment, locations[parsed.id.number] != nil { return nil }
        locations[parsed.id.number] = .offset(offset, generation: parsed.id.generation)
        switch parsed.object {
        case .dictionary(let dictionary):
            if dictionary["Type"]?.nameValue == "Catalog" { catalog = parsed.id }
        case .stream(let stream):
            switch stream.dictionary["Type"]?.nameValue {
            case "XRef": take(stream.dictionary)
            case "ObjStm": try noteObjects(in: stream, number: parsed.id.number)
            default: break
            }
        default: break
        }
        // Others may begin inside of these.
        return isFragment || objects.damagedObjects.contains(parsed.id)
            ? nil : parsed.range.upperBound
    }

    /// Whether it is a stream that lacks its end and seems to have that of another.
    private func hasEndOfAnother(_ parsed: ParsedObject) throws(PDFError) -> Bool {
        guard let stream = parsed.object.streamValue, let data = stream.dataRange,
            stream.dictionary["Length"]?.integerValue != data.count
        else { return false }
        return try objects.firstPosition(
            of: Keyword.Spelling.endobj, from: data.lowerBound, upTo: data.upperBound) != nil
    }

    private mutating func noteObjects(in stream: PDFStream, number: Int) throws(PDFError) {
        // Encrypted object streams cannot be listed before the key is known; damaged ones never.
        guard let content = try? ObjectStream(stream, number: number, reader: objects) else {
            return
        }
        for (index, inner) in content.numbers.enumerated()
        where inner > 0 && inner <= PDFLimits.objectNumber {
            locations[inner] = .compressed(stream: number, index: index)
            // Without a trailer the catalogue has to be looked for here too.
            guard trailer == nil else { continue }
            let id = ObjectID(number: inner)
            if case .dictionary(let dictionary)? = try? content.object(id, at: index).0,
                dictionary["Type"]?.nameValue == "Catalog"
            {
                catalog = id
            }
        }
    }

    /// The objects as rows of a section.
    private func entries() throws(PDFError) -> CrossReferenceEntries {
        let widths = CrossReferenceEntries.RowWidths(type: 1, second: 8, third: 4)
        var rows: [UInt8] = []
        rows.reserveCapacity(locations.count * widths.total)
        var subsections: [CrossReferenceEntries.Subsection] = []
        for (index, number) in locations.keys.sorted().enumerated() {
            let (type, second, third): (UInt8, Int, Int) =
                switch locations[number] {
                case .offset(let offset, let generation): (1, offset, generation)
                case .compressed(let stream, let index): (2, stream, index)
                case .free, nil: (0, 0, 0)
                }
            rows.append(type)
            for shift in stride(from: 56, through: 0, by: -8) {
                rows.append(UInt8(truncatingIfNeeded: second >> shift))
            }
            for shift in stride(from: 24, through: 0, by: -8) {
                rows.append(UInt8(truncatingIfNeeded: third >> shift))
            }
            if let last = subsections.last, last.first + last.count == number {
                subsections[subsections.count - 1] = .init(
                    first: last.first, count: last.count + 1, start: last.start)
            } else {
                subsections.append(.init(first: number, count: 1, start: index))
            }
        }
        // Positions, not offsets: nothing is added.
        guard
            let entries = CrossReferenceEntries(
                subsections: subsections, storage: .rows(rows, widths: widths), offsetBase: 0)
        else { throw PDFError(.damagedCrossReference, "objects overlap") }
        return entries
    }
}
