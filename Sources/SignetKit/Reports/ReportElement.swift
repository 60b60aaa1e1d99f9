import Base

/// An XML element for output. The order is kept, so equal elements give equal text.
struct ReportElement: Sendable {
    private let name: String
    private var attributes: [(name: String, value: String)] = []
    private var children: [ReportElement] = []
    private var text: String?

    /// - Parameter name: element name with the prefix of its namespace.
    init(_ name: String, _ children: [ReportElement?]) {
        self.name = name
        self.children = children.compactMap(\.self)
    }

    init(_ name: String, _ children: ReportElement?...) { self.init(name, children) }

    init(_ name: String, text: String) {
        self.name = name
        self.text = text
    }

    init(_ name: String, _ attribute: String, _ value: String, _ children: ReportElement?...) {
        self.init(name, children)
        attributes = [(attribute, value)]
    }

    func with(_ attribute: String, _ value: String) -> ReportElement {
        var copy = self
        copy.attributes.append((attribute, value))
        return copy
    }

    var isEmpty: Bool { children.isEmpty && (text ?? "").isEmpty }

    /// The element as a whole XML document in UTF-8.
    var document: [UInt8] {
        var result = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        write(to: &result)
        return Array(result.utf8)
    }

    private func write(to result: inout String) {
        result += "<" + name
        for attribute in attributes {
            result += " \(attribute.name)=\"\(Self.escaped(attribute.value))\""
        }
        if let text {
            result += ">" + Self.escaped(text) + "</\(name)>\n"
        } else if children.isEmpty {
            result += "/>\n"
        } else {
            result += ">\n"
            for child in children { child.write(to: &result) }
            result += "</\(name)>\n"
        }
    }

    /// Escapes markup, and replaces characters not permitted in XML 1.0 (§2.2), which PDF strings
    /// may contain, by visible ones.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t", "\n", "\r": result += "&#\(scalar.value);"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{FFFE}", "\u{FFFF}":
                result += "\u{27E8}U+\(String(scalar.value, radix: 16, uppercase: true))\u{27E9}"
            default: result += MarkupText.reference(for: scalar) ?? String(scalar)
            }
        }
        return result
    }
}
