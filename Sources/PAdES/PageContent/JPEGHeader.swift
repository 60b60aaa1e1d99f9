/// What a JPEG says of itself (ISO/IEC 10918-1 Annex B), and what about that readers take in different
/// ways.
struct JPEGHeader {
    private(set) var width = 0
    private(set) var height = 0
    private(set) var componentCount = 0
    /// What readers do not agree about, in words.
    private(set) var doubt: String?
    /// How many bytes of its scans were looked at, and whether that was enough.
    private(set) var walkedByteCount = 0
    private(set) var isEnough = true

    private var identifiers: [UInt8] = []
    private var tables: Set<UInt8> = []
    private var scans: JPEGScans?
    private var hasJFIF = false
    /// What the Adobe marker says about how colours are written: 0 as they are, 1 YCbCr, 2 YCCK.
    private var transform: Int?
    /// Tables for entropy coding, and how many units there are from one restart to the next.
    private var codes: Set<UInt8> = []
    private var restartInterval = 0

    private static let markerLimit = 1000
    private static let jfif = Array("JFIF\0".utf8)
    private static let adobe = Array("Adobe".utf8)
    private static let letters = Array("RGB".utf8)
    /// What may follow the end: padding.
    private static let tailByteCount = 64
    /// How much is read of a scan at once, in bytes.
    private static let partByteCount = 1 << 16

    /// - Parameters:
    ///   - colorTransform: what the parameters of the filter say (ISO 32000-2 Table 13).
    ///   - limit: how much of its scans may be looked at where they can contradict what comes first.
    init(_ data: ImageData, colorTransform: Int? = nil, upTo limit: Int = 0) throws {
        guard try data.number(at: 0, 2) == 0xFFD8 else {
            doubt = "its JPEG data begin with something else"
            return
        }
        try readMarkers(data, limit)
        if doubt == nil, componentCount == 0 { doubt = "its JPEG data have no frame" }
        if doubt == nil, try !Self.hasEnd(data) { doubt = "its JPEG data are cut off" }
        if doubt == nil { doubt = colorDoubt(colorTransform) }
    }

    private mutating func readMarkers(_ data: ImageData, _ limit: Int) throws {
        var position = 2
        for _ in 0..<Self.markerLimit {
            guard let marker = try data.number(at: position, 2) else {
                doubt = "its JPEG data are cut off"
                return
            }
            if marker == 0xFFFF {
                position += 1
                continue
            }
            guard marker >> 8 == 0xFF, marker != 0xFFD8 else {
                doubt = "its JPEG data have something else between markers"
                return
            }
            guard marker != 0xFFD9, let byteCount = try data.number(at: position + 2, 2),
                byteCount >= 2
            else {
                if doubt == nil { doubt = scans?.doubtAtEnd }
                return
            }
            let segment = try data.bytes(at: position + 4, count: byteCount - 2)
            position += 2 + byteCount
            if marker == 0xFFDA {
                guard let end = try readScan(segment, data, position, limit) else { return }
                position = end
            } else {
                take(marker & 0xFF, segment)
            }
            guard doubt == nil else { return }
        }
        doubt = "its JPEG data have more markers than any picture needs"
    }

    private mutating func take(_ marker: Int, _ segment: [UInt8]) {
        switch marker {
        case 0xC0...0xC2: takeFrame(segment, isProgressive: marker == 0xC2)
        case 0xC3, 0xC5...0xC7, 0xC9...0xCB, 0xCD...0xCF:
            doubt = "its JPEG data are coded in a way that few readers know"
        case 0xC4: takeCodes(segment[...])
        case 0xDB: takeTables(segment[...])
        case 0xDD: restartInterval = segment.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        case 0xE0 where segment.starts(with: Self.jfif): hasJFIF = true
        case 0xEE where segment.starts(with: Self.adobe) && segment.count >= 12:
            transform = Int(segment[11])
        default: break
        }
    }

    private mutating func takeFrame(_ segment: [UInt8], isProgressive: Bool) {
        guard componentCount == 0, segment.count >= 6, segment[5] > 0,
            segment.count == 6 + 3 * Int(segment[5])
        else {
            doubt = "its JPEG data have more than one frame, or half of one"
            return
        }
        guard segment[0] == 8 else {
            doubt = "its JPEG data have another depth than 8 bits"
            return
        }
        height = Int(segment[1]) << 8 | Int(segment[2])
        width = Int(segment[3]) << 8 | Int(segment[4])
        componentCount = Int(segment[5])
        let components = stride(from: 6, to: segment.count, by: 3).map { segment[$0..<($0 + 3)] }
        identifiers = components.compactMap(\.first)
        scans = JPEGScans(width, height, components.map(Array.init), isProgressive: isProgressive)
        if scans == nil { doubt = "its JPEG data have components of an impossible size" }
    }

