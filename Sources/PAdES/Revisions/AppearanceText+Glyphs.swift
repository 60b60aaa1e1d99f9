import PDFCore

// Glyphs: what they say, where they stand, and whether they are seen.
extension AppearanceText {
    mutating func writeStrings(of operation: ContentOperation) {
        var elements = operation.operands[...]
        if operation.name == "\"" {
            let numbers = operation.numbers
            guard numbers.count == 2, elements.count == 3 else {
                isReadable = false
                return
            }
            (state.wordSpacing, state.characterSpacing) = (numbers[0], numbers[1])
            elements = elements.dropFirst(2)
        }
        if operation.name == "'" || operation.name == "\"" { nextLine(0, -state.leading) }
        if operation.name == "TJ" {
            guard case .arrayStart? = elements.popFirst(), case .arrayEnd? = elements.popLast()
            else {
                isReadable = false
                return
            }
        } else if elements.count != 1 {
            isReadable = false
            return
        }
        for element in elements {
            switch element {
            case .string(let codes):
                guard isInText, let font = state.font else {
                    write(LookFont.unknownGlyph)
                    continue
                }
                for glyph in font.glyphs(of: codes) { write(glyph) }
            case .number(let shift) where operation.name == "TJ":
                advance(by: -shift / 1000 * state.size)
            default: isReadable = false
            }
        }
    }

    private mutating func write(_ glyph: LookFont.Glyph) {
        if glyph.text == nil { isReadable = false }
        if glyph.width == nil { isPlain = false }
        let length = (glyph.width ?? 1000 * Self.leastWidth) / 1000 * state.size
        if glyph.isBlank {
            text.unicodeScalars.append(" ")
        } else {
            guard mayCompare(grounds.count + bars.count) else { return }
            noteIfConcealed(length)
            noteDirection()
            place(glyph, length)
        }
        advance(by: length + state.characterSpacing + (glyph.isWordBreak ? state.wordSpacing : 0))
    }

    private mutating func place(_ glyph: LookFont.Glyph, _ length: Double) {
        let placed = textMatrix.followed(by: state.matrix)
        let size = state.size * placed.d
        let area = PDFRectangle(
            placed.e, placed.f, placed.e + length * state.stretch * placed.a,
            placed.f + Self.digitHeight * size)
        let canBeSeen = placed.isUpright && size * scale.y >= Self.smallestSize
        let ink = state.ink ?? .black
        let isLikeLast = lastGlyph?.isLike(size: size, ink: ink.brightness) ?? true
        isPlain =
            isPlain && canBeSeen && isLikeLast && isSeen(area, size) && standsOut(area, size)
        compareWithLast(area, size)
        noteLine(area, ink)
        let (corner, end) = (point(area.left, area.bottom), point(area.right, area.top))
        shown.add(corner.x, corner.y, size: size * scale.y, ink)
        let seen = PDFRectangle(corner.x, corner.y, end.x, end.y)
        for frame in frames where !isTooLong { note(frame, through: seen, isOver: false) }
        glyphAreas.append(seen)
        let height = size.magnitude * scale.y
        sizes =
            sizes.map { min($0.lowerBound, height)...max($0.upperBound, height) } ?? height...height
        if let sizes, concealment == nil, sizes.lowerBound < Self.leastShare * sizes.upperBound {
            concealment = "some of it is much smaller than the rest"
        }
        if let part = part(area) { place = place?.union(part) ?? part }
        let track = GlyphTrack(
            Transform(e: 0, f: state.rise).followed(by: placed),
            length: glyph.width == nil ? 0 : length * state.stretch, height: state.size)
        if let last = lastGlyph?.track, !track.follows(last) { isInOrder = false }
        lastGlyph = PlacedGlyph(
            end: area.right, y: placed.f, size: size, ink: ink.brightness, track: track)
        text += glyph.text ?? Self.unreadable
    }

    /// Counts what a letter is compared with; false where that is too much.
    private mutating func mayCompare(_ count: Int) -> Bool {
        comparisonCount += count
        if comparisonCount > Self.comparisonLimit { isTooLong = true }
        return !isTooLong
    }

    /// Tells what a line of a frame does to a letter, as far as so much may be compared.
    mutating func note(_ frame: Frame, through letter: PDFRectangle, isOver: Bool) {
        guard mayCompare(frame.lineCount) else { return }
        let harm = frame.harm(to: letter, isOver: isOver)
        if harm > .none { isPlain = false }
        if harm == .strikes { isStruckOut = true }
        if harm == .hides { hasDrawing = true }
    }

    /// How large the smallest letters are at least, in parts of the size of the largest.
    private static let leastShare = 0.4
    /// Stands for what cannot be told.
    static let unreadable = "\u{FFFD}"

    private mutating func advance(by length: Double) {
        textMatrix = Transform(e: length * state.stretch, f: 0).followed(by: textMatrix)
    }

    /// How wide the narrowest letters are, in parts of the size.
    private static let leastWidth = 0.2

    private mutating func noteDirection() {
        if state.hasPattern || state.mode != 0 && state.strokesPattern { hasDrawing = true }
        var glyph = Transform.identity
        (glyph.a, glyph.d) = (state.size * state.stretch, state.size)
        let placed = glyph.followed(by: textMatrix).followed(by: state.matrix)
            .followed(by: outerMatrix)
        if placed.a * placed.d < placed.b * placed.c { isMirrored = true }
        let isLevel = placed.a.magnitude >= placed.b.magnitude
        directions.insert(isLevel ? (placed.a >= 0 ? 0 : 2) : (placed.b >= 0 ? 1 : 3))
    }

