import SystemBridge

/// A language for the text in signature appearances.
public enum Language: String, CaseIterable, Sendable {
    // Sorted by language tag.
    case arabic = "ar"
    case czech = "cs"
    case german = "de"
    case english = "en"
    case spanish = "es"
    case french = "fr"
    case italian = "it"
    case polish = "pl"
    case slovak = "sk"
    case ukrainian = "uk"
    case chinese = "zh"

    /// The language of a tag (RFC 5646) or of a locale name: `cs`, `de-AT`, `pl_PL.UTF-8`; nil for
    /// others. Chinese is simplified Chinese, so tags for traditional Chinese give nil.
    public init?(tag: String) {
        let name = tag.prefix { $0 != "." && $0 != "@" }
        let parts = name.split(omittingEmptySubsequences: false) { $0 == "-" || $0 == "_" }
            .map { $0.lowercased() }
        guard let language = parts.first.flatMap(Language.init(rawValue:)),
            parts.allSatisfy({ (1...8).contains($0.utf8.count) }),
            language != .chinese || parts.allSatisfy({ !["hant", "tw", "hk", "mo"].contains($0) })
        else { return nil }
        self = language
    }

    /// The language of messages in the environment (`LC_ALL`, `LC_MESSAGES`, `LANG`); English if
    /// none is set or supported.
    public static var ofEnvironment: Language {
        let name = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap {
            ProcessEnvironment.string($0)
        }.first
        return name.flatMap(Language.init(tag:)) ?? .english
    }

    /// Whether the language is written from right to left.
    public var isRightToLeft: Bool { self == .arabic }

    /// Labels for the values in an appearance.
    public struct Words: Sendable {
        /// Label above the signer's name.
        public let signedBy: String
        /// Label of the reason.
        public let reason: String
        /// Label of the location.
        public let location: String
        /// Separator between a label and its value.
        public let colon: String

        fileprivate init(
            _ signedBy: String, _ reason: String, _ location: String, colon: String = ": "
        ) {
            self.signedBy = signedBy
            self.reason = reason
            self.location = location
            self.colon = colon
        }
    }

    /// The labels in this language.
    public var words: Words {
        switch self {
        case .arabic: Words("وقّعه رقميًا", "السبب", "المكان")
        case .chinese: Words("数字签名人", "原因", "地点", colon: "：")
        case .czech: Words("Digitálně podepsal", "Důvod", "Místo")
        case .english: Words("Digitally signed by", "Reason", "Location")
        case .french: Words("Signé numériquement par", "Motif", "Lieu", colon: "\u{A0}: ")
        case .german: Words("Digital signiert von", "Grund", "Ort")
        case .italian: Words("Firmato digitalmente da", "Motivo", "Luogo")
        case .polish: Words("Podpisane cyfrowo przez", "Powód", "Miejsce")
        case .slovak: Words("Digitálne podpísal", "Dôvod", "Miesto")
        case .spanish: Words("Firmado digitalmente por", "Motivo", "Lugar")
        case .ukrainian: Words("Цифровий підпис", "Підстава", "Місце")
        }
    }

    /// The months' names in the form used after a day number.
    var months: [Substring] { monthNames.split(separator: " ") }

    private var monthNames: String {
        switch self {
        case .arabic: "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر"
        case .chinese: "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月"
        case .czech:
            "ledna února března dubna května června července srpna září října listopadu prosince"
        case .english:
            "January February March April May June July August September October November December"
        case .french:
            "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"
        case .german:
            "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"
        case .italian:
            "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre "
                + "dicembre"
        case .polish:
            "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października "
                + "listopada grudnia"
        case .slovak:
            "januára februára marca apríla mája júna júla augusta septembra októbra novembra "
                + "decembra"
        case .spanish:
            "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
                + "diciembre"
        case .ukrainian:
            "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня"
        }
    }

    /// The numeric date format, for ``DateFormat``. If the order of day and month differs between
    /// countries with this language, the year comes first.
    var shortDate: String {
        switch self {
        case .arabic, .english: "yyyy-MM-dd"
        case .chinese: "yyyy年M月d日"
        case .czech, .slovak: "d.\u{A0}M.\u{A0}yyyy"
        case .german, .polish, .ukrainian: "dd.MM.yyyy"
        case .french, .italian, .spanish: "dd/MM/yyyy"
        }
    }

    /// The long date format, for ``DateFormat``.
    var longDate: String {
        switch self {
        case .arabic, .english, .french, .italian, .polish: "d\u{A0}MMMM yyyy"
        case .chinese: "yyyy年M月d日"
        case .czech, .german, .slovak: "d.\u{A0}MMMM yyyy"
        case .spanish: "d 'de' MMMM 'de' yyyy"
        case .ukrainian: "d\u{A0}MMMM yyyy\u{A0}'р.'"
        }
    }

    /// Text for the first day of a month; nil if it is `1`.
    var firstDay: String? { self == .french ? "1er" : nil }
}
