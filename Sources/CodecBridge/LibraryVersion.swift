import CLoaded

/// An installed shared library, for reports about the computer.
package struct LibraryVersion: Sendable {
    /// How a library states its version.
    package enum Source: Sendable {
        case function(String)
        /// A function of a pointer that may be NULL.
        case functionOfPointer(String)
        /// A function of a number, called with 0.
        case functionOfNumber(String)
        case variable(String)
        case none
    }

    /// The version, such as `1.6.39`; nil if the library states none.
    package let version: String?

    private static let textLimit = 256

    /// - Parameter library: the file name, such as `libpng16.so.16`.
    /// - Returns: nil if the library is not installed.
    package init?(_ library: String, _ source: Source) {
        let (name, kind): (String?, CLoaded_version_kind) =
            switch source {
            case .function(let name): (name, CLOADED_OF_NOTHING)
            case .functionOfPointer(let name): (name, CLOADED_OF_POINTER)
            case .functionOfNumber(let name): (name, CLOADED_OF_NUMBER)
            case .variable(let name): (name, CLOADED_VARIABLE)
            case .none: (nil, CLOADED_OF_NOTHING)
            }
        var buffer = [CChar](repeating: 0, count: Self.textLimit)
        guard unsafe CLoaded_version(library, name, kind, &buffer, buffer.count) != 0 else {
            return nil
        }
        version = Self.number(
            in: String(
                decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// The first number with dots in a text, such as `7.88.1` in `libcurl/7.88.1 OpenSSL/3.0`.
    package static func number(in text: String) -> String? {
        text.split { !($0.isNumber || $0 == "." || $0.isLetter) }.lazy
            .map { $0.drop { !$0.isNumber } }
            .first { $0.contains(".") && $0.first?.isNumber == true }
            .map { String($0.prefix { $0.isNumber || $0 == "." || $0.isLetter }) }
    }
}
