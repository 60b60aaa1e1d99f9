/// An embedded text file: headings `# title`, each followed by lines `name: text`.
struct WordTable {
    let sections: [(title: String, rows: [(name: String, text: String)])]

    /// - Parameter file: the name of an embedded file. Lines before the first heading are in a
    ///   section with an empty title.
    init(file: String) {
        var sections: [(title: String, rows: [(name: String, text: String)])] = [("", [])]
        for line in EmbeddedFile.text(file).utf8.split(separator: UInt8(ascii: "\n")) {
            if line.starts(with: "# ".utf8) {
                sections.append((String(decoding: line.dropFirst(2), as: UTF8.self), []))
            } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                let name = String(decoding: line[..<colon], as: UTF8.self)
                let text = String(decoding: line[colon...].dropFirst(2), as: UTF8.self)
                sections[sections.count - 1].rows.append((name, text))
            }
        }
        self.sections = sections
    }

    var texts: [String: String] {
        Dictionary(sections.flatMap(\.rows).map { ($0.name, $0.text) }) { first, _ in first }
    }
}
