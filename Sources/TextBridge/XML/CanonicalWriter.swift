import Base

/// Writes one canonical form: the only implementation of canonical XML, for documents that are read in
/// sequence (``CanonicalXML``) and for trees (``XMLTree``).
final class CanonicalWriter {
    let path: [XMLName]
    let method: CanonicalXML.Method
    private(set) var isOpen = false
    private var id: String?
    private(set) var octets: [UInt8] = []
    /// Prefixes that exclusive form declares like inclusive form (`PrefixList`); empty for the default.
    private let inclusivePrefixes: Set<ExactText>
    /// The namespaces that the form has declared, by prefix, for each open element.
    private var declared: [[ExactText: ExactText]] = []

    init(
        path: [XMLName] = [], _ method: CanonicalXML.Method,
        inclusivePrefixes: Set<ExactText> = []
    ) {
        self.path = path
        self.method = method
        self.inclusivePrefixes = inclusivePrefixes
    }

    /// Nil before the beginning.
    var form: CanonicalXML.Form? {
        octets.isEmpty ? nil : CanonicalXML.Form(octets: octets, id: id)
    }

    func begin(id: String?) {
        isOpen = true
        self.id = id
    }

    func start(_ element: XMLElement, _ scope: [ExactText: ExactText]) {
        append("<\(element.tag.text)")
        var known = declared.last ?? [:]
        for prefix in prefixes(element, scope: scope) where prefix != "xml" {
            let namespace = scope[prefix] ?? ""
            guard known[prefix] ?? "" != namespace else { continue }
            known[prefix] = namespace
            append(prefix.text.isEmpty ? "xmlns" : "xmlns:\(prefix)", namespace.text)
        }
        declared.append(known)
        for attribute in Self.inOrder(element.attributes) {
            append(attribute.tag.text, attribute.value)
        }
        append(">")
    }

    func end(_ tag: XMLElement.Tag) {
        append("</\(tag.text)>")
        declared.removeLast()
        isOpen = !declared.isEmpty
    }

    private static func inOrder(_ attributes: [XMLElement.Attribute]) -> [XMLElement.Attribute] {
        guard attributes.count > 1 else { return attributes }
        return attributes.sorted {
            let (left, right) = ($0.name, $1.name)
            return left.namespace.isExactly(right.namespace)
                ? ExactText(left.local) < ExactText(right.local)
                : ExactText(left.namespace) < ExactText(right.namespace)
        }
    }

    /// The sorted prefixes to declare, perhaps repeated: inclusively all that are in scope, else
    /// those of the element and its attributes.
    private func prefixes(
        _ element: XMLElement, scope: [ExactText: ExactText]
    ) -> [ExactText] {
        switch method {
        case .inclusive: return scope.keys.sorted()
        case .exclusive:
            let own = ExactText(element.tag.prefix)
            // Attributes without a prefix are in no namespace.
            let used = element.attributes.lazy.map(\.tag.prefix).filter { !$0.isEmpty }
            let listed = inclusivePrefixes.filter { scope[$0] != nil }
            return used.isEmpty && listed.isEmpty
                ? [own] : (used.map { ExactText($0) } + [own] + listed).sorted()
        }
    }

    private func append(_ text: String) { octets.append(contentsOf: text.utf8) }

    private func append(_ name: String, _ value: String) {
        append(" \(name)=\"")
        append(value, isValue: true)
        append("\"")
    }

    /// Replaces the characters that are escaped in text or in values of attributes (Canonical XML 1.0
    /// §2.3).
    func append(_ text: String, isValue: Bool) {
        let bytes = text.utf8.span
        var begin = 0
        for index in bytes.indices {
            guard let escape = Self.escape(bytes[index], isValue: isValue) else { continue }
            append(bytes, begin..<index)
            append(escape)
            begin = index + 1
        }
        append(bytes, begin..<bytes.count)
    }

    private func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        unsafe bytes.extracting(range).withUnsafeBytes { unsafe octets.append(contentsOf: $0) }
    }

    private static func escape(_ byte: UInt8, isValue: Bool) -> String? {
        guard byte <= UInt8(ascii: ">") else { return nil }
        return switch byte {
        case UInt8(ascii: "&"): "&amp;"
        case UInt8(ascii: "<"): "&lt;"
        case UInt8(ascii: "\r"): "&#xD;"
        case UInt8(ascii: ">") where !isValue: "&gt;"
        case UInt8(ascii: "\"") where isValue: "&quot;"
        case UInt8(ascii: "\t") where isValue: "&#x9;"
        case UInt8(ascii: "\n") where isValue: "&#xA;"
        default: nil
        }
    }
}
