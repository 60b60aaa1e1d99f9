import ByteKit
import Testing

@testable import PAdES

/// What JPEG data say of themselves, and where readers take them in different ways.
@Suite struct JPEGHeaderTests {
    private typealias Segment = (marker: Int, content: [UInt8])

    // What doubts say.
    private static let twoWays = "its JPEG data say in two ways how colours are written"
    private static let unknownCoding = "its JPEG data are coded in a way that few readers know"
    private static let oddScan = "its JPEG data have a scan that does not fit their frame"
    private static let noScan = "its JPEG data have no scan of some component"
    private static let oddComponents = "its JPEG data have components of an impossible size"
    private static let tableTwice = "its JPEG data give a table twice"
    private static let noTable = "its JPEG data lack a table that they are coded by"
    private static let oddRestarts = "its JPEG data do not restart where they say"

    private func jpeg(
        _ segments: [Segment], start: [UInt8] = [0xFF, 0xD8], end: [UInt8] = [0xFF, 0xD9],
        transform: Int? = nil, limit: Int = 1 << 16
    ) throws -> JPEGHeader {
        var bytes: [UInt8] = []
        for (marker, segment) in segments {
            // What follows a scan is its data.
            let head = marker == 0xDA ? Int(segment[0]) * 2 + 4 : segment.count
            bytes += [0xFF, UInt8(marker), 0, UInt8(head + 2)] + segment
        }
        let data = ImageData(content: .memory(start + bytes + end))
        return try JPEGHeader(data, colorTransform: transform, upTo: limit)
    }

    /// - Parameter side: the number of samples across and down, of one component or of several.
    private func frame(
        _ identifiers: [UInt8], _ marker: Int = 0xC0, side: UInt8 = 16, factor: UInt8 = 0x11
    ) -> Segment {
        var content: [UInt8] = [8, 0, side, 0, side, UInt8(identifiers.count)]
        for identifier in identifiers {
            content += [identifier, identifier == identifiers[0] ? factor : 0x11, 0]
        }
        return (marker, content)
    }

    private func scan(
        _ identifiers: [UInt8], _ range: [UInt8] = [0, 63, 0], restarts: [UInt8] = []
    ) -> Segment {
        var content = [UInt8(identifiers.count)]
        for identifier in identifiers { content += [identifier, 0] }
        content += range + [9]
        for restart in restarts { content += [0xFF, 0xD0 + restart, 9] }
        return (0xDA, content + [0xFF, 0, 9])
    }

