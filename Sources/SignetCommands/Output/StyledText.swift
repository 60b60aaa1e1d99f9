/// Text in parts that may have a tone. All parts are escaped.
struct StyledText {
    struct Part {
        fileprivate(set) var text: String
        let tone: Tone
        /// Whether no line break is permitted inside.
        let isWhole: Bool
    }

    private(set) var parts: [Part] = []

    init() {}

    init(_ text: String, _ tone: Tone = .plain) { append(text, tone) }

    /// A command at the end is not broken, so that it can be copied.
    init(hint: String) {
        let command = hint.firstRange(of: ": signet ").map { hint[$0.lowerBound...].dropFirst(2) }
        append(String(hint.dropLast(command?.count ?? 0)))
        if let command { append(whole: String(command)) }
    }

    /// A hint; commands and fingerprints are on lines of their own, so that they can be copied.
    static func hint(_ hint: String) -> [StyledText] {
        var lines: [StyledText] = []
        var start = hint.startIndex
        for index in hint.indices where index >= start && hint[index...].dropFirst().first == " " {
            let next = hint[index...].dropFirst(2)
            let isColon = hint[index] == ":" && (next.hasPrefix("signet ") || isFingerprint(next))
            let isEnd =
                hint[index] == ";"
                && ["signet ", "if the fingerprints match", "or if the CA is on"].contains(
                    where: next.hasPrefix)
            guard isColon || isEnd else { continue }
            lines.append(line(hint[start..<next.startIndex].dropLast(isColon ? 1 : 2)))
            start = next.startIndex
        }
        return lines + [line(hint[start...])]
    }

    static func isCopied(_ line: some StringProtocol) -> Bool {
        line.hasPrefix("signet ") || isFingerprint(line)
    }

    /// `6D:56:…`
    private static func isFingerprint(_ text: some StringProtocol) -> Bool {
        let start = text.prefix(6).split(separator: ":", omittingEmptySubsequences: false)
        return start.count == 3
            && start.dropLast().allSatisfy { $0.count == 2 && $0.allSatisfy(\.isHexDigit) }
    }

    private static func line(_ text: Substring) -> StyledText {
        isCopied(text) ? StyledText(whole: text) : StyledText(String(text))
    }

    private init(whole text: Substring) { append(whole: String(text)) }

    var plain: String { parts.map(\.text).joined() }
    var firstTone: Tone { parts.first?.tone ?? .plain }
    var lastTone: Tone { parts.last?.tone ?? .plain }

    mutating func append(_ text: String, _ tone: Tone = .plain) {
        add(Reporter.printable(text), tone)
    }

    mutating func append(_ other: StyledText) {
        for part in other.parts { add(part.text, part.tone, isWhole: part.isWhole) }
    }

    /// Text without line breaks inside.
    mutating func append(whole text: String) {
        add(Reporter.printable(text), .plain, isWhole: true)
    }

    private mutating func add(_ text: String, _ tone: Tone, isWhole: Bool = false) {
        if let last = parts.last, last.tone == tone, !last.isWhole, !isWhole {
            parts[parts.count - 1].text += text
        } else if !text.isEmpty {
            parts.append(Part(text: text, tone: tone, isWhole: isWhole))
        }
    }

    /// The parts between single spaces.
    var words: [StyledText] {
        var words = [StyledText()]
        for part in parts {
            let pieces =
                part.isWhole
                ? [Substring(part.text)]
                : part.text.split(separator: " ", omittingEmptySubsequences: false)
            for (index, piece) in pieces.enumerated() {
                if index > 0 { words.append(StyledText()) }
                words[words.count - 1].add(String(piece), part.tone)
            }
        }
        return words
    }

    var columnCount: Int { plain.unicodeScalars.reduce(0) { $0 + Self.columns($1) } }

    private static func columns(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark: return 0
        default: break
        }
        return switch scalar.value {
        // East Asian scripts, and emoji.
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1FAFF, 0x20000...0x3FFFD:
            2
        default: 1
        }
    }
}
