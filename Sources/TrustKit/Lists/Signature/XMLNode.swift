import Base
import TextBridge

/// Namespaces and names of trusted lists and their signatures.
enum Namespace {
    static let list = "http://uri.etsi.org/02231/v2#"
    static let additional = "http://uri.etsi.org/02231/v2/additionaltypes#"
    static let qualifications =
        "http://uri.etsi.org/TrstSvc/SvcInfoExt/eSigDir-1999-93-EC-TrustedList/#"
    static let signature = "http://www.w3.org/2000/09/xmldsig#"
    static let xades = "http://uri.etsi.org/01903/v1.3.2#"
    static let xml = "http://www.w3.org/XML/1998/namespace"
}

/// A part of a document as a tree.
struct XMLNode {
    let element: XMLElement
    var children: [XMLNode] = []
    /// Text directly in the element.
    var text = ""

    var name: XMLName { element.name }

    subscript(attribute local: String) -> String? { element[XMLName(local)] }

    func all(_ local: String, in namespace: String = Namespace.list) -> [XMLNode] {
        children.filter { $0.name.local == local && $0.name.namespace == namespace }
    }

    func first(_ local: String, in namespace: String = Namespace.list) -> XMLNode? {
        children.first { $0.name.local == local && $0.name.namespace == namespace }
    }

    /// The only child with that name; nil if there is none or several.
    func only(_ local: String, in namespace: String = Namespace.list) -> XMLNode? {
        let found = all(local, in: namespace)
        return found.count == 1 ? found[0] : nil
    }

    /// The node at a path of names in the namespace of lists, using the first child of each name.
    func at(_ path: String...) -> XMLNode? { path.reduce(self as XMLNode?) { $0?.first($1) } }

    var trimmed: String {
        var scalars = Substring(text).unicodeScalars
        while let first = scalars.first, first.properties.isWhitespace { scalars.removeFirst() }
        while let last = scalars.last, last.properties.isWhitespace { scalars.removeLast() }
        return String(scalars)
    }

    /// The text decoded from base64; nil if it is not base64.
    var base64: [UInt8]? { Base64.decode(text.utf8) }

    /// This node and all descendants with that name, in document order. ``XMLLimits/depth`` limits
    /// the depth.
    func descendants(_ local: String, in namespace: String) -> [XMLNode] {
        var found: [XMLNode] = []
        var open = [self]
        while let node = open.popLast() {
            if node.name.local == local, node.name.namespace == namespace { found.append(node) }
            open.append(contentsOf: node.children.reversed())
        }
        return found
    }
}

/// Builds trees of the requested elements one by one, so that the complete list is never in memory.
final class XMLTreeReader: XMLHandler {
    /// Paths below the root whose elements become trees.
    private let wanted: [[XMLName]]
    /// Elements omitted from trees, with their content.
    private let skipped: Set<XMLName>
    private var path: [XMLName] = []
    private var stack: [XMLNode] = []
    /// Depth inside an omitted element.
    private var skippedDepth = 0
    private let receive: (Int, XMLNode) throws(XMLError) -> Void

    /// - Parameter receive: called with each tree and the index of its path.
    init(
        _ wanted: [[XMLName]], skipping skipped: Set<XMLName> = [],
        _ receive: @escaping (Int, XMLNode) throws(XMLError) -> Void
    ) {
        self.wanted = wanted
        self.skipped = skipped
        self.receive = receive
    }

    func start(_ element: XMLElement) {
        if skippedDepth > 0 {
            skippedDepth += 1
            return
        }
        guard stack.isEmpty else {
            if skipped.contains(element.name) {
                skippedDepth = 1
            } else {
                stack.append(XMLNode(element: element))
            }
            return
        }
        path.append(element.name)
        if wantedNumber != nil {
            stack.append(XMLNode(element: element))
        }
    }

    func text(_ text: String) {
        guard skippedDepth == 0, !stack.isEmpty else { return }
        stack[stack.count - 1].text += text
    }

    func end() throws(XMLError) {
        if skippedDepth > 0 {
            skippedDepth -= 1
            return
        }
        guard let node = stack.popLast() else {
            path.removeLast()
            return
        }
        guard stack.isEmpty else {
            stack[stack.count - 1].children.append(node)
            return
        }
        if let number = wantedNumber { try receive(number, node) }
        path.removeLast()
    }

    /// The index of the current path among the requested paths.
    private var wantedNumber: Int? {
        wanted.firstIndex { $0.count == path.count - 1 && $0.elementsEqual(path.dropFirst()) }
    }

    static func tree(of document: [UInt8]) throws(XMLError) -> XMLNode {
        var found: XMLNode?
        let reader = XMLTreeReader([[]]) { _, node in found = node }
        try XMLReader.read(document, into: reader)
        guard let found else { throw XMLError(.malformed, "there is no element") }
        return found
    }
}
