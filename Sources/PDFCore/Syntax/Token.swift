/// A lexical token (ISO 32000-2 §7.2).
enum Token: Equatable {
    case end
    case integer(Int)
    case real(PDFReal)
    case name(PDFName)
    case string(PDFString)
    case arrayStart
    case arrayEnd
    case dictionaryStart
    case dictionaryEnd
    case keyword(Keyword)

    /// The text of the token in messages.
    var summary: String {
        switch self {
        case .end: "the end of the data"
        case .integer(let value): "\(value)"
        case .real(let real): String(decoding: real.text, as: UTF8.self)
        case .name(let name): "/\(name)"
        case .string: "a string"
        case .arrayStart: "["
        case .arrayEnd: "]"
        case .dictionaryStart: "<<"
        case .dictionaryEnd: ">>"
        case .keyword(.other(let bytes)): "'\(String(decoding: bytes.prefix(24), as: UTF8.self))'"
        case .keyword(let keyword): "'\(keyword)'"
        }
    }
}

/// A run of regular characters that is not a number, or a stray delimiter.
enum Keyword: Equatable {
    case obj
    case endobj
    case stream
    case endstream
    case reference
    case `true`
    case `false`
    case null
    case xref
    case trailer
    case startxref
    case other([UInt8])

    /// The keywords by their spelling, the most frequent ones first.
    private static let known: [(word: PDFName, keyword: Keyword)] = [
        ("obj", .obj), ("endobj", .endobj), ("R", .reference), ("stream", .stream),
        ("endstream", .endstream), ("null", .null), ("true", .true), ("false", .false),
        ("xref", .xref), ("trailer", .trailer), ("startxref", .startxref),
    ]

    init(_ word: PDFName) {
        self = Self.known.first { $0.word == word }?.keyword ?? .other(word.bytes)
    }

    /// The keywords as bytes.
    enum Spelling {
        static let obj = Array("obj".utf8)
        static let endobj = Array("endobj".utf8)
        static let endstream = Array("endstream".utf8)
        static let xref = Array("xref".utf8)
        static let trailer = Array("trailer".utf8)
        static let startxref = Array("startxref".utf8)
    }
}
