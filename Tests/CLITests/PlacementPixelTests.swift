import Foundation
import SignetTestSupport
import Testing

/// Where stamps and marks stand in what a viewer draws, on every kind of page.
@Suite struct PlacementPixelTests {
    /// A page as the test knows it: its box in user space, its turn, points for one unit.
    private struct Page {
        let left: Double
        let bottom: Double
        let right: Double
        let top: Double
        let turn: Int
        let unit: Double
        let entries: String

        /// In points.
        var shown: (width: Double, height: Double) {
            let (w, h) = ((right - left) * unit, (top - bottom) * unit)
            return turn % 180 == 0 ? (w, h) : (h, w)
        }

        /// A point of user space, in points from the top left corner of the page as it is shown.
        func shown(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
            switch turn {
            case 90: ((y - bottom) * unit, (x - left) * unit)
            case 180: ((right - x) * unit, (y - bottom) * unit)
            case 270: ((top - y) * unit, (right - x) * unit)
            default: ((x - left) * unit, (top - y) * unit)
            }
        }
    }

    /// Left, top, right and bottom in points, as shown.
    private typealias Box = (left: Double, top: Double, right: Double, bottom: Double)

    private static let pages: [Page] = [0, 90, 180, 270].flatMap { turn in
        [
            ("/MediaBox [0 0 420 300]", 0, 0, 420, 300, 1),
            ("/MediaBox [-120 35.5 300 335.5]", -120, 35.5, 300, 335.5, 1),
            ("/MediaBox [300 -20 -200 380] /CropBox [-150 10 270 310]", -150, 10, 270, 310, 1),
            ("/MediaBox [10 20 220 170] /UserUnit 2", 10, 20, 220, 170, 2),
        ].map { entries, left, bottom, right, top, unit in
            Page(
                left: left, bottom: bottom, right: right, top: top, turn: turn, unit: unit,
                entries: "\(entries) /Rotate \(turn)")
        }
    }

    private static let places = [
        "top-left", "top", "top-right", "left", "center", "right", "bottom-left", "bottom",
        "bottom-right",
    ]

    private static func box(
        _ place: String, _ width: Double, _ height: Double, margin: Double, on page: Page
    ) -> Box {
        let (w, h) = page.shown
        let left =
            place.hasSuffix("left")
            ? margin : place.hasSuffix("right") ? w - margin - width : (w - width) / 2
        let top =
            place.hasPrefix("top")
            ? margin : place.hasPrefix("bottom") ? h - margin - height : (h - height) / 2
        return (left, top, left + width, top + height)
    }

    /// The pages as pixels; nil, said loudly, without pdftoppm.
    private func draw(
        _ file: String, pages: Int = pages.count, in workspace: Workspace
    ) throws -> [PixelMap]? {
        guard let tool = try ExternalTool.find("pdftoppm") else { return nil }
        let prefix = workspace.url("page").path
        let run = try ExternalTool.run(
            tool, ["-r", "100", "-cropbox", workspace.url(file).path, prefix])
        #expect(run.status == 0, "\(run.errors)")
        return try (1...pages).map { number in
            let digits = pages > 9 && number < 10 ? "0\(number)" : "\(number)"
            return try #require(PixelMap(ppm: [UInt8](workspace.read("page-\(digits).ppm"))))
        }
    }

