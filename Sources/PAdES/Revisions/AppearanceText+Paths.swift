import PDFCore

// Paths, which are grounds, frames, cells or something else.
extension AppearanceText {
    /// Most subpaths that grounds, frames and cells have.
    private static let subpathLimit = 100
    /// The part of the box that a drawn ground spans.
    static let groundShare = 0.6

    mutating func followPath(_ name: String, _ numbers: [Double]) {
        switch (name, numbers.count) {
        case ("m", 2) where clipOperator == nil:
            path.append(
                AppearancePath(points: [state.matrix.applied(to: (numbers[0], numbers[1]))]))
        case ("l", 2) where clipOperator == nil && !path.isEmpty:
            path[path.count - 1].points.append(
                state.matrix.applied(to: (numbers[0], numbers[1])))
        case ("re", 4) where clipOperator == nil:
            let corner = (x: numbers[0] + numbers[2], y: numbers[1] + numbers[3])
            path.append(
                AppearancePath(
                    points: [
                        (numbers[0], numbers[1]), (corner.x, numbers[1]), (corner.x, corner.y),
                        (numbers[0], corner.y),
                    ].map { state.matrix.applied(to: $0) }))
        case ("c", 6), ("v", 4), ("y", 4):
            // As far as it is asked where something is painted.
            isPlain = false
            guard clipOperator == nil, !path.isEmpty else { return }
            path[path.count - 1].points.append(
                state.matrix.applied(to: (numbers[numbers.count - 2], numbers[numbers.count - 1])))
            path[path.count - 1].isCurved = true
        case ("h", 0):
            // Closed, a place alone is a dot.
            if let last = path.last, last.isEmpty { path[path.count - 1].points += last.points }
        case ("W", 0), ("W*", 0): clipOperator = name
        case ("n", 0), ("s", 0), ("S", 0), ("f", 0), ("F", 0), ("f*", 0), ("b", 0), ("B", 0),
            ("b*", 0), ("B*", 0):
            if name != "n" {
                paint(
                    isFilled: !["s", "S"].contains(name),
                    isStroked: !["f", "F", "f*"].contains(name), isEvenOdd: name == "f*")
            }
            if let clipOperator { clipToPath(isEvenOdd: clipOperator == "W*") }
            (path, clipOperator) = ([], nil)
        default:
            if name == "sh" { hasDrawing = true }
            if !Self.operatorsWithoutEffect.contains(name) { isPlain = false }
        }
    }

    /// Several rectangles together leave at least what all have in common, when none takes out of
    /// another.
    private mutating func clipToPath(isEvenOdd: Bool) {
        let parts = path.filter { !$0.isEmpty }
        let areas = parts.map(\.signedArea)
        guard parts.count == 1 || !isEvenOdd, parts.allSatisfy({ $0.rectangle != nil }),
            areas.allSatisfy({ $0 > 0 }) || areas.allSatisfy({ $0 < 0 })
        else {
            isPlain = false
            // At most what lies within all of it.
            let points = parts.flatMap(\.points)
            if let first = points.first {
                clip(
                    to: points.reduce(PDFRectangle(first.x, first.y, first.x, first.y)) {
                        $0.union(PDFRectangle($1.x, $1.y, $1.x, $1.y))
                    })
            }
            return
        }
        for part in parts { clip(to: part.rectangle) }
        if parts.isEmpty { isPlain = false }
    }

