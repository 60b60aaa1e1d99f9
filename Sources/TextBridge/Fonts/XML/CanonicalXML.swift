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

        /// - Parameter path: names from below the root down to the element.
        package init(_ path: [XMLName], _ method: Method = .exclusive) {
            self.path = path
            self.method = method
        }
    }

    /// The canonical form of an element.
    package struct Form: Sendable {
        /// UTF-8; a separate document.
        package let octets: [UInt8]
        /// The value of its attribute `Id`.
        package let id: String?
    }

    package let root: XMLName
    /// The document in exclusive form, without the omitted element.
    package let document: Form
    /// In the order of the request; nil for missing ones.
    package let parts: [Form?]

    /// Reads `document`.
    ///
    /// - Parameters:
    ///   - omitted: an element omitted from the document's form. It may occur once, as a child of
    ///     the root.
    ///   - parts: elements to canonicalize separately, at most ``XMLLimits/partCount``.
    /// - Throws: the error with its line.
    package init(
        of document: [UInt8], omitting omitted: XMLName, parts: [Part],
        byteLimit: Int = XMLLimits.byteCount
    ) throws(XMLError) {
        let run = CanonicalRun(
            omitted: omitted, parts: Array(parts.prefix(XMLLimits.partCount)),
            byteCount: document.count)
        try run.read(document, .written, byteLimit: byteLimit)
        guard let root = run.root else { throw XMLError(.malformed, "there is no element") }
        self.root = root
        self.document = run.document.form
        self.parts = run.parts.map { $0.isStarted ? $0.form : nil }
    }
}

/// One document being brought into canonical form.
private final class CanonicalRun: ExpatRun {
    private(set) var root: XMLName?
    let document: CanonicalSink
    let parts: [CanonicalSink]

    private var scope = CanonicalScope()
    private let omitted: XMLName
    private var omittedDepth: Int?
    private var hasOmitted = false
    private var ids: Set<String> = []
    private var open: [OpenElement] = []
    private var attributes: [CanonicalAttribute] = []

    private struct OpenElement {
        let name: CanonicalName
        /// Whether it has an attribute such as `xml:lang`.
        let hasXMLAttribute: Bool
    }

    init(omitted: XMLName, parts: [CanonicalXML.Part], byteCount: Int) {
        self.omitted = omitted
        document = CanonicalSink(path: [], .exclusive, capacity: byteCount)
        self.parts = parts.map { CanonicalSink(path: $0.path, $0.method, capacity: 0) }
    }

    override func start(
        _ name: UnsafePointer<CChar>, _ written: UnsafePointer<UnsafePointer<CChar>?>?
    ) throws(XMLError) {
        guard open.count < XMLLimits.canonicalDepth else {
            throw XMLError(
                .limitExceeded, "elements nested deeper than \(XMLLimits.canonicalDepth)")
        }
        scope.enter()
        try unsafe readAttributes(written)
        let element = try unsafe scope.name(name, isAttribute: false)
        for index in attributes.indices {
            attributes[index].namespace = try scope.namespace(of: attributes[index].name)
        }
        try sortAttributes()
        let id = try takeID()
        let hasXMLAttribute = attributes.contains { $0.name.prefix == CanonicalScope.xmlPrefix }
        open.append(OpenElement(name: element, hasXMLAttribute: hasXMLAttribute))
        if open.count == 1 {
            root = scope.expanded(element)
            document.begin(at: 1, id: id)
        }
        try checkOmitted(element)
        for part in parts where part.path.count == open.count - 1 && isAt(part) {
            guard !part.isStarted else {
                throw XMLError(.unexpected, "there is more than one \(part.path.last?.local ?? "")")
            }
            if part.method == .inclusive, open.dropLast().contains(where: \.hasXMLAttribute) {
                throw XMLError(.unexpected, "an xml: attribute stands above a signed part")
            }
            part.begin(at: open.count, id: id)
        }
        if omittedDepth == nil { document.start(element, attributes, scope) }
        for part in parts where part.isOpen { part.start(element, attributes, scope) }
    }

    override func end() {
        let depth = open.count
        guard let element = open.popLast() else { return }
        if omittedDepth == nil { document.end(element.name, depth, scope) }
        for part in parts where part.isOpen { part.end(element.name, depth, scope) }
        if omittedDepth == depth { omittedDepth = nil }
        scope.leave()
    }

    override func text(_ text: UnsafeRawBufferPointer) {
        if omittedDepth == nil { unsafe document.text(text) }
        for part in parts where part.isOpen { unsafe part.text(text) }
    }

    /// Declarations of namespaces into the scope, everything else into ``attributes``.
    private func readAttributes(_ written: UnsafePointer<UnsafePointer<CChar>?>?) throws(XMLError) {
        attributes.removeAll(keepingCapacity: true)
        var index = 0
        while let next = unsafe written?[index], let text = unsafe written?[index + 1] {
            guard index / 2 < XMLLimits.canonicalAttributeCount else {
                throw XMLError(
                    .limitExceeded, "more than \(XMLLimits.canonicalAttributeCount) attributes")
            }
            let value = unsafe UnsafeRawBufferPointer(text: text)
            guard value.count <= XMLLimits.canonicalAttributeByteCount else {
                throw XMLError(
                    .limitExceeded,
                    "an attribute over \(XMLLimits.canonicalAttributeByteCount) bytes")
            }
            let name = try unsafe scope.name(next, isAttribute: true)
            if name.isDeclaration {
                try unsafe scope.declare(name, value)
            } else {
                unsafe attributes.append(CanonicalAttribute(name: name, value: value))
            }
            index += 2
        }
    }

    /// Sorts by namespace, then local name; duplicates are rejected.
    private func sortAttributes() throws(XMLError) {
        guard attributes.count > 1 else { return }
        attributes.sort { left, right in
            let namespaces = (scope.namespaces[left.namespace], scope.namespaces[right.namespace])
            if left.namespace != right.namespace {
                return namespaces.0.lexicographicallyPrecedes(namespaces.1)
            }
            return scope.local(left.name).lexicographicallyPrecedes(scope.local(right.name))
        }
        for index in attributes.indices.dropFirst() {
            let (left, right) = (attributes[index - 1], attributes[index])
            if left.namespace == right.namespace,
                scope.local(left.name).elementsEqual(scope.local(right.name))
            {
                throw XMLError(.malformed, "the same attribute twice")
            }
        }
    }

    private func takeID() throws(XMLError) -> String? {
        for attribute in attributes where attribute.name.prefix == 0 && scope.isID(attribute.name) {
            let id = unsafe String(decoding: attribute.value, as: UTF8.self)
            guard ids.insert(id).inserted else {
                throw XMLError(.unexpected, "two elements have the Id '\(id.prefix(64))'")
            }
            return id
        }
        return nil
    }

    private func checkOmitted(_ element: CanonicalName) throws(XMLError) {
        guard scope.local(element).elementsEqual(omitted.local.utf8),
            scope.expanded(element) == omitted
        else { return }
        guard open.count == 2, !hasOmitted else {
            throw XMLError(
                .unexpected, "\(omitted.local) occurs elsewhere than once, below the root")
        }
        hasOmitted = true
        omittedDepth = open.count
    }

    private func isAt(_ part: CanonicalSink) -> Bool {
        zip(open.dropFirst(), part.path).allSatisfy { element, name in
            scope.local(element.name).elementsEqual(name.local.utf8)
                && scope.namespaces[element.name.namespace].elementsEqual(name.namespace.utf8)
        }
    }
}