    /// The quarters of the picture stand upright inside the box, and nothing beyond it.
    private func check(_ box: Box, on page: Page, in map: PixelMap, _ what: Comment) {
        let scale = Double(map.width) / page.shown.width
        #expect(abs(Double(map.height) / page.shown.height - scale) < 0.02, what)
        let inset = 2.0
        func color(_ x: Double, _ y: Double) -> [UInt8] {
            map.pixel(Int((x * scale).rounded(.down)), Int((y * scale).rounded(.down)))
        }
        let (left, top) = (box.left + inset, box.top + inset)
        let (right, bottom) = (box.right - inset, box.bottom - inset)
        let quarters: [(Double, Double, [UInt8])] = [
            (left, top, [255, 0, 0]), (right, top, [0, 255, 0]), (left, bottom, [0, 0, 255]),
            (right, bottom, [0, 0, 0]),
        ]
        for (x, y, expected) in quarters { #expect(isClose(color(x, y), expected), what) }
        let (middleX, middleY) = ((left + right) / 2, (top + bottom) / 2)
        for (x, y) in [
            (box.left - inset, middleY), (box.right + inset, middleY), (middleX, box.top - inset),
            (middleX, box.bottom + inset),
        ] { #expect(isClose(color(x, y), [255, 255, 255]), what) }
    }

    /// Edges are blurred by up to half a pixel.
    private func isClose(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && zip(one, other).allSatisfy { abs(Int($0) - Int($1)) < 64 }
    }

    private func workspace(_ pages: [Page] = pages, content: String = "") throws -> Workspace {
        let workspace = try signingWorkspace()
        try workspace.write(
            Data(SamplePDF.pages(pages.map(\.entries), content: content)), to: "pages.pdf")
        try workspace.write(Data(SamplePNG.quarters(40, 20).bytes), to: "quarters.png")
        return workspace
    }

    private static let signing = [
        "--key", "key.pem", "--cert", "valid.pem", "--in-place", "--image", "quarters.png",
    ]
    private static let stamping = signing + ["--no-text"]

    /// One run places the stamp on a page of every kind, each in a file of its own.
    @Test(arguments: places + ["85,80"]) func stampsStandWhereTheyWereAsked(place: String) throws {
        let workspace = try workspace()
        let files = Self.pages.indices.map { "\($0).pdf" }
        for (file, page) in zip(files, Self.pages) {
            try workspace.write(Data(SamplePDF.pages([page.entries], content: "")), to: file)
        }
        try workspace.succeed(
            "sign \(files) \(Self.stamping) --at 1:\(place) --size 60x30pt --margin 15")
        for (file, page) in zip(files, Self.pages) {
            guard let map = try draw(file, pages: 1, in: workspace)?[0] else { return }
            let box =
                place.contains(",")
                ? (85, 80, 145, 110) : Self.box(place, 60, 30, margin: 15, on: page)
            check(box, on: page, in: map, "\(page.entries) \(place)")
        }
    }

    /// A place in user space, on a page of several.
    @Test func rectanglesStandWhereTheyWereAsked() throws {
        let workspace = try workspace()
        var boxes: [Box] = []
        for (index, page) in Self.pages.enumerated() {
            let raw = [246, 90, 272, 103].enumerated().map { position, value in
                (position % 2 == 0 ? page.left : page.bottom) + Double(value) / page.unit
            }
            let corners = [page.shown(raw[0], raw[1]), page.shown(raw[2], raw[3])]
            let (x, y) = (corners.map(\.x).sorted(), corners.map(\.y).sorted())
            let middle = (x: (x[0] + x[1]) / 2, y: (y[0] + y[1]) / 2)
            // The picture keeps its proportions in a box that is upright on turned pages.
            let width = min(x[1] - x[0], 2 * (y[1] - y[0]))
            let text = raw.map { "\($0)" }.joined(separator: ",")
            try workspace.succeed("sign pages.pdf \(Self.stamping) --rect \(index + 1):\(text)")
            boxes.append(
                (
                    middle.x - width / 2, middle.y - width / 4, middle.x + width / 2,
                    middle.y + width / 4
                ))
        }
        guard let maps = try draw("pages.pdf", in: workspace) else { return }
        for (index, page) in Self.pages.enumerated() {
            check(boxes[index], on: page, in: maps[index], "\(page.entries) in user space")
        }
    }

    @Test(arguments: places) func marksStandWhereTheyWereAsked(place: String) throws {
        let workspace = try workspace()
        try workspace.succeed(
            "sign pages.pdf \(Self.signing) --mark all:\(place) --mark-size 60x30")
        guard let maps = try draw("pages.pdf", in: workspace) else { return }
        for (page, map) in zip(Self.pages, maps) {
            let box = Self.box(place, 60, 30, margin: 10 * 72 / 25.4, on: page)
            check(box, on: page, in: map, "\(page.entries) \(place)")
        }
    }

    /// Whatever a page's content leaves behind.
    static let unbalanced = [
        "q q q 0.1 0 0 0.1 700 700 cm", "Q Q 0 1 -1 0 90 90 cm Q", "0 0 1 1 re W n",
        "q 0 0 0 0 re W* n BT 7 Tr /F1 40 Tf 1 1 Td (clip) Tj ET", "BT 3 Tr 0.01 Tz",
        "BT (never closed \\", "<0102", "q BI /W 9000 /H 9000 /BPC 8 /CS /G ID xx",
        "/Artifact <</A [", "/OC /Hidden BDC q", "0 0 m 9 9 l", "% Q",
    ]

    @Test(arguments: unbalanced) func contentMovesNeitherMarksNorStamps(content: String) throws {
        let pages = [Self.pages[0], Self.pages[6]]
        let workspace = try workspace(pages, content: content)
        let marks = ["--mark", "1-2:top-left", "--mark-size", "60x30"]
        try workspace.succeed(
            "sign pages.pdf \(Self.stamping) --at 1:center --size 60x30 \(marks)")
        try workspace.succeed("verify pages.pdf --trust valid.pem")
        guard let maps = try draw("pages.pdf", pages: 2, in: workspace) else { return }
        for (page, map) in zip(pages, maps) {
            let box = Self.box("top-left", 60, 30, margin: 10 * 72 / 25.4, on: page)
            check(box, on: page, in: map, "\(page.entries) after \(content)")
        }
        let stamp = Self.box("center", 60, 30, margin: 15, on: pages[0])
        check(stamp, on: pages[0], in: maps[0], "the stamp after \(content)")
    }
}

/// A picture in the binary PPM format.
struct PixelMap {
    let width: Int
    let height: Int
    private let samples: ArraySlice<UInt8>

    init?(ppm: [UInt8]) {
        let fields = ppm.prefix(64).split(maxSplits: 4, whereSeparator: { $0 == 10 || $0 == 32 })
            .prefix(4).map { String(decoding: $0, as: UTF8.self) }
        guard fields.count == 4, fields[0] == "P6", let width = Int(fields[1]),
            let height = Int(fields[2]), ppm.count >= 3 * width * height
        else { return nil }
        self.width = width
        self.height = height
        samples = ppm.suffix(3 * width * height)
    }

    func pixel(_ x: Int, _ y: Int) -> [UInt8] {
        guard (0..<width).contains(x), (0..<height).contains(y) else { return [] }
        let start = samples.startIndex + 3 * (y * width + x)
        return Array(samples[start..<(start + 3)])
    }
}
