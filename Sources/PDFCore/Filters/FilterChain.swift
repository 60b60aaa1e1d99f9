import Base
import CodecBridge

/// The filters of a stream with their parameters (ISO 32000-2 §7.4).
struct FilterChain {
    private enum Filter {
        case flate(Predictor)
        case lzw(Predictor, earlyChange: Bool)
        case asciiHex
        case ascii85
        case runLength
    }

    private var filters: [Filter] = []

    /// - Parameters:
    ///   - endsAtPicture: Whether the last filter may be an image filter, which is then not
    ///     applied.
    ///   - resolve: Resolves references.
    /// - Throws: ``PDFError``, `.unsupportedFilter` for image filters.
    init(
        _ dictionary: PDFDictionary, endsAtPicture: Bool = false,
        resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) {
        guard dictionary["F"] == nil else {
            throw PDFError(.unsupportedFilter, "the stream's data is in another file")
        }
        let names = try Self.list(dictionary["Filter"], resolve)
        let parameters = try Self.list(dictionary["DecodeParms"], resolve)
        guard names.count <= PDFLimits.filtersPerStream else {
            throw PDFError(.limitExceeded, "more than \(PDFLimits.filtersPerStream) filters")
        }
        for (index, name) in names.enumerated() {
            guard case .name(let name) = name else {
                throw PDFError(.malformedStream, "\(name.kind) as filter")
            }
            if endsAtPicture, index == names.count - 1, Self.pictures.contains(name) { return }
            var values = PDFDictionary()
            if index < parameters.count, case .dictionary(let given) = parameters[index] {
                for entry in given.entries { values[entry.key] = try resolve(entry.value) }
            }
            // Decryption precedes all filters, whichever crypt filter is used (ISO 32000-2
            // §7.4.10).
            if name == "Crypt" { continue }
            filters.append(try Self.filter(name, values))
        }
    }

    /// Applies all filters, the first one first.
    ///
    /// - Parameter warnings: receives tolerated damage; nil to tolerate none.
    func decode(_ bytes: [UInt8], limit: Int, warnings: WarningLog?) throws(PDFError) -> [UInt8] {
        var data = bytes
        for filter in filters {
            data =
                switch filter {
                case .flate(let predictor):
                    try predictor.decode(Self.inflate(data, limit: limit, warnings))
                case .lzw(let predictor, let earlyChange):
                    try predictor.decode(
                        LZWDecoder.decode(data, earlyChange: earlyChange, limit: limit))
                case .asciiHex: try ASCIIFilters.decodeHex(data)
                case .ascii85: try ASCIIFilters.decode85(data)
                case .runLength: try RunLengthDecoder.decode(data, limit: limit)
                }
            guard data.count <= limit else {
                throw PDFError(.limitExceeded, "stream of more than \(limit) bytes")
            }
        }
        return data
    }

    private static func inflate(
        _ data: [UInt8], limit: Int, _ warnings: WarningLog?
    ) throws(PDFError) -> [UInt8] {
        do {
            return try Flate.inflate(data, limit: limit, tolerateTruncation: false)
        } catch {
            guard error.code != .limitExceeded else {
                throw PDFError(.limitExceeded, error.detail)
            }
            // Truncated data is common with wrong lengths; all viewers use the part that can be
            // decoded.
            if let warnings,
                let rest = try? Flate.inflate(data, limit: limit, tolerateTruncation: true)
            {
                warnings.add(.damagedStreamData, error.detail)
                return rest
            }
            throw PDFError(.malformedStream, error.detail)
        }
    }

    private static func filter(
        _ name: PDFName, _ parameters: PDFDictionary
    ) throws(PDFError) -> Filter {
        switch name {
        case "FlateDecode", "Fl": return .flate(try Predictor(parameters))
        case "LZWDecode", "LZW":
            return .lzw(
                try Predictor(parameters), earlyChange: parameters["EarlyChange"] != .integer(0))
        case "ASCIIHexDecode", "AHx": return .asciiHex
        case "ASCII85Decode", "A85": return .ascii85
        case "RunLengthDecode", "RL": return .runLength
        default: throw PDFError(.unsupportedFilter, "filter \(name)")
        }
    }

    /// Image filters (ISO 32000-2 Table 6), with the abbreviations that viewers accept everywhere.
    private static let pictures: Set<PDFName> = [
        "DCTDecode", "DCT", "CCITTFaxDecode", "CCF", "JBIG2Decode", "JPXDecode",
    ]

    /// The elements of a value that is one object or an array, such as `Filter` and `DecodeParms`.
    static func list(
        _ value: PDFObject?, _ resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> [PDFObject] {
        guard let value else { return [] }
        switch try resolve(value) {
        case .null: return []
        case .array(let elements):
            var resolved: [PDFObject] = []
            for element in elements.prefix(PDFLimits.filtersPerStream + 1) {
                resolved.append(try resolve(element))
            }
            return resolved
        case let single: return [single]
        }
    }
}
