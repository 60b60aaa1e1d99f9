internal import Base

/// A complete document in memory, any element of which can be canonicalized.
///
/// Document types and processing instructions are rejected; comments are dropped, as canonical XML
/// without comments does. An element is found by its `Id` only if no other element has the same.
package struct XMLTree: Sendable {
    fileprivate enum Content: Sendable {
        case element(Int)
        case text(String)
    }

    fileprivate struct Node: Sendable {
        let element: XMLElement
        let parent: Int?
        var content: [Content] = []
    }

    fileprivate let nodes: [Node]
    /// Elements by `Id`; nil for values that several elements have.
    private let ids: [ExactText: Int?]
    /// Whether the document contains comments.
    package let hasComments: Bool

    /// Reads a document.
    ///
    /// - Throws: ``XMLError`` with its line.
    package init(_ document: [UInt8], byteLimit: Int = XMLLimits.byteCount) throws(XMLError) {
        let builder = TreeBuilder()
        try XMLReader.read(document, byteLimit: byteLimit, into: builder)
        guard !builder.nodes.isEmpty else { throw XMLError(.malformed, "there is no element") }
        nodes = builder.nodes
        ids = builder.ids
        hasComments = builder.hasComments
    }

    package var root: XMLBranch { XMLBranch(tree: self, index: 0) }

    /// The only element with that `Id`; nil if there is none, or several.
    package func element(id: String) -> XMLBranch? {
        (ids[ExactText(id)] ?? nil).map { XMLBranch(tree: self, index: $0) }
    }

    /// All elements with that name, in document order.
    package func all(_ name: XMLName) -> [XMLBranch] {
        nodes.indices.filter { nodes[$0].element.name == name }
            .map { XMLBranch(tree: self, index: $0) }
    }

    /// Whether any element has this attribute.
    package func contains(attribute name: XMLName) -> Bool {
        nodes.contains { $0.element[name] != nil }
    }

    private final class TreeBuilder: XMLHandler {
        private(set) var nodes: [Node] = []
        private(set) var ids: [ExactText: Int?] = [:]
        private(set) var hasComments = false
        private var open: [Int] = []
        private var declarationCount = 0

        func start(_ element: XMLElement) throws(XMLError) {
            try CanonicalLimits.check(element, depth: open.count)
            declarationCount += element.declarations.count
            guard declarationCount <= XMLLimits.declarationCount,
                nodes.count < XMLLimits.treeElementCount
            else {
                throw XMLError(.limitExceeded, "too many elements or namespace declarations")
            }
            if let id = element[XMLName("Id")].map({ ExactText($0) }) {
                ids[id] = .some(ids.keys.contains(id) ? nil : nodes.count)
            }
            if let parent = open.last { nodes[parent].content.append(.element(nodes.count)) }
            open.append(nodes.count)
            nodes.append(Node(element: element, parent: open.dropLast().last))
        }

        func text(_ text: String) {
            guard let last = open.last else { return }
            nodes[last].content.append(.text(text))
        }

        func end() { open.removeLast() }

        func comment() { hasComments = true }

        func instruction() throws(XMLError) {
            throw XMLError(.declarationRefused, "it has a processing instruction")
        }
    }
}

package struct XMLBranch: Sendable {
    fileprivate let tree: XMLTree
    fileprivate let index: Int

    private var node: XMLTree.Node { tree.nodes[index] }

    package var name: XMLName { node.element.name }
    package var parent: XMLBranch? { node.parent.map { XMLBranch(tree: tree, index: $0) } }

    /// The value of an attribute without a namespace.
    package subscript(attribute local: String) -> String? { node.element[XMLName(local)] }

    /// The value of an attribute.
    package subscript(_ name: XMLName) -> String? { node.element[name] }

    package var children: [XMLBranch] {
        node.content.compactMap {
            if case .element(let child) = $0 { XMLBranch(tree: tree, index: child) } else { nil }
        }
    }

    /// Text directly in the element.
    package var text: String {
        node.content.reduce(into: "") { if case .text(let part) = $1 { $0 += part } }
    }

    /// The text decoded from base64; nil if it is not base64, or the element contains others.
    package var base64: [UInt8]? { children.isEmpty ? Base64.decode(text.utf8) : nil }

    package func all(_ local: String, in namespace: String) -> [XMLBranch] {
        children.filter { $0.name == XMLName(local, namespace: namespace) }
    }

    /// The only child with that name; nil if there is none or several.
    package func only(_ local: String, in namespace: String) -> XMLBranch? {
        let found = all(local, in: namespace)
        return found.count == 1 ? found[0] : nil
    }

    package func isSame(as other: XMLBranch) -> Bool { index == other.index }

    /// Whether the other element is this one, or inside it.
    package func contains(_ other: XMLBranch) -> Bool {
        var next: Int? = other.index
        while let current = next {
            if current == index { return true }
            next = tree.nodes[current].parent
        }
        return false
    }

    /// The canonical form of the element without comments, as a document subset.
    ///
    /// - Parameters:
    ///   - inclusivePrefixes: prefixes that the exclusive form declares like the inclusive form;
    ///     empty for the default namespace.
    ///   - omitted: elements left out with their content.
    /// - Throws: ``XMLError`` for an inclusive form below `xml:` attributes, in which the versions
    ///   of Canonical XML differ.
    package func canonical(
        _ method: CanonicalXML.Method, inclusivePrefixes: [String] = [],
        omitting omitted: [XMLBranch] = []
    ) throws(XMLError) -> [UInt8] {
        var scope: [ExactText: ExactText] = [:]
        var above: [XMLElement] = []
        var next = node.parent
        while let current = next {
            above.append(tree.nodes[current].element)
            next = tree.nodes[current].parent
        }
        guard method == .exclusive || !above.contains(where: \.hasXMLAttribute) else {
            throw XMLError(.unexpected, "an xml: attribute stands above a signed part")
        }
        for element in above.reversed() { element.declare(in: &scope) }
        let writer = CanonicalWriter(
            method, inclusivePrefixes: Set(inclusivePrefixes.map { ExactText($0) }))
        write(to: writer, scope, omitting: Set(omitted.map(\.index)))
        return writer.octets
    }

    /// Recursion is limited by ``XMLLimits/canonicalDepth``.
    private func write(
        to writer: CanonicalWriter, _ outer: [ExactText: ExactText], omitting omitted: Set<Int>
    ) {
        guard !omitted.contains(index) else { return }
        var scope = outer
        node.element.declare(in: &scope)
        writer.start(node.element, scope)
        for part in node.content {
            switch part {
            case .text(let text): writer.append(text, isValue: false)
            case .element(let child):
                XMLBranch(tree: tree, index: child).write(to: writer, scope, omitting: omitted)
            }
        }
        writer.end(node.element.tag)
    }
}

extension XMLElement {
    /// Whether it has an attribute such as `xml:lang`.
    var hasXMLAttribute: Bool { attributes.contains { $0.tag.prefix == "xml" } }

    func declare(in scope: inout [ExactText: ExactText]) {
        for declaration in declarations where declaration.prefix != "xml" {
            scope[declaration.prefix] = declaration.namespace
        }
    }
}

enum CanonicalLimits {
    static func check(_ element: XMLElement, depth: Int) throws(XMLError) {
        guard depth < XMLLimits.canonicalDepth else {
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
}
