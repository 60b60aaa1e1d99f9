import CodecBridge

extension PDFDocument {
    /// Entries of a stream dictionary that some viewers use and others ignore.
    private static let ambiguousKeys: [PDFName] = [
        "DecodeParms", "F", "FFilter", "FDecodeParms", "DP",
    ]
    /// Integer parameters of filters (ISO 32000-2 Table 8); some viewers accept reals.
    private static let integerKeys: [PDFName] = [
        "Predictor", "Colors", "BitsPerComponent", "Columns", "EarlyChange",
    ]

    /// The reason why viewers may decode a stream differently, as text; `nil` if there is none.
    func filterIrregularity(_ stream: PDFDictionary) throws(PDFError) -> String? {
        if hasShortFilterNames(stream) { return "filters under short names" }
        let (filter, parameters) = (try value(stream, "Filter"), try value(stream, "DecodeParms"))
        guard parameters != .null else { return nil }
        let given: [PDFObject]
        switch (filter, parameters) {
        case (.name, .dictionary): given = [parameters]
        case (.array(let filters), .array(let elements)) where filters.count == elements.count:
            given = elements
        default: return "filters with malformed parameters"
        }
        for element in given {
            switch try resolve(element) {
            case .null: break
            case .dictionary(let dictionary):
                for key in Self.integerKeys where dictionary[key] != nil {
                    guard try value(dictionary, key).integerValue != nil else {
                        return "a filter parameter that is not an integer"
                    }
                }
            default: return "filters with malformed parameters"
            }
        }
        return nil
    }

    /// Whether a stream names a crypt filter of its own (ISO 32000-2 §7.6.6).
    package func hasCryptFilter(_ stream: PDFDictionary) throws(PDFError) -> Bool {
        try stream.hasCryptFilter { (object) throws(PDFError) in try self.resolve(object) }
    }

    private static let textFilters: Set<PDFName> = [
        "ASCIIHexDecode", "AHx", "ASCII85Decode", "A85", "Crypt",
    ]

    /// `endstream` or `endobj`, if the stored data of a stream contains either; `nil` for
    /// compressed data.
    package func endInData(of stream: PDFStream) throws(PDFError) -> String? {
        guard let range = stream.dataRange else { return nil }
        let filter = try value(stream.dictionary, "Filter")
        let first = try filter.arrayValue?.first.map { (first) throws(PDFError) in
            try resolve(first)
        }
        if let name = (first ?? filter).nameValue, !Self.textFilters.contains(name) { return nil }
        return try reader.endKeyword(in: range)
    }

    /// Whether a stream of an encrypted document is not encrypted.
    package func isInClear(_ stream: PDFStream) throws(PDFError) -> Bool {
        guard let encryption = reader.encryption else { return false }
        return try encryption.isInClear(stream.dictionary) { (object) throws(PDFError) in
            try self.resolve(object)
        }
    }

    /// Whether a stream has abbreviated filter keys, which are defined for inline images only. Some
    /// viewers accept them in all streams.
    package func hasShortFilterNames(_ stream: PDFDictionary) -> Bool {
        stream["DP"] != nil || stream["F"]?.nameValue != nil || stream["F"]?.arrayValue != nil
    }

    /// Types of streams that are encrypted by other rules, or not at all (ISO 32000-2 §7.6.2).
    private static let typesOutside: [PDFName: String] = [
        "XRef": "a cross-reference stream", "Metadata": "metadata",
        "EmbeddedFile": "an attached file",
    ]

    /// The reason why viewers of an encrypted document may decrypt a stream differently, as text;
    /// `nil` if there is none.
    package func decryptionDoubt(of stream: PDFStream) throws(PDFError) -> String? {
        guard let encryption = reader.encryption else { return nil }
        let type = try value(stream.dictionary, "Type").nameValue
        if let kind = type.flatMap({ Self.typesOutside[$0] }) {
            return "it is marked as \(kind): viewers may decrypt it or not"
        }
        guard let id = stream.encryptedAs, let range = stream.dataRange else { return nil }
        let count = min(range.count, Self.blocksByteCount)
        let isOdd = try encryption.hasOddFilling(
            stream.dictionary, byteCount: range.count,
            end: reader.bytes(at: range.upperBound - count, count: count), id,
            resolve: { (object) throws(PDFError) in try self.resolve(object) })
        return isOdd
            ? "it ends inside a cipher block: viewers read different data" : nil
    }

    /// Two blocks of AES.
    private static let blocksByteCount = 32

    /// The decoded data of a stream that all viewers decode alike. It is not filtered, or only with
    /// /FlateDecode, and has no parameters and abbreviations.
    ///
    /// - Throws: ``PDFError``, `.unsupportedFilter` for other streams.
    package func plainData(of stream: PDFStream, upTo byteLimit: Int) throws(PDFError) -> [UInt8] {
        let dictionary = stream.dictionary
        guard dictionary.duplicateKeys.isEmpty,
            !Self.ambiguousKeys.contains(where: { dictionary[$0] != nil }),
            isDeflated(dictionary) != false, try decryptionDoubt(of: stream) == nil
        else { throw PDFError(.unsupportedFilter, "viewers may decode the data in several ways") }
        let data = try reader.decodedData(of: stream, upTo: byteLimit, toleratesDamage: false) {
            (object) throws(PDFError) in try self.resolve(object)
        }
        guard try !isCompressionAmbiguous(of: stream) else {
            throw PDFError(.unsupportedFilter, "viewers may decompress the data in several ways")
        }
        return data
    }

    /// Whether some viewers decompress the data of a stream differently; see
    /// ``Flate/isAmbiguous(_:)``. The data was decoded before, within the limits.
    func isCompressionAmbiguous(of stream: PDFStream) throws(PDFError) -> Bool {
        guard isDeflated(stream.dictionary) == true else { return false }
        let data = try rawData(of: stream)
        return !data.isEmpty && Flate.isAmbiguous(data)
    }

    /// Whether a stream is unfiltered, or only compressed with FlateDecode without parameters, as
    /// all programs write object streams.
    func isOnlyDeflated(_ dictionary: PDFDictionary) -> Bool {
        isDeflated(dictionary) != false && dictionary["DecodeParms"] == nil
    }

    /// Whether the only filter is FlateDecode, which is named directly; `nil` for unfiltered data.
    private func isDeflated(_ dictionary: PDFDictionary) -> Bool? {
        guard let filter = dictionary["Filter"] else { return nil }
        return (filter.arrayValue ?? [filter]) == [.name("FlateDecode")]
    }
}

extension PDFDictionary {
    /// Whether a stream's dictionary names a crypt filter among its filters.
    func hasCryptFilter(
        _ resolve: (PDFObject) throws(PDFError) -> PDFObject
    ) throws(PDFError) -> Bool {
        guard let filter = self["Filter"] else { return false }
        switch try resolve(filter) {
        case .name(let name): return name == "Crypt"
        case .array(let names):
            for name in names where try resolve(name).nameValue == "Crypt" { return true }
            return false
        default: return false
        }
    }
}
