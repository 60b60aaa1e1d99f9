/// Flags of fields (/Ff).
package enum FieldFlags {
    /// For all fields (ISO 32000-2 Table 227).
    package static let required = 1 << 1
    /// For buttons without a state (Table 229).
    package static let pushButton = 1 << 16
    /// For text fields (Table 231).
    package static let (multiline, password, comb) = (1 << 12, 1 << 13, 1 << 24)
    /// For choice fields (Table 233).
    package static let combo = 1 << 17
}
