/// Permissions of users who open the document with the user password (ISO 32000-2 Table 22).
package struct PDFPermissions: Equatable, Sendable {
    /// The entry `P`; bit 1 is the lowest bit.
    package let bits: UInt32
    /// The revision of the security handler. Revision 2 defines bits 3 to 6 only.
    package let revision: Int

    package init(bits: UInt32, revision: Int) {
        self.bits = bits
        self.revision = revision
    }

    /// The permissions that both grant. Their reserved low bits are equal.
    func intersected(with other: PDFPermissions) -> PDFPermissions {
        PDFPermissions(bits: bits & other.bits, revision: revision)
    }

    private func has(_ bit: Int) -> Bool { bits >> (bit - 1) & 1 == 1 }

    /// Whether a recipient has all permissions of an owner (ISO 32000-2 Table 24).
    var isOwner: Bool { has(2) }

    /// Whether existing fields, including signature fields, may be filled in.
    package var allowsFormFilling: Bool { has(6) || revision >= 3 && has(9) }

    /// Whether fields, including signature fields, may be created.
    package var allowsFieldCreation: Bool { has(4) && has(6) }

    /// Whether page content may be changed.
    package var allowsModification: Bool { has(4) }

    /// Whether each revision requires a MAC (ISO/TS 32004 §5.1.2): bit 13 is 0, and the reserved
    /// bits after it are 1.
    package var demandsIntegrityCode: Bool { bits >> 12 == 0xFFFFE }

    /// Whether bit 13 is 0. Writers older than ISO/TS 32004 may set reserved bits to 0 too.
    var mayDemandIntegrityCode: Bool { !has(13) }

    package var names: [String] {
        var names: [String] = []
        if has(3) { names.append(revision >= 3 && !has(12) ? "print-draft" : "print") }
        if has(4) { names.append("modify") }
        if has(5) { names.append("copy") }
        if has(6) { names.append("annotate") }
        if allowsFormFilling { names.append("fill-forms") }
        if allowsFieldCreation { names.append("create-fields") }
        if revision >= 3 ? has(11) : has(4) { names.append("assemble") }
        return names
    }
}
