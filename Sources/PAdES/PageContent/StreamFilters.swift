import ByteKit
import PDFCore

/// Whether the filters of a stream and their parameters are as ISO 32000-2 §7.4 has them. What is
/// not, one reader repairs in its way, and another one gets other data.
struct StreamFilters {
    private let document: PDFDocument
    /// What ends data in text (ISO 32000-2 §7.4.2, §7.4.3).
    private static let ends: [PDFName: [UInt8]] = [
        "ASCIIHexDecode": [0x3E], "ASCII85Decode": [0x7E, 0x3E],
    ]
    private static let numbers: [PDFName] = [
        "Predictor", "Colors", "BitsPerComponent", "Columns", "EarlyChange",
    ]

    init(_ document: PDFDocument) { self.document = document }

    /// - Returns: What departs, in words; nil for nothing.
    func doubt(about stream: PDFStream) throws(PDFError) -> String? {
        let filter = try document.value(stream.dictionary, "Filter")
        guard filter != .null else { return nil }
        let parameters = try document.value(stream.dictionary, "DecodeParms")
        if parameters != .null {
            switch (filter.arrayValue, parameters.arrayValue) {
            case (let filters?, let list?) where filters.count == list.count: break
            case (nil, nil): break
            // One is as good as none around it, where nothing is said.
            case (_, let list?) where list.isEmpty: break
            case (_?, nil) where parameters.dictionaryValue?.keys.isEmpty == true: break
            default: return "filters and parameters that are not in the same order"
            }
            for entry in parameters.arrayValue ?? [parameters] {
                guard let values = try document.resolve(entry).dictionaryValue else { continue }
                for key in Self.numbers {
                    let value = try document.value(values, key)
                    guard value == .null || value.integerValue != nil else {
                        return "a filter with an odd parameter /\(key)"
                    }
                }
            }
        }
        let first = try document.resolve(filter.arrayValue?.first ?? filter).nameValue
        guard let first, let end = Self.ends[first], !document.isEncrypted,
            let range = stream.dataRange
        else { return nil }
        return endsWell(range, end) ? nil : "data in text without their end"
    }

    /// How much of the data is read for their end.
    private static let tailByteCount = 64

    private func endsWell(_ range: Range<Int>, _ end: [UInt8]) -> Bool {
        let count = min(Self.tailByteCount, range.count)
        guard let tail = try? document.source.bytes(at: range.upperBound - count, count: count)
        else {
            return true
        }
        return tail.reversed().drop { $0 <= 32 }.starts(with: end.reversed())
    }
}
