import Base
import SignetKit

/// Draws a timeline: validity of certificates, claimed times, and proofs of existence.
struct ReportTimeline {
    private struct Mark {
        enum Shape { case claimed, proven, checked }
        let time: CalendarTime
        let label: String
        let shape: Shape
    }

    private struct Row {
        let title: String
        var valid: ClosedRange<Int>?
        var marks: [Mark] = []
    }

    private var rows: [Row] = []
    private let checked: CalendarTime
    private let words: ReportWords

    private static let width = 760
    private static let left = 12
    private static let rowHeight = 72
    private static let top = 12
    private static let lineHeight = 14

    /// - Parameter checked: the validation time.
    init(_ document: VerifiedDocument, checked: CalendarTime, in words: ReportWords) {
        self.checked = checked
        self.words = words
        for signature in document.shownSignatures.prefix(Self.rowLimit) {
            let who = signature.signer?.displayName ?? words(.unknownSigner)
            let name = words.name(of: signature)
            var row = Row(title: "\(name.kind) \(name.field ?? ""): \(who)")
            if let signer = signature.signer, signer.notBefore <= signer.notAfter {
                row.valid = signer.notBefore.secondsSinceEpoch...signer.notAfter.secondsSinceEpoch
            }
            func add(_ time: Moment?, _ label: String, _ shape: Mark.Shape) {
                guard let time = time?.time else { return }
                row.marks.append(Mark(time: time, label: label, shape: shape))
            }
            if signature.kind == .timestamp {
                add(
                    signature.timestamp?.time, words(.stampedMark),
                    signature.timestamp?.trusted == true ? .proven : .claimed)
            } else {
                add(signature.claimedTime, words(.claimedMark), .claimed)
                add(signature.provenTime, words(.provenMark), .proven)
            }
            if row.valid != nil || !row.marks.isEmpty { rows.append(row) }
        }
    }

    private static let rowLimit = 40

    /// Inline SVG; empty if there are no times.
    var svg: String {
        let times =
            rows.flatMap { row in
                row.marks.map(\.time.secondsSinceEpoch)
                    + (row.valid.map { [$0.lowerBound, $0.upperBound] } ?? [])
            } + [checked.secondsSinceEpoch]
        guard times.count > 1, let first = times.min(), let last = times.max(), first < last else {
            return ""
        }
        let span = last - first
        func x(_ seconds: Int) -> Int {
            Self.left
                + Int(Double(seconds - first) / Double(span) * Double(Self.width - 2 * Self.left))
        }
        let bottom = Self.top + rows.count * Self.rowHeight
        var parts: [String] = []
        let now = x(checked.secondsSinceEpoch)
        for (index, row) in rows.enumerated() {
            let y = Self.top + index * Self.rowHeight
            parts.append(
                "<text x=\"\(Self.left)\" y=\"\(y + 10)\">\(ReportPage.escaped(Self.cut(row.title)))</text>"
            )
            // Draw the line below the names, so that it does not cross them, and longer than the
            // marks, so that they do not hide it.
            parts.append(
                """
                <line x1="\(now)" y1="\(y + 13)" x2="\(now)" y2="\(y + 37)" stroke="#5b6470" \
                stroke-dasharray="3 3"/>
                """)
            if let valid = row.valid {
                let start = x(valid.lowerBound)
                parts.append(
                    """
                    <rect x="\(start)" y="\(y + 20)" width="\(max(2, x(valid.upperBound) - start))" \
                    height="8" fill="#d5dae0" stroke="#5b6470" stroke-width="0.5"><title>\
                    \(ReportPage.escaped(words(.certificateValid)))</title></rect>
                    """)
            }
            for (offset, mark) in row.marks.enumerated() {
                parts.append(drawing(mark, x(mark.time.secondsSinceEpoch), y + 24, offset))
            }
        }
        parts.append(axis(first, last, bottom))
        let words = rows.map { row in
            row.title + ": "
                + row.marks.map { "\($0.label) \($0.time.rfc3339)" }.joined(separator: ", ")
        }.joined(separator: "; ")
        return """
            <div class="timeline"><svg viewBox="0 0 \(Self.width) \(bottom + 34)" role="img" \
            aria-label="\(ReportPage.escaped(words))">
            \(parts.joined(separator: "\n"))
            </svg></div>
            <p class="pale">\(legend)</p>
            """
    }

    /// Explains the symbols that are drawn.
    private var legend: String {
        let shapes = rows.flatMap(\.marks).map(\.shape)
        let explained: [(ReportWord, Bool)] = [
            (.legendBar, rows.contains { $0.valid != nil }),
            (.legendCircle, shapes.contains(.proven)),
            (.legendDiamond, shapes.contains(.claimed)), (.legendLine, true),
        ]
        return explained.filter(\.1).map { words.say($0.0) }.joined(separator: " ")
    }

    private static func cut(_ text: String) -> String {
        text.count > 90 ? text.prefix(89) + "…" : text
    }

    /// Shapes differ, so that they are distinguishable in black and white.
    private func drawing(_ mark: Mark, _ x: Int, _ y: Int, _ offset: Int) -> String {
        let shape =
            mark.shape == .proven
            ? "<circle cx=\"\(x)\" cy=\"\(y)\" r=\"6\" fill=\"#176b3a\"/>"
            : "<path d=\"M\(x) \(y - 7)l7 7l-7 7l-7-7z\" fill=\"#ffffff\" stroke=\"#8a5a00\" stroke-width=\"2\"/>"
        let isRight = x > Self.width / 2
        // Isolate the date: right-to-left text would reorder its parts.
        let day = mark.time.rfc3339.prefix(10)
        let date = words.language.isRightToLeft ? "\u{2066}\(day)\u{2069}" : "\(day)"
        return shape + """
            <text class="small" x="\(isRight ? x - 10 : x + 10)" y="\(y + 20 + offset * Self.lineHeight)" \
            text-anchor="\(isRight ? "end" : "start")">\(ReportPage.escaped(mark.label)) \(date)</text>
            """
    }

    private func axis(_ first: Int, _ last: Int, _ y: Int) -> String {
        let (start, end) = (Self.left, Self.width - Self.left)
        func day(_ seconds: Int) -> Substring {
            CalendarTime(secondsSinceEpoch: seconds).rfc3339.prefix(10)
        }
        return """
            <line x1="\(start)" y1="\(y)" x2="\(end)" y2="\(y)" stroke="#5b6470"/>
            <text class="small" x="\(start)" y="\(y + 16)">\(day(first))</text>
            <text class="small" x="\(end)" y="\(y + 16)" text-anchor="end">\(day(last))</text>
            """
    }
}
