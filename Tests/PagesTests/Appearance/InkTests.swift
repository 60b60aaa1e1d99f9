import CodecBridge
import Testing

@testable import Pages

struct InkTests {
    private func svg(_ content: String, _ attributes: String = "") throws -> InkDrawing {
        try InkDrawing(
            svg: Array(
                "<svg xmlns='http://www.w3.org/2000/svg' \(attributes)>\(content)</svg>".utf8))
    }

    private func ends(_ data: String) -> [[Int]] {
        SVGPathData(data).segments.compactMap {
            switch $0 {
            case .move(let end), .line(let end), .curve(_, _, let end):
                [Int(end.x.rounded()), Int(end.y.rounded())]
            case .close: nil
            }
        }
    }

    @Test(arguments: [
        ("M10 20L30,40", [[10, 20], [30, 40]]),
        ("m10 20 5-5 5-5z l1 1", [[10, 20], [15, 15], [20, 10], [11, 21]]),
        ("M0 0H10V20h-5v-5", [[0, 0], [10, 0], [10, 20], [5, 20], [5, 15]]),
        ("M0,0C1,1 2,2 3,3S5,5 6,6c1 1 2 2 3 3", [[0, 0], [3, 3], [6, 6], [9, 9]]),
        ("M0 0Q5 10 10 0T20 0t10 0q1 1 2 2", [[0, 0], [10, 0], [20, 0], [30, 0], [32, 2]]),
        ("M1e1.5.5-.5", [[10, 1], [1, -1]]),
        ("L10 10", []), ("M1 1 L 2", [[1, 1]]), ("", []), ("M0 0 X 4", [[0, 0]]),
    ]) func readsPathData(data: String, expected: [[Int]]) {
        #expect(ends(data) == expected)
    }

    @Test func smoothCurvesContinueTheLastOne() {
        let segments = SVGPathData("M0 0C0 10 10 10 10 0S20-10 20 0").segments
        #expect(
            segments.last
                == .curve(InkPoint(x: 10, y: -10), InkPoint(x: 20, y: -10), InkPoint(x: 20, y: 0)))
    }

    /// From 0,0 to 10,10 with a radius of 10 around 10,0 or 0,10.
    @Test(arguments: [
        ("0 0", [0, 0, 10, 10]), ("0 1", [0, 0, 10, 10]), ("1 0", [-10, 0, 10, 20]),
        ("11", [0, -10, 20, 10]),
    ]) func arcsFollowTheirFlags(flags: String, box: [Double]) {
        let segments = SVGPathData("M0 0A10 10 30 \(flags) 10 10").segments
        let bounds = InkPath(segments: segments, fill: StampColor(gray: 0)).bounds
        let found = [bounds.low.x, bounds.low.y, bounds.high.x, bounds.high.y]
        #expect(zip(found, box).allSatisfy { abs($0 - $1) < 0.15 }, "\(found)")
        guard flags.hasPrefix("0"), case .curve(let one, _, _)? = segments.dropFirst().first
        else { return }
        // Counterclockwise first goes down, clockwise to the right.
        #expect(flags == "0 0" ? one.y > one.x : one.x > one.y)
    }

    @Test func drawsShapesWithTheirStylesAndTransformations() throws {
        let ink = try svg(
            """
            <style>.pen{fill:none;stroke:#00f;stroke-width:2}</style>
            <g transform="translate(10,20) scale(2)"><path class="pen" d="M0 0L10 0"/></g>
            <circle cx="50" cy="50" r="5" style="fill:#f00"/><path d="M0 0h9" display="none"/>
            <defs><path d="M0 0L900 900"/></defs>
            """)
        #expect(ink.paths.count == 2)
        #expect(ink.paths[0].stroke == StampColor(red: 0, green: 0, blue: 1))
        #expect(ink.paths[0].fill == nil && ink.paths[0].strokeWidth == 4)
        #expect(ink.paths[0].segments.last == .line(InkPoint(x: 30, y: 20)))
        #expect(ink.paths[1].fill == StampColor(red: 1, green: 0, blue: 0))
        #expect(abs(ink.bounds.high.x - 55) < 0.1 && abs(ink.bounds.low.x - 8) < 0.1)
    }

    @Test func rotationsTurnAboutTheirCentre() throws {
        let transform = try #require(SVGTransform("rotate(90 10 10)"))
        let point = transform.apply(InkPoint(x: 20, y: 10))
        #expect(abs(point.x - 10) < 1e-9 && abs(point.y - 20) < 1e-9)
        #expect(SVGTransform("spin(3)") == nil && SVGTransform("scale(1") == nil)
    }

    @Test func theViewCutsOffWhatLiesOutside() throws {
        let ink = try svg("<path d='M0 0H500V500z'/>", "viewBox='0 0 100 50'")
        #expect(ink.bounds.width == 100 && ink.bounds.height == 50)
    }

    @Test(arguments: [
        "<text>me</text><path d='M0 0h9'/>", "<image href='x.png'/>", "<use href='#a'/>",
        "<path transform='spin(1)' d='M0 0h9'/>", "<path d='M0 0",
    ]) func refusesWhatItCannotDraw(content: String) {
        #expect(throws: AppearanceError(.badInk, "")) { try svg(content) }
    }

    @Test(arguments: ["", "<path d='M5 5'/>", "<path fill='none' d='M0 0h9v9z'/>"])
    func saysWhenNothingIsDrawn(content: String) {
        #expect(throws: AppearanceError(.noInk, "")) { try svg(content) }
    }

    private func strokes(_ json: String) throws -> InkDrawing {
        try InkDrawing(strokes: Array(json.utf8))
    }

    @Test func strokesSwellWithThePressure() throws {
        func height(_ pressure: Double) throws -> Double {
            let points = (0...10).map { "[\($0 * 10),50,\(pressure)]" }.joined(separator: ",")
            return try strokes("{\"strokes\":[[\(points)]]}").bounds.height
        }
        let (light, heavy) = (try height(0.1), try height(0.9))
        #expect(light > 0 && heavy > light * 1.5)
    }

    @Test func aDotIsADisc() throws {
        let ink = try strokes(#"{"strokes":[[[5,5]]],"color":"rgb(16, 32, 48)"}"#)
        #expect(abs(ink.bounds.width - ink.bounds.height) < 1e-9)
        #expect(
            ink.paths[0].fill == StampColor(red: 16.0 / 255, green: 32.0 / 255, blue: 48.0 / 255))
    }

    @Test func curvesPassThroughTheirPoints() throws {
        // A half circle of few points: smooth, so that it bulges as a circle does.
        let ink = try strokes(
            #"{"strokes":[[[0,0],[30,70],[100,100],[170,70],[200,0]]]}"#)
        #expect(ink.bounds.high.y > 99 && ink.bounds.high.y < 106)
        let curves = ink.paths[0].segments.filter { if case .curve = $0 { true } else { false } }
        #expect(curves.count > 20)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"strokes":[[[1]]]}"#, #"{"strokes":[[["a","b"]]]}"#,
        #"{"strokes":[[[1e300,0]]]}"#, #"{"strokes":[[[1,2]]],"color":"bright"}"#,
    ]) func refusesOtherJSON(json: String) {
        #expect(throws: AppearanceError(.badInk, "")) { try strokes(json) }
    }

    @Test func boundsWhatHostileFilesCost() {
        let rule = "<style>.a{x:\(String(repeating: "y", count: 30_000))}</style>"
        let paths = String(repeating: "<path class='a' d='M0 0h9'/>", count: 2000)
        #expect(throws: AppearanceError(.badInk, "")) { try svg(rule + paths) }
        let data = String(repeating: "h1", count: InkLimits.segmentCount)
        let path = "<path stroke='red' d='M0 0\(data)'/>"
        #expect(throws: AppearanceError(.badInk, "")) { try svg(path + path) }
        let points = [String](repeating: "[1,2]", count: InkLimits.pointCount + 1)
        #expect(throws: AppearanceError(.badInk, "")) {
            try strokes("{\"strokes\":[[\(points.joined(separator: ","))]]}")
        }
    }

    @Test func noStrokesAreNoInk() {
        #expect(throws: AppearanceError(.noInk, "")) { try strokes(#"{"strokes":[[],[]]}"#) }
    }
}

