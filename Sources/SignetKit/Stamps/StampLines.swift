import Appearance

/// The words of a stamp.
struct StampLines {
    let name: String
    let subject: String
    let date: String
    let reason: String?
    let location: String?

    /// The default layout, or the person's template.
    func paragraphs(template: String?) -> [StampParagraph] {
        if let template {
            return fill(template).split(separator: "\n", omittingEmptySubsequences: false)
                .map { StampParagraph(String($0)) }
        }
        let quiet = StampColor(red: 0.36, green: 0.4, blue: 0.47)
        let strong = StampColor(red: 0.07, green: 0.1, blue: 0.16)
        return [
            StampParagraph("Digitally signed by", relativeSize: 0.82, color: quiet),
            StampParagraph(name, isBold: true, relativeSize: 1.4, color: strong),
            StampParagraph(date, relativeSize: 0.9, color: quiet),
        ]
            + [("Reason", reason), ("Location", location)].compactMap { label, value in
                value.map { StampParagraph("\(label): \($0)", relativeSize: 0.9, color: quiet) }
            }
    }

    /// The text of a mark: the person's template, or the initials.
    func mark(template: String?) -> [StampParagraph] {
        fill(template ?? "{initials}").split(separator: "\n", omittingEmptySubsequences: false)
            .map {
                StampParagraph(
                    String($0), isBold: template == nil,
                    color: StampColor(red: 0.13, green: 0.33, blue: 0.62))
            }
    }

    /// The first letters of the name's words.
    private var initials: String {
        name.split(whereSeparator: { !$0.isLetter && !$0.isNumber }).compactMap(\.first)
            .map { String($0).uppercased() }.joined()
    }

    /// Replaces `{name}` and its like, and `\n` by a line break, in one pass: what a value
    /// contains is not looked at again.
    private func fill(_ template: String) -> String {
        let values = [
            "name": name, "subject": subject, "date": date, "reason": reason ?? "",
            "location": location ?? "", "initials": initials,
        ]
        var result = ""
        var rest = Substring(template)
        while let character = rest.first {
            if character == "{", let end = rest.firstIndex(of: "}"),
                let value = values[String(rest[rest.index(after: rest.startIndex)..<end])]
            {
                result += value
                rest = rest[rest.index(after: end)...]
            } else if rest.hasPrefix("\\n") {
                result += "\n"
                rest = rest.dropFirst(2)
            } else {
                result.append(character)
                rest = rest.dropFirst()
            }
        }
        return result
    }
}
