import Appearance

/// The words of a stamp.
struct StampLines {
    let name: String
    let subject: String
    let date: String
    let reason: String?
    let location: String?

    /// The default layout, or the person's template.
    func paragraphs(template: StampTemplate?) -> [StampParagraph] {
        if let template {
            return fill(template).split(separator: "\n", omittingEmptySubsequences: false)
                .map { StampParagraph(String($0)) }
        }
        return ranked.flatMap(\.self)
    }

    /// The default layout without its least lines, one more each time, for boxes that are too small
    /// for all of it; at last the name alone.
    var shortened: [[StampParagraph]] {
        let ranked = ranked
        return [Array(ranked[0...2].joined()), ranked[1] + ranked[2], ranked[1]]
    }

    /// The heading, the name, the date, and the rest.
    private var ranked: [[StampParagraph]] {
        let quiet = StampColor(red: 0.36, green: 0.4, blue: 0.47)
        let strong = StampColor(red: 0.07, green: 0.1, blue: 0.16)
        return [
            [StampParagraph("Digitally signed by", relativeSize: 0.82, color: quiet)],
            [StampParagraph(name, isBold: true, relativeSize: 1.4, color: strong)],
            [StampParagraph(date, relativeSize: 0.9, color: quiet)],
            [("Reason", reason), ("Location", location)].compactMap { label, value in
                value.map { StampParagraph("\(label): \($0)", relativeSize: 0.9, color: quiet) }
            },
        ]
    }

    /// The text of a mark: the person's template, or the initials.
    func mark(template: StampTemplate?) -> [StampParagraph] {
        (template.map(fill) ?? initials).split(separator: "\n", omittingEmptySubsequences: false)
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

    private func fill(_ template: StampTemplate) -> String {
        template.filled { value in
            switch value {
            case .name: name
            case .subject: subject
            case .date: date
            case .reason: reason ?? ""
            case .location: location ?? ""
            case .initials: initials
            }
        }
    }
}
