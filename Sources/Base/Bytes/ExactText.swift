/// Text that is compared by its UTF-8 bytes.
///
/// `String` compares by canonical equivalence: "é" in one scalar equals "é" in two, and "K"
/// equals the Kelvin sign. A full stop followed by a combining mark is not a full stop. PDF
/// viewers and file systems treat these as different names. Names from documents and paths are
/// therefore compared as `ExactText`.
package struct ExactText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) {
        // Made contiguous here, since `hash` reads the bytes as a span.
        var text = text
        text.makeContiguousUTF8()
        self.text = text
    }

    package init(stringLiteral text: String) { self.init(text) }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.isExactly(right.text)
    }

    /// Hashes the bytes. Otherwise all canonically equivalent texts, of which there can be many,
    /// would have the same hash.
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

    package func hasPrefix(_ beginning: String) -> Bool { text.utf8.starts(with: beginning.utf8) }

    /// Whether its bytes end with those of another text.
    package func hasSuffix(_ end: String) -> Bool {
        text.utf8.count >= end.utf8.count
            && text.utf8.suffix(end.utf8.count).elementsEqual(end.utf8)
    }

    /// Whether this name is below another one in a hierarchy with this separator: "a.b" is below
    /// "a". The part after the separator may begin with a combining mark.
    ///
    /// - Parameter separator: an ASCII character.
    package func isBelow(_ above: ExactText, separator: Unicode.Scalar) -> Bool {
        hasPrefix(above.text)
            && text.utf8.dropFirst(above.text.utf8.count).first == UInt8(ascii: separator)
    }

    /// The parts between the occurrences of an ASCII character, including empty ones.
    ///
    /// - Parameter most: maximum number of splits; the last part is the remainder.
    package func parts(separator: Unicode.Scalar, most: Int = .max) -> [ExactText] {
        text.utf8.split(
            separator: UInt8(ascii: separator), maxSplits: most, omittingEmptySubsequences: false
        ).map { ExactText(String(Substring($0))) }
    }
}

extension ExactText: CustomStringConvertible {
    package var description: String { text }
    package var inQuotes: String { text.inQuotes }
}

extension String {
    /// Whether both texts have the same UTF-8 bytes.
    package func isExactly(_ other: String) -> Bool {
        let (left, right) = (utf8.span, other.utf8.span)
        guard left.count == right.count else { return false }
        for index in left.indices where left[index] != right[index] { return false }
        return true
    }
}
