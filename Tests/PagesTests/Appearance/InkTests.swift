import Base
import CodecBridge
import Testing

@testable import Pages

struct InkTests {
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
        let ink = try strokes(##"{"strokes":[[[5,5]]],"color":"#102030"}"##)
        #expect(abs(ink.bounds.width - ink.bounds.height) < 1e-9)
        #expect(ink.color == StampColor(red: 16.0 / 255, green: 32.0 / 255, blue: 48.0 / 255))
    }

    @Test func curvesPassThroughTheirPoints() throws {
        // A half circle of few points: smooth, so that it bulges as a circle does.
        let ink = try strokes(#"{"strokes":[[[0,0],[30,70],[100,100],[170,70],[200,0]]]}"#)
        #expect(ink.bounds.high.y > 99 && ink.bounds.high.y < 106)
        let curves = ink.segments.filter { if case .curve = $0 { true } else { false } }
        #expect(curves.count > 20)
    }

    @Test(arguments: [
        "", "[]", "{}", #"{"strokes":[[[1]]]}"#, #"{"strokes":[[["a","b"]]]}"#,
        #"{"strokes":[[[1e300,0]]]}"#, #"{"strokes":[[[1,2]]],"color":"bright"}"#,
        ##"{"strokes":[[[1,2]]],"color":"#12345"}"##, ##"{"strokes":[[[1,2]]],"color":"#+12345"}"##,
    ]) func refusesOtherJSON(json: String) {
        #expect(throws: AppearanceError(.badInk, "")) { try strokes(json) }
    }

    @Test func boundsWhatHostileFilesCost() {
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

    /// A shadow with a sharp edge within the writing, and specks that span the paper.
    @Test func shadowsAndSpecksAreDoubted() throws {
        #expect(try !InkFromPhoto(photo()).isDoubtful)
        func changed(_ change: (_ x: Int, _ y: Int, _ value: UInt8) -> UInt8) -> PixelImage {
            let plain = photo()
            let samples = plain.samples.indices.map { index in
                change(index / 3 % 400, index / 1200, plain.samples[index])
            }
            return PixelImage(width: 400, height: 240, componentCount: 3, samples: samples)
        }
        for shade in [0.5, 0.65] {
            let shadow = changed { x, y, value in
                (x - 200) * (x - 200) + (y - 120) * (y - 120) < 3600
                    ? UInt8(Double(value) * shade) : value
            }
            #expect(try InkFromPhoto(shadow).isDoubtful)
        }
        var samples = photo(ink: false).samples
        for (left, top) in [(40, 40), (350, 200)] {
            for y in top..<(top + 5) {
                for x in left..<(left + 5) {
                    for component in 0..<3 { samples[(y * 400 + x) * 3 + component] = 20 }
                }
            }
        }
        let specks = PixelImage(width: 400, height: 240, componentCount: 3, samples: samples)
        #expect(try InkFromPhoto(specks).isDoubtful)
    }

    @Test func plainPaperHasNoInk() {
        #expect(throws: AppearanceError(.noInk, "")) { try InkFromPhoto(photo(ink: false)) }
        let tiny = PixelImage(
            width: 3, height: 3, componentCount: 1, samples: [UInt8](repeating: 9, count: 9))
        #expect(throws: AppearanceError(.noInk, "")) { try InkFromPhoto(tiny) }
    }
}
