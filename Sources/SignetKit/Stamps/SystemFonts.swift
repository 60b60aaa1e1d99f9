import Base
import SystemBridge
import TextBridge

/// The fonts in fontconfig's usual folders. Families of a short list are opened by their paths; the
/// folders are searched only for characters missing in them.
final class SystemFonts {
    private let engine: TextEngine
    private let folders: [String]
    /// Fonts in use that were found by a search of all folders.
    private var regularOthers: [TextFont] = []
    private var boldOthers: [TextFont] = []
    /// Fonts by path; nil for files that cannot be used.
    private var opened: [ExactText: TextFont?] = [:]
    private var known: [Question: TextFont?] = [:]
    private lazy var files = Self.everyFontFile(in: folders)

    /// A cached search for the font of a character without combining marks.
    private struct Question: Hashable {
        let scalar: Unicode.Scalar
        let isBold: Bool
    }

    /// Maximum number of folder entries, and maximum depth, of a search.
    private static let maximumEntryCount = 20_000
    private static let maximumDepth = 6
    private static let maximumSearchCount = 2000

    init(engine: TextEngine) {
        self.engine = engine
        folders = Self.usualFolders
    }

    static var installedCount: Int { everyFontFile(in: usualFolders).count }

    private static var usualFolders: [String] {
        var folders: [String] = []
        let home = ProcessEnvironment.absolutePath("HOME")
        if let data = ProcessEnvironment.absolutePath("XDG_DATA_HOME") {
            folders.append(data + "/fonts")
        } else if let home {
            folders.append(home + "/.local/share/fonts")
        }
        if let home { folders.append(home + "/.fonts") }
        return folders + ["/usr/local/share/fonts", "/usr/share/fonts"]
    }

    /// Whether a font was found by a search of all folders.
    func isMakeshift(_ font: TextFont) -> Bool {
        regularOthers.contains { $0 === font } || boldOthers.contains { $0 === font }
    }

    /// The first font that contains a character with its combining marks; nil if none does.
    func font(
        for character: ArraySlice<Unicode.Scalar>, script: Script, isBold: Bool
    ) -> TextFont? {
        guard character.count == 1, let scalar = character.first else {
            return find(character, script: script, isBold: isBold)
        }
        let question = Question(scalar: scalar, isBold: isBold)
        if let answer = known[question] { return answer }
        let answer = find(character, script: script, isBold: isBold)
        known[question] = .some(answer)
        return answer
    }

    private func find(
        _ character: ArraySlice<Unicode.Scalar>, script: Script, isBold: Bool
    ) -> TextFont? {
        // For bold text, a regular glyph is better than none.
        for weight in isBold ? [true, false] : [false] {
            let listed = (Family.preferred[script] ?? []) + Family.general
            for family in listed {
                guard let font = open(family, isBold: weight), font.has(character) else { continue }
                return font
            }
            let others = weight ? boldOthers : regularOthers
            if let font = others.first(where: { $0.has(character) }) { return font }
        }
        for file in files.sorted(by: { $0.rank(isBold: isBold) < $1.rank(isBold: isBold) })
            .prefix(Self.maximumSearchCount)
        {
            guard let font = open(file.path), font.has(character) else { continue }
            if isBold { boldOthers.append(font) } else { regularOthers.append(font) }
            return font
        }
        return nil
    }

    private func open(_ family: Family, isBold: Bool) -> TextFont? {
        for folder in folders {
            for part in family.folders {
                let name = isBold ? family.boldName : family.regularName
                if let font = open("\(folder)/\(part)/\(name)") { return font }
            }
        }
        return nil
    }

    private func open(_ path: String) -> TextFont? {
        if let known = opened[ExactText(path)] { return known }
        var font: TextFont?
        if let file = try? InputFile(path: path) {
            font = try? TextFont(file, label: path, engine: engine)
        }
        if font?.permitsEmbedding == false { font = nil }
        opened[ExactText(path)] = .some(font)
        return font
    }

    private static func everyFontFile(in folders: [String]) -> [FontFile] {
        var found: [FontFile] = []
        var entryCount = 0
        var pending = folders.reversed().map { (path: $0, depth: 0) }
        while let (path, depth) = pending.popLast() {
            for name in (try? FileSystem.list(path)) ?? [] {
                entryCount += 1
                guard entryCount <= maximumEntryCount else { return found }
                let ending = name.split(separator: ".").last?.lowercased() ?? ""
                if ["ttf", "otf", "ttc", "otc"].contains(ending) {
                    found.append(FontFile(path: "\(path)/\(name)", name: name.lowercased()))
                } else if depth < maximumDepth,
                    FileSystem.isDirectory("\(path)/\(name)")
                {
                    pending.append(("\(path)/\(name)", depth + 1))
                }
            }
        }
        return found
    }
}

private struct FontFile {
    let path: String
    let name: String

    /// Rank of the file, lower is better: plain sans-serif fonts of the requested weight come
    /// first.
    func rank(isBold: Bool) -> Int {
        var rank = 0
        if name.contains("bold") != isBold { rank += 8 }
        if !name.contains("sans") { rank += 1 }
        for (part, penalty) in Self.penalties where name.contains(part) { rank += penalty }
        return rank
    }

    private static let penalties = [
        ("serif", 2), ("mono", 4), ("italic", 16), ("oblique", 16), ("condensed", 16),
        ("narrow", 16), ("light", 16), ("thin", 16), ("black", 16), ("math", 16),
    ]
}

/// A font family that distributions install in one of a few folders.
private struct Family {
    let folders: [String]
    let regularName: String
    let boldName: String

    static let general = [
        Family(
            folders: [
                "truetype/liberation", "truetype/liberation2", "liberation-sans-fonts",
                "liberation-sans", "liberation",
            ], regularName: "LiberationSans-Regular.ttf", boldName: "LiberationSans-Bold.ttf"),
        Family(
            folders: ["truetype/dejavu", "dejavu-sans-fonts", "dejavu", "TTF"],
            regularName: "DejaVuSans.ttf", boldName: "DejaVuSans-Bold.ttf"), noto("NotoSans"),
    ]

    static let preferred: [Script: [Family]] = {
        let cjk = [
            Family(
                folders: [
                    "opentype/noto", "noto-cjk", "google-noto-sans-cjk-fonts",
                    "google-noto-cjk-fonts",
                ], regularName: "NotoSansCJK-Regular.ttc", boldName: "NotoSansCJK-Bold.ttc"),
            Family(
                folders: ["truetype/droid"], regularName: "DroidSansFallbackFull.ttf",
                boldName: "DroidSansFallbackFull.ttf"),
        ]
        return [
            .arabic: [noto("NotoSansArabic"), noto("NotoNaskhArabic")],
            .han: cjk, .hiragana: cjk, .katakana: cjk, .bopomofo: cjk, .hangul: cjk,
        ]
    }()

    private static func noto(_ name: String) -> Family {
        Family(
            folders: ["truetype/noto", "noto", "google-noto"], regularName: "\(name)-Regular.ttf",
            boldName: "\(name)-Bold.ttf")
    }
}
