import PDFCore

// Drawings and pictures.
extension CoveredContent {
    func isCovered(_ area: PDFRectangle) -> Bool {
        space?.take(area)
        return covers(area)
    }

    /// Whether so much of an area lies in the box that it counts as covered.
    func covers(_ area: PDFRectangle) -> Bool {
        guard let common = area.intersection(box) else { return false }
        let size = area.width * area.height
        guard isStrict else { return common.width * common.height >= Self.share * size }
        return common.width * common.height
            >= Self.strictShare * min(size, box.width * box.height)
    }

    mutating func notePicture(_ state: State) {
        let area = state.matrix.applied(to: PDFRectangle(0, 0, 1, 1))
        takePicture(in: area)
        notePicture(in: state.seen(area))
    }

    mutating func takePicture(in area: PDFRectangle) {
        guard let common = area.intersection(box) else { return }
        ground?.words?.takePicture(
            share: common.width * common.height / (box.width * box.height))
    }

    private mutating func notePicture(in area: PDFRectangle) {
        if isCovered(area) { hasPicture = true } else { noteOdd(in: area) }
    }

    /// Notes something of which nobody knows what it shows where.
    mutating func noteOdd(in area: PDFRectangle) {
        if area.intersection(box) != nil { liesOnPicture = true }
    }

    mutating func followPath(
        _ name: String, _ numbers: [Double], _ run: inout Run
    ) {
        let points = stride(from: 0, to: numbers.count - 1, by: 2).map {
            run.state.matrix.applied(to: (numbers[$0], numbers[$0 + 1]))
        }
        switch (name, numbers.count) {
        case ("m", 2): run.path.append(ContentSubpath(points[0]))
        case ("h", _): closePath(&run)
        case ("l", 2), ("c", 6): extendPath(points, isCurved: name == "c", &run)
        case ("v", 4):
            extendPath((run.path.last.map { [$0.last] } ?? []) + points, isCurved: true, &run)
        case ("y", 4): extendPath(points + [points[1]], isCurved: true, &run)
        case ("re", 4):
            let (x, y) = (numbers[0] + numbers[2], numbers[1] + numbers[3])
            var subpath = ContentSubpath(points[0])
            for corner in [(x, numbers[1]), (x, y), (numbers[0], y)] {
                subpath.add(run.state.matrix.applied(to: corner))
            }
            subpath.corners = 4
            run.path.append(subpath)
        case ("w", 1): run.state.lineWidth = numbers[0].magnitude
        case ("d", _):
            (run.state.dashes, run.state.dashPhase) = (numbers.dropLast(), numbers.last ?? 0)
        case ("n", _): endPath(&run)
        case ("f", _), ("F", _), ("f*", _), ("B", _), ("B*", _), ("b", _), ("b*", _), ("s", _),
            ("S", _):
            // How thick they are nobody asked.
            if run.state.strokesPattern, !["f", "F", "f*"].contains(name) { liesOnPicture = true }
            if ["b", "b*", "s"].contains(name) { closePath(&run) }
            for subpath in run.path {
                notePainted(subpath, run.state, isFilled: !["s", "S"].contains(name))
            }
            endPath(&run)
        default: break
        }
    }

    /// What `sh` paints: all that it is clipped to.
    mutating func noteShading(_ clip: Clip?) {
        if let clip { notePicture(in: clip.area) } else { liesOnPicture = true }
    }

    private func contains(_ point: (x: Double, y: Double)) -> Bool {
        point.x > box.left && point.x < box.right && point.y > box.bottom && point.y < box.top
    }

    private func extendPath(
        _ points: [ContentSubpath.Point], isCurved: Bool, _ run: inout Run
    ) {
        guard let last = run.path.indices.last else { return }
        if !isStrict {
            run.path[last].sides.take([run.path[last].last] + points, in: box, run.state.clip?.area)
        }
        if space != nil, run.path[last].segments.count < Self.segmentLimit {
            run.path[last].noteSegment(points)
        }
        for point in points { run.path[last].add(point) }
        run.path[last].corners += 1
        if contains(points[points.count - 1]) { run.path[last].cornersInside += 1 }
        if isCurved { run.path[last].isCurved = true }
    }

    private func closePath(_ run: inout Run) {
        guard let last = run.path.indices.last else { return }
        let side = run.path[last].close()
        if !isStrict { run.path[last].sides.take(side, in: box, run.state.clip?.area) }
    }

