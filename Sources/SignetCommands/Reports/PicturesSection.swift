import Base
import SignetKit

/// Page images in the HTML report: with frames around signatures, and earlier and current versions
/// side by side.
struct PicturesSection {
    let words: ReportWords

    func markup(_ pictures: PagePictures, _ document: VerifiedDocument) -> String {
        var parts = [words.heading("h2", .pages)]
        for page in pictures.pages { parts.append(states(of: page, document)) }
        var remarks: [String] = []
        if let program = pictures.program, !pictures.pages.isEmpty {
            remarks.append(words.say(.drawnBy, words.value(program)))
        }
        remarks += pictures.remarks.map { remark in
            switch remark {
            case .encrypted: words.say(.encryptedPages)
            case .notDrawn(let reason): words.say(.notDrawn, words.detail(reason))
            case .notCompared(let count): words.say(.notCompared, "\(count)")
            case .notMarked(let count): words.say(.notMarked, "\(count)")
            }
        }
        if pictures.pages.isEmpty, remarks.isEmpty { remarks = [words.say(.noPictures)] }
        parts += remarks.map { ReportPage.element("p", $0, class: "pale") }
        return ReportPage.element("section", parts.joined(separator: "\n"))
    }

    private func states(of page: PagePictures.Page, _ document: VerifiedDocument) -> String {
        let number = "\(page.number)"
        let earlier = page.earlier.map { state in
            let names = state.signatures.map { words.value(document.signatures[$0].field) }
            return figure(
                state.picture, .noPageThen, [],
                words.say(.pageWhenSigned, number, names.joined(separator: ", ")), document)
        }
        let now = figure(
            page.picture, .noPageNow, page.marks,
            words.say(earlier.isEmpty ? .page : .pageNow, number), document)
        return ReportPage.element("div", (earlier + [now]).joined(separator: "\n"), class: "states")
    }

    private func figure(
        _ picture: [UInt8]?, _ absence: ReportWord, _ marks: [PagePictures.Mark],
        _ caption: String, _ document: VerifiedDocument
    ) -> String {
        guard let picture else {
            return ReportPage.element(
                "figure",
                ReportPage.element("p", words.say(absence))
                    + ReportPage.element("figcaption", caption))
        }
        let frames = marks.map { mark -> String in
            let name = words.value(document.signatures[mark.signature].field)
            // A label above the page's edge would not be visible.
            let style = mark.top < Self.room ? "mark low" : "mark"
            return """
                <div class="\(style)" style="left:\(Self.percent(mark.left));\
                top:\(Self.percent(mark.top));width:\(Self.percent(mark.width));\
                height:\(Self.percent(mark.height))"><b>\(name)</b></div>
                """
        }
        return ReportPage.element(
            "figure",
            ReportPage.element(
                "div",
                "<img alt=\"\" src=\"data:image/png;base64,\(Base64.encode(picture))\">"
                    + frames.joined(), class: "sheet") + ReportPage.element("figcaption", caption))
    }

    /// Height of a label, as a fraction of the page height.
    private static let room = 0.03

    /// `12.34%`.
    private static func percent(_ share: Double) -> String {
        let hundredths = Int((share * 10_000).rounded())
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)%"
    }
}
