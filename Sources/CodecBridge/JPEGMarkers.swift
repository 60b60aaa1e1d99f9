package import Base

/// The marker segments of a JPEG image up to its first scan (ITU-T T.81 Annex B).
///
/// Reads only these bytes, never the image data. Like libjpeg, skips stray bytes between segments,
/// and counts them.
package struct JPEGMarkers: Sendable {
    /// A segment: the second byte of its marker, and its range including the marker.
    package struct Segment: Equatable, Sendable {
        package let marker: UInt8
        package let range: Range<Int>
    }

    /// The coding process (ITU-T T.81 Table B.1).
    package enum Process: Equatable, Sendable {
        case baseline, extended, progressive, lossless, hierarchical
    }

    package struct Component: Equatable, Sendable {
        package let id: UInt8
        package let horizontal: Int
        package let vertical: Int
        package let quantizationTable: UInt8
    }

    package enum ColorSpace: Sendable { case gray, rgb, yCbCr, cmyk, ycck, unknown }

    package enum DensityUnit: Sendable { case aspectRatioOnly, perInch, perCentimetre }

    package struct Density: Equatable, Sendable {
        package let unit: DensityUnit
        package let x: Int
        package let y: Int
    }

    package private(set) var process = Process.baseline
    package private(set) var isArithmetic = false
    package private(set) var bitsPerSample = 0
    package private(set) var width = 0
    package private(set) var height = 0
    package private(set) var components: [Component] = []
    /// The transform of the Adobe marker, `nil` without the marker.
    package private(set) var adobeTransform: Int?
    /// The JFIF marker's density, `nil` without the marker.
    package private(set) var density: Density?
    /// All segments before the first scan, in sequence.
    package private(set) var segments: [Segment] = []
    /// Position of the first scan's marker.
    package private(set) var scanOffset = 0
    /// Number of stray bytes between segments.
    package private(set) var strayByteCount = 0

    /// The color space of the samples, as libjpeg determines it.
    package var colorSpace: ColorSpace {
        switch components.count {
        case 1: return .gray
        case 3:
            if density != nil { return .yCbCr }
            if let adobeTransform { return adobeTransform == 0 ? .rgb : .yCbCr }
            return components.map(\.id) == Array("RGB".utf8) ? .rgb : .yCbCr
        case 4: return (adobeTransform ?? 0) == 0 ? .cmyk : .ycck
        default: return .unknown
        }
    }

    /// Whether luminance is a separate component at full resolution, so that it can be an image of
    /// its own.
    package var hasLumaOfItsOwn: Bool {
        colorSpace == .yCbCr
            && components.allSatisfy {
                $0.horizontal <= components[0].horizontal && $0.vertical <= components[0].vertical
            }
    }

    /// Number of data units of the image (ITU-T T.81 A.1.1): 8 × 8 samples of one component each.
    package var dataUnitCount: Int {
        let horizontal = components.map(\.horizontal).max() ?? 1
        let vertical = components.map(\.vertical).max() ?? 1
        return components.reduce(0) { sum, component in
            let columns = (width * component.horizontal + 8 * horizontal - 1) / (8 * horizontal)
            let rows = (height * component.vertical + 8 * vertical - 1) / (8 * vertical)
            return sum + columns * rows
        }
    }

    /// Reads the segments.
    ///
    /// - Throws: ``CodecError``: `.malformed`, or `.truncated` if the file ends before a scan;
    ///   `SourceError` if reading fails.
    package init(_ cache: BlockCache) throws {
        guard try cache.bytes(at: 0, count: 2) == [0xFF, 0xD8] else {
            throw CodecError(.malformed, "not a JPEG picture")
        }
        var position = 2
        while true {
            let (marker, offset) = try nextMarker(from: position, in: cache)
            switch marker {
            case 0xD9: throw CodecError(.malformed, "the file contains no image")
            case 0x01, 0xD0...0xD7: position = offset + 2
            case 0xD8, 0x00..<0xC0, 0xF0...0xFD:
                throw CodecError(
                    .malformed,
                    "marker \(String(marker, radix: 16)) at byte \(offset) makes no sense")
            default:
                let length = try cache.bytes(at: offset + 2, count: 2)
                guard length.count == 2 else { throw Self.endsEarly }
                let count = Int(length[0]) << 8 | Int(length[1])
                guard count >= 2 else {
                    throw CodecError(.malformed, "empty segment at byte \(offset)")
                }
                let end = offset + 2 + count
                guard end <= cache.byteCount else { throw Self.endsEarly }
                if marker == 0xDA {
                    guard !components.isEmpty else {
                        throw CodecError(.malformed, "a scan before the frame header")
                    }
                    scanOffset = offset
                    return
                }
                let segment = Segment(marker: marker, range: offset..<end)
                segments.append(segment)
                guard segments.count <= Self.segmentLimit else {
                    throw CodecError(.limitExceeded, "more than \(Self.segmentLimit) segments")
                }
                try interpret(segment, in: cache)
                position = end
            }
        }
    }

    /// The content of a segment, without its marker and length.
    package static func content(
        of segment: Segment, in cache: BlockCache
    ) throws(SourceError) -> [UInt8] {
        try cache.bytes(at: segment.range.lowerBound + 4, count: segment.range.count - 4)
    }

    /// The first bytes of a segment's content.
    package static func head(
        of segment: Segment, _ count: Int, in cache: BlockCache
    ) throws(SourceError) -> [UInt8] {
        try cache.bytes(
            at: segment.range.lowerBound + 4, count: min(count, segment.range.count - 4))
    }

    /// Maximum number of segments. A segment has at least two bytes, and an ICC profile has at most
    /// 255 segments.
    private static let segmentLimit = 4096
    private static let strayByteLimit = 1 << 20
    private static let endsEarly = CodecError(.truncated, "the file ends before the picture begins")

    /// The next marker at or after `position`; fill bytes are skipped.
    private mutating func nextMarker(
        from position: Int, in cache: BlockCache
    ) throws -> (UInt8, Int) {
        var offset = position
        while true {
            let (start, block) = try cache.block(containing: offset)
            guard !block.isEmpty else { throw Self.endsEarly }
            guard block[offset - start] == 0xFF else {
                offset += 1
                strayByteCount += 1
                guard strayByteCount <= Self.strayByteLimit else {
                    throw CodecError(.malformed, "no marker follows byte \(position)")
                }
                continue
            }
            guard let next = try cache.bytes(at: offset + 1, count: 1).first else {
                throw Self.endsEarly
            }
            if next == 0xFF {
                offset += 1
            } else if next == 0 {
                offset += 2
                strayByteCount += 2
            } else {
                return (next, offset)
            }
        }
    }

    private mutating func interpret(_ segment: Segment, in cache: BlockCache) throws {
        switch segment.marker {
        case 0xC0...0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF: try readFrame(segment, in: cache)
        case 0xE0:
            let content = try Self.head(of: segment, 12, in: cache)
            guard density == nil, content.starts(with: Array("JFIF\0".utf8)), content.count == 12
            else { return }
            let unit: DensityUnit =
                switch content[7] {
                case 1: .perInch
                case 2: .perCentimetre
                default: .aspectRatioOnly
                }
            density = Density(
                unit: unit, x: Int(content[8]) << 8 | Int(content[9]),
                y: Int(content[10]) << 8 | Int(content[11]))
        case 0xEE:
            let content = try Self.head(of: segment, 12, in: cache)
            guard content.starts(with: Array("Adobe".utf8)), content.count == 12 else { return }
            adobeTransform = Int(content[11])
        default: break
        }
    }

    private mutating func readFrame(_ segment: Segment, in cache: BlockCache) throws {
        guard components.isEmpty else { throw CodecError(.malformed, "two frame headers") }
        let content = try Self.content(of: segment, in: cache)
        guard content.count >= 6, content.count == 6 + 3 * Int(content[5]), content[5] > 0 else {
            throw CodecError(.malformed, "the frame header is damaged")
        }
        isArithmetic = segment.marker >= 0xC9
        process =
            switch segment.marker {
            case 0xC0: .baseline
            case 0xC1, 0xC9: .extended
            case 0xC2, 0xCA: .progressive
            case 0xC3, 0xCB: .lossless
            default: .hierarchical
            }
        bitsPerSample = Int(content[0])
        height = Int(content[1]) << 8 | Int(content[2])
        width = Int(content[3]) << 8 | Int(content[4])
        components = stride(from: 6, to: content.count, by: 3).map { (index: Int) -> Component in
            Component(
                id: content[index], horizontal: Int(content[index + 1] >> 4),
                vertical: Int(content[index + 1] & 15), quantizationTable: content[index + 2])
        }
        guard
            components.allSatisfy({
                (1...4).contains($0.horizontal) && (1...4).contains($0.vertical)
            })
        else { throw CodecError(.malformed, "the sampling factors are impossible") }
    }
}
