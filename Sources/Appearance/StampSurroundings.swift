package import PDFCore

/// What the document around a stamp demands of it.
package struct StampSurroundings: Equatable, Sendable {
    /// How grey is written.
    package enum Gray: Sendable {
        case device
        /// CalGray, which means the same on every device: for PDF/A files without an output
        /// intent (ISO 19005-1 §6.2.3, ISO 19005-2 §6.2.4).
        case calibrated
    }

    package let gray: Gray
    package let mustEmbedFonts: Bool
    /// PDF/A-1 wants font subsets to list their glyphs (ISO 19005-1 §6.3.5).
    package let needsCIDSet: Bool

    package init(gray: Gray = .device, mustEmbedFonts: Bool = false, needsCIDSet: Bool = false) {
        self.gray = gray
        self.mustEmbedFonts = mustEmbedFonts
        self.needsCIDSet = needsCIDSet
    }

    /// What the document's claim to be PDF/A demands.
    package init(of document: PDFDocument) throws {
        let catalog = try document.catalog()
        guard let part = Self.claimedPart(catalog, in: document) else {
            self.init()
            return
        }
        let intents = try document.value(catalog, "OutputIntents").arrayValue ?? []
        self.init(
            gray: intents.isEmpty ? .calibrated : .device, mustEmbedFonts: true,
            needsCIDSet: part == 1)
    }

    /// The part of ISO 19005 that the metadata names; nil for a file that claims nothing. Metadata
    /// that cannot be read claims nothing.
    private static func claimedPart(_ catalog: PDFDictionary, in document: PDFDocument) -> Int? {
        guard let metadata = try? document.value(catalog, "Metadata").streamValue,
            let xmp = try? document.decodedData(of: metadata)
        else { return nil }
        let key = Array("pdfaid:part".utf8)
        // <pdfaid:part>2</pdfaid:part> or pdfaid:part="2"
        var rest = xmp[...]
        while let start = rest.firstIndex(of: key[0]) {
            rest = rest[start...]
            if rest.starts(with: key) {
                let value = rest.dropFirst(key.count).prefix(8)
                if let digit = value.first(where: { (0x30...0x39).contains($0) }) {
                    return Int(digit) - 0x30
                }
            }
            rest = rest.dropFirst()
        }
        return nil
    }
}
