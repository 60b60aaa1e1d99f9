import Base
import PDFCore
import PDFSigning
import RevisionDiff

/// Compares two revisions. The first has a form with a page, an annotation and validation data. The
/// second contains the objects of the input as `number body`, separated by the byte 0x1E. An input
/// that is a complete file is used unchanged.
///
/// A changed page content must never be a permitted change.
enum RevisionFuzz {
    private static let divider: UInt8 = 0x1E
    private static let contentNumber = 4
    private static let objectLimit = 64

    private static let objects = [
        """
        <</Type /Catalog /Pages 2 0 R /AcroForm 6 0 R /DSS 10 0 R /PieceInfo <</X 50 0 R>>
        /StructTreeRoot 12 0 R>>
        """, "<</Type /Pages /Kids [3 0 R] /Count 1>>",
        """
        <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [7 0 R 9 0 R]
        /Resources <</Font <</F1 5 0 R>>>>>>
        """, "<</Length 27>>\nstream\nBT /F1 9 Tf (Sample) Tj ET \nendstream",
        "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
        "<</Fields [7 0 R] /DR <</Font <</F1 5 0 R>>>>>>",
        """
        <</Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (1) /Rect [1 1 9 9] /P 3 0 R
        /AP <</N 8 0 R>>>>
        """,
        """
        <</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources <</Font <</F1 5 0 R>>>>
        /Length 23>>
        stream
        BT /F1 9 Tf (1) Tj ET \nendstream
        """,
        "<</Type /Annot /Subtype /Text /Rect [1 1 9 9] /Contents (x)>>",
        "<</Certs [11 0 R] /VRI <<>>>>",
        "<</Length 1>>\nstream\nx\nendstream",
        "<</Type /StructTreeRoot /K [13 0 R] /ParentTree <</Nums [0 13 0 R]>>>>",
        "<</Type /StructElem /S /P /P 12 0 R /K [<</Type /OBJR /Obj 9 0 R>>]>>",
    ]

    private static let base: [UInt8] = {
        var bytes = Array("%PDF-1.7\n".utf8)
        var table = "xref\n0 \(objects.count + 1)\n0000000000 65535 f \n"
        for (index, object) in objects.enumerated() {
            let digits = String(bytes.count)
            table += String(repeating: "0", count: 10 - digits.count) + digits + " 00000 n \n"
            bytes += Array("\(index + 1) 0 obj\n\(object)\nendobj\n".utf8)
        }
        let start = bytes.count
        table += "trailer\n<</Size \(objects.count + 1) /Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n"
        return bytes + Array(table.utf8)
    }()

    static func failure(of bytes: [UInt8]) -> String? {
        if bytes.starts(with: Array("%PDF".utf8)) {
            guard let document = try? PDFDocument(source: MemorySource(bytes)) else { return nil }
            _ = try? RevisionFuzzing.furthestChange(in: document)
            return nil
        }
        guard let updated = try? updated(by: bytes),
            let document = try? PDFDocument(source: MemorySource(updated))
        else { return nil }
        let old = document.view(newestSection: document.sections.count - 1)
        guard let level = try? RevisionFuzzing.furthestChange(in: document) else { return nil }
        let shows = { (document: PDFDocument) in
            try document.object(ObjectID(number: contentNumber)).streamValue.map {
                try document.rawData(of: $0)
            }
        }
        let (before, after) = ((try? shows(old)) ?? nil, (try? shows(document)) ?? nil)
        guard before != after, level != .forbidden else { return nil }
        return "the page shows something else, and the changes count as \(level.rawValue)"
    }

    private static func updated(by bytes: [UInt8]) throws -> [UInt8] {
        let document = try PDFDocument(source: MemorySource(base))
        var update = IncrementalUpdate(document: document, avoiding: ObjectNumberSet())
        for part in bytes.split(separator: divider).prefix(objectLimit) {
            let digits = part.prefix { (0x30...0x39).contains($0) }
            guard let number = Int(String(decoding: digits, as: UTF8.self)),
                (1...1000).contains(number)
            else { continue }
            update.set(ObjectID(number: number), .verbatim(Array(part.dropFirst(digits.count))))
        }
        let random = [UInt8](repeating: 7, count: 16)
        return try base + update.serialize(fileIdentifier: random).bytes
    }
}
