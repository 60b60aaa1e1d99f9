import Base
import PDFCore
import TextBridge

/// A glyph of a shaped atom; lengths are in thousandths of the font size.
struct AtomGlyph: Equatable {
    /// The glyph ID in an embedded font; the scalar value of the character in a standard font.
    let glyph: Int
    let advance: Double
    var xOffset = 0.0
    var yOffset = 0.0
    /// The character carried by an empty glyph, which is drawn only for text extraction; `nil` for
    /// other glyphs.
    var carried: Unicode.Scalar?
}

/// Glyphs that together represent some characters, mostly one glyph for one character.
struct GlyphCluster: Equatable {
    let text: [Unicode.Scalar]
    let glyphs: [AtomGlyph]
}

/// A run of text with one font, script and direction, which is never broken.
struct TextAtom {
    /// The clusters in drawing order, from left to right.
    let clusters: [GlyphCluster]
    let face: StampFace
    /// The embedding level; see ``BidiText``.
    let level: UInt8
    let isSpace: Bool
    /// Whether a line may begin here even without a space.
    let canBegin: Bool
    /// Whether the script extends higher and lower than Latin letters.
    let isTall: Bool
    let width: Double
}

struct TextAtomizer {
    let fonts: any StampFonts
    /// The direction of every line; `nil` derives it from the first letter of each line.
    var isRightToLeft: Bool?

    /// The atoms of one line of text, in reading order.
    func atoms(
        of line: [StampParagraph.Piece]
    ) throws -> (atoms: [TextAtom], isRightToLeft: Bool?) {
        let marked = styled(line)
        let bidi = BidiText(marked.map(\.scalar), isRightToLeft: isRightToLeft)
        if bidi == nil, let engine = fonts.engine,
            marked.contains(where: { script(of: $0.scalar).isRightToLeft(engine) })
        {
            throw AppearanceError(
                .libraryMissing,
                "the library libfribidi.so.0 is not installed (Debian: libfribidi0)")
        }
        // The isolate characters are no longer needed.
        let shown = marked.indices.filter {
            ![Self.startOfIsolate, Self.endOfIsolate].contains(marked[$0].scalar)
        }
        let (scalars, levels) = (
            shown.map { marked[$0].scalar }, shown.map { bidi?.levels[$0] ?? 0 }
        )
        let own = scalars.map { script(of: $0) }
        let scripts = Self.resolved(own)

        var atoms: [TextAtom] = []
        var pending: Pending?
        var previous: StampFace?
        var start = 0
        while start < scalars.count {
            var end = start + 1
            while end < scalars.count, Self.continuesCharacter(scalars, at: end) { end += 1 }
            let character = scalars[start..<end]
            let isSpace = character.first == " "
            let isBold = marked[shown[start]].isBold
            let face: StampFace =
                if isSpace, let previous {
                    previous
                } else {
                    try fonts.face(for: character, script: scripts[start], isBold: isBold)
                }
            previous = face
            let canBegin = start > 0 && Self.mayBreak(scalars, own, at: start)
            if var running = pending, !canBegin, running.isSpace == isSpace,
                running.script == scripts[start], running.level == levels[start],
                running.face.isSame(as: face)
            {
                running.scalars += character
                pending = running
            } else {
                if let running = pending { atoms.append(try shape(running)) }
                pending = Pending(
                    scalars: Array(character), script: scripts[start], level: levels[start],
                    face: face, isSpace: isSpace, canBegin: canBegin)
            }
            start = end
        }
        if let running = pending { atoms.append(try shape(running)) }
        return (atoms, bidi?.isRightToLeft)
    }

    private typealias Styled = (scalar: Unicode.Scalar, isBold: Bool)

    /// The characters of a line that remain after cleaning, with their styles.
    private func styled(_ line: [StampParagraph.Piece]) -> [Styled] {
        var result: [Styled] = []
        var isIsolated = false
        for piece in line {
            var scalars = Self.cleaned(
                piece.text, after: result.last?.scalar, isIsolated: &isIsolated)
            if let engine = fonts.engine { scalars = engine.composed(scalars) }
            result += scalars.map { ($0, piece.isBold) }
        }
        if result.last?.scalar == " " { result.removeLast() }
        if isIsolated { result.append((Self.endOfIsolate, false)) }
        return result
    }

    private func script(of scalar: Unicode.Scalar) -> Script {
        fonts.engine?.script(of: scalar) ?? .common
    }

    private struct Pending {
        var scalars: [Unicode.Scalar]
        let script: Script
        let level: UInt8
        let face: StampFace
        let isSpace: Bool
        let canBegin: Bool
    }

