extension PDFDocument {
    /// The part of ISO 19005 (PDF/A) stated in the XMP metadata; `nil` if there is none or the
    /// metadata is unreadable.
    package var archivalPart: Int? {
        guard let catalog = try? catalog(),
            let metadata = try? value(catalog, "Metadata").streamValue,
            let xmp = try? decodedData(of: metadata)
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
