import Base

/// A decoded object stream (ISO 32000-2 §7.5.7).
final class ObjectStream {
    private let bytes: [UInt8]
    let number: Int
    /// Position of the stream, the cache key that all revisions share. `nil` if the content may
    /// differ between revisions.
    var sharedPlace: Int?
    /// Object numbers in the order of the stream's header.
    let numbers: [Int]
    private let offsets: [Int]
    private let headerEnd: Int

    /// Approximate memory size.
    var byteCount: Int { bytes.count + numbers.count * 16 }

    /// - Parameter resolve: Resolves references in the stream's dictionary.
    init(
        _ stream: PDFStream, number: Int, reader: IndirectObjectReader,
        resolve: (PDFObject) throws(PDFError) -> PDFObject = { (object) throws(PDFError) in object }
    ) throws(PDFError) {
        self.number = number
        let id = ObjectID(number: number)
        let dictionary = stream.dictionary
        guard let count = try resolve(dictionary["N"] ?? .null).integerValue, count >= 0,
            let first = try resolve(dictionary["First"] ?? .null).integerValue, first >= 0
        else { throw PDFError(.malformedObjectStream, "not an object stream", object: id) }
        try Self.noteKind(dictionary, id, reader, resolve)
        guard count <= PDFLimits.objectsPerStream else {
            throw PDFError(
                .limitExceeded,
                "the stream has \(count) objects; the limit is \(PDFLimits.objectsPerStream)",
                object: id)
        }
        do {
            bytes = try reader.decodedData(of: stream, resolve: resolve)
        } catch  where error.code == .unsupportedFilter {
            throw PDFError(.malformedObjectStream, error.detail, object: id)
        } catch {
            throw error.within(id)
        }
        var numbers: [Int] = []
        var offsets: [Int] = []
        var lexer = Lexer(bytes)
        for _ in 0..<count {
            guard case .integer(let number) = try lexer.next(),
                case .integer(let offset) = try lexer.next(),
                let start = first.addingChecked(offset),
                (0..<bytes.count).contains(start)
            else {
                throw PDFError(.malformedObjectStream, "damaged header", object: id)
            }
            numbers.append(number)
            offsets.append(start)
        }
        self.numbers = numbers
        self.offsets = offsets
        headerEnd = lexer.position
        // /First must not be before the end of the header. Offsets must ascend and not be negative.
        let isOrdered =
            first >= headerEnd && offsets.first ?? first >= first
            && zip(offsets, offsets.dropFirst()).allSatisfy { $0 < $1 }
        if !isOrdered || dictionary["N"]?.referenceValue != nil { Self.noteOrder(of: id, reader) }
        if Set(numbers).count < numbers.count {
            reader.warnings.add(
                .objectStreamNumber, "an object stream contains an object number twice", object: id)
        }
    }

    private static func noteKind(
        _ dictionary: PDFDictionary, _ id: ObjectID, _ reader: IndirectObjectReader,
        _ resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) {
        // The sections define the purpose of the stream, so viewers ignore a wrong type.
        if try resolve(dictionary["Type"] ?? .null).nameValue != "ObjStm" {
            reader.warnings.add(.objectStreamType, "an object stream of another type", object: id)
        }
        // Somebody without the key could insert any content here, and most viewers decrypt it
        // regardless.
        if try dictionary.hasCryptFilter(resolve) {
            reader.warnings.add(
                .objectStreamFilter,
                "an object stream has its own encryption: viewers may decrypt it or not",
                object: id)
        }
    }

