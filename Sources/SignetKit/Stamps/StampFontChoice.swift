import Base
import Pages
import SystemBridge
import TextBridge

/// Finds the fonts of an appearance: the given file, else system fonts, else the standard fonts,
/// which are not embedded.
///
/// For each character the first font that contains it is used: fonts already in use, then a short
/// list of families, then every font in the system's folders.
final class StampFontChoice: StampFonts {
    let engine: TextEngine?
    private let engineFailure: TextError?
    private let named: TextFont?
    /// Whether all fonts must be embedded, as in PDF/A.
    private let mustEmbed: Bool
    private lazy var system = engine.map { SystemFonts(engine: $0) }
    private let standard = StandardStampFonts()
    /// Warnings about the fonts used.
    private(set) var notes: [String] = []

    /// - Parameter file: a font for all text; nil uses system fonts.
    init(file: String?, mustEmbed: Bool) throws {
        self.mustEmbed = mustEmbed
        do throws(TextError) {
            engine = try TextEngine()
            engineFailure = nil
        } catch {
            engine = nil
            engineFailure = error
        }
        guard let file else {
            named = nil
            return
        }
        guard let engine else { throw Self.missingEngine(engineFailure?.detail) }
        let font: TextFont
        do {
            font = try TextFont(try InputFile(path: file), label: file, engine: engine)
        } catch let error as TextError {
            throw SignetError(
                .malformedInput, file: file, error.detail, hint: Sentence(.giveOpenFont))
        } catch let error as FileError {
            throw SignetError(error)
        }
        guard font.permitsEmbedding else {
            throw SignetError(
                .malformedInput, file: file, "the font's licence does not permit embedding",
                hint: Sentence(.nameFontOrNone))
        }
        named = font
    }

    func face(
        for character: ArraySlice<Unicode.Scalar>, script: Script, isBold: Bool
    ) throws -> StampFace {
        let visible = character.first ?? " "
        if let named {
            if named.has(character) { return .embedded(named) }
            throw SignetError(
                .usage, file: named.label, "the font has no character \(Self.text(visible))",
                hint: Sentence(.nameFontOrLetFind))
        }
        if let system, let font = system.font(for: character, script: script, isBold: isBold) {
            if system.isMakeshift(font) {
                note(
                    "'\(Self.text(visible))' and other characters of the visible signature use "
                        + "\(font.postScriptName), the first font that contains them; for a better font: "
                        + "apt install \(Self.package(script))")
            }
            return .embedded(font)
        }
        if !mustEmbed, let face = try? standard.face(for: character, script: script, isBold: isBold)
        {
            note(
                "the visible signature uses Helvetica without embedding, so viewers may substitute it: "
                    + (engine == nil ? "HarfBuzz is not installed" : "no font is installed")
                    + " (apt install libharfbuzz0b libharfbuzz-subset0 fonts-dejavu-core)")
            return face
        }
        guard engine != nil else { throw Self.missingEngine(engineFailure?.detail) }
        throw SignetError(
            .missingInput, "no installed font has the character \(Self.text(visible))",
            hint: hint(for: visible, script))
    }

    private func note(_ text: String) { if !notes.contains(text) { notes.append(text) } }

    private func hint(for character: Unicode.Scalar, _ script: Script) -> Sentence {
        // Another font package would not help if the script's usual letters are available, or for
        // emoji: their color fonts have no outlines to draw.
        let letter = Self.usualLetter(script)
        let isInstalled =
            letter.map { system?.font(for: [$0], script: script, isBold: false) != nil } ?? false
        guard !isInstalled, !character.properties.isEmojiPresentation else {
            return Sentence(.leaveOutCharacterOrNameFont)
        }
        return Sentence(.installFont, Self.package(script))
    }

    private static func usualLetter(_ script: Script) -> Unicode.Scalar? {
        switch script {
        case .latin, .common: "A"
        case .arabic: "\u{627}"
        case .han, .hiragana, .katakana, .bopomofo: "\u{4E00}"
        case .hangul: "\u{AC00}"
        case Script("Grek"): "\u{3B1}"
        case Script("Cyrl"): "\u{430}"
        case Script("Hebr"): "\u{5D0}"
        default: nil
        }
    }

    private static func missingEngine(_ detail: String?) -> SignetError {
        SignetError(
            .missingInput, detail ?? "HarfBuzz is not installed",
            hint: Sentence(.installTextLibraries))
    }

    private static func text(_ scalar: Unicode.Scalar) -> String {
        scalar.properties.generalCategory == .unassigned || !scalar.properties.isGraphemeBase
            ? scalar.codePoint : "\(scalar) (\(scalar.codePoint))"
    }

    private static func package(_ script: Script) -> String {
        switch script {
        case .han, .hiragana, .katakana, .bopomofo, .hangul: "fonts-noto-cjk"
        case .latin, .common, .arabic, Script("Grek"), Script("Cyrl"), Script("Hebr"):
            "fonts-dejavu-core"
        default: "fonts-noto-core"
        }
    }
}

extension TextFont {
    /// Whether the font contains a character with its combining marks; invisible ones need no
    /// glyph.
    func has(_ character: ArraySlice<Unicode.Scalar>) -> Bool {
        character.allSatisfy { glyph(of: $0) != nil || $0.properties.isDefaultIgnorableCodePoint }
    }
}
