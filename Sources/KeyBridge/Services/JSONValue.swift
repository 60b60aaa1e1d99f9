internal import Base

/// A JSON value of a response (RFC 8259): parsed strictly, with limited depth and unique keys.
package indirect enum JSONValue: Equatable, Sendable {
    case null
    case bool(Bool)
    /// The number as text.
    case number(String)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Maximum nesting depth of arrays and objects.
    package static let depthLimit = 32

    package init(parsing bytes: [UInt8]) throws(JSONError) {
        var reader = JSONReader(bytes)
        self = try reader.document()
    }

    /// The value of a key in an object; nil also for null.
    package subscript(key: String) -> JSONValue? {
        guard case .object(let values) = self, let value = values[key], value != .null else {
            return nil
        }
        return value
    }

    package var text: String? { if case .string(let text) = self { text } else { nil } }

    package var list: [JSONValue]? { if case .array(let list) = self { list } else { nil } }

    /// An integer; some services write it as a string.
    package var integer: Int? {
        switch self {
        case .number(let digits), .string(let digits): Int(digits)
        default: nil
        }
    }

    /// A Boolean; some services write it as a string.
    package var truth: Bool? {
        switch self {
        case .bool(let value): value
        case .string("true"): true
        case .string("false"): false
        default: nil
        }
    }

    /// A list of strings; nil if it contains other values.
    package var texts: [String]? {
        guard let list else { return nil }
        let texts = list.compactMap(\.text)
        return texts.count == list.count ? texts : nil
    }
}

/// The position at which bytes are not JSON.
package struct JSONError: Error, Equatable, Sendable { package let offset: Int }

private struct JSONReader {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    private var malformed: JSONError { JSONError(offset: place) }

    mutating func document() throws(JSONError) -> JSONValue {
        let value = try value(depth: 0)
        skipBlanks()
        guard place == bytes.count else { throw malformed }
        return value
    }

    private mutating func skipBlanks() {
        while place < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[place]) { place += 1 }
    }

    private mutating func take(_ character: Character) -> Bool {
        guard place < bytes.count, bytes[place] == character.asciiValue else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) throws(JSONError) -> JSONValue {
        skipBlanks()
        guard place < bytes.count else { throw malformed }
        switch bytes[place] {
        case UInt8(ascii: "{") where depth < JSONValue.depthLimit: return try object(depth: depth)
        case UInt8(ascii: "[") where depth < JSONValue.depthLimit: return try array(depth: depth)
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", for: .bool(true))
        case UInt8(ascii: "f"): return try word("false", for: .bool(false))
        case UInt8(ascii: "n"): return try word("null", for: .null)
        default: return .number(try number())
        }
    }

    private mutating func word(_ word: String, for value: JSONValue) throws(JSONError) -> JSONValue
    {
        guard bytes[place...].starts(with: word.utf8) else { throw malformed }
        place += word.utf8.count
        return value
    }

    private mutating func object(depth: Int) throws(JSONError) -> JSONValue {
        place += 1
        var values: [String: JSONValue] = [:]
        skipBlanks()
        if take("}") { return .object(values) }
        repeat {
            skipBlanks()
            guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { throw malformed }
            let key = try string()
            skipBlanks()
            guard take(":") else { throw malformed }
            // Parsers differ in which of two equal keys applies.
            guard values.updateValue(try value(depth: depth + 1), forKey: key) == nil else {
                throw malformed
            }
            skipBlanks()
        } while take(",")
        guard take("}") else { throw malformed }
        return .object(values)
    }

    private mutating func array(depth: Int) throws(JSONError) -> JSONValue {
        place += 1
        var values: [JSONValue] = []
        skipBlanks()
        if take("]") { return .array(values) }
        repeat {
            values.append(try value(depth: depth + 1))
            skipBlanks()
        } while take(",")
        guard take("]") else { throw malformed }
        return .array(values)
    }

    private mutating func digits() throws(JSONError) {
        let start = place
        while place < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) {
            place += 1
        }
        guard place > start else { throw malformed }
    }

    private mutating func number() throws(JSONError) -> String {
        let start = place
        _ = take("-")
        if !take("0") { try digits() }
        if take(".") { try digits() }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            try digits()
        }
        return String(decoding: bytes[start..<place], as: UTF8.self)
    }

    private mutating func string() throws(JSONError) -> String {
        place += 1
        var text: [UInt8] = []
        while place < bytes.count {
            let byte = bytes[place]
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw malformed }
                place += 1
                return string
            case UInt8(ascii: "\\"):
                place += 1
                text += String(try escape()).utf8
            case 0..<0x20: throw malformed
            default:
                text.append(byte)
                place += 1
            }
        }
        throw malformed
    }

    private mutating func escape() throws(JSONError) -> Unicode.Scalar {
        guard place < bytes.count else { throw malformed }
        defer { place += 1 }
        switch bytes[place] {
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "/"): return "/"
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return try scalar()
        default: throw malformed
        }
    }

    /// `uXXXX`, or a surrogate pair of two. The position is then at the last digit.
    private mutating func scalar() throws(JSONError) -> Unicode.Scalar {
        let first = try unit()
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard (0xD800..<0xDC00).contains(first), place + 2 < bytes.count,
            bytes[place + 1] == UInt8(ascii: "\\"), bytes[place + 2] == UInt8(ascii: "u")
        else { throw malformed }
        place += 2
        let second = try unit()
        guard (0xDC00..<0xE000).contains(second),
            let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
        else { throw malformed }
        return scalar
    }

    private mutating func unit() throws(JSONError) -> UInt32 {
        guard place + 4 < bytes.count else { throw malformed }
        var value: UInt32 = 0
        for _ in 0..<4 {
            place += 1
            guard let digit = Hex.value(of: bytes[place]) else { throw malformed }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}
