import Base
import SignetKit

/// Puts HTML together. Whatever is no markup goes through ``escaped(_:)``.
enum ReportPage {
    /// Text that shows as it is: markup, control characters and those that turn or hide others
    /// become harmless and visible.
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

    /// An element around `content`, which is markup.
    static func element(_ name: String, _ content: String, class style: String? = nil) -> String {
        let attribute = style.map { " class=\"\($0)\"" } ?? ""
        return "<\(name)\(attribute)>\(content)</\(name)>"
    }

    /// A table of labels and values, both markup, those that are there.
    static func facts(_ rows: [(label: String, value: String?)]) -> String {
        let lines = rows.compactMap { row in
            row.value.map { "<div><dt>\(row.label)</dt><dd>\($0)</dd></div>" }
        }
        return lines.isEmpty ? "" : element("dl", lines.joined(separator: "\n"))
    }

    /// A whole page. Its policy lets browsers fetch nothing and run nothing.
    ///
    /// - Parameter hasPictures: it holds pictures itself.
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

    /// Colours never speak alone: words stand beside them.
    private static let style = """
        :root { --ink: #1b1f24; --pale: #5b6470; --line: #d5dae0; --ground: #ffffff;
          --passed: #176b3a; --doubt: #8a5a00; --failed: #a4161a; }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 52rem; padding: 1.5rem 1rem 3rem; color: var(--ink);
          background: var(--ground); font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 .25rem; }
        h2 { font-size: 1.15rem; margin: 0 0 .25rem; }
        h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
        p { margin: .25rem 0; }
        .answer { border: 2px solid currentColor; border-inline-start-width: .75rem; border-radius: .25rem;
          padding: .75rem 1rem; margin: 1rem 0; }
        .answer p { color: var(--ink); }
        .answer > p:first-child { font-size: 1.25rem; font-weight: 600; color: inherit; }
        .passed { color: var(--passed); } .indeterminate, .unsigned, .changed { color: var(--doubt); }
        .failed { color: var(--failed); }
        section { border-top: 1px solid var(--line); padding-top: 1rem; margin-top: 1.5rem; }
        dl { margin: .5rem 0; } dl div { display: flex; gap: 1rem; padding: .15rem 0; }
        dt { flex: 0 0 9rem; color: var(--pale); } dd { margin: 0; flex: 1; min-width: 0; }
        ul { margin: .25rem 0; padding-inline-start: 1.25rem; }
        details { margin: .5rem 0; } summary { cursor: pointer; color: var(--pale); }
        .pale { color: var(--pale); font-size: .9rem; }
        svg { width: 100%; height: auto; display: block; direction: ltr; }
        .timeline { overflow-x: auto; }
        svg text { font: 12px system-ui, sans-serif; fill: var(--ink); }
        svg .small { fill: var(--pale); font-size: 11px; }
        .states { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1rem; }
        figure { margin: .75rem 0; } figcaption { color: var(--pale); font-size: .9rem; }
        .sheet { position: relative; direction: ltr; border: 1px solid var(--line); overflow: hidden; }
        .sheet img { display: block; width: 100%; height: auto; }
        .mark { position: absolute; border: 2px solid #0b57d0; outline: 1px solid #ffffff; }
        .mark b { position: absolute; left: -2px; bottom: 100%; padding: 0 .3rem; white-space: nowrap;
          max-width: 16rem; overflow: hidden; text-overflow: ellipsis;
          background: #0b57d0; color: #ffffff; font: 600 .75rem/1.4 system-ui, sans-serif; }
        .mark.low b { bottom: auto; top: 100%; }
        @media (max-width: 34rem) { dl div { display: block; } dd { padding-inline-start: .75rem; }
          .states { grid-template-columns: 1fr; }
          svg { min-width: 34rem; } }
        @media print { body { max-width: none; padding: 0; font-size: 10pt; }
          .answer, svg, figure, dl div, li { break-inside: avoid; } h2, h3 { break-after: avoid; }
          .states { grid-template-columns: 1fr 1fr; } .mark b { background: #ffffff; color: #1b1f24; } }
        """
}
