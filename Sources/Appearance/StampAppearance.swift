package import PDFCore

/// A stamp's look, ready to become an appearance stream (ISO 32000-2 §12.5.5).
package struct StampAppearance {
    private let content: [UInt8]
    private let box: StampBox
    private let fonts: [any ResourceFont]
    private let surroundings: StampSurroundings

    /// Draws `paragraphs` beside a rule into `box`; no paragraphs leave the rule alone.
    ///
    /// - Throws: `textDoesNotFit`, or what `fonts` says about a character that no font has.
    package init(
        _ paragraphs: [StampParagraph], in box: StampBox, fonts: any StampFonts,
        surroundings: StampSurroundings = StampSurroundings()
    ) throws {
        let unit = box.pointsPerUnit
        let (width, height) = (box.width * unit, box.height * unit)
        let padding = min(5, min(width, height) * 0.08)
        let rule = min(2, width * 0.02)
        let textStart = rule + padding * 1.2
        let text = try StampText(paragraphs, fonts: fonts)
        let layout = try StampLayout(
            text,
            area: (
                x: text.isRightToLeft ? padding * 0.4 : textStart, y: padding * 0.4,
                width: width - textStart - padding * 0.4, height: height - padding * 0.8
            ))
        let resourceFonts = try Self.resourceFonts(layout, surroundings)

        var canvas = ContentWriter()
        canvas.line("q")
        // The content is drawn in points whatever the page's unit is.
        if unit != 1 { canvas.line([1 / unit, 0, 0, 1 / unit, 0, 0], "cm") }
        let grayOperator: String
        switch surroundings.gray {
        case .device: grayOperator = "g"
        case .calibrated:
            canvas.line("/\(Self.grayName) cs")
            grayOperator = "sc"
        }
        canvas.line([0.25], grayOperator)
        canvas.line([text.isRightToLeft ? width - rule : 0, 0, rule, height], "re f")
        var bytes = canvas.bytes
        canvas = ContentWriter()
        if !layout.lines.isEmpty { canvas.line("BT") }
        bytes += canvas.bytes
        for line in layout.lines {
            canvas = ContentWriter()
            canvas.line([line.gray], grayOperator)
            bytes += canvas.bytes
            bytes += TextSetter.operators(of: line) { face in
                resourceFonts.first { $0.face.isSame(as: face) }
            }
        }
        bytes += Array((layout.lines.isEmpty ? "Q\n" : "ET\nQ\n").utf8)

        content = bytes
        self.box = box
        self.fonts = resourceFonts
        self.surroundings = surroundings
    }

    /// The appearance as a Form XObject, and the objects that it refers to.
    package func objects(
        allocate: () -> ObjectID
    ) -> (form: PDFStream, resources: [(ObjectID, PDFObject)]) {
        var resources = PDFDictionary()
        var objects: [(ObjectID, PDFObject)] = []
        if !fonts.isEmpty {
            var fontResources = PDFDictionary()
            for font in fonts {
                let id = allocate()
                fontResources[font.name] = .reference(id)
                objects += font.objects(id, allocate: allocate)
            }
            resources["Font"] = .dictionary(fontResources)
        }
        if surroundings.gray == .calibrated {
            var space = PDFDictionary()
            space[Self.grayName] = Self.calibratedGray
            resources["ColorSpace"] = .dictionary(space)
        }
        var dictionary = Self.formDictionary(width: box.width, height: box.height)
        if let matrix = box.matrix {
            dictionary["Matrix"] = .array(matrix.map { .integer($0) })
        }
        dictionary["Resources"] = .dictionary(resources)
        return (PDFStream(dictionary: dictionary, data: content), objects)
    }

    /// The empty appearance of an invisible signature: PDF/A-1 wants one for every field
    /// (ISO 19005-1 §6.9).
    package static var empty: PDFStream {
        var dictionary = formDictionary(width: 0, height: 0)
        dictionary["Resources"] = .dictionary(PDFDictionary())
        return PDFStream(dictionary: dictionary, data: [])
    }

    private static let grayName = PDFName("Gray")

    /// ISO 32000-2 §8.6.5.2, with the white of D65.
    private static var calibratedGray: PDFObject {
        var parameters = PDFDictionary()
        parameters["WhitePoint"] = .array([.number(0.9505), .integer(1), .number(1.089)])
        parameters["Gamma"] = .number(2.2)
        return .array([.name("CalGray"), .dictionary(parameters)])
    }

    /// The fonts that occur, named F1, F2 … in the order of their first lines.
    private static func resourceFonts(
        _ layout: StampLayout, _ surroundings: StampSurroundings
    ) throws -> [any ResourceFont] {
        var used: [(face: StampFace, clusters: [GlyphCluster])] = []
        for atom in layout.lines.flatMap(\.atoms) {
            if let index = used.firstIndex(where: { $0.face.isSame(as: atom.face) }) {
                used[index].clusters += atom.clusters
            } else {
                used.append((atom.face, atom.clusters))
            }
        }
        return try used.enumerated().map { index, use in
            let name = PDFName("F\(index + 1)")
            return switch use.face {
            case .standard(let font):
                try StandardResourceFont(font, name: name, clusters: use.clusters)
            case .embedded(let font):
                try EmbeddedFont(
                    font, name: name, clusters: use.clusters,
                    includesCIDSet: surroundings.needsCIDSet)
            }
        }
    }

    private static func formDictionary(width: Double, height: Double) -> PDFDictionary {
        var dictionary = PDFDictionary()
        dictionary["Type"] = .name("XObject")
        dictionary["Subtype"] = .name("Form")
        dictionary["FormType"] = .integer(1)
        dictionary["BBox"] = .array([.integer(0), .integer(0), .number(width), .number(height)])
        return dictionary
    }
}
