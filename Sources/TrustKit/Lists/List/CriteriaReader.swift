internal import Base
import CryptoBridge
import TextBridge

/// Reads the qualifications with criteria of a service (ETSI TS 119 612 5.5.9.2).
enum CriteriaReader {
    /// - Parameter node: an extension of the service.
    static func qualifications(_ node: XMLNode) -> [QualificationElement] {
        let isCritical = TrustListReader.isCritical(node)
        return node.descendants("QualificationElement", in: Namespace.qualifications).map {
            element in
            let qualifiers =
                element.first("Qualifiers", in: Namespace.qualifications)?
                .all("Qualifier", in: Namespace.qualifications) ?? []
            let criteria = element.first("CriteriaList", in: Namespace.qualifications)
            return QualificationElement(
                criteria: criteria.map { list($0, depth: 0) } ?? .unknown,
                qualifiers: Set(qualifiers.map { lastPart($0[attribute: "uri"] ?? "") }),
                isCritical: isCritical)
        }
    }

    private static func list(_ node: XMLNode, depth: Int) -> Criterion {
        guard depth < TrustListLimits.criteriaDepth,
            let assertion = Criterion.Assertion(rawValue: node[attribute: "assert"] ?? "")
        else { return .unknown }
        let criteria = node.children
            .filter { $0.name.local != "Description" }
            .map { criterion($0, depth: depth + 1) }
        return criteria.isEmpty ? .unknown : .list(assertion, criteria)
    }

    private static func criterion(_ node: XMLNode, depth: Int) -> Criterion {
        switch node.name.local {
        case "CriteriaList": return list(node, depth: depth)
        case "KeyUsage": return keyUsage(node)
        case "PolicySet": return identifiers(node).map(Criterion.policies) ?? .unknown
        case "otherCriteriaList":
            return .list(
                .all,
                node.children.map { other in
                    let named = identifiers(other)
                    switch other.name.local {
                    case "ExtendedKeyUsage":
                        return named.map(Criterion.extendedKeyUsages) ?? .unknown
                    case "CertSubjectDNAttribute":
                        return named.map(Criterion.subjectAttributes) ?? .unknown
                    default: return .unknown
                    }
                })
        default: return .unknown
        }
    }

    private static func keyUsage(_ node: XMLNode) -> Criterion {
        var present: KeyUsage = []
        var absent: KeyUsage = []
        for bit in node.children {
            guard let usage = KeyUsage(name: bit[attribute: "name"] ?? "") else { return .unknown }
            switch bit.trimmed {
            case "true", "1": present.formUnion(usage)
            case "false", "0": absent.formUnion(usage)
            default: return .unknown
            }
        }
        return .keyUsage(present, absent: absent)
    }

    /// Object identifiers, with or without `urn:oid:`; nil if there are none or other identifiers.
    private static func identifiers(_ node: XMLNode) -> [OID]? {
        let found = node.descendants("Identifier", in: Namespace.xades).map { identifier in
            let text = identifier.trimmed
            return OID(text.lowercased().hasPrefix("urn:oid:") ? text.dropFirst(8) : text[...])
        }
        let identifiers = found.compactMap { $0 }
        return identifiers.isEmpty || identifiers.count < found.count ? nil : identifiers
    }
}
