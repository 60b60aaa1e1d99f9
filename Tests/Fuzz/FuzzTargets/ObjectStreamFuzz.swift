import Base
import PDFCore

/// Adds the object streams of the input to a document and reads every object in them.
///
/// The parts of the input are separated by a line `%%`. The first line of a part is the stream
/// dictionary; the rest is the stream data.
enum ObjectStreamFuzz {
    private static let streamLimit = 4
    /// The lowest number of an object in a stream; the streams themselves have the numbers 3 and
    /// up.
    private static let firstNumber = 10
    private static let objectsPerStream = 16

    static func failure(of bytes: [UInt8]) -> String? {
        let parts = bytes.parts(separatedBy: Array("\n%%\n".utf8), limit: streamLimit)
        guard let document = try? PDFDocument(source: MemorySource(file(parts))) else { return nil }
        for index in 0..<(parts.count * objectsPerStream) {
            guard case .stream? = try? document.object(ObjectID(number: firstNumber + index))
            else { continue }
            return "a stream came out of an object stream"
        }
        return nil
    }

    private static func file(_ parts: [[UInt8]]) -> [UInt8] {
        var file = FuzzDocuments.body
        // Each row contains a type, a four-byte number and an index.
        var rows: [UInt8] = [0, 0, 0, 0, 0, 0]
        func row(_ type: UInt8, _ number: Int, _ index: Int) -> [UInt8] {
            let digits = stride(from: 24, through: 0, by: -8).map { UInt8(number >> $0 & 0xFF) }
            return [type] + digits + [UInt8(index)]
        }
        for offset in FuzzDocuments.bodyOffsets { rows += row(1, offset, 0) }
        for (index, part) in parts.enumerated() {
            let end = part.firstIndex(of: 10) ?? part.count
            rows += row(1, file.count, 0)
            file += Array("\(3 + index) 0 obj\n".utf8) + part[..<end]
            file += Array("\nstream\n".utf8) + part[end...].dropFirst()
            file += Array("\nendstream\nendobj\n".utf8)
        }
        for index in 0..<(parts.count * objectsPerStream) {
            rows += row(2, 3 + index / objectsPerStream, index % objectsPerStream)
        }
        let start = file.count
        let inStreams = "\(firstNumber) \(parts.count * objectsPerStream)"
        let header =
            "9 0 obj\n<</Type/XRef/W[1 4 1]/Index[0 \(3 + parts.count) \(inStreams)]/Size 100"
            + "/Root 1 0 R/Length \(rows.count)>>\nstream\n"
        file += Array(header.utf8) + rows
        file += Array("\nendstream\nendobj\nstartxref\n\(start)\n%%EOF\n".utf8)
        return file
    }
}

/// Base documents of the targets.
enum FuzzDocuments {
    private static let catalog = "%PDF-1.7\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n"
    private static let pages = "2 0 obj\n<</Type/Pages/Kids[]/Count 0>>\nendobj\n"

    /// A header, a catalog as object 1 and an empty page tree as object 2.
    static let body = Array((catalog + pages).utf8)
    static let bodyOffsets = [9, catalog.utf8.count]

    /// A document without pages.
    static let minimal = document(body, offsets: bodyOffsets)

    /// The identifier of the object that ``with(_:)`` adds.
    static let furtherID = ObjectID(number: 3)

    /// A document without pages, and with one more object.
    static func with(_ object: [UInt8]) -> [UInt8] {
        let further = Array("3 0 obj\n".utf8) + object + Array("\nendobj\n".utf8)
        return document(body + further, offsets: bodyOffsets + [body.count])
    }

    private static func document(_ body: [UInt8], offsets: [Int]) -> [UInt8] {
        let entries = offsets.map { offset in
            let digits = String(offset)
            return String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
        }.joined()
        let size = offsets.count + 1
        return body
            + Array(
                ("xref\n0 \(size)\n0000000000 65535 f \n" + entries
                    + "trailer\n<</Size \(size)/Root 1 0 R>>\nstartxref\n\(body.count)\n%%EOF\n")
                    .utf8)
    }
}

extension [UInt8] {
    /// The pieces between separators, at most `limit`.
    func parts(separatedBy separator: [UInt8], limit: Int) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = self[...]
        while parts.count + 1 < limit, let found = rest.firstRange(of: separator) {
            parts.append(Array(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return parts + [Array(rest)]
    }
}