    /// A property of the data that viewers may interpret differently, such as bytes outside the
    /// listed objects; `nil` if there is none.
    func irregularity() -> String? {
        guard Set(numbers).count == numbers.count else {
            return "it contains an object number twice"
        }
        var end = headerEnd
        for offset in offsets.sorted() {
            guard isWhiteSpace(from: end, to: offset) else {
                return "its objects are not contiguous"
            }
            var parser = ObjectParser(Lexer(bytes, at: offset))
            guard (try? parser.parse()) != nil else { return "it contains unreadable data" }
            if parser.lexer.hasOddSpelling {
                return "some viewers read a string, number, name or reference in it differently"
            }
            end = parser.lexer.position
            if KeywordSearch.hasOddSyntax(bytes[offset..<end]) {
                return "it contains a comment or control character"
            }
        }
        return isWhiteSpace(from: end, to: bytes.count) ? nil : "data follows its objects"
    }

    /// Some viewers end an object at the offset of the next one, others read on.
    private static func noteOrder(of id: ObjectID, _ reader: IndirectObjectReader) {
        reader.warnings.add(
            .objectStreamOrder,
            "the objects of an object stream are not contiguous: viewers "
                + "read more or less of them", object: id)
    }

    /// Whether a range contains only white space and comments.
    private func isBlank(from start: Int, to end: Int) -> Bool {
        guard start <= end, end <= bytes.count else { return false }
        var isComment = false
        for byte in bytes[start..<end] {
            if byte == UInt8(ascii: "%") { isComment = true }
            if byte == 10 || byte == 13 { isComment = false }
            guard isComment || Characters.isWhiteSpace(Int(byte)) else { return false }
        }
        return !isComment || end == bytes.count
    }

    private func isWhiteSpace(from start: Int, to end: Int) -> Bool {
        start <= end && end <= bytes.count
            && bytes[start..<end].allSatisfy { Characters.isWhiteSpace(Int($0)) }
    }

    /// An object of the stream, and its length in bytes.
    func object(
        _ id: ObjectID, at index: Int, by reader: IndirectObjectReader
    ) throws(PDFError) -> (PDFObject, Int) {
        guard index >= 0, index < numbers.count, numbers[index] == id.number else {
            throw PDFError(
                .malformedObjectStream, "not at index \(index) of object stream \(number)",
                object: id)
        }
        var parser = ObjectParser(Lexer(bytes, at: offsets[index]))
        do {
            let first = try parser.lexer.next()
            let object = try reader.parse(&parser, startingWith: first, in: id)
            let next = index + 1 < offsets.count ? offsets[index + 1] : bytes.count
            if !isBlank(from: parser.lexer.position, to: next) {
                Self.noteOrder(of: ObjectID(number: number), reader)
            }
            return (object, parser.lexer.position - offsets[index])
        } catch {
            // The offset is omitted, because it is relative to the decoded data, not to the file.
            throw PDFError(error.code, "in object stream \(number): \(error.detail)", object: id)
        }
    }
}

/// A cache of decoded object streams. It is emptied if it is full.
struct ObjectStreamCache {
    private var streams: [Int: ObjectStream] = [:]
    private var byteCount = 0

    subscript(key: Int) -> ObjectStream? { streams[key] }

    mutating func insert(_ stream: ObjectStream, for key: Int) {
        if byteCount + stream.byteCount > PDFLimits.objectStreamCacheByteCount {
            (streams, byteCount) = ([:], 0)
        }
        streams[key] = stream
        byteCount += stream.byteCount
    }
}

extension IndirectObjectReader {
    /// A decoded object stream. The error of a stream that no revision can use is kept, so that the
    /// stream is not decoded again for each of its objects.
    func objectStream(
        _ stream: PDFStream, number: Int, isShared: Bool,
        resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> ObjectStream {
        let place = isShared ? stream.dataRange?.lowerBound : nil
        if let place, let known = unusableObjectStreams[place] { throw known }
        do throws(PDFError) {
            return try ObjectStream(stream, number: number, reader: self, resolve: resolve)
        } catch {
            let isFinal = error.code == .limitExceeded || error.code == .malformedObjectStream
            if let place, isFinal { unusableObjectStreams[place] = error }
            throw error
        }
    }
}
