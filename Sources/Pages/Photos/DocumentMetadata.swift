package import Base
import PDFCore

/// The document's metadata, for the Info dictionary and, in PDF/A, for XMP.
package struct DocumentMetadata: Sendable {
    /// The title without control characters, which XML does not permit.
    package let title: String?
    package let producer: String
    package let created: CalendarTime
    /// 16 bytes that are unique to this document.
    package let identifier: [UInt8]

    package init(title: String?, producer: String, created: CalendarTime, identifier: [UInt8]) {
        self.title = title.map { text in
            String(String.UnicodeScalarView(text.unicodeScalars.filter { Self.isPlain($0) }))
        }
        self.producer = producer
        self.created = created
        self.identifier = identifier
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value)
            && scalar.value & 0xFFFE != 0xFFFE
    }

    var info: PDFDictionary {
        let date = PDFObject.string(PDFString(bytes: Array(created.pdfDate.utf8)))
        var info: PDFDictionary = [
            "Producer": .string(.text(producer)), "CreationDate": date, "ModDate": date,
        ]
        if let title { info["Title"] = .string(.text(title)) }
        return info
    }

    /// An XMP packet that matches the Info dictionary (ISO 19005-2 §6.6.2 and §6.6.4).
    var xmp: [UInt8] {
        let titleElement =
            title.map {
                "<dc:title><rdf:Alt><rdf:li xml:lang=\"x-default\">\(Self.escaped($0))</rdf:li>"
                    + "</rdf:Alt></dc:title>\n"
            } ?? ""
        let text = """
            <?xpacket begin="\u{FEFF}" id="W5M0MpCehiHzreSzNTczkc9d"?>
            <x:xmpmeta xmlns:x="adobe:ns:meta/">
            <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description rdf:about=""
             xmlns:dc="http://purl.org/dc/elements/1.1/"
             xmlns:pdf="http://ns.adobe.com/pdf/1.3/"
             xmlns:xmp="http://ns.adobe.com/xap/1.0/"
             xmlns:pdfaid="http://www.aiim.org/pdfa/ns/id/">
            <pdfaid:part>2</pdfaid:part>
            <pdfaid:conformance>B</pdfaid:conformance>
            <dc:format>application/pdf</dc:format>
            \(titleElement)<pdf:Producer>\(Self.escaped(producer))</pdf:Producer>
            <xmp:CreateDate>\(created.rfc3339)</xmp:CreateDate>
            <xmp:ModifyDate>\(created.rfc3339)</xmp:ModifyDate>
            <xmp:MetadataDate>\(created.rfc3339)</xmp:MetadataDate>
            </rdf:Description>
            </rdf:RDF>
            </x:xmpmeta>
            <?xpacket end="w"?>
            """
        return Array(text.utf8)
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { MarkupText.reference(for: $0) ?? String($0) }.joined()
    }
}
