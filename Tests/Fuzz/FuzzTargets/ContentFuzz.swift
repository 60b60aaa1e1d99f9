import Base
import PDFCore
import PDFSigning
import PDFVerification
import RevisionDiff

@testable import SignetKit

/// Reads annotations, and compares appearances with values. The input contains objects as `number
/// body`, separated by the byte 0x1E. They are added to a document with a signature field, a text
/// field and an annotation.
///
/// Only excessive run time is a failure: shared objects must be read once.
enum ContentFuzz {
    private static let divider: UInt8 = 0x1E
    private static let objectLimit = 64

    private static let objects: [Int: String] = [
        1: "<</Type /Catalog /Pages 2 0 R /AcroForm 6 0 R>>",
        2: "<</Type /Pages /Kids [3 0 R] /Count 1>>",
        3: """
        <</Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [9 0 R 7 0 R 8 0 R]
        /Resources <</Font <</F1 5 0 R>> /XObject <</X1 11 0 R>> /ExtGState <</G1 12 0 R>>>>>>
        """, 4: "<</Length 44>>\nstream\nBT /F1 9 Tf 20 20 Td (ab) Tj ET /X1 Do /G1 gs\nendstream",
        5: """
        <</Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /ToUnicode 10 0 R
        /DescendantFonts [<</Subtype /CIDFontType2 /BaseFont /A /W [0 [500] 3 9 600]>>]>>
        """, 6: "<</Fields [7 0 R 8 0 R] /NeedAppearances true /DR <</Font <</F1 5 0 R>>>>>>",
        7: "<</Type /Annot /Subtype /Widget /FT /Sig /T (S) /Rect [9 9 199 99] /F 4 /P 3 0 R>>",
        8: """
        <</Type /Annot /Subtype /Widget /FT /Ch /Ff 131072 /T (a) /V (1) /Opt [[(1) (one)]]
        /Rect [9 300 99 320] /DA (/F1 9 Tf 0 g) /P 3 0 R>>
        """, 9: "<</Type /Annot /Subtype /Ink /Rect [1 1 9 9] /InkList [[1 1 9 9]] /BS <</W 2>>>>",
        10:
            "<</Length 54>>\nstream\n1 beginbfrange\n<0000> <00FF> <0041>\nendbfrange\nendcmap\nendstream",
        11:
            "<</Type /XObject /Subtype /Form /BBox [0 0 9 9] /Length 8>>\nstream\n0 0 m S\n\nendstream",
        12: "<</Type /ExtGState /Font [5 0 R 9]>>",
    ]

    static func failure(of bytes: [UInt8]) -> String? {
        guard let document = try? PDFDocument(source: MemorySource(file(with: bytes))) else {
            return nil
        }
        for words in [["a"], ["a", "b"], ["a", "b", "c"]] { _ = TextSearch(words, in: bytes) }
        if let page = try? document.page(at: 0) { _ = try? PageAnnotations(on: page, in: document) }
        try? RevisionFuzzing.readAppearances(in: document)
        let form = try? AcroForm(of: document)
        _ = DynamicContent(of: document, form: form, effort: .thorough)
        guard let form else { return nil }
        for field in form.fields { _ = try? FieldPlacement(of: field, in: document) }
        return nil
    }

    private static func file(with input: [UInt8]) -> [UInt8] {
        var bodies = objects.mapValues { Array($0.utf8) }
        for part in input.split(separator: divider).prefix(objectLimit) {
            let digits = part.prefix { (0x30...0x39).contains($0) }
            guard let number = Int(String(decoding: digits, as: UTF8.self)),
                (1...objectLimit).contains(number)
            else { continue }
            bodies[number] = Array(part.dropFirst(digits.count))
        }
        var bytes = Array("%PDF-1.7\n".utf8)
        var table = "xref\n0 1\n0000000000 65535 f \n"
        for (number, body) in bodies.sorted(by: { $0.key < $1.key }) {
            let digits = String(bytes.count)
            table += "\(number) 1\n" + String(repeating: "0", count: 10 - digits.count) + digits
            table += " 00000 n \n"
            bytes += Array("\(number) 0 obj\n".utf8) + body + Array("\nendobj\n".utf8)
        }
        let start = bytes.count
        table += "trailer\n<</Size \(objectLimit + 1) /Root 1 0 R>>\nstartxref\n\(start)\n%%EOF\n"
        return bytes + Array(table.utf8)
    }
}
