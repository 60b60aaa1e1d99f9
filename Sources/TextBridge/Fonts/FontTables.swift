import Base

/// The tables of a TrueType or OpenType font file (ISO/IEC 14496-22 §4), read on demand.
final class FontTables {
    private let source: any ByteSource
    private var ranges: [UInt32: Range<Int>] = [:]
    private var cache: [UInt32: [UInt8]] = [:]

    init(_ source: any ByteSource, faceIndex: Int) throws(TextError) {
        self.source = source
        guard source.byteCount <= TextLimits.fontByteCount else {
            throw TextError(
                .limitExceeded,
                "the font has \(source.byteCount) bytes, at most \(TextLimits.fontByteCount) are "
                    + "accepted")
        }
        var start = 0
        let head = try Self.read(source, at: 0, count: 12)
        if head.starts(with: Array("ttcf".utf8)) {
            let count = Int(head.bigEndian32(at: 8))
            guard (1...TextLimits.faceCount).contains(count), (0..<count).contains(faceIndex) else {
                throw TextError(.damagedFont, "the font collection has \(count) fonts")
            }
            let offsets = try Self.read(source, at: 12 + 4 * faceIndex, count: 4)
            start = Int(offsets.bigEndian32(at: 0))
        } else if faceIndex != 0 {
            throw TextError(.damagedFont, "the file holds one font only")
        }
        let header = try Self.read(source, at: start, count: 12)
        // Versions 1.0, `OTTO` and Apple's `true`.
        guard [0x0001_0000, 0x4F54_544F, 0x7472_7565].contains(header.bigEndian32(at: 0)) else {
            throw TextError(.notAFont, "this is no TrueType or OpenType font")
        }
        let tableCount = Int(header.bigEndian16(at: 4))
        guard (1...TextLimits.tableCount).contains(tableCount) else {
            throw TextError(.damagedFont, "the font has \(tableCount) tables")
        }
        let records = try Self.read(source, at: start + 12, count: 16 * tableCount)
        for index in 0..<tableCount {
            let offset = Int(records.bigEndian32(at: 16 * index + 8))
            let length = Int(records.bigEndian32(at: 16 * index + 12))
            // Some fonts end within the padding or a few bytes early; HarfBuzz validates the rest.
            guard offset < source.byteCount, length <= TextLimits.tableByteCount else { continue }
            ranges[records.bigEndian32(at: 16 * index)] =
                offset..<min(offset + length, source.byteCount)
        }
    }

    func has(_ name: StaticString) -> Bool { ranges[Script(name).tag] != nil }

    /// The bytes of a table; empty if it is missing or unreadable.
    func bytes(_ tag: UInt32) -> [UInt8] {
        guard let range = ranges[tag] else { return [] }
        return (try? source.bytes(at: range.lowerBound, count: range.count)) ?? []
    }

    /// The same, cached, for small tables that are read repeatedly.
    subscript(name: StaticString) -> [UInt8] {
        let tag = Script(name).tag
        if let known = cache[tag] { return known }
        let read = bytes(tag)
        cache[tag] = read
        return read
    }

    private static func read(
        _ source: any ByteSource, at offset: Int, count: Int
    ) throws(TextError) -> [UInt8] {
        guard offset >= 0, offset <= source.byteCount, source.byteCount - offset >= count,
            let bytes = try? source.bytes(at: offset, count: count)
        else { throw TextError(.notAFont, "this is no TrueType or OpenType font") }
        return bytes
    }
}

extension Array where Element == UInt8 {
    /// 0 beyond the end, because fonts omit optional fields.
    func bigEndian16(at offset: Int) -> UInt16 {
        guard offset >= 0, offset + 2 <= count else { return 0 }
        return UInt16(self[offset]) << 8 | UInt16(self[offset + 1])
    }

    func signed16(at offset: Int) -> Int { Int(Int16(bitPattern: bigEndian16(at: offset))) }

    func bigEndian32(at offset: Int) -> UInt32 {
        UInt32(bigEndian16(at: offset)) << 16 | UInt32(bigEndian16(at: offset + 2))
    }
}
