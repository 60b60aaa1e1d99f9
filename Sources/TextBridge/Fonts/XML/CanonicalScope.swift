/// A name by numbers; see ``CanonicalScope``.
struct CanonicalName {
    let number: Int
    /// 0 for none.
    let prefix: Int
    /// Set for elements; of attributes it is known only after all declarations.
    var namespace = 0
    /// `xmlns` and `xmlns:prefix`; the prefix is then the declared one.
    var isDeclaration = false
}

@safe
struct CanonicalAttribute {
    let name: CanonicalName
    /// Expat's, for the time of one call.
    let value: UnsafeRawBufferPointer
    var namespace = 0

    init(name: CanonicalName, value: UnsafeRawBufferPointer) {
        self.name = name
        unsafe self.value = value
    }
}

/// Names, prefixes and namespaces by number, and which prefix stands for what (Namespaces in XML
/// 1.0).
struct CanonicalScope {
    static let xmlPrefix = 1
    private static let xmlNamespace = "http://www.w3.org/XML/1998/namespace"
    private static let declarationNamespace = "http://www.w3.org/2000/xmlns/"

    private(set) var prefixes = ByteTable()
    private(set) var namespaces = ByteTable()
    private var names = ByteTable()
    private var parts: [NameParts] = []
    private var bindings = PrefixTable()
    private let idLocal = Array("Id".utf8)

    private struct NameParts {
        let prefix: Int
        let localStart: Int
        let isDeclaration: Bool
    }

    init() {
        for text in ["", "xml"] { _ = prefixNumber(Array(text.utf8)[...]) }
        for text in ["", Self.xmlNamespace, Self.declarationNamespace] {
            _ = unsafe Array(text.utf8).withUnsafeBytes { unsafe namespaces.number(of: $0) }
        }
        bindings.set(0, to: 0)
        bindings.set(Self.xmlPrefix, to: 1)
    }

    private mutating func prefixNumber(_ bytes: ArraySlice<UInt8>) -> Int {
        unsafe bytes.withUnsafeBytes { unsafe prefixes.number(of: $0) }
    }

    /// An element begins: declarations from now on are its.
    mutating func enter() { bindings.enter() }

    /// The element ends.
    mutating func leave() { bindings.leave() }

    /// The prefixes that the innermost element declares.
    var declared: [Int] { bindings.changed }

    /// All prefixes that stand for something, the empty one for no namespace left out.
    var bound: [Int] {
        bindings.namespaces.indices.filter {
            bindings[$0] != PrefixTable.unbound && $0 != Self.xmlPrefix
                && ($0 != 0 || bindings[0] != 0)
        }
    }

    /// The namespace that a prefix stands for.
    func binding(of prefix: Int) -> Int { bindings[prefix] }

    mutating func declare(_ name: CanonicalName, _ value: UnsafeRawBufferPointer) throws(XMLError) {
        let namespace = unsafe namespaces.number(of: value)
        let isXML = name.prefix == Self.xmlPrefix
        guard isXML == (namespace == 1), namespace != 2, name.prefix == 0 || namespace != 0 else {
            throw XMLError(.malformed, "a namespace is declared as the standard forbids")
        }
        bindings.set(name.prefix, to: namespace)
    }

    /// A name as written. The element's declarations must be read before.
    mutating func name(
        _ text: UnsafePointer<CChar>, isAttribute: Bool
    ) throws(XMLError) -> CanonicalName {
        let number = unsafe names.number(of: UnsafeRawBufferPointer(text: text))
        if number == parts.count { parts.append(try split(names[number])) }
        let part = parts[number]
        var name = CanonicalName(number: number, prefix: part.prefix)
        if isAttribute {
            name.isDeclaration = part.isDeclaration
        } else {
            guard !part.isDeclaration else {
                throw XMLError(.malformed, "an element is called xmlns")
            }
            name.namespace = try namespace(ofPrefix: part.prefix)
        }
        return name
    }

    private mutating func split(_ text: ArraySlice<UInt8>) throws(XMLError) -> NameParts {
        let colon = UInt8(ascii: ":")
        let isDefault = text.elementsEqual("xmlns".utf8)
        guard let end = text.firstIndex(of: colon) else {
            return NameParts(prefix: 0, localStart: 0, isDeclaration: isDefault)
        }
        let (prefix, local) = (text[..<end], text[(end + 1)...])
        guard !prefix.isEmpty, !local.isEmpty, !local.contains(colon) else {
            throw XMLError(.malformed, "a name with colons in the wrong places")
        }
        if prefix.elementsEqual("xmlns".utf8) {
            return NameParts(prefix: prefixNumber(local), localStart: 0, isDeclaration: true)
        }
        return NameParts(
            prefix: prefixNumber(prefix), localStart: prefix.count + 1, isDeclaration: false)
    }

    /// Attributes without a prefix are in no namespace.
    func namespace(of attribute: CanonicalName) throws(XMLError) -> Int {
        attribute.prefix == 0 ? 0 : try namespace(ofPrefix: attribute.prefix)
    }

    private func namespace(ofPrefix prefix: Int) throws(XMLError) -> Int {
        guard bindings[prefix] != PrefixTable.unbound else {
            throw XMLError(.malformed, "a prefix that stands for no namespace")
        }
        return bindings[prefix]
    }

    func written(_ name: CanonicalName) -> ArraySlice<UInt8> { names[name.number] }

    func local(_ name: CanonicalName) -> ArraySlice<UInt8> {
        names[name.number].dropFirst(parts[name.number].localStart)
    }

    func isID(_ name: CanonicalName) -> Bool { local(name).elementsEqual(idLocal) }

    func expanded(_ element: CanonicalName) -> XMLName {
        XMLName(
            String(decoding: local(element), as: UTF8.self),
            namespace: String(decoding: namespaces[element.namespace], as: UTF8.self))
    }
}
