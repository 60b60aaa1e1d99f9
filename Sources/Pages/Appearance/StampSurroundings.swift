package import PDFCore

/// Requirements of the document that contains a stamp.
package struct StampSurroundings: Equatable, Sendable {
    package enum Space: Sendable {
        case device
        /// CalGray and CalRGB, which are independent of the device. Used in PDF/A files whose
        /// output intent does not define the device colors (ISO 19005-1 §6.2.3, ISO 19005-2
        /// §6.2.4).
        case calibrated
    }

    package let gray: Space
    package let rgb: Space
    package let permitsDeviceCMYK: Bool
    package let mustEmbedFonts: Bool
    /// Whether the document is PDF/A-1. That part requires font subsets to list their glyphs (ISO
    /// 19005-1 §6.3.5) and does not permit ICC profiles of version 4.
    package let isArchivalPart1: Bool
    /// Whether transparency is permitted. PDF/A-1 forbids it (ISO 19005-1 §6.4). Later parts
    /// require an output intent or additional page entries (ISO 19005-2 §6.2.10).
    package let permitsTransparency: Bool

    package init(
        gray: Space = .device, rgb: Space = .device, permitsDeviceCMYK: Bool = true,
        mustEmbedFonts: Bool = false, isArchivalPart1: Bool = false,
        permitsTransparency: Bool = true
    ) {
        self.gray = gray
        self.rgb = rgb
        self.permitsDeviceCMYK = permitsDeviceCMYK
        self.mustEmbedFonts = mustEmbedFonts
        self.isArchivalPart1 = isArchivalPart1
        self.permitsTransparency = permitsTransparency
    }

    /// The requirements of the PDF/A part that the document claims.
    package init(of document: PDFDocument) throws {
        let catalog = try document.catalog()
        guard let part = document.archivalPart else {
            self.init()
            return
        }
        let componentCount = try Self.intentComponentCount(catalog, in: document)
        self.init(
            gray: componentCount == nil ? .calibrated : .device,
            rgb: componentCount == 3 ? .device : .calibrated,
            permitsDeviceCMYK: componentCount == 4, mustEmbedFonts: true,
            isArchivalPart1: part == 1, permitsTransparency: part > 1 && componentCount != nil)
    }

    /// The number of components of the output intent's profile; nil without an intent.
    private static func intentComponentCount(
        _ catalog: PDFDictionary, in document: PDFDocument
    ) throws -> Int? {
        for entry in try document.value(catalog, "OutputIntents").arrayValue ?? [] {
            guard let intent = try document.resolve(entry).dictionaryValue,
                let profile = try document.value(intent, "DestOutputProfile").streamValue
            else { continue }
            return try document.value(profile.dictionary, "N").integerValue
        }
        return nil
    }
}
