extension PDFError: CustomStringConvertible {
    /// The problem and its location: `… (object 12 0, byte 3400)`.
    package var description: String { detail + place(object, offset) }
}

extension PDFWarning: CustomStringConvertible {
    package var description: String { detail + place(object, offset) }
}

private func place(_ object: ObjectID?, _ offset: Int?) -> String {
    let parts = [object.map { "object \($0)" }, offset.map { "byte \($0)" }].compactMap { $0 }
    return parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
}
