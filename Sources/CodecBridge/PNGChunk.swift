import Base

/// The chunks of a PNG file (ISO/IEC 15948 §5.3).
package enum PNGChunk {
    /// The content of the first chunk of a type such as `pHYs`; nil when there is none.
    package static func content(of type: String, in file: [UInt8]) -> [UInt8]? {
        let wanted = Array(type.utf8)
        var position = 8
        while let end = position.addingChecked(12), end <= file.count {
            let length = file[position..<(position + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard length <= file.count - end else { return nil }
            if file.contains(wanted, at: position + 4) {
                return Array(file[(position + 8)..<(position + 8 + length)])
            }
            position = end + length
        }
        return nil
    }
}
