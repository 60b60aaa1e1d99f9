/// Escaping of text in XML and HTML.
package enum MarkupText {
    /// The reference for a character that would be markup, also inside quotes; nil for others.
    package static func reference(for scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "&": "&amp;"
        case "<": "&lt;"
        case ">": "&gt;"
        case "\"": "&quot;"
        case "'": "&#39;"
        default: nil
        }
    }
}
