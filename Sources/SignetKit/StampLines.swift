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
        let quiet = 0.35
        return [
            StampParagraph("Digitally signed by", relativeSize: 0.82, gray: quiet),
            StampParagraph(name, isBold: true, relativeSize: 1.4),
            StampParagraph(date, relativeSize: 0.9, gray: quiet),
        ]
            + [("Reason", reason), ("Location", location)].compactMap { label, value in
                value.map { StampParagraph("\(label): \($0)", relativeSize: 0.9, gray: quiet) }
            }
    }

    /// Replaces `{name}` and its like, and `\n` by a line break, in one pass: what a value
    /// contains is not looked at again.
    private func fill(_ template: String) -> String {
        let values = [
            "name": name, "subject": subject, "date": date, "reason": reason ?? "",
            "location": location ?? "",
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