    private mutating func notePainted(
        _ subpath: ContentSubpath, _ state: State, isFilled: Bool
    ) {
        // Lines have an area too; how wide thin ones are nobody asks.
        let width = isFilled ? 0 : state.lineWidth * state.matrix.magnification
        let reach = width > Self.lineThickness ? width / 2 : 0.1
        let whole = PDFRectangle(
            subpath.area.left - reach, subpath.area.bottom - reach, subpath.area.right + reach,
            subpath.area.top + reach)
        if state.hasPattern, whole.intersection(box) != nil { hasPicture = true }
        // What a soft mask lets be seen may be words.
        if state.isMasked { noteOdd(in: whole) }
        // The ground is judged by itself.
        if isStrict { return }
        // Of what is painted through letters, their shape is seen.
        if let clip = state.clip, clip.showsShape, whole.intersection(clip.area) != nil {
            drawingCount += 1
            return
        }
        let area = state.seen(whole)
        let isCovered = isCovered(area)
        // What spans a page is no ground where it is a drawing.
        if let space, subpath.corners > Self.cornerLimit, space.isGround(area) {
            subpath.segments.forEach(space.take)
            if subpath.segments.count == Self.segmentLimit { isReadable = false }
        }
        if subpath.cornersInside > Self.insideLimit { drawingCount += 1 }
        if !isFilled, state.isDashed, subpath.isStraight,
            (state.dashes.max() ?? 0) * state.matrix.magnification < max(whole.width, whole.height)
        {
            noteDashed(area, state, width, isCovered: isCovered)
        } else if isCovered {
            noteShape(subpath, area, state, isFilled: isFilled)
        } else {
            sides.formUnion(subpath.sides)
        }
    }

    private mutating func noteDashed(
        _ area: PDFRectangle, _ state: State, _ width: Double, isCovered: Bool
    ) {
        guard isCovered else {
            guard area.intersection(box) != nil else { return }
            // Lines that begin with one pattern in one place are a grid.
            let line = Line(through: area)
            dashLooks.insert(
                state.dashes.prefix(Self.dashLimit) + [
                    state.dashPhase, line.isHorizontal ? area.left : area.bottom,
                ])
            passingDashes.insert(line)
            return
        }
        if width > Self.lineThickness || state.dashes.count > Self.dashLimit {
            drawingCount += 1
        } else {
            dashedLines.insert(Line(through: area))
        }
    }

    private mutating func noteShape(
        _ subpath: ContentSubpath, _ area: PDFRectangle, _ state: State, isFilled: Bool
    ) {
        let isWide = area.width >= Self.frameShare * box.width
        let isHigh = area.height >= Self.frameShare * box.height
        if !subpath.isCurved, subpath.slants > 0 { slantCount += isWide || isHigh ? 2 : 1 }
        // A frame, if nothing of it goes through the middle.
        if isWide, isHigh { return sides.formUnion(subpath.sides) }
        let isLine = min(subpath.area.width, subpath.area.height) <= Self.lineThickness
        let isBar = !(isFilled && state.isLight) && isBar(area)
        if isBar || !isLine && (subpath.isCurved || subpath.corners > Self.cornerLimit) {
            drawingCount += 1
        } else if isLine {
            guard area.width >= area.height ? !isWide : !isHigh else { return }
            lines.insert(Line(through: area))
        } else {
            // The sides of a box, or a slanted line.
            lines.insert(Line(isHorizontal: true, at: area.bottom * 2))
            lines.insert(Line(isHorizontal: false, at: area.left * 2))
        }
    }

    /// Whether it goes through the middle of the box, thicker than a line to write on: what was there
    /// is struck out.
    private func isBar(_ area: PDFRectangle) -> Bool {
        guard min(area.width, area.height) > Self.lineThickness else { return false }
        func isMiddle(_ place: Double, _ start: Double, _ length: Double) -> Bool {
            abs(place - start - length / 2) <= Self.middleShare * length
        }
        if area.width >= Self.frameShare * box.width, area.height <= Self.barShare * box.height {
            return isMiddle((area.bottom + area.top) / 2, box.bottom, box.height)
        }
        return area.height >= Self.frameShare * box.height
            && area.width <= Self.barShare * box.width
            && isMiddle((area.left + area.right) / 2, box.left, box.width)
    }

    /// Whether lines and shapes are more than places to write on.
    var showsDrawing: Bool {
        let dashes =
            dashLooks.count > Self.dashLookLimit ? dashedLines.union(passingDashes) : dashedLines
        return drawingCount > 0 || sides.isDrawing
            || lines.union(sides.lines).count > Self.lineLimit
            || slantCount + sides.slantCount >= Self.slantLimit
            || hasRows(dashes, Self.rowCount) || showsRules
    }

    /// Whether so many lines lie closely one above or beside the other.
    func hasRows(_ lines: Set<Line>, _ count: Int) -> Bool {
        [true, false].contains { isHorizontal in
            let places = lines.filter { $0.isHorizontal == isHorizontal }.map(\.place).sorted()
            return zip(places, places.dropFirst(count - 1)).contains {
                $1 - $0 <= Self.rowsHeight
            }
        }
    }

    /// Most corners in the box of what frames it or lies under it, most lengths of a pattern of dashes,
    /// and how many slanted lines cross something out.
    static let (insideLimit, dashLimit, slantLimit) = (12, 6, 2)
    /// How thick a bar is at most, and how far from the middle of the box, in parts of it.
    private static let (barShare, middleShare) = (0.35, 0.25)
    /// So many dashed lines within so much, in half points, are the rows of a drawing.
    private static let (rowCount, rowsHeight) = (3, 48)
    /// Most sides of a path that are kept to see what they leave free.
    private static let segmentLimit = 1 << 16
    /// In how many ways dashed lines that go on beyond the box may begin to be a grid.
    private static let dashLookLimit = 2
}
