extension PDFObject {
    package static func number(_ value: Double) -> PDFObject {
        if value == value.rounded(), let integer = Int(exactly: value) { return .integer(integer) }
        return .real(PDFReal(value))
    }
}
