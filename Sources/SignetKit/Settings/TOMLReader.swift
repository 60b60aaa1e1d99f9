import Base

/// A reader for a subset of TOML 1.0: tables, strings, lists of strings.
///
/// Other features of TOML are reported as errors.
package struct TOMLReader {
    package enum Value: Equatable, Sendable {
        case string(String)
        case strings([String])
    }

    package struct Entry: Equatable, Sendable {
        /// Names of the tables, followed by the key.
        package let path: [String]
        package let value: Value
        /// Line number from 1.
        package let line: Int
    }

    /// An error with its line number.
    package struct Failure: Error, Equatable {
        package let line: Int
        /// Message: one line, lower case, without a full stop.
        package let detail: String
    }

    package static let byteLimit = 1 << 20
    private static let entryLimit = 10_000
    private static let depthLimit = 8

    private var rest: ArraySlice<UInt8>
    private var line = 1

    package static func read(_ bytes: [UInt8]) throws(Failure) -> [Entry] {
        guard bytes.count <= byteLimit else {
            throw Failure(line: 1, detail: "the file has more than \(byteLimit) bytes")
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw Failure(line: 1, detail: "the file is not UTF-8")
        }
        // Some editors write a byte order mark.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var reader = TOMLReader(rest: bytes.starts(with: mark) ? bytes.dropFirst(3) : bytes[...])
        return try reader.entries()
    }

    private init(rest: ArraySlice<UInt8>) { self.rest = rest }

    private func failure(_ detail: String) -> Failure { Failure(line: line, detail: detail) }

    private mutating func entries() throws(Failure) -> [Entry] {
        var entries: [Entry] = []
        var known: Set<[String]> = []
        var headings: Set<[String]> = []
        var table: [String] = []
        while true {
            skipSpace(lines: true)
            guard let first = rest.first else { return entries }
            if first == UInt8(ascii: "[") {
                rest.removeFirst()
                guard rest.first != UInt8(ascii: "[") else {
                    throw failure("arrays of tables are not supported")
                }
                table = try keyPath()
                try expect("]")
                guard headings.insert(table).inserted, !known.contains(table) else {
                    throw failure("the table \(Self.text(table)) is defined twice")
                }
            } else {
                let begun = line
                let path = table + (try keyPath())
                try expect("=")
                skipSpace()
                let entry = Entry(path: path, value: try value(), line: begun)
                guard known.insert(path).inserted, !headings.contains(path) else {
                    throw Failure(line: begun, detail: "\(Self.text(path)) is defined twice")
                }
                guard entries.count < Self.entryLimit else {
                    throw failure("the file has more than \(Self.entryLimit) entries")
                }
                entries.append(entry)
            }
            skipSpace()
            guard rest.isEmpty || rest.first == 10 || rest.first == 13 else {
                throw failure("unexpected text after the value")
            }
        }
    }

    private static func text(_ path: [String]) -> String { path.joined(separator: ".") }

    // MARK: Keys

    private mutating func keyPath() throws(Failure) -> [String] {
        var path: [String] = []
        repeat {
            skipSpace()
            path.append(try key())
            skipSpace()
            guard path.count <= Self.depthLimit else { throw failure("the key has too many parts") }
        } while take(UInt8(ascii: "."))
        return path
    }

    private mutating func key() throws(Failure) -> String {
        if rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "'") {
            return try string()
        }
        let word = rest.prefix { $0.isASCIIAlphanumeric || "-_".utf8.contains($0) }
        guard !word.isEmpty else { throw failure("expected a key") }
        rest = rest.dropFirst(word.count)
        return String(decoding: word, as: UTF8.self)
    }

    // MARK: Values

    private mutating func value() throws(Failure) -> Value {
        switch rest.first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "["): return .strings(try strings())
        case UInt8(ascii: "{"): throw failure("inline tables are not supported")
        case nil, 10, 13, UInt8(ascii: "#"), UInt8(ascii: ","), UInt8(ascii: "]"):
            throw failure("expected a value")
        default: throw failure("the value must be a string in quotation marks")
        }
    }

    private mutating func strings() throws(Failure) -> [String] {
        rest.removeFirst()
        var strings: [String] = []
        while true {
            skipSpace(lines: true)
            if take(UInt8(ascii: "]")) { return strings }
            guard rest.first == UInt8(ascii: "\"") || rest.first == UInt8(ascii: "'") else {
                throw failure("lists must contain strings in quotation marks")
            }
            strings.append(try string())
            guard strings.count <= Self.entryLimit else { throw failure("the list is too long") }
            skipSpace(lines: true)
            if take(UInt8(ascii: ",")) { continue }
            guard rest.first == UInt8(ascii: "]") else {
                throw failure("expected a comma or ]")
            }
        }
    }

    private mutating func string() throws(Failure) -> String {
        guard let mark = rest.popFirst() else { throw failure("expected a string") }
        guard !rest.starts(with: [mark, mark]) else {
            throw failure("multi-line strings are not supported")
        }
        let isLiteral = mark == UInt8(ascii: "'")
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case mark: return String(decoding: bytes, as: UTF8.self)
            case UInt8(ascii: "\\") where !isLiteral: bytes += Array(try escape().utf8)
            case 0..<9, 10..<32, 127:
                throw failure("the string has no closing quotation mark in its line")
            default: bytes.append(byte)
            }
        }
        throw failure("the string has no closing quotation mark")
    }

    private mutating func escape() throws(Failure) -> String {
        switch rest.popFirst() {
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "\""): return "\""
        case UInt8(ascii: "\\"): return "\\"
        case UInt8(ascii: "u"): return try scalar(digits: 4)
        case UInt8(ascii: "U"): return try scalar(digits: 8)
        default: throw failure("unknown escape sequence; strings in single quotes need no escapes")
        }
    }

    private mutating func scalar(digits: Int) throws(Failure) -> String {
        let text = String(decoding: rest.prefix(digits), as: UTF8.self)
        guard text.utf8.count == digits, text.allSatisfy(\.isHexDigit),
            let scalar = UInt32(text, radix: 16).flatMap(Unicode.Scalar.init)
        else { throw failure("invalid character number") }
        rest = rest.dropFirst(digits)
        return String(Character(scalar))
    }

    // MARK: White space

    private mutating func take(_ byte: UInt8) -> Bool {
        guard rest.first == byte else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func expect(_ character: Unicode.Scalar) throws(Failure) {
        skipSpace()
        guard take(UInt8(ascii: character)) else { throw failure("expected '\(character)'") }
    }

    /// Skips white space and comments. A carriage return is only permitted before a line feed.
    private mutating func skipSpace(lines: Bool = false) {
        while let byte = rest.first {
            switch byte {
            case 0x20, 0x09: rest.removeFirst()
            case UInt8(ascii: "#"): rest = rest.drop { $0 != 10 }
            case 10 where lines:
                line += 1
                rest.removeFirst()
            case 13 where rest.dropFirst().first == 10: rest.removeFirst()
            default: return
            }
        }
    }
}
