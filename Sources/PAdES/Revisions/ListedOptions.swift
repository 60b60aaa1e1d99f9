import PDFCore

/// The options of a list, compared with the lines of its look.
struct ListedOptions {
    private struct Line {
        let number: Int
        let text: String
        let folded: String
    }

    private let choice: ChoiceOptions
    /// Those that show anything, without spaces.
    private let options: [(index: Int, folded: String)]

    /// Most comparisons to find which option the look begins with.
    private static let stepLimit = 20_000
    /// A line that could be shown below takes no more than so many times the size of the text.
    private static let lineHeight = 2.0

    /// Nil where it is no list, or was not read as a whole.
    init?(_ choice: ChoiceOptions?) {
        guard let choice, choice.isList, choice.isComplete else { return nil }
        self.choice = choice
        options = choice.options.enumerated().map { ($0, FieldValue.folded($1.shown)) }
            .filter { !$0.1.isEmpty }
    }

    /// How the look of a list shows other options than it has, or marks others than are chosen.
    func contradiction(in look: WidgetLook) throws -> String? {
        guard !look.isMissing else { return nil }
        for case let shown? in try look.texts() where shown.isReadable {
            if let words = contradiction(in: shown) { return words }
        }
        return nil
    }

    private func contradiction(in look: AppearanceText) -> String? {
        let lines = look.text.split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
            .map { Line(number: $0, text: String($1), folded: FieldValue.folded(String($1))) }
            .filter { !$0.folded.isEmpty }
        // Some programs leave lists to the readers, and draw a ground.
        guard !lines.isEmpty else { return nil }
        let hasRoom = Self.hasRoom(below: look)
        let due = options.firstIndex { $0.index >= choice.top } ?? options.count
        var steps = 0
        var places = places(of: lines, from: due, &steps)
        if places.count < lines.count, !hasRoom {
            // Some programs scroll to what is chosen, and do not say so.
            for start in options.indices where steps < Self.stepLimit {
                let found = self.places(of: lines, from: start, &steps)
                guard found.count == lines.count else { continue }
                places = found
                break
            }
        }
        guard places.count == lines.count else {
            let next = places.last.map { $0 + 1 } ?? due
            let option = options.indices.contains(next) ? options[next].index : nil
            return "shows \(quoted(lines[places.count].text)), where its options have "
                + quoted(option.map { choice.options[$0].shown } ?? "")
        }
        let isCut = hasRoom && places.last.map { $0 + 1 < options.count } ?? true
        return wrongMark(in: look, zip(lines.map(\.number), places), isCut: isCut)
    }

    /// Which option each line is, or a part of, as far as they follow one another.
    private func places(of lines: [Line], from start: Int, _ steps: inout Int) -> [Int] {
        var found: [Int] = []
        for place in options.indices.dropFirst(start) {
            guard found.count < lines.count else { break }
            steps += 1
            var rest = options[place].folded[...]
            var end = found.count
            while end < lines.count, !rest.isEmpty, rest.hasPrefix(lines[end].folded) {
                rest = rest.dropFirst(lines[end].folded.count)
                end += 1
                steps += 1
            }
            guard rest.isEmpty, steps < Self.stepLimit else { break }
            found += [Int](repeating: place, count: end - found.count)
        }
        return found
    }

    /// - Parameters:
    ///   - places: the lines, and the options that they are.
    ///   - isCut: whether it ends where there is room for more.
    private func wrongMark(
        in look: AppearanceText, _ places: some Sequence<(Int, Int)>, isCut: Bool
    ) -> String? {
        var seen: Set<Int> = []
        var marked: Set<Int> = []
        for (line, place) in places where look.seenLines.contains(line) {
            seen.insert(place)
            if look.markedLines.contains(line) { marked.insert(place) }
        }
        if marked.isEmpty { marked = Self.standingOut(in: look, places, seen) }
        let hasMark = !marked.isEmpty || !look.shown.isEven
        guard let value = choice.firstChosen else {
            return hasMark ? "marks an option, but has no value" : nil
        }
        let exports = choice.chosenExports
        let chosen = seen.filter { exports.contains(choice.options[options[$0].index].export) }
        guard !chosen.isEmpty else {
            // What stands further up or down is not seen in any reader.
            return hasMark || isCut ? "does not show its value, \(quoted(value))" : nil
        }
        // One alone needs no mark, and some programs mark none at all.
        guard marked != chosen, seen.count > 1, hasMark else { return nil }
        return "does not mark its value, \(quoted(value)), or not that alone"
    }

    /// The options in another colour than most: some programs mark by that.
    private static func standingOut(
        in look: AppearanceText, _ places: some Sequence<(Int, Int)>, _ seen: Set<Int>
    ) -> Set<Int> {
        var groups: [(ink: Ink, places: Set<Int>)] = []
        for (line, place) in places where seen.contains(place) {
            guard let ink = look.lineInks[line] ?? nil else { return [] }
            if let known = groups.firstIndex(where: { $0.ink.isLike(ink) }) {
                groups[known].places.insert(place)
            } else if groups.count < 2 {
                groups.append((ink, [place]))
            } else {
                return []
            }
        }
        groups.sort { $0.places.count < $1.places.count }
        guard groups.count == 2, groups[0].places.count < groups[1].places.count,
            groups[0].places.isDisjoint(with: groups[1].places)
        else { return [] }
        return groups[0].places
    }

    private func quoted(_ text: String) -> String { ChoiceOptions.quoted(text) }

    /// Whether another option could be shown below the text.
    private static func hasRoom(below look: AppearanceText) -> Bool {
        guard let place = look.place, let size = look.shown.size else { return false }
        return place.bottom * look.box.height * look.scale.y >= lineHeight * size
    }
}
