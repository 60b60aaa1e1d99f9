/// Formats of signatures in PDF (ISO 32000-2 §12.8.3.3, ETSI EN 319 142-1).
public enum SignatureSubFilter: String, Sendable, CaseIterable {
    case pades = "ETSI.CAdES.detached"
    case pkcs7 = "adbe.pkcs7.detached"
}