    private mutating func takeTables(_ segment: ArraySlice<UInt8>) {
        var rest = segment
        while let head = rest.popFirst() {
            guard tables.insert(head & 15).inserted else {
                doubt = "its JPEG data give a table twice"
                return
            }
            rest = rest.dropFirst(head >> 4 == 0 ? 64 : 128)
        }
    }

    private mutating func takeCodes(_ segment: ArraySlice<UInt8>) {
        var rest = segment
        while let head = rest.popFirst() {
            codes.insert(head)
            rest = rest.dropFirst(16 + rest.prefix(16).reduce(0) { $0 + Int($1) })
        }
    }

    // MARK: Scans

    /// - Returns: where the next marker is; nil where nothing more is to be looked at.
    private mutating func readScan(
        _ segment: [UInt8], _ data: ImageData, _ start: Int, _ limit: Int
    ) throws -> Int? {
        guard let scan = scans?.take(segment, restartInterval) else {
            doubt = "its JPEG data have a scan that does not fit their frame"
            return nil
        }
        guard scan.tables.isSubset(of: tables), scan.codes.isSubset(of: codes) else {
            doubt = "its JPEG data lack a table that they are coded by"
            return nil
        }
        // One scan of all without restarts has nothing to contradict.
        guard restartInterval > 0 || scans?.isWhole == false else { return nil }
        guard data.count - start <= limit else {
            isEnough = false
            return nil
        }
        walkedByteCount = data.count
        let (end, restarts) = try endOfScan(data, from: start)
        // Some programs write one more, behind the last unit.
        guard let restarts, (0...1).contains(restarts - scan.restartCount) else {
            doubt = "its JPEG data do not restart where they say"
            return nil
        }
        return end
    }

    /// Follows data that are entropy-coded.
    ///
    /// - Returns: where the next marker is that is not one of theirs, and how many restarts there are;
    ///   nil when these are not in their order.
    private func endOfScan(
        _ data: ImageData, from start: Int
    ) throws -> (end: Int, restarts: Int?) {
        var (position, count, isInOrder, isMarker) = (start, 0, true, false)
        while true {
            let part = try data.bytes(at: position, count: Self.partByteCount)
            guard !part.isEmpty else { return (position, isInOrder ? count : nil) }
            for (offset, byte) in part.enumerated() {
                guard isMarker else {
                    isMarker = byte == 0xFF
                    continue
                }
                switch byte {
                case 0xFF: break
                case 0: isMarker = false
                case 0xD0...0xD7:
                    if Int(byte & 7) != count & 7 { isInOrder = false }
                    count += 1
                    isMarker = false
                default: return (position + offset - 1, isInOrder ? count : nil)
                }
            }
            position += part.count
        }
    }

    /// Whether the end is there, behind which only padding may be.
    private static func hasEnd(_ data: ImageData) throws -> Bool {
        let count = min(data.count, tailByteCount)
        let tail = try data.bytes(at: data.count - count, count: count)
        return zip(tail, tail.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
    }

    // MARK: Colours

    private func colorDoubt(_ colorTransform: Int?) -> String? {
        let words = "its JPEG data say in two ways how colours are written"
        switch componentCount {
        case 3:
            guard let transform else {
                // Letters mean RGB to readers that do not ask for the marker (ISO 32000-2 Table 13).
                return identifiers == Self.letters || colorTransform ?? 1 != 1 ? words : nil
            }
            if hasJFIF, transform == 0 || identifiers == Self.letters { return words }
            if transform > 1 || colorTransform ?? transform != transform { return words }
        case 4:
            guard let transform else { return colorTransform ?? 0 == 0 ? nil : words }
            // With both some readers turn the colours twice, or not at all.
            let isTurnedTwice = colorTransform.map { transform != 0 || $0 != 0 } ?? false
            if transform == 1 || hasJFIF || isTurnedTwice { return words }
        default: break
        }
        return nil
    }
}
