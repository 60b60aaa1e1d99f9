import Base
import CryptoBridge
import TextBridge

extension AnchorList {
    /// The name of the file that a PDF with security settings contains.
    package static let securitySettingsName = "SecuritySettings.xml"

    /// The actions that add a trusted identity.
    private static let additions: Set = ["1", "2"]
    private static let restrictions = [
        "CertificatePolicies", "Description", "NonExplicitProcessing",
    ]
    .map { XMLName($0) }

    /// Reads Adobe's security settings: SecuritySettings/TrustedIdentities/Identity. Identities
    /// count if they are trusted as root, to be added and nowhere to be removed; contradictory
    /// ones do not count.
    package init(securitySettings document: [UInt8]) throws(TrustListError) {
        var found: [Anchor] = []
        var removed: Set<[UInt8]> = []
        var count = 0
        var isSigned = false
        do {
            let wanted = [
                ["TrustedIdentities", "Identity"].map { XMLName($0) },
                [XMLName("Signature", namespace: Namespace.signature)],
            ]
            let trees = XMLTreeReader(wanted) { number, node throws(XMLError) in
                if number == 1 { isSigned = true }
                count += 1
                guard count <= TrustListLimits.serviceCount else {
                    throw XMLError(.limitExceeded, "too many identities")
                }
                guard number == 0, let der = node.first("Certificate", in: "")?.base64 else {
                    return
                }
                switch Self.reading(node, der) {
                case .anchor(let anchor): found.append(anchor)
                case .removed: removed.insert(der)
                case .ignored: break
                }
            }
            try XMLReader.read(document, byteLimit: TrustListLimits.byteCount, into: trees)
        } catch {
            throw TrustListError(error)
        }
        if isSigned {
            throw TrustListError(
                .signatureForm, "signatures in XML security settings are not supported")
        }
        try self.init(found.filter { !removed.contains($0.certificate.der) })
    }

    private enum Reading {
        case anchor(Anchor)
        /// It is to be removed, or contradicts itself.
        case removed
        /// It is not trusted as root.
        case ignored
    }

    private static func reading(_ identity: XMLNode, _ der: [UInt8]) -> Reading {
        let actions = identity.all("ImportAction", in: "")
        let trust = identity.all("Trust", in: "")
        let roots = trust.flatMap { $0.all("Root", in: "") }
        guard actions.count == 1, actions.allSatisfy({ additions.contains($0.trimmed) }),
            trust.count <= 1, roots.count <= 1,
            identity.all("Certificate", in: "").count == 1
        else { return .removed }
        guard roots.first?.trimmed == "1", let certificate = try? Certificate(der: der) else {
            return .ignored
        }
        var anchor = Anchor(certificate: certificate)
        let restrictions = identity.children.filter {
            $0.name.local.lowercased() == "policyrestrictions"
        }
        guard !restrictions.isEmpty else { return .anchor(anchor) }
        let settings = restrictions.flatMap(\.children)
        let lists = settings.filter { $0.name == XMLName("CertificatePolicies") }
        let named = lists.flatMap(\.children)
        anchor.policies = Set(named.compactMap { OID($0.trimmed) })
        // A restriction that cannot be read completely permits nothing.
        guard restrictions.count == 1, restrictions[0].name.namespace.isEmpty,
            settings.allSatisfy({ Self.restrictions.contains($0.name) }), lists.count <= 1,
            lists.isEmpty == anchor.policies.isEmpty,
            named.allSatisfy({ $0.name == XMLName("OID") && OID($0.trimmed) != nil })
        else { return .ignored }
        return .anchor(anchor)
    }
}
