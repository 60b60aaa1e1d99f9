import Base
import CryptoBridge
import TextBridge

extension AnchorList {
    /// The name of the file that a PDF with security settings contains.
    package static let securitySettingsName = "SecuritySettings.xml"

    /// The trusted identity with this action is to be removed.
    private static let removal = "3"

    /// Reads Adobe's security settings: SecuritySettings/TrustedIdentities/Identity. Identities
    /// count if they are trusted as root and not to be removed.
    package init(securitySettings document: [UInt8]) throws(TrustListError) {
        var found: [Anchor] = []
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
                if number == 0, let anchor = Self.anchor(node) { found.append(anchor) }
            }
            try XMLReader.read(document, byteLimit: TrustListLimits.byteCount, into: trees)
        } catch {
            throw TrustListError(error)
        }
        if isSigned {
            throw TrustListError(
                .signatureForm, "signatures in XML security settings are not supported")
        }
        try self.init(found)
    }

    private static func anchor(_ identity: XMLNode) -> Anchor? {
        func first(_ path: String...) -> XMLNode? {
            path.reduce(identity as XMLNode?) { $0?.first($1, in: "") }
        }
        guard first("Trust", "Root")?.trimmed == "1",
            first("ImportAction").map({ $0.trimmed != removal }) ?? true,
            let der = first("Certificate")?.base64, let certificate = try? Certificate(der: der)
        else { return nil }
        let named = first("PolicyRestrictions", "CertificatePolicies")?.all("OID", in: "") ?? []
        let policies = named.compactMap { OID($0.trimmed) }
        // A restriction that cannot be read permits nothing.
        guard policies.count == named.count else { return nil }
        return Anchor(certificate: certificate, policies: Set(policies))
    }
}