    /// Grounds and frames lie under the text; whatever else is drawn may look like text.
    private mutating func paint(isFilled: Bool, isStroked: Bool, isEvenOdd: Bool) {
        let parts = path.filter { !$0.isEmpty }
        // A frame may be what is between two rectangles.
        let isRing =
            isEvenOdd && parts.count == 2
            && parts.allSatisfy {
                $0.rectangle != nil && $0.framedSides(of: box, isFilled: false)?.count == 4
            }
        if isStroked, abs(state.lineWidth) * state.matrix.magnification > Frame.usualWidth {
            isPlain = false
        }
        if isFilled && state.hasPattern || isStroked && state.strokesPattern { hasDrawing = true }
        for part in parts where !isFilled || isStroked || !isOutside(part) {
            paintedCount += 1
            let isBelow = isFilled && !isStroked && parts.count == 1 && isBarBelow(part)
            guard lastGlyph == nil || isBelow, paintedCount <= Self.subpathLimit else {
                isPlain = false
                if !takeFrame(part, isFilled, isStroked) { hasDrawing = true }
                if paintedCount > Self.subpathLimit { return }
                continue
            }
            if isFilled, !isBelow, parts.count == 1, let area = part.rectangle.flatMap(groundArea) {
                grounds.append((area, state.ink))
                if let part = self.part(area) { shown.add(ground: part) }
                if isStroked { frame(part, isStroked: true) }
            } else if takeFrame(part, isFilled && !isRing, isStroked) {
                continue
            } else if isFilled, parts.count == 1, let area = part.rectangle.flatMap(barArea) {
                (isPlain, hasBars) = (false, true)
                let ground = grounds.last { $0.area.intersection(area) != nil }
                let isSeen =
                    state.ink.map { !$0.isHardlySeen(on: (ground?.ink ?? nil) ?? .white) } ?? true
                if isSeen { bars.append(area) }
                grounds.append((area, state.ink))
            } else {
                (isPlain, hasDrawing) = (false, true)
            }
        }
    }

    /// Takes a part of a frame, or a line between cells, before the text or behind it; false for what is
    /// neither.
    private mutating func takeFrame(
        _ part: AppearancePath, _ isFilled: Bool, _ isStroked: Bool
    ) -> Bool {
        if let sides = part.framedSides(of: box, isFilled: isFilled) {
            framedSides.formUnion(sides)
        } else if !isFilled, let place = part.uprightLine(in: box) {
            dividers.append((place - box.left) / box.width)
        } else {
            return false
        }
        frame(part, isStroked: isStroked)
        return true
    }

    private mutating func frame(_ path: AppearancePath, isStroked: Bool) {
        let corners = path.points.map { point($0.x, $0.y) }.flatMap { [$0.x, $0.y] }
        let width = isStroked ? abs(state.lineWidth) * state.matrix.magnification : 0
        let frame = Frame(
            corners: corners, lineWidth: width * max(scale.x, scale.y),
            ink: isStroked ? state.strokeInk : state.ink)
        frames.append(frame)
        for area in glyphAreas where !isTooLong { note(frame, through: area, isOver: true) }
    }

    /// Whether nothing of it is seen where it is filled: some programs draw lists to their end.
    private func isOutside(_ path: AppearancePath) -> Bool {
        guard let area = path.rectangle else { return false }
        return area.top < box.bottom || area.bottom > box.top || area.right < box.left
            || area.left > box.right
    }

    /// Whether it is a bar below all text that was written before, of which it hides nothing: some
    /// programs draw the lines of a list one by one, each on its bar.
    private func isBarBelow(_ path: AppearancePath) -> Bool {
        guard lastGlyph != nil, let area = path.rectangle, area.top <= lowest else { return false }
        return barArea(area) != nil && path.framedSides(of: box, isFilled: true) == nil
    }

    /// The part of a rectangle that is seen; nil when it does not go across the box.
    private func barArea(_ rectangle: PDFRectangle) -> PDFRectangle? {
        guard let area = rectangle.intersection(state.clip ?? box)?.intersection(box),
            area.width >= Self.groundShare * box.width
        else { return nil }
        return area
    }

    /// The same; nil when it is too small for a ground.
    private func groundArea(_ rectangle: PDFRectangle) -> PDFRectangle? {
        barArea(rectangle).flatMap { $0.height >= Self.groundShare * box.height ? $0 : nil }
    }

    func part(_ area: PDFRectangle) -> PDFRectangle? {
        box.width > 0 && box.height > 0 ? area.inParts(of: box) : nil
    }
}
