import PDFCore

// Rows of equal glyphs: words, or lines to write on.
extension CoveredContent {
    /// Glyphs of one kind, one after the other.
    struct Row {
        var code = -1
        var isRule = false
        var isAfterBlank = false
        var count = 0
        /// The texts of those in the box.
        var covered: [String?] = []
        /// Of rules: where the first glyph stands and which way they go on, and what they are made of.
        var start = (x: 0.0, y: 0.0)
        var direction = (x: 0.0, y: 0.0)
        var piece = RulePiece()
        /// How many pieces are in the box and shorter than it.
        var shortCount = 0

        /// How far beside the line through the row a place is, and how far along.
        func distance(to place: (x: Double, y: Double)) -> (beside: Double, along: Double) {
            let (x, y) = (place.x - start.x, place.y - start.y)
            return (
                (x * direction.y - y * direction.x).magnitude, x * direction.x + y * direction.y
            )
        }
    }

    /// Rule characters at equal distances.
    struct RulePiece {
        var area: PDFRectangle?
        var step: Double?
        /// Where the last one stands in the row.
        var place = 0.0
    }

    /// How many equal rule characters in a row make a line.
    private static let ruleLength = 3
    /// And how many make one before which an x says where to sign.
    private static let markedRuleLength = 8
    private static let wordLimit = 40
    /// In how many short pieces and rows, or rows that lie closely, they are a drawing.
    private static let (pieceLimit, pieceRowCount, closeRowCount) = (12, 3, 4)
    /// Of larger glyphs the line is thicker than one to write on.
    private static let ruleSize = 40.0
    /// How far beside a row its glyphs may stand, in points, and how much their distances differ, in
    /// parts of one.
    private static let (rowSlack, stepShare) = (0.5, 0.3)

    mutating func note(
        _ glyph: ContentFont.Glyph, _ placed: Transform, _ area: PDFRectangle, _ state: State,
        isCovered: Bool
    ) {
        let isThick =
            state.isStroked
            && state.lineWidth * state.matrix.magnification > Self.lineThickness
        let isRule = glyph.isRule && !isThick && placed.magnification <= Self.ruleSize
        let start = placed.applied(to: (0, 0))
        let isElsewhere = isRule && row.distance(to: start).beside > Self.rowSlack
        if glyph.code != row.code || isRule != row.isRule || isElsewhere {
            endRow()
            row.code = glyph.code
            row.isRule = isRule
            row.isAfterBlank = isAfterBlank
            row.start = start
            let end = placed.applied(to: state.font.isVertical ? (0, -1) : (1, 0))
            let (x, y) = (end.x - start.x, end.y - start.y)
            let length = (x * x + y * y).squareRoot()
            if length > 0 { row.direction = (x / length, y / length) }
        }
        isAfterBlank = false
        row.count += 1
        if isCovered, row.covered.count <= Self.wordLimit { row.covered.append(glyph.text) }
        if isRule { extendPiece(to: row.distance(to: start).along, area) }
    }

    private mutating func extendPiece(to place: Double, _ area: PDFRectangle) {
        if let before = row.piece.area {
            let step = place - row.piece.place
            let usual = row.piece.step ?? step
            if (step - usual).magnitude > Self.stepShare * usual.magnitude {
                endPiece()
            } else {
                row.piece.step = usual
                row.piece.area = PDFRectangle(
                    min(before.left, area.left), min(before.bottom, area.bottom),
                    max(before.right, area.right), max(before.top, area.top))
            }
        }
        if row.piece.area == nil { row.piece.area = area }
        row.piece.place = place
    }

    private mutating func endPiece() {
        defer { row.piece = RulePiece() }
        guard let area = row.piece.area, covers(area), area.width < Self.frameShare * box.width,
            area.height < Self.frameShare * box.height
        else { return }
        row.shortCount += 1
    }

    mutating func endRow() {
        defer { row = Row() }
        if let mark, !row.isRule || row.count < Self.markedRuleLength { cover(mark) }
        mark = nil
        guard !row.covered.isEmpty else { return }
        if row.isRule, row.count >= Self.ruleLength {
            endPiece()
            guard row.shortCount > 0 else { return }
            ruleCount += row.shortCount
            ruleLines.insert(
                Line(
                    through: PDFRectangle(
                        row.start.x, row.start.y, row.start.x + row.direction.x,
                        row.start.y + row.direction.y)))
        } else if row.count == 1, row.covered.first??.lowercased() == "x" {
            mark = row
        } else {
            cover(row)
        }
    }

    private mutating func cover(_ row: Row) {
        hasText = true
        if row.isAfterBlank, !words.isEmpty, words.count < Self.wordLimit { words += " " }
        for text in row.covered where words.count < Self.wordLimit { words += text ?? "" }
    }

    /// Whether short rows of rule characters are the dots of a drawing.
    var showsRules: Bool {
        ruleCount > Self.pieceLimit && ruleLines.count >= Self.pieceRowCount
            || hasRows(ruleLines, Self.closeRowCount)
    }
}