    private mutating func noteLine(_ area: PDFRectangle, _ ink: Ink) {
        if let known = lineInks[line, default: ink], known.isLike(ink) {
            lineInks[line] = .some(known)
        } else {
            lineInks[line] = .some(nil)
        }
        let (x, y) = ((area.left + area.right) / 2, (area.bottom + area.top) / 2)
        let seen = (state.clip ?? box).intersection(box)
        if let seen, y > seen.bottom, y < seen.top { seenLines.insert(line) }
        let isOnBar = bars.contains {
            x > $0.left && x < $0.right && y > $0.bottom && y < $0.top
        }
        if isOnBar { markedLines.insert(line) }
    }

    /// Asks whether anything is seen of a glyph: nothing of what lies beyond the box or a clip, is in
    /// the colour of its ground, or is not painted at all.
    private mutating func noteIfConcealed(_ width: Double) {
        guard box.width > 0, box.height > 0 else { return }
        let area = textMatrix.followed(by: state.matrix).applied(
            to: PDFRectangle(
                0, state.rise, max(width, Self.leastWidth * state.size),
                state.rise + Self.digitHeight * state.size))
        lowest = min(lowest, area.bottom)
        guard concealment == nil else { return }
        let inks = paintedInks
        if inks.isEmpty || state.stretch < Self.leastStretch {
            concealment = "it is not painted, or as good as not"
        } else if inks.count > (Self.isFilled(state.mode) ? 1 : 0),
            state.lineWidth.magnitude > Self.thickest * state.size.magnitude
        {
            concealment = "its lines are as thick as letters"
        } else if state.isBlended {
            concealment = "it is blended with what lies under it"
        } else if let seen = (state.clip ?? box).intersection(box), area.top <= seen.bottom,
            area.left < seen.right, area.right > seen.left
        {
            hasTextBelow = true
        } else if (state.clip ?? box).intersection(box)?.intersection(area) == nil {
            concealment = Self.cutOff
        } else if area.height * (scale.x * scale.y).squareRoot() < Self.leastHeight {
            concealment = "it is too small to be read"
        } else {
            let under = grounds.last { $0.area.intersection(area) != nil }
            guard under?.area.contains(area, but: Self.slack * area.height) ?? true else { return }
            guard let ground = under.map(\.ink) ?? .white, !inks.contains(nil) else {
                concealment = "its colour cannot be told"
                return
            }
            if inks.allSatisfy({ $0?.isHardlySeen(on: ground) ?? true }) {
                concealment = "it has the colour of its ground"
            }
        }
    }

    /// What text is painted with that is more than faint, by fill and lines (ISO 32000-2 Table 104).
    private var paintedInks: [Ink?] {
        var inks: [Ink?] = []
        if Self.isFilled(state.mode), !state.isFaint { inks.append(state.ink) }
        if [1, 2, 5, 6].contains(state.mode), !state.hasFaintLines { inks.append(state.strokeInk) }
        return inks
    }

    private static func isFilled(_ mode: Double) -> Bool { [0, 2, 4, 6].contains(mode) }

    /// How thick the lines of letters are at most, in parts of the size.
    private static let thickest = 0.2
    static let cutOff = "it is cut off, or outside of its box"
    /// Lowest letters that can be read, in points.
    private static let leastHeight = 1.0

    /// Whether it lies inside box and clip.
    private func isSeen(_ area: PDFRectangle, _ size: Double) -> Bool {
        [box, state.clip ?? box].allSatisfy { $0.contains(area, but: Self.slack * size) }
    }

    /// Whether text can be read on what was painted there before.
    private func standsOut(_ area: PDFRectangle, _ size: Double) -> Bool {
        var ground: Double? = 1
        if let under = grounds.last(where: { $0.area.intersection(area) != nil }) {
            guard under.area.contains(area, but: Self.slack * size) else { return false }
            ground = under.ink?.brightness
        }
        guard let ground, let ink = state.ink?.brightness else { return false }
        return abs(ink - ground) >= AppearanceMeasure.leastContrast
    }

    /// A place of the look's own space in points from the corner of the field's box.
    func point(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
        ((x - box.left) * scale.x, (y - box.bottom) * scale.y)
    }

    /// Asks whether a glyph stands behind or below the last one, and where words end.
    private mutating func compareWithLast(_ area: PDFRectangle, _ size: Double) {
        guard let last = lastGlyph else { return }
        let (height, smaller) = (max(size, last.size), min(size, last.size))
        let isAfterSpace = text.unicodeScalars.last?.properties.isWhitespace == true
        if abs(area.bottom - last.y) < Self.tolerance {
            let gap = area.left - last.end
            // A space is one that is seen.
            isPlain = isPlain && gap >= (isAfterSpace ? Self.slack : -Self.slack) * smaller
            if !isAfterSpace, gap > Self.gap * height { text.append(" ") }
        } else {
            isPlain = isPlain && area.bottom <= last.y - Self.lineHeight * height
            text.append("\n")
            line += 1
        }
    }

    mutating func nextLine(_ x: Double, _ y: Double) {
        lineMatrix = Transform(e: x, f: y).followed(by: lineMatrix)
        textMatrix = lineMatrix
    }
}
