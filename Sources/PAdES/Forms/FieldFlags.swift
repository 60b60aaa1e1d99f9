/// Flags of fields (/Ff).
enum FieldFlags {
    /// ISO 32000-2 Table 227.
    static let required = 1 << 1
    /// Of buttons without a state (Table 229).
    static let pushButton = 1 << 16
    /// Of text (Table 231); what has one of the last three is shown as something else.
    static let multiline = 1 << 12
    static let (password, comb, richText) = (1 << 13, 1 << 24, 1 << 25)
    /// Of choices (Table 233).
    static let (combo, editable, multipleChoice) = (1 << 17, 1 << 18, 1 << 21)
}
