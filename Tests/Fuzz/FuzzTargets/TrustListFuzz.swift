import TextBridge
import TrustKit

/// Parses the input as a trusted list (ETSI TS 119 612).
///
/// Canonicalization must be idempotent, and a parsed list must answer queries.
enum TrustListFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        let signature = XMLName("Signature", namespace: "http://www.w3.org/2000/09/xmldsig#")
        let parts = [CanonicalXML.Part([signature], .inclusive), CanonicalXML.Part([signature])]
        if let canonical = try? CanonicalXML(of: bytes, omitting: signature, parts: parts) {
            let forms = [canonical.document] + canonical.parts.compactMap { $0 }
            for (index, form) in forms.enumerated() {
                // A signature element alone would be the document root, which is rejected.
                let other = XMLName("none")
                guard let again = try? CanonicalXML(of: form.octets, omitting: other, parts: [])
                else { return "a canonical form that cannot be read" }
                if index != 1 || canonical.parts[0] == nil, again.document.octets != form.octets {
                    return "the canonical form of a canonical form is another"
                }
            }
        }
        TrustListFuzzing.run(bytes)
        return nil
    }
}
