import PDFCore

/// Entries of dictionaries of the graphics state that all readers take for the same (ISO 32000-2
/// Tables 57, 134 and 135).
enum GraphicsStateEntries {
    /// Those in which readers paint the same; in ColorDodge, ColorBurn and Hue they do not.
    static let blendModes: Set<PDFName> = [
        "Normal", "Compatible", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "HardLight",
        "SoftLight", "Difference", "Exclusion", "Saturation", "Color", "Luminosity",
    ]

    /// The key of an entry of the wrong kind, or beyond its range.
    ///
    /// - Parameter state: resolved.
    static func odd(in state: [PDFName: PDFObject]) -> PDFName? {
        state.keys.filter { !suits(state[$0] ?? .null, $0) }.min()
    }

    /// Not all readers take what is no mask of a known kind for one, and not all follow a transfer
    /// function (ISO 32000-2 Table 142).
    private static func suits(mask: PDFDictionary?) -> Bool {
        guard let mask, mask["G"] != nil else { return false }
        let kinds: [PDFObject?] = [.name("Alpha"), .name("Luminosity")]
        // References lead to names as well, hardly ever.
        guard kinds.contains(mask["S"]) || mask["S"]?.referenceValue != nil else { return false }
        // A ground counts for brightness alone (Table 142).
        guard mask["S"] != .name("Alpha") || (mask["BC"] ?? .null) == .null else { return false }
        return mask["TR"] == nil || mask["TR"] == .null || mask["TR"] == .name("Identity")
    }

    private static func suits(_ value: PDFObject, _ key: PDFName) -> Bool {
        // To have no mask is a name.
        guard value != .null else { return key != "SMask" }
        switch key {
        case "CA", "ca": return value.numberValue.map { (0...1).contains($0) } ?? false
        case "LW", "ML": return value.numberValue.map { $0 >= 0 } ?? false
        case "LC", "LJ": return value.integerValue.map { (0...2).contains($0) } ?? false
        case "D": return value.arrayValue?.count == 2
        // Some readers do not look for one here, and hardly any program writes it.
        case "Font": return false
        case "BM":
            return value.nameValue.map(blendModes.contains) ?? (value.arrayValue != nil)
        case "SMask": return value.nameValue == "None" || suits(mask: value.dictionaryValue)
        default: return true
        }
    }
}