    private func shape(_ run: Pending) throws -> TextAtom {
        var clusters: [GlyphCluster] = []
        switch run.face {
        case .standard(let font):
            clusters = run.scalars.map {
                GlyphCluster(
                    text: [$0],
                    glyphs: [
                        AtomGlyph(glyph: Int($0.value), advance: Double(font.width(of: $0) ?? 0))
                    ])
            }
        case .embedded(let font):
            let isRightToLeft = run.level % 2 == 1
            let shaped = try font.shape(
                run.scalars, script: run.script, isRightToLeft: isRightToLeft)
            // Glyphs of one cluster are adjacent; its text ends at the start of the next cluster.
            let starts = Set(shaped.map(\.cluster)).sorted()
            var ends: [Int: Int] = [:]
            for (index, start) in starts.enumerated() {
                ends[start] = index + 1 < starts.count ? starts[index + 1] : run.scalars.count
            }
            var index = 0
            while index < shaped.count {
                let cluster = shaped[index].cluster
                let next = shaped[index...].firstIndex { $0.cluster != cluster } ?? shaped.count
                var text = Array(run.scalars[cluster..<(ends[cluster] ?? cluster + 1)])
                // Viewers extract right-to-left text by reversing the drawn glyphs, or the drawn
                // characters. For a ligature both are right only if each of its characters has a
                // glyph.
                if isRightToLeft, next == index + 1, let carrier = font.emptyGlyph {
                    for scalar in text.dropFirst().reversed() {
                        clusters.append(
                            GlyphCluster(
                                text: [scalar],
                                glyphs: [AtomGlyph(glyph: carrier, advance: 0, carried: scalar)]))
                    }
                    text = [text[0]]
                }
                clusters.append(
                    GlyphCluster(
                        text: text,
                        glyphs: shaped[index..<next].map {
                            AtomGlyph(
                                glyph: $0.glyph, advance: $0.advance, xOffset: $0.xOffset,
                                yOffset: $0.yOffset)
                        }))
                index = next
            }
        }
        let width = clusters.reduce(0) { $0 + $1.glyphs.reduce(0) { $0 + $1.advance } }
        return TextAtom(
            clusters: clusters, face: run.face, level: run.level, isSpace: run.isSpace,
            canBegin: run.canBegin, isTall: !Self.lowScripts.contains(run.script), width: width)
    }

    private static let lowScripts: Set<Script> = [
        .latin, .common, .inherited, Script("Grek"), Script("Cyrl"), Script("Armn"),
        Script("Geor"), Script("Hebr"),
    ]

    /// FSI and PDI (UAX #9).
    private static let startOfIsolate: Unicode.Scalar = "\u{2068}"
    private static let endOfIsolate: Unicode.Scalar = "\u{2069}"

    /// Replaces white space by single spaces, without a leading one, and removes control
    /// characters. Keeps only those invisible characters that are joiners, variation selectors or
    /// paired isolates.
    private static func cleaned(
        _ text: String, after previous: Unicode.Scalar?, isIsolated: inout Bool
    ) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        for scalar in text.unicodeScalars {
            if scalar == (isIsolated ? endOfIsolate : startOfIsolate) {
                isIsolated.toggle()
                result.append(scalar)
                continue
            }
            if scalar == "\u{A0}" || scalar == "\u{202F}" {
                result.append("\u{A0}")
            } else if scalar.properties.isWhitespace {
                if let last = result.last ?? previous, last != " " { result.append(" ") }
            } else if scalar.properties.generalCategory == .control
                || scalar.properties.isDefaultIgnorableCodePoint && !scalar.isJoiner
                    && !scalar.properties.isVariationSelector
            {
                continue
            } else {
                result.append(scalar)
            }
        }
        return result
    }

    /// Whether the character at `index` continues the previous one.
    private static func continuesCharacter(_ scalars: [Unicode.Scalar], at index: Int) -> Bool {
        let scalar = scalars[index]
        guard scalar.value >= 0x300, scalars[index - 1] != " " else { return false }
        if scalar.isJoiner || scalar.properties.isVariationSelector { return true }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .spacingMark: return true
        default: return false
        }
    }

    /// Punctuation and marks get the script of the preceding text, or else that of the following
    /// text.
    private static func resolved(_ own: [Script]) -> [Script] {
        func isShared(_ script: Script) -> Bool { script == .common || script == .inherited }
        var current = own.first { !isShared($0) } ?? .common
        return own.map { script in
            if !isShared(script) { current = script }
            return current
        }
    }

    /// Whether a line may break before `index`: after a hyphen between letters, and between
    /// characters of scripts without spaces. Never before closing or after opening punctuation.
    private static func mayBreak(
        _ scalars: [Unicode.Scalar], _ own: [Script], at index: Int
    ) -> Bool {
        if index > 1, scalars[index - 1] == "-" || scalars[index - 1] == "\u{2010}" {
            // Breaks double names, but not numbers with hyphens, such as dates.
            return scalars[index].properties.isAlphabetic
                && scalars[index - 2].properties.isAlphabetic
        }
        guard own[index].breaksAnywhere || own[index - 1].breaksAnywhere else { return false }
        switch scalars[index - 1].properties.generalCategory {
        case .openPunctuation, .initialPunctuation: return false
        default: break
        }
        switch scalars[index].properties.generalCategory {
        case .closePunctuation, .finalPunctuation, .otherPunctuation, .spaceSeparator: return false
        default: return true
        }
    }
}

extension Unicode.Scalar {
    /// Whether it is the zero width joiner or non-joiner.
    fileprivate var isJoiner: Bool { value == 0x200C || value == 0x200D }
}
