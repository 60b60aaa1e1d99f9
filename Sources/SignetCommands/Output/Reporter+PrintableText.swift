import SystemBridge

/// Escapes texts from files or users for a terminal.
extension Reporter {
    /// Escapes control characters, bidirectional controls and invisible characters: line and
    /// paragraph separators, and Unicode's default ignorable code points, such as zero-width
    /// characters, soft hyphens, fillers and tags.
    static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if let byte = SystemPath.byte(scalar) {
                result += "\\x" + String(byte, radix: 16)
            } else if isVisible(scalar) {
                result.unicodeScalars.append(scalar)
            } else if let escape = lineEnds[scalar] {
                result += escape
            } else {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result
    }

    private static let lineEnds: [Unicode.Scalar: String] = [
        "\n": "\\n", "\r": "\\r", "\t": "\\t",
    ]

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        // Reserved as default ignorable.
        guard !(0xE0000...0xE0FFF).contains(scalar.value),
            !scalar.properties.isDefaultIgnorableCodePoint
        else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return false
        default: return true
        }
    }
}

/// Groups texts that differ only in numbers.
enum Kinds {
    /// The first text of each group, with the number of further texts.
    static func counted(_ texts: [String]) -> [String] {
        grouped(texts).map { first, count in
            count == 1 ? first : "\(first) (and \(count - 1) more of this kind)"
        }
    }

    /// The first text of each group, and how many it has.
    static func grouped(_ texts: [String]) -> [(first: String, count: Int)] {
        var order: [String] = []
        var found: [String: (first: String, count: Int)] = [:]
        for text in texts {
            let kind = kind(of: text)
            if found[kind] == nil { order.append(kind) }
            found[kind, default: (text, 0)].count += 1
        }
        return order.compactMap { found[$0] }
    }

    /// The text with all numbers replaced.
    static func kind(of text: String) -> String {
        var kind = ""
        for character in text {
            guard character.isNumber else {
                kind.append(character)
                continue
            }
            if kind.last != "0" { kind.append("0") }
        }
        return kind
    }
}
