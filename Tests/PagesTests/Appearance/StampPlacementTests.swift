import Base
import PDFCore
import SignetTestSupport
import Testing

@testable import Pages

@Suite("Stamp placement")
struct StampPlacementTests {
    private func page(_ entries: String) throws -> PDFPage {
        try PDFDocument(source: MemorySource(SamplePDF(pageEntries: entries).bytes)).page(at: 0)
    }

    /// Where a box appears on the page as a viewer shows it: left and top in points.
    private func shown(_ box: StampBox, on page: PDFPage) -> (left: Double, top: Double) {
        let crop = page.cropBox
        // The rectangle's corners relative to the crop box, turned clockwise.
        let (x1, y1) = (box.rect[0] - crop.left, box.rect[1] - crop.bottom)
        let (x2, y2) = (box.rect[2] - crop.left, box.rect[3] - crop.bottom)
        let (left, top): (Double, Double) =
            switch page.rotate {
            case 90: (y1, x1)
            case 180: (crop.width - x2, y1)
            case 270: (crop.height - y2, crop.width - x2)
            default: (x1, crop.height - y2)
            }
        return (left * page.userUnit, top * page.userUnit)
    }

    static let boxes = [
        "/MediaBox [0 0 595 842]", "/MediaBox [-100 50 495 892]",
        "/MediaBox [0 0 595 842] /CropBox [30 40 400 700]", "/MediaBox [0 0 300 400] /UserUnit 2",
    ]

    @Test("a corner measured from the page's top left corner", arguments: boxes, [0, 90, 180, 270])
    func topLeft(box: String, rotation: Int) throws {
        let page = try page("\(box) /Rotate \(rotation)")
        let stamp = try StampBox(position: .topLeft(x: 20, y: 35), width: 170, height: 57, on: page)
        let place = shown(stamp, on: page)
        #expect(abs(place.left - 20) < 1e-9 && abs(place.top - 35) < 1e-9)
        #expect(abs(stamp.width * page.userUnit - 170) < 1e-9)
        #expect(abs(stamp.height * page.userUnit - 57) < 1e-9)
    }

    @Test("the nine places keep the margin", arguments: StampPlace.allCases, [0, 90, 180, 270])
    func named(place: StampPlace, rotation: Int) throws {
        let page = try page("/MediaBox [10 20 610 820] /Rotate \(rotation)")
        let sideways = rotation % 180 != 0
        let (width, height): (Double, Double) = sideways ? (800, 600) : (600, 800)
        let stamp = try StampBox(
            position: .named(place, margin: 40), width: 100, height: 50, on: page)
        let found = shown(stamp, on: page)
        let name = place.rawValue
        let left =
            name.contains("left") ? 40 : name.contains("right") ? width - 140 : width / 2 - 50
        let top =
            name.contains("top") ? 40 : name.contains("bottom") ? height - 90 : height / 2 - 25
        #expect(abs(found.left - left) < 1e-9 && abs(found.top - top) < 1e-9)
    }

    @Test("a box that leaves the page is refused")
    func offPage() throws {
        let page = try page("/MediaBox [0 0 595 842] /Rotate 90")
        #expect(throws: AppearanceError(.boxOffPage, "")) {
            try StampBox(position: .topLeft(x: 700, y: 10), width: 170, height: 57, on: page)
        }
        #expect(throws: AppearanceError(.boxOffPage, "")) {
            try StampBox(position: .userSpace(500, 10, 600, 60), width: 0, height: 0, on: page)
        }
        #expect(throws: AppearanceError(.badSize, "")) {
            try StampBox(position: .topLeft(x: 0, y: 0), width: 0, height: 10, on: page)
        }
    }
}
