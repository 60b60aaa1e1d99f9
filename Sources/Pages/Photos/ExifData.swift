/// The part of a photo's Exif segment that matters for a page (CIPA DC-008, TIFF 6.0).
///
/// Cameras write many invalid values; those are ignored and are never errors.
package struct ExifData: Equatable, Sendable {
    /// Orientation, 1 to 8; 1 if it is missing or invalid.
    package private(set) var orientation = 1
    /// Pixels per inch, horizontally and vertically.
    package private(set) var density: (x: Double, y: Double)?
    /// Whether it contains the location at which the photo was taken.
    package private(set) var hasLocation = false

    package static func == (left: ExifData, right: ExifData) -> Bool {
        left.orientation == right.orientation && left.hasLocation == right.hasLocation
            && left.density?.x == right.density?.x && left.density?.y == right.density?.y
    }

    /// Reads the content of an APP1 segment.
    ///
    /// - Returns: `nil` if it is not an Exif segment.
    package init?(segment: [UInt8]) {
        guard segment.count >= 6, segment.starts(with: Array("Exif\0".utf8)) else { return nil }
        let reader = TIFFReader(Array(segment.dropFirst(6)))
        guard let reader, let start = reader.firstDirectory else { return }
        var resolutions: [Int: Double] = [:]
        var unit = 2
        for entry in reader.entries(at: start) {
            switch entry.tag {
            case 0x0112:
                if let value = reader.integer(entry), (1...8).contains(value) {
                    orientation = value
                }
            case 0x011A, 0x011B: resolutions[entry.tag] = reader.rational(entry)
            case 0x0128: unit = reader.integer(entry) ?? unit
            case 0x8825:
                guard let offset = reader.integer(entry) else { continue }
                // Only latitude or longitude is a location; a GPS version number is not.
                hasLocation = reader.entries(at: offset).contains { $0.tag == 2 || $0.tag == 4 }
            default: break
            }
        }
        let factor = unit == 2 ? 1 : unit == 3 ? 2.54 : 0
        if let x = resolutions[0x011A], let y = resolutions[0x011B], factor > 0 {
            density = (x * factor, y * factor)
        }
    }
}

/// Reads the directories of a TIFF structure with bounds checks.
private struct TIFFReader {
    struct Entry {
        let tag: Int
        let type: Int
        let count: Int
        /// Position of the value or of its offset.
        let position: Int
    }

    private let bytes: [UInt8]
    private let isLittleEndian: Bool

    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 8 else { return nil }
        switch (bytes[0], bytes[1]) {
        case (0x49, 0x49): isLittleEndian = true
        case (0x4D, 0x4D): isLittleEndian = false
        default: return nil
        }
        self.bytes = bytes
    }

    var firstDirectory: Int? { number(at: 4, 4) }

    /// The entries of a directory, as far as the data contains them.
    func entries(at offset: Int) -> [Entry] {
        guard let count = number(at: offset, 2) else { return [] }
        var entries: [Entry] = []
        for index in 0..<count {
            let position = offset + 2 + 12 * index
            guard let tag = number(at: position, 2), let type = number(at: position + 2, 2),
                let valueCount = number(at: position + 4, 4), position + 12 <= bytes.count
            else { break }
            entries.append(Entry(tag: tag, type: type, count: valueCount, position: position + 8))
        }
        return entries
    }

    /// The first value of types BYTE, SHORT and LONG.
    func integer(_ entry: Entry) -> Int? {
        guard entry.count >= 1 else { return nil }
        switch entry.type {
        case 1: return number(at: entry.position, 1)
        case 3: return number(at: entry.position, 2)
        case 4, 13: return number(at: entry.position, 4)
        default: return nil
        }
    }

    /// The first value of type RATIONAL or SRATIONAL, if it is positive.
    func rational(_ entry: Entry) -> Double? {
        guard entry.type == 5 || entry.type == 10, entry.count >= 1,
            let offset = number(at: entry.position, 4),
            let numerator = number(at: offset, 4), let denominator = number(at: offset + 4, 4),
            numerator > 0, denominator > 0
        else { return nil }
        return Double(numerator) / Double(denominator)
    }

    private func number(at offset: Int, _ width: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - width else { return nil }
        var value = 0
        for index in 0..<width {
            let byte = Int(bytes[offset + (isLittleEndian ? width - 1 - index : index)])
            value = value << 8 | byte
        }
        return value
    }
}
