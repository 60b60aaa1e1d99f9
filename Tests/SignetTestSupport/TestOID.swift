package import Base

/// Tests write identifiers as text.
extension OID: ExpressibleByStringLiteral {
    package init(stringLiteral dotted: String) {
        guard let identifier = OID(dotted) else { fatalError("\(dotted) is no identifier") }
        self = identifier
    }
}
