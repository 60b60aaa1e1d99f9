/// What a look shows as text, compared with a value as people read both.
struct LookWords {
    private let text: String

    init(_ text: String) { self.text = text }

    /// Whether the look may be one of this value: the same but for what fonts lack or write in another
    /// way, and for what cannot be read.
    func mayShow(_ value: String) -> Bool {
        let (seen, said) = (Self.plain(text), Self.plain(value))
        guard !Self.areRightToLeft(text, value) else {
            // In the order of the page, in forms that letters take there.
            func marks(_ all: [Character]) -> [Character] { all.filter(\.isASCII).sorted() }
            return marks(seen) == marks(said)
        }
        let unreadable = Character(AppearanceText.unreadable)
        let parts = seen.split(separator: unreadable, omittingEmptySubsequences: false)
        guard parts.count > 1 else { return Self.isShown(said[...], as: seen[...]) }
        return said.count > Self.searchLimit || Self.holds(said, parts)
    }

    /// Longest value that is searched for parts, in characters.
    private static let searchLimit = 4096

    /// Whether both have letters that are written from right to left.
    static func areRightToLeft(_ first: String, _ second: String) -> Bool {
        [first, second].allSatisfy { text in
            text.unicodeScalars.contains { scalar in
                rightToLeft.contains { $0.contains(scalar.value) }
            }
        }
    }

    /// Whether all is there in its order, but for characters that the font lacks.
    private static func isShown(
        _ said: ArraySlice<Character>, as seen: ArraySlice<Character>
    ) -> Bool {
        var rest = said
        for mark in seen {
            while let next = rest.first, next != mark, !next.isASCII { rest = rest.dropFirst() }
            guard rest.first == mark else { return false }
            rest = rest.dropFirst()
        }
        return rest.allSatisfy { !$0.isASCII }
    }

    /// Whether a value has parts in their order, the first at its start and the last at its end.
    private static func holds(_ said: [Character], _ parts: [ArraySlice<Character>]) -> Bool {
        guard let first = parts.first, let last = parts.last,
            first.count + last.count <= said.count, said.starts(with: first),
            said.reversed().starts(with: last.reversed())
        else { return false }
        var rest = said[first.count..<(said.count - last.count)]
        for part in parts.dropFirst().dropLast() {
            guard !part.isEmpty else { continue }
            while rest.count >= part.count, !rest.starts(with: part) { rest = rest.dropFirst() }
            guard rest.starts(with: part) else { return false }
            rest = rest.dropFirst(part.count)
        }
        return true
    }

    /// Without spaces and what nobody sees, with what looks alike as one.
    private static func plain(_ text: String) -> [Character] {
        var found = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where !scalar.properties.isWhitespace {
            if let same = alike[scalar] {
                found.append(contentsOf: same.unicodeScalars)
            } else if scalar.properties.generalCategory != .format {
                found.append(scalar)
            }
        }
        return Array(String(found))
    }

    private static let alike: [Unicode.Scalar: String] = {
        let groups: [(String, String)] = [
            ("-", "\u{2010}\u{2011}\u{2012}–—\u{2015}\u{2212}"), ("'", "‘’‚‛´`"), ("\"", "“”„‟"),
            ("...", "…"), ("fi", "\u{FB01}"), ("fl", "\u{FB02}"), ("ff", "\u{FB00}"),
            ("ffi", "\u{FB03}"), ("ffl", "\u{FB04}"), ("μ", "\u{B5}"), ("•", "·∙"),
        ]
        var found: [Unicode.Scalar: String] = [:]
        for (plain, others) in groups {
            for scalar in others.unicodeScalars { found[scalar] = plain }
        }
        return found
    }()

    /// Hebrew, Arabic and the like, with forms that stand for them (Unicode Bidi_Class R and AL).
    private static let rightToLeft: [ClosedRange<UInt32>] = [
        0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF,
    ]
}
