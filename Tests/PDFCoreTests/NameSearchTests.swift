import Base
import SignetTestSupport
import Testing

@testable import PDFCore

/// Names that are found in a file without reading its objects.
@Suite struct NameSearchTests {
    private func found(_ bytes: [UInt8], _ names: Set<PDFName>) throws -> [(PDFName, Int)] {
        var search = NameSearch(MemorySource(bytes), for: names)
        var found: [(PDFName, Int)] = []
        while let next = try search.next() { found.append(next) }
        return found
    }

    @Test("in any spelling, wherever they stand, and whole") func spellings() throws {
        let text = "/Root /R#6fot(/Root)/Roots /R#6 /Root#20 //Root%/#52#6F#6f#74"
        let found = try found(Array(text.utf8), ["Root"])
        #expect(found.map(\.1) == [0, 6, 14, 42, 48])
        #expect(found.allSatisfy { $0.0 == "Root" })
    }

    @Test("several, and none") func several() throws {
        let found = try found(Array("/B/A /C /A".utf8), ["A", "B"])
        #expect(found.map(\.0) == ["B", "A", "A"])
        #expect(try self.found([], ["A"]).isEmpty)
        #expect(try self.found(Array("/".utf8), ["A"]).isEmpty)
    }

    /// What is read at once ends anywhere.
    @Test(arguments: -8...8) func acrossParts(shift: Int) throws {
        let lead = [UInt8](repeating: 32, count: 256 * 1024 + shift)
        let found = try found(lead + Array("/#52oot/Root".utf8), ["Root"])
        #expect(found.map(\.1) == [lead.count, lead.count + 7])
    }
}
