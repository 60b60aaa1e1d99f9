import Base
import CLoaded

/// HarfBuzz and its Unicode functions. An instance exists only if the library is loaded.
@safe package struct TextEngine: @unchecked Sendable {
    // Sendable: the functions are thread-safe.
    let hb: CText_functions

    /// Loads HarfBuzz on first use.
    ///
    /// - Throws: `.engineMissing` with the name of the library.
    package init() throws(TextError) {
        var functions = CText_functions()
        switch Int(unsafe CText_load(&functions)) {
        case Int(CTEXT_LOADED): hb = functions
        case Int(CTEXT_NO_HARFBUZZ):
            throw TextError(.engineMissing, "the library libharfbuzz.so.0 is not installed")
        case Int(CTEXT_NO_SUBSETTER):
            throw TextError(.engineMissing, "the library libharfbuzz-subset.so.0 is not installed")
        default: throw TextError(.engineMissing, "the library HarfBuzz is older than 6.0")
        }
    }

    /// The Unicode script property of a character.
    package func script(of scalar: Unicode.Scalar) -> Script {
        Script(tag: unsafe hb.unicode_script(hb.unicode_funcs_get_default(), scalar.value))
    }

    /// Composes letters with the following combining marks if Unicode has one character for both,
    /// because fonts contain that character (NFC, for adjacent pairs).
    package func composed(_ text: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var result: [Unicode.Scalar] = []
        result.reserveCapacity(text.count)
        let unicode = hb.unicode_funcs_get_default()
        for scalar in text {
            var composed: UInt32 = 0
            if scalar.value >= 0x300, let last = result.last,
                unsafe hb.unicode_compose(unicode, last.value, scalar.value, &composed) != 0,
                let both = Unicode.Scalar(composed)
            {
                result[result.count - 1] = both
            } else {
                result.append(scalar)
            }
        }
        return result
    }
}

/// A script by its ISO 15924 tag.
package struct Script: Hashable, Sendable {
    package let tag: UInt32

    package init(tag: UInt32) { self.tag = tag }

    /// - Parameter name: four letters, such as `Arab`.
    package init(_ name: StaticString) { tag = "\(name)".utf8.reduce(0) { $0 << 8 | UInt32($1) } }

    package static let common = Script("Zyyy")
    /// The script of combining marks, which take that of their base character.
    package static let inherited = Script("Zinh")
    package static let latin = Script("Latn")
    package static let arabic = Script("Arab")
    package static let han = Script("Hani")
    package static let hiragana = Script("Hira")
    package static let katakana = Script("Kana")
    package static let hangul = Script("Hang")
    package static let bopomofo = Script("Bopo")

    /// Whether the script is written without spaces, so that lines may break between any two
    /// characters.
    package var breaksAnywhere: Bool {
        self == .han || self == .hiragana || self == .katakana || self == .bopomofo
    }

    package func isRightToLeft(_ engine: TextEngine) -> Bool {
        engine.hb.script_get_horizontal_direction(tag) == CTEXT_DIRECTION_RTL
    }
}
