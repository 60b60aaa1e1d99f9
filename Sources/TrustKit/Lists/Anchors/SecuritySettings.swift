import Base
import CryptoBridge
import TextBridge

extension AnchorList {
    /// The name of the file that a PDF with security settings contains.
    package static let securitySettingsName = "SecuritySettings.xml"

    /// The actions that add a trusted identity, and the one that removes it.
    private static let additions: Set = ["1", "2"]
    private static let removal = "3"

    /// Reads Adobe's security settings: SecuritySettings/TrustedIdentities/Identity. Identities
    /// count if they are trusted as root, to be added and nowhere to be removed.
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
                if node.first("ImportAction", in: "")?.trimmed == Self.removal {
                    removed.insert(der)
                } else if let anchor = Self.anchor(node, der) {
                    found.append(anchor)
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

    private static func anchor(_ identity: XMLNode, _ der: [UInt8]) -> Anchor? {
        func first(_ path: String...) -> XMLNode? {
            path.reduce(identity as XMLNode?) { $0?.first($1, in: "") }
        }
        guard first("Trust", "Root")?.trimmed == "1",
            first("ImportAction").map({ additions.contains($0.trimmed) }) ?? true,
            let certificate = try? Certificate(der: der)
        else { return nil }
        guard let restriction = first("PolicyRestrictions", "CertificatePolicies") else {
            return Anchor(certificate: certificate)
        }
        let named = restriction.all("OID", in: "")
        let policies = named.compactMap { OID($0.trimmed) }
        // A restriction that cannot be read permits nothing.
        guard policies.count == named.count, !policies.isEmpty else { return nil }
        return Anchor(certificate: certificate, policies: Set(policies))
    }
}
