import PDFCore

/// Whether an annotation's appearances draw nothing at all. A box without size is no proof of that:
/// some readers draw what is in it all the same, and whatever a form without a box holds.
struct BlankAppearance {
    private let document: PDFDocument
    private var remaining = nodeLimit

    /// Operators that leave nothing on the page (ISO 32000-2 Table 50).
    private static let harmless: Set<String> = [
        "q", "Q", "cm", "w", "J", "j", "M", "d", "ri", "i", "gs", "m", "l", "c", "v", "y", "h",
        "re",
        "W", "W*", "n", "BT", "ET", "Tc", "Tw", "Tz", "TL", "Tf", "Tr", "Ts", "Td", "TD", "Tm",
        "T*",
        "CS", "cs", "SC", "SCN", "sc", "scn", "G", "g", "RG", "rg", "K", "k", "MP", "DP", "BMC",
        "BDC", "EMC", "BX", "EX",
    ]
    /// Most dictionaries, their entries and streams that are looked at, however often.
    private static let nodeLimit = 256
    /// Deepest nesting: the dictionary, its entries and states, then forms in forms.
    private static let maximumDepth = 8

    /// - Parameter appearance: the entry /AP.
    static func isBlank(_ appearance: PDFObject?, in document: PDFDocument) throws(PDFError) -> Bool
    {
        guard let appearance, try document.resolve(appearance) != .null else { return true }
        // Some readers take what is no dictionary for one.
        guard try document.resolve(appearance).dictionaryValue != nil else { return false }
        var search = BlankAppearance(document: document)
        return try search.drawsNothing(appearance, depth: 0)
    }

    private init(document: PDFDocument) { self.document = document }

    private mutating func drawsNothing(
        _ entry: PDFObject, depth: Int
    ) throws(PDFError) -> Bool {
        remaining -= 1
        guard depth < Self.maximumDepth, remaining > 0 else { return false }
        switch try document.resolve(entry) {
        case .null: return true
        case .dictionary(let dictionary):
            for key in dictionary.keys {
                guard try drawsNothing(dictionary[key] ?? .null, depth: depth + 1) else {
                    return false
                }
            }
            return true
        case .stream(let stream): return try drawsNothing(stream, depth: depth)
        default: return false
        }
    }

    private mutating func drawsNothing(
        _ stream: PDFStream, depth: Int
    ) throws(PDFError) -> Bool {
        // What is drawn of an image, or of what says not what it is, is no content.
        guard try document.value(stream.dictionary, "Subtype").nameValue == "Form",
            try document.rectangle(stream.dictionary["BBox"]) != nil,
            let content = try? document.plainData(of: stream, upTo: ContentOperation.byteLimit),
            let operations = ContentOperation.all(in: content)
        else { return false }
        let resources = try document.value(stream.dictionary, "Resources").dictionaryValue
        let forms = try resources.map { resources throws(PDFError) in
            try document.value(resources, "XObject").dictionaryValue
        }
        for operation in operations {
            if Self.harmless.contains(operation.name) { continue }
            guard operation.name == "Do", let form = operation.names.last.flatMap({ forms??[$0] }),
                try drawsNothing(form, depth: depth + 1)
            else { return false }
        }
        return true
    }
}
