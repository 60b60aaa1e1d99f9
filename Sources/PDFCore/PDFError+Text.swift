extension PDFError: CustomStringConvertible {
    /// What was found and where: `object 12 0 at byte 3400: …`.
    package var description: String { place(object, offset) + detail }
}

extension PDFWarning: CustomStringConvertible {
    package var description: String { place(object, offset) + detail }
}

private func place(_ object: ObjectID?, _ offset: Int?) -> String {
    let parts = [object.map { "object \($0)" }, offset.map { "at byte \($0)" }].compactMap { $0 }
    return parts.isEmpty ? "" : parts.joined(separator: " ") + ": "
}
