internal import Base
internal import CMSKit

/// The URI of a signing program: `exec:NAME?key=K` for a program `signet-key-NAME` on the PATH, or
/// `exec:/path?key=K`.
package struct ProgramURI: KeyURI, Sendable, Equatable {
    package enum Program: Sendable, Equatable {
        case named(String)
        case path(String)
    }

    package let program: Program
    /// Name of the key in the program; may be empty.
    package let key: String
    /// Whether the program receives messages instead of hashes.
    package let wantsMessage: Bool
    /// Further parameters, by name.
    package let others: [String: String]

    package static let scheme = "exec:"
    package static let signOnlyPlace: String? = "a program"
    package static let prefix = "signet-key-"

    /// - Throws: ``SigningFailure`` of kind `usage`.
    package init(_ text: String) throws {
        guard Self.canParse(text), text.utf8.count <= Self.byteLimit else {
            throw Self.malformed("is none")
        }
        let rest = text.dropFirst(Self.scheme.count)
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let name = try Self.decode(parts[0])
        if name.hasPrefix("/") {
            program = .path(name)
        } else {
            guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy(Self.isNameByte) else {
                throw Self.malformed(
                    "contains no program name (lower-case letters, digits and hyphens) or absolute path"
                )
            }
            program = .named(name)
        }
        var values: [String: String] = [:]
        if parts.count > 1, !parts[1].isEmpty {
            for part in parts[1].split(separator: "&", omittingEmptySubsequences: false) {
                let pair = part.split(
                    separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, !pair[0].isEmpty, pair[0].utf8.allSatisfy(Self.isNameByte)
                else { throw Self.malformed("contains a part without name and value") }
                guard values.updateValue(try Self.decode(pair[1]), forKey: String(pair[0])) == nil
                else { throw Self.malformed("contains '\(pair[0])' twice") }
            }
        }
        key = values.removeValue(forKey: "key") ?? ""
        switch values.removeValue(forKey: "input") {
        case nil, "digest": wantsMessage = false
        case "message": wantsMessage = true
        default: throw Self.malformed("has an input that is neither digest nor message")
        }
        others = values
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func decode(_ text: Substring) throws -> String {
        guard let bytes = PercentEncoding.decode(text.utf8) else {
            throw malformed("contains an invalid %XX")
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw malformed("is not UTF-8")
        }
        return decoded
    }

    private static func malformed(_ detail: String) -> SigningFailure {
        SigningFailure(
            .usage, "the name of the program \(detail)", hint: Sentence(.writeProgramURI, prefix))
    }

    package var text: String {
        switch program {
        case .named(let name): Self.scheme + name
        case .path(let path): Self.scheme + path
        }
    }
}