struct InkFromPhotoTests {
    /// Paper in uneven light with a blue stroke and a few specks.
    private func photo(ink: Bool = true) -> PixelImage {
        let (width, height) = (400, 240)
        var samples: [UInt8] = []
        var noise: UInt32 = 7
        for y in 0..<height {
            for x in 0..<width {
                noise = noise &* 1_664_525 &+ 1_013_904_223
                let light = 0.5 + 0.4 * Double(x) / Double(width) + Double(noise >> 24) / 8000
                let way =
                    Double(y) - 120 - 40 * Double((x / 40) % 2 == 0 ? x % 40 : 40 - x % 40) / 40
                let isInk = ink && (60..<340).contains(x) && abs(way) < 4
                let isSpeck = x == 20 && y == 20
                let colour =
                    isInk ? [0.15, 0.2, 0.55] : isSpeck ? [0.2, 0.2, 0.2] : [0.95, 0.93, 0.9]
                samples += colour.map { UInt8(min(255, $0 * light * 255)) }
            }
        }
        return PixelImage(width: width, height: height, componentCount: 3, samples: samples)
    }

    @Test func keepsInkAndLeavesPaperOut() throws {
        let ink = try InkFromPhoto(photo())
        // Cropped to the stroke, without the speck.
        #expect((280...290).contains(ink.width) && (45...60).contains(ink.height))
        let opaque = ink.alpha.filter { $0 > 200 }.count
        let clear = ink.alpha.filter { $0 == 0 }.count
        #expect(opaque > 1500 && clear > ink.alpha.count / 2)
        #expect(ink.color.blue > ink.color.red * 1.8, "\(ink.color)")
    }

    @Test func plainPaperHasNoInk() {
        #expect(throws: AppearanceError(.noInk, "")) { try InkFromPhoto(photo(ink: false)) }
        let tiny = PixelImage(
            width: 3, height: 3, componentCount: 1, samples: [UInt8](repeating: 9, count: 9))
        #expect(throws: AppearanceError(.noInk, "")) { try InkFromPhoto(tiny) }
    }
}
