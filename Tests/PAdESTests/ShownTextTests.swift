import PDFCore
import Testing

@testable import PAdES

/// How the places of glyphs compare.
@Suite struct ShownTextTests {
    /// Glyphs on one line, each as far behind the last one as said.
    private func text(
        _ advances: [Double], x: Double = 4, y: Double = 6, size: Double = 12, ink: Ink = .black,
        ground: PDFRectangle? = nil
    ) -> ShownText {
        var text = ShownText()
        if let ground { text.add(ground: ground) }
        var place = x
        for advance in [0] + advances {
            place += advance
            text.add(place, y, size: size, ink)
        }
        return text
    }

    private let word = [7.0, 7, 7]

    @Test func sameAndMoved() {
        let first = text(word)
        #expect(first.likeness(to: first) == .same)
        #expect(text(word, x: 4.4).likeness(to: first) == .same)
        #expect(text(word, x: 5.5, y: 7).likeness(to: first) == .moved)
        #expect(text(word, x: 7).likeness(to: first) == .other)
        #expect(text(word, y: 9).likeness(to: first) == .other)
    }

    @Test("larger text goes further, and words that stand apart stay where they are")
    func advances() {
        let first = text([8, 8, 8, 8, 8, 8])
        #expect(
            text([8.8, 8.8, 8.8, 8.8, 8.8, 8.8], size: 13.2).likeness(to: first) == .moved)
        #expect(text([7.0, 7, 180, 7]).likeness(to: text([7.0, 7, 120, 7])) == .other)
    }

    @Test func sizeColorAndGroundCount() throws {
        let first = text(word)
        #expect(text(word, size: 15).likeness(to: first) == .other)
        #expect(text(word, ink: try #require(Ink([1]))).likeness(to: first) == .other)
        #expect(text(word + [7]).likeness(to: first) == .other)
        let ground = PDFRectangle(0, 0, 1, 1)
        #expect(text(word, ground: ground).likeness(to: first) == .other)
        #expect(text(word, ground: ground).likeness(to: text(word, ground: ground)) == .same)
    }
}
