/// Writes one canonical form.
final class CanonicalSink {
    let path: [XMLName]
    let method: CanonicalXML.Method
    private(set) var isOpen = false
    private(set) var isStarted = false
    private var octets: [UInt8] = []
    private var id: String?
    /// Of the outermost element.
    private var depth = 0
    /// The namespaces that the form has declared.
    private var rendered = PrefixTable()

    init(path: [XMLName], _ method: CanonicalXML.Method, capacity: Int) {
        self.path = path
        self.method = method
        octets.reserveCapacity(capacity)
    }

    var form: CanonicalXML.Form { CanonicalXML.Form(octets: octets, id: id) }

    func begin(at depth: Int, id: String?) {
        isOpen = true
        isStarted = true
        self.depth = depth
        self.id = id
    }

    func start(
        _ element: CanonicalName, _ attributes: [CanonicalAttribute],
        _ scope: borrowing CanonicalScope
    ) {
        octets.append(UInt8(ascii: "<"))
        octets.append(contentsOf: scope.written(element))
        rendered.enter()
        let prefixes = candidates(element, attributes, scope)
        var declared: [Int] = []
        for prefix in prefixes where needsDeclaration(of: prefix, scope) { declared.append(prefix) }
        if declared.count > 1 {
            declared.sort { scope.prefixes[$0].lexicographicallyPrecedes(scope.prefixes[$1]) }
        }
        for prefix in declared {
            append(prefix == 0 ? " xmlns" : " xmlns:")
            octets.append(contentsOf: scope.prefixes[prefix])
            append("=\"")
            unsafe scope.namespaces[scope.binding(of: prefix)].withUnsafeBytes {
                unsafe append($0, Self.attributeEscapes)
            }
            octets.append(UInt8(ascii: "\""))
        }
        for attribute in attributes {
            octets.append(UInt8(ascii: " "))
            octets.append(contentsOf: scope.written(attribute.name))
            append("=\"")
            unsafe append(attribute.value, Self.attributeEscapes)
            octets.append(UInt8(ascii: "\""))
        }
        octets.append(UInt8(ascii: ">"))
    }

    func end(_ element: CanonicalName, _ depth: Int, _ scope: borrowing CanonicalScope) {
        append("</")
        octets.append(contentsOf: scope.written(element))
        octets.append(UInt8(ascii: ">"))
        rendered.leave()
        if depth == self.depth { isOpen = false }
    }

    func text(_ text: UnsafeRawBufferPointer) { unsafe append(text, Self.textEscapes) }

    /// Prefixes that may have to be declared here. Inclusively all that are in scope; but below the
    /// outermost element, of which all were declared, only the element's own can be new.
    private func candidates(
        _ element: CanonicalName, _ attributes: [CanonicalAttribute],
        _ scope: borrowing CanonicalScope
    ) -> [Int] {
        switch method {
        case .inclusive: return rendered.depth == 1 ? scope.bound : scope.declared
        case .exclusive:
            var prefixes = [element.prefix]
            for attribute in attributes
            where attribute.name.prefix != 0 && !prefixes.contains(attribute.name.prefix) {
                prefixes.append(attribute.name.prefix)
            }
            return prefixes
        }
    }

    /// Whether the form does not say yet what the prefix stands for; from now on it does.
    private func needsDeclaration(of prefix: Int, _ scope: borrowing CanonicalScope) -> Bool {
        guard prefix != CanonicalScope.xmlPrefix else { return false }
        let namespace = scope.binding(of: prefix)
        let known = rendered[prefix]
        guard known != namespace, namespace != 0 || known != PrefixTable.unbound else {
            return false
        }
        rendered.set(prefix, to: namespace)
        return true
    }

    // MARK: Characters (Canonical XML 1.0 §2.3)

    private static let textEscapes = Escapes([
        ("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\r", "&#xD;"),
    ])
    private static let attributeEscapes = Escapes([
        ("&", "&amp;"), ("<", "&lt;"), ("\"", "&quot;"), ("\t", "&#x9;"), ("\n", "&#xA;"),
        ("\r", "&#xD;"),
    ])

    private struct Escapes: Sendable {
        /// By byte: empty for itself.
        let table: [[UInt8]]
        let isSpecial: [Bool]

        init(_ list: [(Unicode.Scalar, String)]) {
            var table = [[UInt8]](repeating: [], count: 256)
            for (scalar, text) in list { table[Int(scalar.value)] = Array(text.utf8) }
            self.table = table
            isSpecial = table.map { !$0.isEmpty }
        }
    }

    private func append(_ text: StaticString) {
        unsafe octets.append(
            contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    private func append(_ bytes: UnsafeRawBufferPointer, _ escapes: Escapes) {
        var start = 0
        var index = 0
        while index < bytes.count {
            let byte = unsafe Int(bytes[index])
            // None of the special ones is above.
            if byte <= 0x3E, escapes.isSpecial[byte] {
                unsafe octets.append(contentsOf: bytes[start..<index])
                octets.append(contentsOf: escapes.table[byte])
                start = index + 1
            }
            index += 1
        }
        unsafe octets.append(contentsOf: bytes[start...])
    }
}
