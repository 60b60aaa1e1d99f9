package import Base
package import CodecBridge
package import PDFCore

/// The content of a stamp or a page mark.
package struct StampContent {
    package let paragraphs: [StampParagraph]
    /// Whether the text runs from right to left; `nil` derives this from the text.
    package let isRightToLeft: Bool?
    package let picture: StampPicture.Placed?
    /// The code at the end of the lines.
    package let code: QRCode?

    package init(
        _ paragraphs: [StampParagraph], isRightToLeft: Bool? = nil,
        picture: StampPicture.Placed? = nil, code: QRCode? = nil
    ) {
        self.paragraphs = paragraphs
        self.isRightToLeft = isRightToLeft
        self.picture = picture
        self.code = code
    }
}

/// The appearance of a stamp, from which an appearance stream is made (ISO 32000-2 §12.5.5).
package struct StampAppearance {
    /// Size of the smallest text, in points; `nil` without text.
    package let smallestTextSize: Double?
    private let content: [UInt8]
    private let width: Double
    private let height: Double
    private let matrix: [Int]?
    private let fonts: [any ResourceFont]
    private let picture: StampPicture.Placed?
    private let panel: StampBackground
    private let surroundings: StampSurroundings

    /// Draws a picture and then text on a panel into `box`. A picture without text has no light
    /// panel.
    ///
    /// - Throws: `textDoesNotFit`, `codeTooSmall`, or the error of `fonts` for a character that no
    ///   font has.
    package init(
        _ content: StampContent, background: StampBackground = .light, in box: StampBox,
        fonts: any StampFonts, surroundings: StampSurroundings = StampSurroundings()
    ) throws {
        let isPicture =
            content.paragraphs.isEmpty && (content.picture != nil || content.code != nil)
        try self.init(
            content,
            Frame(
                width: box.width, height: box.height, pointsPerUnit: box.pointsPerUnit,
                matrix: box.matrix),
            isPicture && background == .light ? .none : background, fonts, surroundings)
    }

    /// A drawing of `width` x `height` points without a panel, for ``PageMark``.
    package init(
        mark content: StampContent, width: Double, height: Double, fonts: any StampFonts,
        surroundings: StampSurroundings
    ) throws {
        try self.init(
            content, Frame(width: width, height: height, pointsPerUnit: 1, matrix: nil), .none,
            fonts, surroundings)
    }

    /// Size and orientation of a drawing; see ``StampBox``.
    private struct Frame {
        let width: Double
        let height: Double
        let pointsPerUnit: Double
        let matrix: [Int]?
    }

    private init(
        _ shown: StampContent, _ frame: Frame, _ panel: StampBackground, _ fonts: any StampFonts,
        _ surroundings: StampSurroundings
    ) throws {
        let (unit, picture) = (frame.pointsPerUnit, shown.picture)
        let text = try StampText(shown.paragraphs, isRightToLeft: shown.isRightToLeft, fonts: fonts)
        let hasPanel = panel != .none
        let design = StampPanel(
            StampArea(x: 0, y: 0, width: frame.width * unit, height: frame.height * unit),
            isPlain: !hasPanel, isRightToLeft: text.isRightToLeft, content: shown)
        let layout = try StampLayout(
            text, area: design.text, isCentered: design.isStacked && !hasPanel)
        let resourceFonts = try Self.resourceFonts(layout, in: surroundings)
        let colors = ColorSetter(surroundings: surroundings)

        var canvas = ContentWriter()
        canvas.line("q")
        // The content is drawn in points, whatever the page's user unit is.
        if unit != 1 { canvas.line([1 / unit, 0, 0, 1 / unit, 0, 0], "cm") }
        if hasPanel {
            design.draw(
                on: &canvas, colors, isOpaque: !surroundings.permitsTransparency || panel == .white)
        }
        if let picture {
            let area = design.picture
            canvas.line("q")
            canvas.line(
                picture.matrix(x: area.x, y: area.y, width: area.width, height: area.height), "cm")
            canvas.line("/\(Self.pictureName) Do")
            canvas.line("Q")
        }
        if let code = shown.code { try code.draw(in: design, on: &canvas, colors) }
        if !layout.lines.isEmpty { canvas.line("BT") }
        for line in layout.lines {
            canvas.line(colors.fill(line.color))
            canvas.append(
                TextSetter.operators(of: line) { face in
                    resourceFonts.first { $0.face.isSame(as: face) }
                })
        }
        if !layout.lines.isEmpty { canvas.line("ET") }
        canvas.line("Q")

        content = canvas.bytes
        smallestTextSize = layout.lines.map(\.size).min()
        (width, height, matrix) = (frame.width, frame.height, frame.matrix)
        self.fonts = resourceFonts
        self.picture = picture
        self.panel = panel
        self.surroundings = surroundings
    }

    /// The appearance as a form XObject, and the objects that it refers to, except the picture.
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
        if let picture {
            resources["XObject"] = .dictionary([Self.pictureName: .reference(picture.id)])
        }
        if panel == .light, surroundings.permitsTransparency {
            resources["ExtGState"] = .dictionary([
                StampPanel.stateName: .dictionary(StampPanel.state)
            ])
        }
        resources["ColorSpace"] =
            ColorSetter(surroundings: surroundings).resources.map { .dictionary($0) }
        var dictionary = Self.formDictionary(width: width, height: height)
        if let matrix { dictionary["Matrix"] = .array(matrix.map { .integer($0) }) }
        dictionary["Resources"] = .dictionary(resources)
        return (PDFStream(dictionary: dictionary, data: content), objects)
    }

    private static let pictureName = PDFName("Picture")

    /// The fonts in use, named F1, F2 … in the order of their first lines.
    private static func resourceFonts(
        _ layout: StampLayout, in surroundings: StampSurroundings
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
                    includesCIDSet: surroundings.isArchivalPart1)
            }
        }
    }

    static func formDictionary(width: Double, height: Double) -> PDFDictionary {
        [
            "Type": .name("XObject"), "Subtype": .name("Form"), "FormType": .integer(1),
            "BBox": .array([.integer(0), .integer(0), .number(width), .number(height)]),
        ]
    }
}
