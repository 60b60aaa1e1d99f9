import Base
import PDFCore

/// A standard font as a simple font (ISO 32000-2 §9.6.2). Each non-ASCII letter gets its own code.
final class StandardResourceFont: ResourceFont {
    let name: PDFName
    let face: StampFace
    private let font: StandardFont
    private var codes: [Int: UInt8] = [:]
    private var extraLetters: [Unicode.Scalar] = []

    /// - Throws: `characterNotInFont` if there are more letters than codes.
    init(
        _ font: StandardFont, name: PDFName, clusters: some Sequence<GlyphCluster>
    ) throws(AppearanceError) {
        self.name = name
        self.font = font
        face = .standard(font)
        for cluster in clusters {
            for scalar in cluster.text where scalar.value >= 127 && codes[Int(scalar.value)] == nil
            {
                guard let code = UInt8(exactly: 128 + extraLetters.count) else {
                    throw AppearanceError(
                        .characterNotInFont,
                        "the text of the visible signature has more than 128 characters outside ASCII"
                    )
                }
                codes[Int(scalar.value)] = code
                extraLetters.append(scalar)
            }
        }
    }

    func code(_ glyph: AtomGlyph) -> [UInt8] {
        [codes[glyph.glyph] ?? UInt8(truncatingIfNeeded: glyph.glyph)]
    }

    func statedWidth(_ glyph: Int) -> Double {
        Unicode.Scalar(UInt32(glyph)).flatMap { font.width(of: $0) }.map(Double.init) ?? 0
    }

    func canExtract(_ cluster: GlyphCluster) -> Bool { true }

    func objects(_ id: ObjectID, allocate: () -> ObjectID) -> [(ObjectID, PDFObject)] {
        [(id, .dictionary(dictionary))]
    }

    private var dictionary: PDFDictionary {
        var dictionary: PDFDictionary = [
            "Type": .name("Font"), "Subtype": .name("Type1"),
            "BaseFont": .name(PDFName(font.baseName)),
        ]
        guard !extraLetters.isEmpty else {
            dictionary["Encoding"] = .name("WinAnsiEncoding")
            return dictionary
        }
        dictionary["Encoding"] = .dictionary([
            "Type": .name("Encoding"), "BaseEncoding": .name("WinAnsiEncoding"),
            "Differences": .array(
                [.integer(128)]
                    + extraLetters.map { .name(PDFName(font.glyphName(of: $0) ?? ".notdef")) }),
        ])
        dictionary["FirstChar"] = .integer(32)
        dictionary["LastChar"] = .integer(127 + extraLetters.count)
        let ascii = (UInt32(32)...127).map { code in
            Unicode.Scalar(code).flatMap { font.width(of: $0) } ?? 0
        }
        dictionary["Widths"] = .array(
            (ascii + extraLetters.map { font.width(of: $0) ?? 0 }).map { .integer($0) })
        return dictionary
    }
}
