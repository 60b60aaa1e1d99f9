import Base
import PDFCore

/// A file revision by revision.
struct RevisedFile {
    private(set) var bytes = Array("%PDF-1.7\n".utf8)
    private var size = 1
    private var previous: Int?

    static let page: [Int: String] = [
        2: "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", 3: "<< /Type /Page /Parent 2 0 R >>",
    ]

    static func catalog(_ fields: String) -> String {
        "<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [\(fields)] >> >>"
    }

    static func field(_ name: String, value: Int? = nil, _ more: String = "") -> String {
        "<< /FT /Sig /T (\(name)) \(value.map { "/V \($0) 0 R" } ?? "") \(more) >>"
    }

    func document() throws -> PDFDocument { try PDFDocument(source: MemorySource(bytes)) }

    mutating func revise(_ objects: [Int: String], root: Int = 1) {
        var table = "xref\n0 1\n0000000000 65535 f \n"
        for (number, body) in objects.sorted(by: { $0.key < $1.key }) {
            let digits = String(bytes.count)
            let place = String(repeating: "0", count: 10 - digits.count) + digits
            table += "\(number) 1\n\(place) 00000 n \n"
            bytes += "\(number) 0 obj\n\(body)\nendobj\n".utf8
            size = max(size, number + 1)
        }
        let start = bytes.count
        let link = previous.map { " /Prev \($0)" } ?? ""
        bytes += Array(
            (table + "trailer\n<< /Size \(size) /Root \(root) 0 R\(link) >>\n"
                + "startxref\n\(start)\n%%EOF\n").utf8)
        previous = start
    }

    /// Adds a revision with a signature that covers all of it but its own value, which is no CMS.
    ///
    /// - Parameters:
    ///   - fields: objects that the revision brings besides.
    ///   - entries: of the signature dictionary.
    ///   - format: its /SubFilter.
    mutating func sign(
        _ number: Int, _ fields: [Int: String], _ entries: String = "",
        format: String = "ETSI.CAdES.detached"
    ) {
        let blank = String(repeating: " ", count: 30)
        let contents = "<3003020101>"
        let signature =
            "<< /Type /Sig /Filter /X /SubFilter /\(format) \(entries) "
            + "/ByteRange [\(blank)] /Contents \(contents) >>"
        let start = bytes.count
        revise(fields.merging([number: signature], uniquingKeysWith: { $1 }))
        guard let hole = bytes[start...].firstRange(of: Array(blank.utf8)),
            let gap = bytes[start...].firstRange(of: Array(contents.utf8))
        else { return }
        let range = "0 \(gap.lowerBound) \(gap.upperBound) \(bytes.count - gap.upperBound)"
        let text = range + String(repeating: " ", count: blank.utf8.count - range.utf8.count)
        bytes.replaceSubrange(hole, with: Array(text.utf8))
    }
}