    private func adobe(_ transform: UInt8) -> Segment {
        (0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, transform])
    }

    private let table: Segment = (0xDB, [0] + [UInt8](repeating: 1, count: 64))
    private let codes: Segment = (
        0xC4, [0] + [UInt8](repeating: 0, count: 16) + [0x10] + [UInt8](repeating: 0, count: 16)
    )
    private let jfif: Segment = (0xE0, Array("JFIF\0".utf8) + [1, 1, 0, 0, 1, 0, 1, 0, 0])
    private let letters = Array("RGB".utf8)

    /// - Parameter before: what comes before the frame.
    private func colors(
        _ identifiers: [UInt8], _ before: [Segment] = [], transform: Int? = nil
    ) throws -> String? {
        try jpeg(
            before + [table, codes, frame(identifiers), scan(identifiers)], transform: transform
        ).doubt
    }

    @Test("what is one picture, and what is not")
    func wholes() throws {
        let plain = try jpeg([jfif, table, codes, frame([1, 2, 3]), scan([1, 2, 3])])
        #expect(plain.doubt == nil && plain.width == 16 && plain.height == 16)
        #expect(plain.componentCount == 3 && plain.isEnough && plain.walkedByteCount == 0)
        let one = [table, codes, frame([1]), scan([1])]
        #expect(try jpeg(one).doubt == nil)
        #expect(try jpeg([table, codes, frame([1])] + one).doubt == Self.tableTwice)
        #expect(try jpeg([table] + one).doubt == Self.tableTwice)
        #expect(
            try jpeg([frame([1])] + one).doubt
                == "its JPEG data have more than one frame, or half of one")
        #expect(
            try jpeg([(0xD8, [1])] + one).doubt
                == "its JPEG data have something else between markers")
        #expect(try jpeg([jfif]).doubt == "its JPEG data have no frame")
        #expect(try jpeg([table, codes, frame([1])]).doubt == Self.noScan)
        #expect(try jpeg([codes, frame([1]), scan([1])]).doubt == Self.noTable)
        #expect(try jpeg([table, frame([1]), scan([1])]).doubt == Self.noTable)
        #expect(
            try jpeg(one, start: Array("abcd".utf8) + [0xFF, 0xD8]).doubt
                == "its JPEG data begin with something else")
        #expect(try jpeg(one, end: [0]).doubt == "its JPEG data are cut off")
    }

    @Test("how colours are written is said once")
    func colorsSaidOnce() throws {
        #expect(try colors([1, 2, 3], [jfif]) == nil && colors([0, 1, 2]) == nil)
        #expect(try colors([1, 2, 3], [adobe(1)]) == nil)
        #expect(try colors([1, 2, 3, 4], [adobe(2)]) == nil)
        #expect(try colors(letters, [adobe(0)]) == nil)
        #expect(try colors([1, 2, 3, 4], [adobe(1)]) == Self.twoWays)
        #expect(try colors([1, 2, 3], [jfif, adobe(0)]) == Self.twoWays)
        #expect(try colors(letters) == Self.twoWays)
        #expect(try colors(letters, transform: 1) == Self.twoWays)
        #expect(try colors([1, 2, 3], [jfif], transform: 0) == Self.twoWays)
        #expect(try colors([1, 2, 3], transform: 1) == nil && colors([1], transform: 0) == nil)
        #expect(try colors([1, 2, 3, 4], transform: 1) == Self.twoWays)
        #expect(try colors([1, 2, 3, 4], transform: 0) == nil)
        #expect(try colors([1, 2, 3, 4], [adobe(2)], transform: .max) == Self.twoWays)
    }

    @Test(
        "the process that the frame says is that of the data",
        arguments: [0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC9, 0xCA, 0xCF])
    func processes(marker: Int) throws {
        let sequential = try jpeg([table, codes, frame([1], marker), scan([1])])
        let words = marker > 0xC2 ? Self.unknownCoding : Self.oddScan
        #expect(sequential.doubt == (marker < 0xC2 ? nil : words))
        let progressive = try jpeg([table, codes, frame([1], marker), scan([1], [0, 0, 0])])
        #expect(progressive.doubt == (marker == 0xC2 ? nil : words))
    }

    @Test("scans come in the order in which they add to one another")
    func progressions() throws {
        func doubt(_ ranges: [[UInt8]], _ identifiers: [UInt8] = [1]) throws -> String? {
            var parts = [table, codes, frame(identifiers, 0xC2)]
            for range in ranges { parts.append(scan([1], range)) }
            return try jpeg(parts).doubt
        }
        #expect(
            try doubt([[0, 0, 1], [1, 5, 2], [6, 63, 2], [1, 63, 0x21], [0, 0, 0x10]]) == nil)
        #expect(try doubt([[0, 0, 0], [1, 63, 0]]) == nil)
        let odd: [[[UInt8]]] = [
            [[1, 63, 0]], [[0, 0, 0], [0, 0, 0]], [[0, 63, 0]], [[0, 0, 0], [1, 63, 0x10]],
            [[0, 0, 2], [0, 0, 0x20]], [[0, 0, 0], [1, 64, 0]],
        ]
        for ranges in odd { #expect(try doubt(ranges) == Self.oddScan, "\(ranges)") }
        #expect(try doubt([[0, 0, 0]], [1, 2]) == Self.noScan)
        // More scans than any program writes, each of which would do.
        let many = (1...50).flatMap { index in [1, 2].map { scan([$0], [index, index, 0]) } }
        func doubt(scans count: Int) throws -> String? {
            let first = [table, codes, frame([1, 2], 0xC2), scan([1, 2], [0, 0, 0])]
            return try jpeg(first + many.prefix(count - 1)).doubt
        }
        #expect(try doubt(scans: 100) == nil && doubt(scans: 101) == Self.oddScan)
    }

    @Test("components in scans of their own, each once")
    func parts() throws {
        let head = [table, codes, frame([1, 2])]
        #expect(try jpeg(head + [scan([1]), scan([2])]).doubt == nil)
        #expect(try jpeg(head + [scan([1]), scan([1])]).doubt == Self.oddScan)
        #expect(try jpeg(head + [scan([1])]).doubt == Self.noScan)
        #expect(try jpeg(head + [scan([1, 3])]).doubt == Self.oddScan)
        #expect(
            try jpeg([table, codes, frame([1, 1]), scan([1, 1])]).doubt == Self.oddComponents)
        #expect(
            try jpeg([table, codes, frame([1], factor: 0x50), scan([1])]).doubt
                == Self.oddComponents)
        #expect(try jpeg(head + [scan([2, 1])]).doubt == Self.oddScan)
        // At most ten blocks of several components are one unit; of one, any number is.
        for (factor, isWhole) in [(0x24, true), (0x42, true), (0x34, false), (0x44, false)] {
            let three = frame([1, 2, 3], factor: UInt8(factor))
            let doubt = try jpeg([table, codes, three, scan([1, 2, 3])]).doubt
            #expect(doubt == (isWhole ? nil : Self.oddScan))
            let one = frame([1], factor: UInt8(factor))
            #expect(try jpeg([table, codes, one, scan([1])]).doubt == nil)
        }
    }

    @Test("data restart where they say")
    func restarts() throws {
        func doubt(
            _ interval: UInt8, _ marks: [UInt8], _ identifiers: [UInt8] = [1], factor: UInt8 = 0x11
        ) throws -> String? {
            let restart: Segment = (0xDD, [0, interval])
            return try jpeg([
                table, codes, restart, frame(identifiers, factor: factor),
                scan(identifiers, restarts: marks),
            ]).doubt
        }
        // Four blocks of 8 by 8, and one of four.
        #expect(try doubt(1, [0, 1, 2]) == nil && doubt(2, [0]) == nil && doubt(4, []) == nil)
        #expect(try doubt(1, [0, 1, 2, 3]) == nil && doubt(0, []) == nil)
        #expect(try doubt(1, []) == Self.oddRestarts)
        #expect(try doubt(1, [0, 2, 3]) == Self.oddRestarts)
        #expect(try doubt(1, [1, 2, 3]) == Self.oddRestarts)
        #expect(try doubt(2, [0, 1, 2]) == Self.oddRestarts)
        #expect(try doubt(1, [], [1, 2, 3], factor: 0x22) == nil)
        #expect(try doubt(1, [0, 1, 2], [1, 2, 3], factor: 0x22) == Self.oddRestarts)
        let many = (0..<300).map { UInt8($0 % 8) }
        #expect(try doubt(1, many) == Self.oddRestarts)
    }

    @Test("no more of the data is looked at than may be")
    func limits() throws {
        let restart: Segment = (0xDD, [0, 1])
        let data = [table, codes, restart, frame([1]), scan([1])]
        let cut = try jpeg(data, limit: 3)
        #expect(cut.doubt == nil && !cut.isEnough && cut.walkedByteCount == 0)
        let whole = try jpeg(data)
        #expect(whole.doubt == Self.oddRestarts && whole.isEnough && whole.walkedByteCount > 0)
    }
}
