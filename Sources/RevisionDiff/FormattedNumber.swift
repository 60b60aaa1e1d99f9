/// A number as stored in a field or displayed by a format script: with digit groups, a currency,
/// and parentheses for a minus.
struct FormattedNumber: Equatable {
    /// The integer digits without leading zeros.
    private var whole = ""
    /// The decimals without trailing zeros.
    private var decimals = ""
    private var isNegative = false

    private static let groupSize = 3
    private static let groupMarks: Set<Character> = [",", ".", "'", "\u{2019}", " ", "\u{A0}"]
    private static let decimalMarks: Set<Character> = [",", "."]
    /// Other letters could mean thousands or millions.
    private static let currencies: Set<String> = [
        "", "$", "€", "£", "¥", "AUD", "BGN", "BRL", "CAD", "CHF", "CNY", "CZK", "DKK", "EUR", "Fr",
        "Ft", "GBP", "HUF", "INR", "JPY", "Kč", "kr", "NOK", "NZD", "PLN", "R$", "RON", "SEK",
        "UAH", "US$", "USD", "zł",
    ]

    /// Parses a field's value; nil if it is not a plain number.
    init?(value: String) {
        let isNegative = value.hasPrefix("-")
        let parts = value.dropFirst(isNegative ? 1 : 0)
            .split(omittingEmptySubsequences: false, whereSeparator: Self.decimalMarks.contains)
        guard parts.count <= 2 else { return nil }
        self.init(parts[0], parts.count == 2 ? parts[1] : "", isNegative)
    }

    /// Parses displayed text; nil if it is not a number or is ambiguous.
    init?(_ text: String) {
        guard let first = text.firstIndex(where: Self.isDigit),
            let last = text.lastIndex(where: Self.isDigit)
        else { return nil }
        let before = text[..<first].filter { !$0.isWhitespace }
        let after = text[text.index(after: last)...].filter { !$0.isWhitespace }
        let signs = (before + after).filter { "()-".contains($0) }
        guard ["", "-", "()"].contains(signs), !after.contains("-") else { return nil }
        let currency = [before, after].map { $0.filter { !"()-".contains($0) } }
        guard currency.contains(""), currency.allSatisfy(Self.currencies.contains) else {
            return nil
        }
        let body = text[first...last]
        let groups = body.split(
            omittingEmptySubsequences: false, whereSeparator: { !Self.isDigit($0) })
        let marks = body.filter { !Self.isDigit($0) }
        guard let lastMark = marks.last, let lastGroup = groups.last else {
            self.init(body, "", !signs.isEmpty)
            return
        }
        // Three digits after the last separator may be a group.
        let hasDecimals = lastGroup.count != Self.groupSize
        let groupMarks = hasDecimals ? marks.dropLast() : marks[...]
        let wholeGroups = hasDecimals ? groups.dropLast() : groups[...]
        guard !hasDecimals || Self.decimalMarks.contains(lastMark),
            Set(groupMarks).count <= 1, groupMarks.allSatisfy(Self.groupMarks.contains),
            !hasDecimals || !groupMarks.contains(lastMark),
            wholeGroups.dropFirst().allSatisfy({ $0.count == Self.groupSize }),
            wholeGroups.count == 1
                || (1...Self.groupSize).contains(wholeGroups[0].count)
                    && wholeGroups[0].first != "0"
        else { return nil }
        self.init(wholeGroups.joined()[...], hasDecimals ? lastGroup : "", !signs.isEmpty)
    }

    private init?(_ whole: Substring, _ decimals: Substring, _ isNegative: Bool) {
        guard !(whole + decimals).isEmpty, (whole + decimals).allSatisfy(Self.isDigit) else {
            return nil
        }
        self.whole = String(whole.drop { $0 == "0" })
        self.decimals = String(decimals)
        while self.decimals.last == "0" { self.decimals.removeLast() }
        self.isNegative = isNegative && !(self.whole + self.decimals).isEmpty
    }

    private static func isDigit(_ character: Character) -> Bool {
        character.isASCII && character.isNumber
    }
}
