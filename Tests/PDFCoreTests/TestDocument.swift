import Base
import CodecBridge

@testable import PDFCore

/// Builds small documents piece by piece, right or deliberately wrong.
struct TestDocument {
    var bytes: [UInt8]
    /// Positions of objects written since the last section, by number.
    var offsets: [Int: Int] = [:]
    /// Where the last section begins.
    var lastSection: Int?
    var size = 1

    init(header: String = "%PDF-1.7\n") { bytes = Array(header.utf8) }

    var source: MemorySource { MemorySource(bytes) }

    func opened() throws -> PDFDocument { try PDFDocument(source: source) }

    mutating func append(_ text: String) { bytes += text.utf8 }

    mutating func object(_ number: Int, _ body: String, generation: Int = 0) {
        offsets[number] = bytes.count
        size = max(size, number + 1)
        append("\(number) \(generation) obj\n\(body)\nendobj\n")
    }

    mutating func stream(_ number: Int, _ dictionary: String, _ data: [UInt8]) {
        offsets[number] = bytes.count
        size = max(size, number + 1)
        append("\(number) 0 obj\n<< \(dictionary) /Length \(data.count) >>\nstream\n")
        bytes += data
        append("\nendstream\nendobj\n")
    }

    /// An object stream; returns what cross-reference entries need.
    mutating func objectStream(
        _ number: Int, _ objects: [(Int, String)], extra: String = ""
    ) -> [Int: (stream: Int, index: Int)] {
        var header = ""
        var body = ""
        var places: [Int: (stream: Int, index: Int)] = [:]
        for (index, (inner, text)) in objects.enumerated() {
            header += "\(inner) \(body.utf8.count) "
            body += text + " "
            places[inner] = (number, index)
            size = max(size, inner + 1)
        }
        stream(
            number,
            "/Type /ObjStm /N \(objects.count) /First \(header.utf8.count) \(extra) "
                + "/Filter /FlateDecode", Flate.deflate(Array((header + body).utf8)))
        return places
    }

    /// A classic table with all objects since the last section.
    mutating func table(
        _ trailer: String = "/Root 1 0 R", base: Int = 0, free: [Int] = [], entryEnd: String = " \n"
    ) {
        let start = bytes.count
        append("xref\n0 1\n0000000000 65535 f\(entryEnd)")
        for number in free { append("\(number) 1\n0000000000 00001 f\(entryEnd)") }
        for (number, offset) in offsets.sorted(by: { $0.key < $1.key }) {
            append("\(number) 1\n\(Self.padded(offset - base)) 00000 n\(entryEnd)")
        }
        let previous = lastSection.map { " /Prev \($0 - base)" } ?? ""
        append("trailer\n<< /Size \(size) \(trailer)\(previous) >>\n")
        end(start, base)
    }

    /// A cross-reference stream with all objects since the last section and `compressed` ones.
    mutating func crossReferenceStream(
        _ number: Int, _ trailer: String = "/Root 1 0 R",
        compressed: [Int: (stream: Int, index: Int)] = [:]
    ) {
        let start = bytes.count
        var rows: [Int: [UInt8]] = [number: Self.row(1, start, 0)]
        for (object, offset) in offsets { rows[object] = Self.row(1, offset, 0) }
        for (object, place) in compressed { rows[object] = Self.row(2, place.stream, place.index) }
        if lastSection == nil { rows[0] = Self.row(0, 0, 255) }
        let sorted = rows.sorted { $0.key < $1.key }
        let index = sorted.map { "\($0.key) 1" }.joined(separator: " ")
        size = max(size, number + 1)
        let previous = lastSection.map { " /Prev \($0)" } ?? ""
        stream(
            number,
            "/Type /XRef /Size \(size) /W [1 4 1] /Index [\(index)] \(trailer)\(previous) "
                + "/Filter /FlateDecode", Flate.deflate(sorted.flatMap(\.value)))
        end(start, 0)
    }

    mutating func end(_ start: Int, _ base: Int) {
        append("startxref\n\(start - base)\n%%EOF\n")
        lastSection = start
        offsets = [:]
    }

    private static func row(_ type: UInt8, _ second: Int, _ third: Int) -> [UInt8] {
        [type] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: second >> $0) }
            + [UInt8(truncatingIfNeeded: third)]
    }

    static func padded(_ value: Int) -> String {
        String(repeating: "0", count: 10 - String(value).count) + String(value)
    }

    /// One page and a table.
    static func minimal(header: String = "%PDF-1.7\n", base: Int = 0) -> TestDocument {
        var document = TestDocument(header: header)
        document.writePage()
        document.table(base: base)
        return document
    }

    /// One page; catalogue and tree in an object stream.
    static func compressed() -> TestDocument {
        var document = TestDocument()
        let places = document.objectStream(
            4,
            [
                (1, "<< /Type /Catalog /Pages 2 0 R >>"),
                (2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"),
            ])
        document.object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>")
        document.crossReferenceStream(5, compressed: places)
        return document
    }

    mutating func writePage() {
        object(1, "<< /Type /Catalog /Pages 2 0 R >>")
        object(2, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>")
        object(3, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>")
    }
}

/// Parses one object from text.
func parse(_ text: String) throws -> PDFObject { try parse(Array(text.utf8)) }

func parse(_ bytes: [UInt8]) throws -> PDFObject {
    var parser = ObjectParser(Lexer(bytes))
    return try parser.parse()
}

/// Runs `body` and returns the code of the error it throws.
func errorCode(_ body: () throws -> Void) -> PDFErrorCode? {
    do {
        try body()
        return nil
    } catch {
        return (error as? PDFError)?.code
    }
}

extension TestDocument {
    /// Replaces the last occurrence of a text, without moving what is referred to before it.
    mutating func replaceLast(_ text: String, _ other: String) {
        guard let range = bytes.lastRange(of: Array(text.utf8)) else { return }
        bytes.replaceSubrange(range, with: other.utf8)
    }
}
