import PDFCore

/// Entries of dictionaries of the graphics state that all readers take for the same (ISO 32000-2
/// Tables 57, 134 and 135).
enum GraphicsStateEntries {
    static let blendModes: Set<PDFName> = [
        "Normal", "Compatible", "Multiply", "Screen", "Overlay", "Darken", "Lighten", "ColorDodge",
        "ColorBurn", "HardLight", "SoftLight", "Difference", "Exclusion", "Hue", "Saturation",
        "Color", "Luminosity",
    ]

    /// The key of an entry of the wrong kind, or beyond its range.
    ///
    /// - Parameter state: resolved.
    static func odd(in state: [PDFName: PDFObject]) -> PDFName? {
        let odd = state.keys.filter { !suits(state[$0] ?? .null, $0) }
        return odd.min { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private static func suits(_ value: PDFObject, _ key: PDFName) -> Bool {
        guard value != .null else { return true }
        switch key {
        case "CA", "ca": return value.numberValue.map { (0...1).contains($0) } ?? false
        case "LW", "ML": return value.numberValue.map { $0 >= 0 } ?? false
        case "LC", "LJ": return value.integerValue.map { (0...2).contains($0) } ?? false
        case "D": return value.arrayValue?.count == 2
        // Some readers do not look for one here, and hardly any program writes it.
        case "Font": return false
        case "BM":
            return value.nameValue.map(blendModes.contains) ?? (value.arrayValue != nil)
        case "SMask":
            return value.nameValue == "None" || value.dictionaryValue?["G"] != nil
        default: return true
        }
    }
}
