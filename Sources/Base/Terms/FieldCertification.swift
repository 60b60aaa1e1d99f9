/// Whether the signature of a field must certify the document.
public enum FieldCertification: Equatable, Sendable {
    case none
    case permitting(DocMDPPermission)
}
