/// Filters of pictures (ISO 32000-2 Table 6), with the short names that readers take everywhere.
package enum PictureFilters {
    package static let jpeg: Set<PDFName> = ["DCTDecode", "DCT"]
    package static let fax: Set<PDFName> = ["CCITTFaxDecode", "CCF"]
}
