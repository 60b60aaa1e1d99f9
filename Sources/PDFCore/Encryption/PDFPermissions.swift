/// What the author permits those who open the document with the user password
/// (ISO 32000-2 Table 22).
package struct PDFPermissions: Equatable, Sendable {
    /// The entry `P`, bit 1 being the lowest.
    package let bits: UInt32
    /// The revision of the security handler: revision 2 knows bits 3 to 6 only.
    package let revision: Int

    package init(bits: UInt32, revision: Int) {
        self.bits = bits
        self.revision = revision
    }

    /// What both permit. Their low bits are reserved and alike.
    func intersected(with other: PDFPermissions) -> PDFPermissions {
        PDFPermissions(bits: bits & other.bits, revision: revision)
    }

    private func has(_ bit: Int) -> Bool { bits >> (bit - 1) & 1 == 1 }

    /// Whether a recipient may do everything, as an owner (ISO 32000-2 Table 24).
    var isOwner: Bool { has(2) }

    /// Filling in existing fields, signature fields included.
    package var allowsFormFilling: Bool { has(6) || revision >= 3 && has(9) }

    /// Creating fields, signature fields included.
    package var allowsFieldCreation: Bool { has(4) && has(6) }

    /// Changing what pages show.
    package var allowsModification: Bool { has(4) }

    /// Whether each revision requires a MAC (ISO/TS 32004 §5.1.2): bit 13 is 0, and the reserved
    /// bits after it are 1.
    package var demandsIntegrityCode: Bool { bits >> 12 == 0xFFFFE }

    /// The same where some of those are 0 too, as old writers have them who never heard of such codes.
    var mayDemandIntegrityCode: Bool { !has(13) }

    /// The permitted operations by name, for people.
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
