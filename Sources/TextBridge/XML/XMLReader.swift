import Base

/// A name with its namespace (Namespaces in XML 1.0).
package struct XMLName: Hashable, Sendable {
    /// The namespace name; empty without a namespace.
    package let namespace: String
    package let local: String

    package init(_ local: String, namespace: String = "") {
        self.namespace = namespace
        self.local = local
    }
}

/// The start of an element.
package struct XMLElement: Sendable {
    /// A name as it is written in the document.
    struct Tag {
        let name: XMLName
        /// Empty for none.
        let prefix: String

        var text: String { prefix.isEmpty ? name.local : "\(prefix):\(name.local)" }
    }

    package struct Attribute: Sendable {
        let tag: Tag
        package let value: String

        package var name: XMLName { tag.name }
    }

    let tag: Tag
    /// Attributes without namespace declarations. Attributes without a prefix are in no namespace.
    package let attributes: [Attribute]
    /// The declared prefixes, empty for the default, and their namespaces, empty for none.
    let declarations: [(prefix: ExactText, namespace: ExactText)]

    package var name: XMLName { tag.name }

    package subscript(_ name: XMLName) -> String? { attributes.first { $0.name == name }?.value }
}

/// Receives the parts of a document, in sequence.
package protocol XMLHandler: AnyObject {
    func start(_ element: XMLElement) throws(XMLError)
    /// Receives all text between two tags, with entities replaced.
    func text(_ text: String) throws(XMLError)
    func end() throws(XMLError)
    func instruction() throws(XMLError)
    func comment()
}

extension XMLHandler {
    package func instruction() throws(XMLError) {}
    /// Comments are skipped.
    package func comment() {}
}

/// Reads XML 1.0 with namespaces, using Expat. External entities are never loaded, and document
/// types are rejected.
package enum XMLReader {
    /// Parses a whole document and calls `handler`.
    ///
    /// - Parameter byteLimit: Maximum size in bytes, at most ``XMLLimits/byteCount``.
    /// - Throws: ``XMLError`` with its line, or an error of `handler`, which ends parsing.
    package static func read(
        _ document: [UInt8], byteLimit: Int = XMLLimits.byteCount, into handler: any XMLHandler
    ) throws(XMLError) {
        try ExpatRun(handler).read(document, byteLimit: min(byteLimit, XMLLimits.byteCount))
    }
}
