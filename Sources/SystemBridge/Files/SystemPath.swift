import CSystemCalls
import Glibc

/// Conversion between file names and text that preserves any bytes, also invalid UTF-8.
///
/// An invalid byte becomes a private-use character, U+10FF00 plus the byte; such characters in a
/// name are escaped bytewise in the same way.
package enum SystemPath {
    private static let escapes = Unicode.Scalar(0x10FF80 as UInt32)?.value ?? 0
    private static let lastEscape: UInt32 = 0x10FFFF
    /// The first UTF-8 byte of those characters.
    private static let escapeLead: UInt8 = 0xF4

    /// The byte that a character represents; nil for all others.
    package static func byte(_ scalar: Unicode.Scalar) -> UInt8? {
        (escapes...lastEscape).contains(scalar.value)
            ? UInt8(truncatingIfNeeded: scalar.value) : nil
    }

    /// The text of a name's bytes.
    package static func text(_ bytes: [UInt8]) -> String {
        if !bytes.contains(escapeLead), let text = try? UTF8Span(validating: bytes.span) {
            return String(copying: text)
        }
        var result = String.UnicodeScalarView()
        var rest = bytes[...]
        while let first = rest.first {
            let count = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
            let scalar = String(validating: rest.prefix(count), as: UTF8.self)?.unicodeScalars.first
            if let scalar, byte(scalar) == nil {
                result.append(scalar)
                rest = rest.dropFirst(count)
            } else {
                if let escape = Unicode.Scalar(0x10FF00 + UInt32(first)) { result.append(escape) }
                rest = rest.dropFirst()
            }
        }
        return String(result)
    }

    /// Whether some of a text's characters may represent bytes.
    static func mayEscape(_ text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] == escapeLead { return true }
        return false
    }

    /// The bytes of a name's text.
    package static func bytes(_ text: String) -> [UInt8] {
        guard mayEscape(text) else { return Array(text.utf8) }
        return text.unicodeScalars.flatMap { scalar in
            byte(scalar).map { [$0] } ?? Array(String(scalar).utf8)
        }
    }
}

extension String {
    /// Provides the name's bytes for a system call.
    func withSystemPath<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
        guard SystemPath.mayEscape(self) else { return unsafe withCString(body) }
        let bytes = SystemPath.bytes(self).map { CChar(bitPattern: $0) } + [0]
        return unsafe bytes.withUnsafeBufferPointer { buffer in
            // There is at least a zero byte, so there is an address.
            guard let start = buffer.baseAddress else { preconditionFailure("no bytes") }
            return unsafe body(start)
        }
    }

    /// Provides the bytes of two names for a system call.
    func withSystemPath<Result>(
        and other: String, _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Result
    ) -> Result {
        unsafe withSystemPath { one in unsafe other.withSystemPath { unsafe body(one, $0) } }
    }

    init(systemPath name: UnsafePointer<CChar>) {
        let bytes = unsafe UnsafeRawBufferPointer(start: name, count: strlen(name))
        self = unsafe SystemPath.text(Array(bytes))
    }
}

package enum ProcessArguments {
    /// The arguments without the program's name.
    package static var all: [String] {
        (1..<max(1, CFile_argument_count())).compactMap { index in
            guard let argument = unsafe CFile_argument(index) else { return nil }
            return unsafe String(systemPath: argument)
        }
    }
}
