import TextBridge
import TrustKit

/// Takes the input for a trusted list.
///
/// What must hold: the canonical form is its own canonical form, and whatever is read of a list can
/// be asked questions.
enum TrustListFuzz {
    static func failure(of bytes: [UInt8]) -> String? {
        let signature = XMLName("Signature", namespace: "http://www.w3.org/2000/09/xmldsig#")
        let parts = [CanonicalXML.Part([signature], .inclusive), CanonicalXML.Part([signature])]
        if let canonical = try? CanonicalXML(of: bytes, omitting: signature, parts: parts) {
            let forms = [canonical.document] + canonical.parts.compactMap { $0 }
            for (index, form) in forms.enumerated() {
                // By itself the signature is a document's root, which is refused there.
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
