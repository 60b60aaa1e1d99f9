import Base

/// Results of viewers that reconstruct a file whose sections other viewers follow.
extension PDFDocument {
    /// Why some viewers reconstruct a file that others read as it is, and how their result differs,
    /// as text; `nil` if it does not.
    package func differenceWhenRebuilt() throws(PDFError) -> String? {
        let codes = reader.warnings.codes
        let reason: String
        if codes.contains(.previousIsZero) {
            reason = "a trailer's /Prev is 0"
        } else if codes.contains(.muchSpaceBeforeCrossReference)
            || codes.contains(.whiteSpaceBeforeCrossReference)
        {
            reason = "a cross-reference table starts after white space"
        } else if try isBeginningUnusual() {
            reason = "the newest cross-reference section does not start on its own line"
        } else {
            return nil
        }
        // For the other reasons, viewers search only for objects.
        let looksForTrailers =
            codes.contains(.previousIsZero) || codes.contains(.muchSpaceBeforeCrossReference)
        return try otherSyntaxWhenRebuilt(looksForTrailers: looksForTrailers).map {
            "viewers that reconstruct the cross-reference table may display different content (\(reason); \($0))"
        }
    }

    /// Whether pypdf rejects the offset of the newest section. pypdf requires white space before
    /// it, and a stream's number, generation and `obj` on one line.
    private func isBeginningUnusual() throws(PDFError) -> Bool {
        guard let section = sections.first, section.offset > 0 else { return false }
        let head = try reader.bytes(at: section.offset - 1, count: Self.beginningByteCount)
        guard let before = head.first else { return false }
        if !"\r\n \t".utf8.contains(before) { return true }
        guard section.kind == .stream else { return false }
        // pypdf skips the first four bytes.
        let keyword = head.dropFirst(5).drop { byte in
            Characters.isDigit(Int(byte)) || byte == 32 || byte == 9
        }
        return !keyword.starts(with: "obj".utf8)
    }

    /// Enough bytes for the object number and generation of any readable section.
    private static let beginningByteCount = 64

    /// The difference that viewers find if they reconstruct the file to search for a missing
    /// object, as text, and the first of `numbers` concerned. `nil` if there is none.
    ///
    /// - Parameter numbers: Numbers of referenced objects.
    package func differenceWhenRebuilt(
        for numbers: [Int]
    ) throws(PDFError) -> (number: Int, words: String)? {
        var hasAsked = false
        var other: String?
        for number in numbers {
            if let location = try definition(of: number)?.location, location != .free { continue }
            if try wasEverInUse(number) {
                return (number, "object \(number), which was removed but is still in the file")
            }
            if !hasAsked {
                // Viewers do not reconstruct the table for such a cross-reference stream. They only
                // search for the objects listed in it.
                other =
                    isRebuilt
                    ? Self.leftBehind
                    : sections.first?.kind == .stream
                        ? try unlistedSyntax() : try otherSyntaxWhenRebuilt()
            }
            hasAsked = true
            guard let other else { continue }
            return (
                number, "object \(number), missing in the cross-reference table, while \(other)"
            )
        }
        return nil
    }

    /// Rewriting objects of a file with wrong sections leaves unlisted older copies behind.
    private static let leftBehind =
        "the file also contains older versions of objects that the table does not list"

    private func otherSyntaxWhenRebuilt(looksForTrailers: Bool = true) throws(PDFError) -> String? {
        if let words = try unlistedSyntax(looksForTrailers: looksForTrailers) { return words }
        if let words = otherTrailer() { return words }
        if let words = try inexactObject() { return words }
        return try placeOfObjectStream()
    }

    /// Viewers that search the file read the bytes after an unterminated object as part of it.
    private func inexactObject() throws(PDFError) -> String? {
        for section in sections {
            let inexact = try section.firstEntry { (entry) throws(PDFError) in
                guard case .offset = entry.location else { return false }
                return try inspect(entry).deviation != nil
            }
            if let inexact { return "object \(inexact.number) ends incorrectly" }
        }
        return nil
    }

    /// An object that no section lists, a listed object that is not the last one with its number,
    /// or a trailer without a table.
    private func unlistedSyntax(looksForTrailers: Bool = true) throws(PDFError) -> String? {
        var listed: [Int: Int] = [:]
        for section in sections {
            for offset in [section.offset, section.supplementOffset ?? section.offset] {
                listed[offset] = section.container?.number ?? 0
            }
            try section.forEachEntry { (entry) throws(PDFError) in
                if case .offset(let offset, _) = entry.location { listed[offset] = entry.number }
            }
        }
        var last: [Int: Int] = [:]
        var repeated: Set<Int> = []
        var trailerCount = sections.count(where: { $0.kind != .stream })
        var scanner = ObjectScanner(source, from: 0)
        while let hit = try scanner.next() {
            switch hit {
            case .object(let position):
                guard let number = listed[position] else { return Self.unlisted(at: position) }
                if last.updateValue(position, forKey: number) != nil { repeated.insert(number) }
            case .trailer(let position):
                trailerCount -= 1
                if trailerCount < 0, looksForTrailers { return Self.unlisted(at: position) }
            }
        }
        for number in repeated.sorted() {
            guard case .offset(let offset, _)? = try definition(of: number)?.location,
                let place = last[number], place != offset
            else { continue }
            return "the object \(number) that counts is not the last one in the file"
        }
        return nil
    }

    private static func unlisted(at position: Int) -> String {
        "the data at byte \(position) belongs to no listed object"
    }

    /// Viewers that search the file use its last trailer, and the /Encrypt entry of any trailer.
    private func otherTrailer() -> String? {
        guard let newest = sections.first, let last = sections.max(by: { $0.offset < $1.offset }),
            last.trailer["Root"] == newest.trailer["Root"],
            sections.allSatisfy({ $0.trailer["Encrypt"] == newest.trailer["Encrypt"] })
        else { return "the trailers of the file differ" }
        return nil
    }

    /// The place of an object stream or cross-reference stream that no section lists; nil if there
    /// is none. Some viewers search for them and use their objects as the newest ones.
    private func placeOfObjectStream() throws(PDFError) -> String? {
        let listed = sections.filter { $0.kind == .stream }.map { $0.offset..<$0.endOffset }
        var search = NameSearch(source, for: ["ObjStm", "XRef"])
        while let (name, position) = try search.next() {
            if name == "XRef", listed.contains(where: { $0.contains(position) }) { continue }
            return "some viewers read the value of /\(name), others do not (byte \(position))"
        }
        return nil
    }
}
