package import Base

/// Object identifiers as string literals, for tests.
extension OID: ExpressibleByStringLiteral {
    package init(stringLiteral dotted: String) {
        guard let identifier = OID(dotted) else { fatalError("\(dotted) is no identifier") }
        self = identifier
    }
}
