import PDFCore

/// A font with its name in the stamp's resources.
protocol ResourceFont: AnyObject {
    var name: PDFName { get }
    var face: StampFace { get }
    /// The character code that shows a glyph.
    func code(_ glyph: AtomGlyph) -> [UInt8]
    /// The width in the font dictionary, in thousandths of the font size.
    func statedWidth(_ glyph: Int) -> Double
    /// Whether the text of a cluster can be extracted from its glyphs. Otherwise /ActualText is
    /// added.
    func canExtract(_ cluster: GlyphCluster) -> Bool
    /// The font's objects; the font dictionary has the ID `id`.
    func objects(_ id: ObjectID, allocate: () -> ObjectID) -> [(ObjectID, PDFObject)]
}

/// Writes glyphs as text operators (ISO 32000-2 §9.4.3), at their exact shaped positions.
struct TextSetter {
    private var canvas = ContentWriter()
    /// The elements of the current TJ operator: strings and adjustments.
    private var pieces: [PDFObject] = []
    private var codes: [UInt8] = []
    /// The shaped position of the next glyph, and the position at which a viewer would draw it.
    /// Both are measured from the line's start in thousandths of the font size.
    private var pen = 0.0
    private var drawn = 0.0
    private var rise = 0.0

    /// Maximum position error: less than a hundredth of a point at the usual sizes.
    private static let tolerance = 0.5

    /// The operators of one line of text, for use between BT and ET.
    static func operators(
        of line: PlacedLine, fonts: (StampFace) -> (any ResourceFont)?
    ) -> [UInt8] {
        var setter = TextSetter()
        var current: (any ResourceFont)?
        for atom in line.atoms {
            // The resources contain the font of each atom.
            guard let font = fonts(atom.face) else { continue }
            if current !== font {
                setter.flush()
                setter.canvas.line("/\(font.name)", [line.size], "Tf")
                // A new font begins at its exact position, without earlier rounding errors.
                let x = line.x + setter.pen * line.size / 1000
                setter.canvas.line([1, 0, 0, 1, x, line.baseline], "Tm")
                setter.drawn = setter.pen
                current = font
            }
            for cluster in atom.clusters { setter.show(cluster, font: font, size: line.size) }
        }
        setter.flush()
        setter.setRise(0, size: line.size)
        return setter.canvas.bytes
    }

    private mutating func show(_ cluster: GlyphCluster, font: any ResourceFont, size: Double) {
        let needsActualText = !font.canExtract(cluster)
        if needsActualText {
            flush()
            var text = PDFDictionary()
            var characters = String.UnicodeScalarView()
            characters.append(contentsOf: cluster.text)
            text["ActualText"] = .string(.text(String(characters)))
            canvas.line("/Span", .dictionary(text), "BDC")
        }
        for glyph in cluster.glyphs {
            if glyph.yOffset != rise {
                flush()
                setRise(glyph.yOffset, size: size)
            }
            let wanted = pen + glyph.xOffset
            if abs(wanted - drawn) > Self.tolerance {
                endString()
                let adjustment = (drawn - wanted).rounded()
                pieces.append(.number(adjustment))
                drawn -= adjustment
            }
            codes += font.code(glyph)
            drawn += font.statedWidth(glyph.glyph)
            pen += glyph.advance
        }
        if needsActualText {
            flush()
            canvas.line("EMC")
        }
    }

    private mutating func setRise(_ value: Double, size: Double) {
        guard value != rise else { return }
        canvas.line([value * size / 1000], "Ts")
        rise = value
    }

    private mutating func endString() {
        guard !codes.isEmpty else { return }
        pieces.append(.string(PDFString(bytes: codes, isHexadecimal: true)))
        codes = []
    }

    private mutating func flush() {
        endString()
        guard !pieces.isEmpty else { return }
        if pieces.count == 1, case .string = pieces[0] {
            canvas.line(pieces[0], "Tj")
        } else {
            canvas.line(.array(pieces), "TJ")
        }
        pieces = []
    }
}
