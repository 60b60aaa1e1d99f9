import Base
import SignetKit

/// Builds HTML. All text goes through ``escaped(_:)``.
enum ReportPage {
    /// Escapes markup, control characters, and characters that reverse or hide text.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": result += " "
            case _ where MarkupText.reference(for: scalar) != nil:
                result += MarkupText.reference(for: scalar) ?? ""
            default:
                switch scalar.properties.generalCategory {
                case .control, .format, .privateUse, .unassigned, .surrogate, .lineSeparator,
                    .paragraphSeparator:
                    let digits = String(scalar.value, radix: 16, uppercase: true)
                    let padding = String(repeating: "0", count: max(0, 4 - digits.count))
                    result += "⟨U+\(padding)\(digits)⟩"
                default: result.unicodeScalars.append(scalar)
                }
            }
        }
        return result
    }

    /// An element with `content`, which is markup.
    static func element(_ name: String, _ content: String, class style: String? = nil) -> String {
        let attribute = style.map { " class=\"\($0)\"" } ?? ""
        return "<\(name)\(attribute)>\(content)</\(name)>"
    }

    /// A table of labels and values, both markup; rows without value are omitted.
    static func facts(_ rows: [(label: String, value: String?)]) -> String {
        let lines = rows.compactMap { row -> String? in
            guard let value = row.value, !["", element("bdi", "")].contains(value) else {
                return nil
            }
            return "<div><dt>\(row.label)</dt><dd>\(value)</dd></div>"
        }
        return lines.isEmpty ? "" : element("dl", lines.joined(separator: "\n"))
    }

    /// Text with options, in which lines do not break.
    static func sentence(_ text: String) -> String {
        text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            let markup = escaped(String(word))
            return word.hasPrefix("--") ? element("span", markup, class: "option") : markup
        }.joined(separator: " ")
    }

    /// A hash, which lines break only between bytes.
    static func hash(_ text: String) -> String {
        let groups =
            text.contains(":")
            ? text.split(separator: ":").map(String.init)
            : stride(from: 0, to: text.count, by: 8).map { String(text.dropFirst($0).prefix(8)) }
        let separator = text.contains(":") ? ":<wbr>" : "<wbr>"
        return element("bdi", groups.map(escaped).joined(separator: separator), class: "hash")
    }

    /// A command, which lines break only between words.
    static func command(_ text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        return element(
            "bdi", words.map { element("span", escaped(String($0))) }.joined(separator: " "))
    }

    /// A complete page. Its content security policy permits no requests and no scripts.
    ///
    /// - Parameter hasPictures: whether it contains embedded images.
    static func page(
        title: String, in language: Language, hasPictures: Bool, _ body: String
    ) -> String {
        let pictures = hasPictures ? " img-src data:;" : ""
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)" dir="\(language.isRightToLeft ? "rtl" : "ltr")">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none';\(pictures) \
            style-src 'unsafe-inline'">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(escaped(title))</title>
            <style>
            \(style)
            </style>
            </head>
            <body>
            \(body)
            </body>
            </html>

            """
    }

    /// Colors are always combined with words.
    private static let style = EmbeddedFile.text("report.css")
}
