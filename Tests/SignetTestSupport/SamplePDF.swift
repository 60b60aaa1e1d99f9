/// Small PDFs created in memory, with correct offsets.
package struct SamplePDF {
    package enum CrossReference: Sendable, CaseIterable {
        case table
        case stream
    }

    /// Bodies of the objects 1, 2, 3…; object 1 is the catalog.
    package var objects: [String]
    package var crossReference = CrossReference.table
    package var header = "%PDF-1.7\n%\u{E2}\u{E3}\u{CF}\u{D3}\n"

    /// One page with a line of text.
    ///
    /// - Parameters:
    ///   - pageEntries: further entries of the page's dictionary.
    ///   - catalogEntries: further entries of the catalog.
    package init(
        pageEntries: String = "/MediaBox [0 0 595 842]", catalogEntries: String = "",
        extraObjects: [String] = []
    ) {
        let text = "BT /F1 24 Tf 72 720 Td (Sample) Tj ET"
        objects =
            [
                "<</Type /Catalog /Pages 2 0 R \(catalogEntries)>>",
                "<</Type /Pages /Kids [3 0 R] /Count 1>>",
                """
                <</Type /Page /Parent 2 0 R \(pageEntries) /Contents 4 0 R
                /Resources <</Font <</F1 5 0 R>>>> >>
                """, "<</Length \(text.utf8.count)>>\nstream\n\(text)\nendstream",
                "<</Type /Font /Subtype /Type1 /BaseFont /Helvetica>>",
            ] + extraObjects
    }

    /// Creates a file with one page for each set of page dictionary entries.
    package static func pages(_ entries: [String], content: String? = nil) -> [UInt8] {
        var sample = SamplePDF()
        if let content {
            sample.objects[3] = "<</Length \(content.utf8.count)>>\nstream\n\(content)\nendstream"
        }
        let first = sample.objects.count + 1
        sample.objects += entries.map { entries in
            "<</Type /Page /Parent 2 0 R \(entries) /Contents 4 0 R"
                + " /Resources <</Font <</F1 5 0 R>>>> >>"
        }
        let kids = entries.indices.map { "\(first + $0) 0 R" }.joined(separator: " ")
        sample.objects[1] = "<</Type /Pages /Kids [\(kids)] /Count \(entries.count)>>"
        return sample.bytes
    }

    /// Creates a file with `count` A4 pages.
    package static func pages(_ count: Int) -> [UInt8] {
        pages([String](repeating: "/MediaBox [0 0 595 842]", count: count))
    }

    package var bytes: [UInt8] {
        var bytes = Array(header.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        var offsets: [Int] = []
        for (index, object) in objects.enumerated() {
            offsets.append(bytes.count)
            bytes += Array("\(index + 1) 0 obj\n\(object)\nendobj\n".utf8)
        }
        let start = bytes.count
        switch crossReference {
        case .table:
            var table = "xref\n0 \(offsets.count + 1)\n0000000000 65535 f \n"
            for offset in offsets { table += Self.padded(offset, 10) + " 00000 n \n" }
            table += "trailer\n<</Size \(offsets.count + 1) /Root 1 0 R>>\n"
            bytes += Array(table.utf8)
        case .stream:
            offsets.append(start)
            var rows: [UInt8] = [0, 0, 0, 0, 255]
            for offset in offsets {
                rows += [
                    1, UInt8(offset >> 16 & 0xFF), UInt8(offset >> 8 & 0xFF), UInt8(offset & 0xFF),
                    0,
                ]
            }
            let dictionary =
                "<</Type /XRef /Size \(offsets.count + 1) /Root 1 0 R /W [1 3 1]"
                + " /Length \(rows.count)>>"
            bytes += Array("\(offsets.count) 0 obj\n\(dictionary)\nstream\n".utf8) + rows
            bytes += Array("\nendstream\nendobj\n".utf8)
        }
        bytes += Array("startxref\n\(start)\n%%EOF\n".utf8)
        return bytes
    }

    /// A file with an appended incremental update that contains these objects by number.
    package static func updated(_ file: [UInt8], with objects: [Int: String], size: Int) -> [UInt8]
    {
        let previous = String(decoding: file, as: UTF8.self).split(separator: "\n").last { line in
            line.allSatisfy(\.isNumber)
        }
        var bytes = file
        var table = "xref\n"
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) {
            table += "\(number) 1\n\(padded(bytes.count, 10)) 00000 n \n"
            bytes += Array("\(number) 0 obj\n\(body)\nendobj\n".utf8)
        }
        table += "trailer\n<</Root 1 0 R /Size \(size) /Prev \(previous ?? "0")>>\n"
        let start = bytes.count
        return bytes + Array("\(table)startxref\n\(start)\n%%EOF\n".utf8)
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
