/// Which signature field is used.
public enum FieldChoice: Equatable, Sendable {
    /// The document's only empty signature field, or else a new one.
    case automatic
    /// This empty field, or a new one of that name.
    case named(String)
    /// A new field, whatever fields exist; with this name, or `SignatureN`.
    case new(String?)
}
