import Base

/// The canonical forms of a document and of parts of it: the octets that XML signatures digest.
///
/// Exclusive XML Canonicalization 1.0 and Canonical XML 1.0, both without comments. Features that
/// trusted lists do not need are rejected: document types, processing instructions, duplicate `Id`
/// values, and `xml:` attributes above an inclusive part.
package struct CanonicalXML: Sendable {
    package enum Method: Sendable {
        case exclusive
        case inclusive
    }

    /// An element to canonicalize separately. It may occur once.
    package struct Part: Sendable {
        let path: [XMLName]
        let method: Method

        /// - Parameter path: Names from a child of the root down to the element.
        package init(_ path: [XMLName], _ method: Method = .exclusive) {
            self.path = path
            self.method = method
        }
    }

    package struct Form: Sendable {
        /// UTF-8, as a separate document.
        package let octets: [UInt8]
        /// The value of the element's attribute `Id`.
        package let id: String?
    }

    package let root: XMLName
    /// The document in exclusive form, without the omitted element.
    package let document: Form
    /// In the order of the request; `nil` for missing elements.
    package let parts: [Form?]

    /// Reads `document`.
    ///
    /// - Parameters:
    ///   - omitted: An element omitted from the document's form. It may occur once, as a child of
    ///     the root.
    ///   - parts: Elements to canonicalize separately, at most ``XMLLimits/partCount``.
    /// - Throws: ``XMLError`` with its line.
    package init(
        of document: [UInt8], omitting omitted: XMLName, parts: [Part],
        byteLimit: Int = XMLLimits.byteCount
    ) throws(XMLError) {
        let reader = CanonicalReader(
            omitted: omitted, parts: Array(parts.prefix(XMLLimits.partCount)))
        try XMLReader.read(document, byteLimit: byteLimit, into: reader)
        guard let root = reader.root, let whole = reader.document.form else {
            throw XMLError(.malformed, "there is no element")
        }
        self.root = root
        self.document = whole
        self.parts = reader.parts.map(\.form)
    }
}

/// One document being canonicalized (XML-C14N).
private final class CanonicalReader: XMLHandler {
    private(set) var root: XMLName?
    let document = CanonicalWriter(path: [], .exclusive)
    let parts: [CanonicalWriter]

    private let omitted: XMLName
    private var isOmitting = false
    private var hasOmitted = false
    private var ids: Set<String> = []
    private var open: [OpenElement] = []

    private struct OpenElement {
        let tag: XMLElement.Tag
        /// Namespaces by prefix.
        let scope: [ExactText: ExactText]
        /// Whether it has an attribute such as `xml:lang`.
        let hasXMLAttribute: Bool
    }

    init(omitted: XMLName, parts: [CanonicalXML.Part]) {
        self.omitted = omitted
        self.parts = parts.map { CanonicalWriter(path: $0.path, $0.method) }
    }

    private var writers: [CanonicalWriter] {
        (isOmitting ? [] : [document]) + parts.filter(\.isOpen)
    }

    func start(_ element: XMLElement) throws(XMLError) {
        try checkLimits(element)
        var scope = open.last?.scope ?? [:]
        for declaration in element.declarations where declaration.prefix != "xml" {
            scope[declaration.prefix] = declaration.namespace
        }
        let id = try takeID(element)
        open.append(
            OpenElement(
                tag: element.tag, scope: scope,
                hasXMLAttribute: element.attributes.contains { $0.tag.prefix == "xml" }))
        if open.count == 1 {
            root = element.name
            document.begin(id: id)
        }
        try checkOmitted(element.name)
        for part in parts where isAt(part) {
            guard part.form == nil else {
                throw XMLError(.unexpected, "there is more than one \(part.path.last?.local ?? "")")
            }
            if part.method == .inclusive, open.dropLast().contains(where: \.hasXMLAttribute) {
                throw XMLError(.unexpected, "an xml: attribute stands above a signed part")
            }
            part.begin(id: id)
        }
        for writer in writers { writer.start(element, scope) }
    }

    func end() {
        guard let element = open.popLast() else { return }
        for writer in writers { writer.end(element.tag) }
        if open.count == 1 { isOmitting = false }
    }

    func text(_ text: String) { for writer in writers { writer.append(text, isValue: false) } }

    func instruction() throws(XMLError) {
        throw XMLError(.declarationRefused, "it has a processing instruction")
    }

    private func checkLimits(_ element: XMLElement) throws(XMLError) {
        guard open.count < XMLLimits.canonicalDepth else {
            throw XMLError(
                .limitExceeded, "elements nested deeper than \(XMLLimits.canonicalDepth)")
        }
        let count = element.attributes.count + element.declarations.count
        guard count <= XMLLimits.canonicalAttributeCount else {
            throw XMLError(
                .limitExceeded, "more than \(XMLLimits.canonicalAttributeCount) attributes")
        }
        let byteCounts =
            element.attributes.map(\.value.utf8.count)
            + element.declarations.map(\.namespace.text.utf8.count)
        guard byteCounts.allSatisfy({ $0 <= XMLLimits.canonicalAttributeByteCount }) else {
            throw XMLError(
                .limitExceeded,
                "an attribute over \(XMLLimits.canonicalAttributeByteCount) bytes")
        }
    }

    private func takeID(_ element: XMLElement) throws(XMLError) -> String? {
        guard let id = element[XMLName("Id")] else { return nil }
        guard ids.insert(id).inserted else {
            throw XMLError(.unexpected, "two elements have the Id '\(id.prefix(64))'")
        }
        return id
    }

    private func checkOmitted(_ name: XMLName) throws(XMLError) {
        guard name == omitted else { return }
        guard open.count == 2, !hasOmitted else {
            throw XMLError(
                .unexpected, "\(omitted.local) occurs elsewhere than once, below the root")
        }
        hasOmitted = true
        isOmitting = true
    }

    private func isAt(_ part: CanonicalWriter) -> Bool {
        part.path.count == open.count - 1
            && part.path.elementsEqual(open.dropFirst().lazy.map(\.tag.name))
    }
}

/// Writes one canonical form.
private final class CanonicalWriter {
    let path: [XMLName]
    let method: CanonicalXML.Method
    private(set) var isOpen = false
    private var id: String?
    private var octets: [UInt8] = []
    /// The namespaces that the form has declared, by prefix, for each open element.
    private var declared: [[ExactText: ExactText]] = []

    init(path: [XMLName], _ method: CanonicalXML.Method) {
        self.path = path
        self.method = method
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

    /// The prefixes to declare, in order, perhaps repeated: inclusively all that are in scope, else
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
            return used.isEmpty ? [own] : (used.map { ExactText($0) } + [own]).sorted()
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
