/// A lexical unit.
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

    /// How a message shows the token.
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

    init(_ bytes: [UInt8]) {
        self =
            switch bytes {
            case Spelling.obj: .obj
            case Spelling.endobj: .endobj
            case Spelling.stream: .stream
            case Spelling.endstream: .endstream
            case Spelling.reference: .reference
            case Spelling.true: .true
            case Spelling.false: .false
            case Spelling.null: .null
            case Spelling.xref: .xref
            case Spelling.trailer: .trailer
            case Spelling.startxref: .startxref
            default: .other(bytes)
            }
    }

    /// The keywords as bytes.
    enum Spelling {
        static let obj = Array("obj".utf8)
        static let endobj = Array("endobj".utf8)
        static let stream = Array("stream".utf8)
        static let endstream = Array("endstream".utf8)
        static let reference = Array("R".utf8)
        static let `true` = Array("true".utf8)
        static let `false` = Array("false".utf8)
        static let null = Array("null".utf8)
        static let xref = Array("xref".utf8)
        static let trailer = Array("trailer".utf8)
        static let startxref = Array("startxref".utf8)
    }
}
