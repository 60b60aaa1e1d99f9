import CLoaded

/// A name with its namespace (Namespaces in XML 1.0).
package struct XMLName: Hashable, Sendable {
    /// The namespace's name; empty for names in none.
    package let namespace: String
    package let local: String

    package init(_ local: String, namespace: String = "") {
        self.namespace = namespace
        self.local = local
    }
}

/// The start of an element.
package struct XMLElement: Equatable, Sendable {
    package let name: XMLName
    /// Without namespace declarations. Attributes without a prefix are in no namespace.
    package let attributes: [XMLName: String]

    /// The value of an attribute in no namespace.
    package subscript(_ local: String) -> String? { attributes[XMLName(local)] }
}

/// Receives the parts of a document, in order.
package protocol XMLHandler {
    mutating func start(_ element: XMLElement) throws(XMLError)
    /// All text between two tags, entities replaced.
    mutating func text(_ text: String) throws(XMLError)
    mutating func end() throws(XMLError)
}

/// Reads XML 1.0 with namespaces by Expat. Nothing external is ever loaded, and no document may
/// declare a document type.
package enum XMLReader {
    /// Parses a whole document and calls `handler`.
    ///
    /// - Parameter byteLimit: at most ``XMLLimits/byteCount``.
    /// - Throws: the error with its line; or an error of `handler`, which ends parsing.
    package static func read<Handler: XMLHandler>(
        _ document: [UInt8], byteLimit: Int = XMLLimits.byteCount, into handler: inout Handler
    ) throws(XMLError) {
        let run = Run(handler)
        try run.read(document, .expanded, byteLimit: min(byteLimit, XMLLimits.byteCount))
        handler = run.handler
    }
}

private final class Run<Handler: XMLHandler>: ExpatRun {
    private(set) var handler: Handler
    private var pendingText: [UInt8] = []
    /// Names by number in ``nameNumbers``: lists repeat a few names often.
    private var names: [XMLName] = []
    private var nameNumbers = ByteTable()
    private var depth = 0
    private var elementCount = 0

    init(_ handler: Handler) { self.handler = handler }

    override func start(
        _ name: UnsafePointer<CChar>, _ attributes: UnsafePointer<UnsafePointer<CChar>?>?
    ) throws(XMLError) {
        var values: [XMLName: String] = [:]
        var index = 0
        while let next = unsafe attributes?[index], let value = unsafe attributes?[index + 1] {
            guard index / 2 < XMLLimits.attributeCount else {
                throw XMLError(.limitExceeded, "more than \(XMLLimits.attributeCount) attributes")
            }
            unsafe values[self.name(next)] = unsafe String(cString: value)
            index += 2
        }
        depth += 1
        elementCount += 1
        guard depth <= XMLLimits.depth else {
            throw XMLError(.limitExceeded, "elements nested deeper than \(XMLLimits.depth)")
        }
        guard elementCount <= XMLLimits.elementCount else {
            throw XMLError(.limitExceeded, "more than \(XMLLimits.elementCount) elements")
        }
        let element = unsafe XMLElement(name: self.name(name), attributes: values)
        try handOverText()
        try handler.start(element)
    }

    override func end() throws(XMLError) {
        depth -= 1
        try handOverText()
        try handler.end()
    }

    override func text(_ text: UnsafeRawBufferPointer) {
        unsafe pendingText.append(contentsOf: text)
    }

    private func handOverText() throws(XMLError) {
        guard !pendingText.isEmpty else { return }
        let text = String(decoding: pendingText, as: UTF8.self)
        pendingText.removeAll(keepingCapacity: true)
        try handler.text(text)
    }

    /// `namespace separator local`, or the local name alone.
    private func name(_ text: UnsafePointer<CChar>) -> XMLName {
        let number = unsafe nameNumbers.number(of: UnsafeRawBufferPointer(text: text))
        if number < names.count { return names[number] }
        let bytes = nameNumbers[number]
        let end = bytes.firstIndex(of: Self.separator)
        let name = XMLName(
            String(decoding: bytes[(end.map { $0 + 1 } ?? bytes.startIndex)...], as: UTF8.self),
            namespace: end.map { String(decoding: bytes[..<$0], as: UTF8.self) } ?? "")
        names.append(name)
        return name
    }
}
