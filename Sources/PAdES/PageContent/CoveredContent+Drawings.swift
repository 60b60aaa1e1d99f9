import PDFCore

// Drawings and pictures.
extension CoveredContent {
    func isCovered(_ area: PDFRectangle) -> Bool {
        space?.take(area)
        guard let common = area.intersection(box) else { return false }
        let size = area.width * area.height
        guard isStrict else { return common.width * common.height >= Self.share * size }
        return common.width * common.height
            >= Self.strictShare * min(size, box.width * box.height)
    }

    mutating func notePicture(_ matrix: Transform) {
        let area = matrix.applied(to: PDFRectangle(0, 0, 1, 1))
        takePicture(in: area)
        notePicture(in: area)
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
        case ("h", _): if let last = run.path.indices.last { run.path[last].close() }
        case ("l", 2), ("c", 6), ("v", 4), ("y", 4):
            guard !run.path.isEmpty else { return }
            let last = run.path.count - 1
            for point in points { run.path[last].add(point) }
            run.path[last].corners += 1
            if contains(points[points.count - 1]) { run.path[last].cornersInside += 1 }
            if name != "l" { run.path[last].isCurved = true }
        case ("re", 4):
            let (x, y) = (numbers[0] + numbers[2], numbers[1] + numbers[3])
            var subpath = ContentSubpath(points[0])
            for corner in [(x, numbers[1]), (x, y), (numbers[0], y)] {
                subpath.add(run.state.matrix.applied(to: corner))
            }
            subpath.corners = 4
            run.path.append(subpath)
        case ("w", 1): run.state.lineWidth = numbers[0].magnitude
        case ("d", _): run.state.dashes = numbers.dropLast()
        case ("n", _): endPath(&run)
        case ("f", _), ("F", _), ("f*", _), ("B", _), ("B*", _), ("b", _), ("b*", _), ("s", _),
            ("S", _):
            // How thick they are nobody asked.
            if run.state.strokesPattern, !["f", "F", "f*"].contains(name) { liesOnPicture = true }
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

    private mutating func notePainted(
        _ subpath: ContentSubpath, _ state: State, isFilled: Bool
    ) {
        // Lines have an area too; how wide thin ones are nobody asks.
        let width = isFilled ? 0 : state.lineWidth * state.matrix.magnification
        let reach = width > Self.lineThickness ? width / 2 : 0.1
        let area = PDFRectangle(
            subpath.area.left - reach, subpath.area.bottom - reach, subpath.area.right + reach,
            subpath.area.top + reach)
        if state.hasPattern, area.intersection(box) != nil { hasPicture = true }
        // What a soft mask lets be seen may be words.
        if state.isMasked { noteOdd(in: area) }
        // The ground is judged by itself.
        if isStrict { return }
        // Of what is painted through letters, their shape is seen.
        if let clip = state.clip, clip.isShape, area.intersection(clip.area) != nil,
            isCovered(clip.area)
        {
            drawingCount += 1
            return
        }
        guard isCovered(area) else { return }
        if subpath.cornersInside > Self.insideLimit {
            drawingCount += 1
        } else if !isFilled, state.isDashed {
            noteDashed(area, state, width)
        } else {
            noteShape(subpath, area, state, isFilled: isFilled)
        }
    }

    private mutating func noteDashed(_ area: PDFRectangle, _ state: State, _ width: Double) {
        guard width <= Self.lineThickness, state.dashes.count <= Self.dashLimit else {
            drawingCount += 1
            return
        }
        dashedLines.insert(Self.line(through: area))
    }

    private mutating func noteShape(
        _ subpath: ContentSubpath, _ area: PDFRectangle, _ state: State, isFilled: Bool
    ) {
        let isWide = area.width >= Self.frameShare * box.width
        let isHigh = area.height >= Self.frameShare * box.height
        if !subpath.isCurved, subpath.slants > 0 { slantCount += isWide || isHigh ? 2 : 1 }
        if isWide, isHigh { return }
        let isLine = min(subpath.area.width, subpath.area.height) <= Self.lineThickness
        let isBar = !(isFilled && state.isLight) && isBar(area)
        if isBar || !isLine && (subpath.isCurved || subpath.corners > Self.cornerLimit) {
            drawingCount += 1
        } else if isLine {
            guard area.width >= area.height ? !isWide : !isHigh else { return }
            lines.insert(Self.line(through: area))
        } else {
            // The sides of a box, or a slanted line.
            lines.insert(Line(isHorizontal: true, place: Self.rounded(area.bottom * 2)))
            lines.insert(Line(isHorizontal: false, place: Self.rounded(area.left * 2)))
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
        drawingCount > 0 || lines.count > Self.lineLimit || slantCount >= Self.slantLimit
            || [true, false].contains { isHorizontal in
                let places = dashedLines.filter { $0.isHorizontal == isHorizontal }.map(\.place)
                    .sorted()
                return zip(places, places.dropFirst(Self.rowCount - 1)).contains {
                    $1 - $0 <= Self.rowsHeight
                }
            }
    }

    /// Most corners in the box of what frames it or lies under it, most lengths of a pattern of dashes,
    /// and how many slanted lines cross something out.
    private static let (insideLimit, dashLimit, slantLimit) = (12, 6, 2)
    /// How thick a bar is at most, and how far from the middle of the box, in parts of it.
    private static let (barShare, middleShare) = (0.35, 0.25)
    /// So many dashed lines within so much, in half points, are the rows of a drawing.
    private static let (rowCount, rowsHeight) = (3, 48)

    private static func line(through area: PDFRectangle) -> Line {
        let isHorizontal = area.width >= area.height
        let place = isHorizontal ? area.bottom + area.top : area.left + area.right
        return Line(isHorizontal: isHorizontal, place: rounded(place))
    }

    private static func rounded(_ place: Double) -> Int { Int(max(-1e9, min(1e9, place))) }
}
