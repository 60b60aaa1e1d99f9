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

    /// An element to canonicalize separately. It occurs at most once.
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
        try CanonicalLimits.check(element, depth: open.count)
        var scope = open.last?.scope ?? [:]
        element.declare(in: &scope)
        let id = try takeID(element)
        open.append(
            OpenElement(
                tag: element.tag, scope: scope,
                hasXMLAttribute: element.hasXMLAttribute))
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
                .unexpected, "\(omitted.local) occurs more than once, or is not a child of the root"
            )
        }
        hasOmitted = true
        isOmitting = true
    }

    private func isAt(_ part: CanonicalWriter) -> Bool {
        part.path.count == open.count - 1
            && part.path.elementsEqual(open.dropFirst().lazy.map(\.tag.name))
    }
}
