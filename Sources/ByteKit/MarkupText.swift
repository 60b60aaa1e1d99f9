/// Text among markup of XML and HTML.
package enum MarkupText {
    /// What stands for a character that would be markup, also inside quotes; nil for others.
    package static func reference(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: nil
        }
    }

    /// What people read of a text with markup: without tags and comments, with the characters that
    /// references stand for.
    package static func plain(_ markup: String) -> String {
        var found = String.UnicodeScalarView()
        var rest = markup.unicodeScalars[...]
        while let next = rest.popFirst() {
            if next == "<" {
                guard let text = takeTag(&rest) else { break }
                found.append(contentsOf: text)
            } else if next == "&", let end = rest.prefix(referenceLimit).firstIndex(of: ";") {
                if let scalar = scalar(of: String(rest[..<end])) { found.append(scalar) }
                rest = rest[rest.index(after: end)...]
            } else {
                found.append(next)
            }
        }
        return String(found)
    }

    /// Takes what is behind a `<` from a text.
    ///
    /// - Returns: what of it people read; nil where it has no end.
    private static func takeTag(
        _ rest: inout Substring.UnicodeScalarView
    ) -> Substring.UnicodeScalarView? {
        let (opening, closing) =
            [("![CDATA[", "]]>"), ("!--", "-->")].first { rest.starts(with: $0.0.unicodeScalars) }
            ?? ("", ">")
        let content = rest.dropFirst(opening.unicodeScalars.count)
        guard let end = content.firstRange(of: closing.unicodeScalars) else { return nil }
        rest = content[end.upperBound...]
        return opening == "![CDATA[" ? content[..<end.lowerBound] : ""[...].unicodeScalars
    }

    /// Longest reference to a character.
    private static let referenceLimit = 10
    private static let named: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ",
    ]

    /// - Parameter reference: `amp`, `#38` or `#x26`.
    private static func scalar(of reference: String) -> Unicode.Scalar? {
        guard reference.hasPrefix("#") else { return named[reference] }
        let digits = reference.dropFirst()
        let isHexadecimal = digits.first == "x" || digits.first == "X"
        return UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
            .flatMap(Unicode.Scalar.init)
    }
}
