/// Text that is the same only as the same bytes of UTF-8.
///
/// To `String` two texts are equal that Unicode takes for equivalent, as "é" in one scalar or in
/// two, or "K" and the Kelvin sign, and a full stop before a combining mark is no full stop. To
/// readers and file systems these are different names: what comes from documents or paths, and
/// names something, is compared as this.
package struct ExactText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) {
        // Contiguous from here on: `hash` takes its bytes as a span.
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    package init(stringLiteral text: String) { self.init(text) }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Of the bytes: equivalent texts, of which there is any number, would otherwise all have the
    /// same.
    package func hash(into hasher: inout Hasher) {
        let bytes = text.utf8.span
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(bytes.count)
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Whether its bytes begin with those of another text.
    package func hasPrefix(_ beginning: String) -> Bool { text.utf8.starts(with: beginning.utf8) }

    /// Whether its bytes end with those of another text.
    package func hasSuffix(_ end: String) -> Bool {
        text.utf8.count >= end.utf8.count
            && text.utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    /// Whether it stands below another text in a tree of names that this character divides:
    /// "a.b" stands below "a", and so does what begins with a combining mark after the full stop.
    ///
    /// - Parameter separator: an ASCII character.
    package func isBelow(_ above: ExactText, separator: Unicode.Scalar) -> Bool {
        hasPrefix(above.text)
            && text.utf8.dropFirst(above.text.utf8.count).first == UInt8(ascii: separator)
    }

    /// What stands between all the places of an ASCII character, empty parts too.
    ///
    /// - Parameter most: most divisions of the text; the last part is the rest.
    package func parts(separator: Unicode.Scalar, most: Int = .max) -> [ExactText] {
        text.utf8.split(
            separator: UInt8(ascii: separator), maxSplits: most, omittingEmptySubsequences: false
        ).map { ExactText(String(Substring($0))) }
    }
}

extension ExactText: CustomStringConvertible {
    package var description: String { text }
    /// As the `String` has it.
    package var inQuotes: String { text.inQuotes }
}

extension String {
    /// Whether it consists of the very same bytes of UTF-8 as another text.
    package func isExactly(_ other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
