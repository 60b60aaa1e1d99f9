import Base

/// Linearization (ISO 32000-2 Annex F). Some viewers read the page count and the first page from
/// the linearization dictionary while its /L equals the file length. Others always use the page
/// tree.
extension PDFDocument {
    private static let linearizationKeys: [PDFName] = ["L", "O", "N", "P"]

    /// How the linearization of a file contradicts its page tree; nil if it agrees, or if viewers no
    /// longer treat the file as linearized.
    ///
    /// - Parameter isGrowing: whether the file gets longer, so that it may reach the length stated
    ///   in its linearization.
    package func linearizationDisagreement(isGrowing: Bool = false) throws(PDFError) -> String? {
        guard let parameters = try linearization() else { return nil }
        guard !parameters.isEmpty else {
            return "the file is linearized in a way that not all viewers can read"
        }
        // Some viewers count the length from the header, others from the start of the file.
        let lengths = [source.byteCount - headerOffset, source.byteCount]
        let stated = Self.integers("L", in: parameters)
        guard stated.contains(where: { isGrowing ? $0 >= lengths[0] : lengths.contains($0) }) else {
            return nil
        }
        let words = "the file is linearized, but "
        if isGrowing, stated.contains(where: { $0 > lengths[1] }) {
            return words
                + "declares a greater file length: some viewers display only the first pages"
        }
        let isTwice = { key in Self.integers(key, in: parameters).count > 1 }
        if let key = Self.linearizationKeys.first(where: isTwice) {
            return words + "has the key /\(key) for it more than once"
        }
        let count = try pageCount()
        if let number = Self.integers("N", in: parameters).first, number != count {
            return words + "declares \(number) pages, but the page tree has \(count)"
        }
        let index = Self.integers("P", in: parameters).first ?? 0
        guard (0..<count).contains(index) else {
            return words + "starts with an object that is not a page"
        }
        let first = try page(at: index).id
        if let number = Self.integers("O", in: parameters).first, number != first.number {
            return words + "starts with object \(number), but the page tree has page "
                + "\(index + 1) as object \(first.number)"
        }
        let isOfThisLength = stated.contains(where: lengths.contains)
        if isOfThisLength, try !beginsWithNewestSection() {
            return words + "starts with another cross-reference section than the newest"
        }
        return nil
    }

    /// The linearization dictionary at the start of the file; `nil` if there is none, empty if it
    /// is unreadable.
    private func linearization() throws(PDFError) -> PDFDictionary? {
        if let known = knownLinearization { return known }
        let found = try findLinearization()
        knownLinearization = .some(found)
        return found
    }

    private func findLinearization() throws(PDFError) -> PDFDictionary? {
        for byteCount in Self.parameterByteCounts {
            let start = try reader.bytes(at: headerOffset, count: byteCount)
            var lexer = Lexer(start)
            guard case .integer? = try? lexer.next(), case .integer? = try? lexer.next(),
                case .keyword(.obj)? = try? lexer.next(), let first = try? lexer.next(),
                first == .dictionaryStart
            else { return nil }
            let position = lexer.position
            var parser = ObjectParser(lexer)
            var dictionary = (try? parser.parse(startingWith: first))?.dictionaryValue
            let isAll = start.count < byteCount || byteCount == Self.parameterByteCounts.last
            if dictionary == nil, isAll {
                parser.retryLeniently(from: position)
                dictionary = (try? parser.parse(startingWith: first))?.dictionaryValue
                guard dictionary != nil || start.firstRange(of: Array("Linearized".utf8)) == nil
                else { return PDFDictionary() }
            }
            guard let dictionary else { continue }
            return dictionary["Linearized"] == nil ? nil : dictionary
        }
        return nil
    }

    /// Whether the newest section, found from the end of the file, is the section directly after
    /// the first object. Viewers that accept the linearization start with the latter.
    private func beginsWithNewestSection() throws(PDFError) -> Bool {
        guard let section = sections.first, section.kind != .rebuilt else { return true }
        let byteCount = section.offset - headerOffset
        guard (0...Self.parameterByteCounts[1]).contains(byteCount) else { return false }
        var lexer = Lexer(try reader.bytes(at: headerOffset, count: byteCount))
        while let token = try? lexer.next() {
            guard token == .keyword(.endobj) else {
                if token == .end { return false }
                continue
            }
            return (try? lexer.next()) == .end
        }
        return false
    }

    /// Bytes read for the dictionary, first and at most. Writers put it in the first 1024 bytes
    /// (ISO 32000-2 Annex F.3.3).
    private static let parameterByteCounts = [1024, 65_536]

    /// The direct integers for a key, as viewers read them.
    private static func integers(_ key: PDFName, in dictionary: PDFDictionary) -> [Int] {
        dictionary.entries.filter { $0.key == key }.compactMap(\.value.integerValue)
    }
}
