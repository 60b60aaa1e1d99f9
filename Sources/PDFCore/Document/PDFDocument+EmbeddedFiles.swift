extension PDFDocument {
    private static let nameTreeNodeLimit = 1000

    /// The decoded data of an embedded file (ISO 32000-2 §7.11.4); nil if no file has that name.
    ///
    /// - Parameter name: ASCII.
    /// - Throws: ``PDFError`` also if several files have the name, or viewers may read different
    ///   data.
    package func embeddedFile(_ name: String, byteLimit: Int) throws(PDFError) -> [UInt8]? {
        let names = try resolve(catalog()["Names"] ?? .null).dictionaryValue
        var open = [names?["EmbeddedFiles"] ?? .null]
        // Names are text strings (ISO 32000-2 §7.9.2.2): one byte or, after a mark, two a character.
        let wide: [UInt8] =
            [0xFE, 0xFF] + name.utf8.flatMap { (byte: UInt8) -> [UInt8] in [0, byte] }
        let spellings: [[UInt8]] = [Array(name.utf8), wide]
        var found: [PDFStream] = []
        var count = 0
        while let next = open.popLast() {
            count += 1
            guard count <= Self.nameTreeNodeLimit else {
                throw PDFError(.limitExceeded, "the name tree of embedded files is too large")
            }
            guard let node = try resolve(next).dictionaryValue else { continue }
            open += try resolve(node["Kids"] ?? .null).arrayValue ?? []
            let entries = try resolve(node["Names"] ?? .null).arrayValue ?? []
            for index in stride(from: 0, to: entries.count - 1, by: 2) {
                guard let key = try resolve(entries[index]).stringValue, spellings.contains(key)
                else {
                    continue
                }
                let file = try resolve(entries[index + 1]).dictionaryValue
                let streams = try resolve(file?["EF"] ?? .null).dictionaryValue
                guard let stream = try resolve(streams?["F"] ?? .null).streamValue else { continue }
                found.append(stream)
            }
        }
        guard found.count <= 1 else {
            throw PDFError(.limitExceeded, "several embedded files have the same name")
        }
        return try found.first.map { (stream) throws(PDFError) in
            try plainData(of: stream, upTo: byteLimit)
        }
    }
}
