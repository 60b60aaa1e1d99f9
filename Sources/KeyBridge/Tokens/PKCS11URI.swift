internal import Base
internal import CMSKit

/// The URI of a key on a token (RFC 7512).
///
/// Values are compared as bytes after percent-decoding, as §2.3 requires.
package struct PKCS11URI: KeyURI, Sendable, Equatable {
    /// Path attributes, which identify the object (RFC 7512 §2.3).
    package enum Attribute: String, Sendable, CaseIterable {
        case model, manufacturer, serial, token, id, object, type
        case libraryManufacturer = "library-manufacturer"
        case libraryDescription = "library-description"
        case libraryVersion = "library-version"
        case slotManufacturer = "slot-manufacturer"
        case slotDescription = "slot-description"
        case slotID = "slot-id"

        /// The longest value in bytes: the width of the compared field.
        var byteLimit: Int {
            switch self {
            case .model, .serial: 16
            case .manufacturer, .token, .libraryManufacturer, .libraryDescription,
                .slotManufacturer:
                32
            case .slotDescription: 64
            case .type, .libraryVersion, .slotID: 20
            case .id, .object: PKCS11URI.byteLimit
            }
        }
    }

    package private(set) var path: [Attribute: [UInt8]] = [:]
    /// The module's file.
    package var modulePath: String?
    /// The module's name in the system configuration or module folder.
    package var moduleName: String?
    /// `file:` with an absolute path, or an absolute path.
    package private(set) var pinFile: String?
    /// Unknown query attributes; RFC 7512 §2.3 permits ignoring them.
    package private(set) var unknownQueries: [String] = []

    package static let scheme = "pkcs11:"
    package static let signOnlyPlace: String? = nil

    package init() {}

    /// - Throws: ``SigningFailure`` of kind `usage`. Its message never contains a `pin-value`.
    package init(_ text: String) throws {
        guard text.utf8.count <= Self.byteLimit else {
            throw Self.malformed("has more than \(Self.byteLimit) bytes")
        }
        guard Self.canParse(text) else { throw Self.malformed("does not begin with pkcs11:") }
        let rest = Array(text.utf8).dropFirst(Self.scheme.utf8.count)
        let question = rest.firstIndex(of: UInt8(ascii: "?"))
        try readPath(rest[..<(question ?? rest.endIndex)])
        if let question { try readQuery(rest[(question + 1)...]) }
    }

    package subscript(attribute: Attribute) -> [UInt8]? {
        get { path[attribute] }
        set { path[attribute] = newValue }
    }

    private static func malformed(_ detail: String) -> SigningFailure {
        SigningFailure(.usage, "the PKCS#11 URI \(detail)", hint: Sentence(.writeTokenURI))
    }

    // MARK: Reading

    private mutating func readPath(_ text: ArraySlice<UInt8>) throws {
        guard !text.isEmpty else { return }
        for part in text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false) {
            try refusePIN(part)
            for query in ["module-path", "module-name", "pin-source"]
            where part.starts(with: Array("\(query)=".utf8)) {
                throw Self.malformed("contains '\(query)' before '?': it belongs after '?'")
            }
            let (name, value) = try Self.pair(part, allowed: Self.pathCharacters)
            guard let attribute = Attribute(rawValue: name) else {
                throw Self.malformed("contains the unknown attribute '\(name)'")
            }
            guard path[attribute] == nil else { throw Self.malformed("contains '\(name)' twice") }
            guard value.count <= attribute.byteLimit else {
                throw Self.malformed("contains a too long value of '\(name)'")
            }
            try Self.check(value, of: attribute)
            path[attribute] = value
        }
    }

    private static func check(_ value: [UInt8], of attribute: Attribute) throws {
        let text = String(decoding: value, as: UTF8.self)
        switch attribute {
        case .type:
            guard ["private", "cert", "public", "secret-key", "data"].contains(text) else {
                throw malformed("contains the unknown type '\(text)'")
            }
        case .libraryVersion:
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count), parts.allSatisfy({ UInt8($0) != nil }) else {
                throw malformed("contains an invalid library-version")
            }
        case .slotID:
            guard UInt(text) != nil else {
                throw malformed("contains a slot-id that is not a number")
            }
        case .id: break
        default:
            guard String(validating: value, as: UTF8.self) != nil else {
                throw malformed("contains a value of '\(attribute.rawValue)' that is not UTF-8")
            }
        }
    }

    private mutating func readQuery(_ text: ArraySlice<UInt8>) throws {
        guard !text.isEmpty else { return }
        var seen: Set<String> = []
        for part in text.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            try refusePIN(part)
            let (name, bytes) = try Self.pair(part, allowed: Self.queryCharacters)
            guard let value = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
                throw Self.malformed("contains a value of '\(name)' that is not UTF-8")
            }
            guard seen.insert(name).inserted else {
                throw Self.malformed("contains '\(name)' twice")
            }
            switch name {
            case "module-path":
                guard value.hasPrefix("/") else {
                    throw Self.malformed("contains a module-path that is not absolute")
                }
                modulePath = value
            case "module-name":
                guard !value.isEmpty, !bytes.contains(UInt8(ascii: "/")),
                    bytes.first != UInt8(ascii: ".")
                else { throw Self.malformed("contains an invalid module-name") }
                moduleName = value
            case "pin-source": pinFile = try Self.pinFile(value)
            default: unknownQueries.append(name)
            }
        }
        if modulePath != nil, moduleName != nil {
            throw Self.malformed("contains both module-path and module-name")
        }
    }

    /// Rejects `pin-value` in any part.
    private func refusePIN(_ part: ArraySlice<UInt8>) throws {
        guard part.starts(with: Array("pin-value=".utf8)) else { return }
        throw SigningFailure(
            .usage, "the PKCS#11 URI contains a PIN, which other users of this machine can read",
            hint: Sentence(.choosePIN))
    }

    private static func pinFile(_ value: String) throws -> String {
        let file = value.hasPrefix("file:") ? String(value.dropFirst(5)) : value
        // `file:///path`: the host is empty, which means this computer.
        let path = file.hasPrefix("///") ? String(file.dropFirst(2)) : file
        guard path.hasPrefix("/"), !path.hasPrefix("//") else {
            throw malformed("contains a pin-source that is not an absolute path")
        }
        return path
    }

    private static func pair(
        _ part: ArraySlice<UInt8>, allowed: Set<UInt8>
    ) throws -> (name: String, value: [UInt8]) {
        guard let equals = part.firstIndex(of: UInt8(ascii: "=")), equals > part.startIndex else {
            throw malformed("contains a part without name and value")
        }
        let name = part[..<equals]
        guard name.allSatisfy({ unreserved.contains($0) && $0 != UInt8(ascii: "~") }) else {
            throw malformed("contains a name with invalid characters")
        }
        let text = String(decoding: name, as: UTF8.self)
        return (text, try decode(part[(equals + 1)...], name: text, allowed: allowed))
    }

    private static func decode(
        _ text: ArraySlice<UInt8>, name: String, allowed: Set<UInt8>
    ) throws -> [UInt8] {
        guard text.allSatisfy({ $0 == UInt8(ascii: "%") || allowed.contains($0) }) else {
            // Only values of known attributes are shown: others may contain a PIN.
            let example =
                Attribute(rawValue: name) == nil
                ? "" : ": \(name)=" + encode(text.prefix(exampleByteCount), except: unreserved)
            throw malformed(
                "contains a character in '\(name)' that must be written as %XX" + example)
        }
        guard let bytes = PercentEncoding.decode(text) else {
            throw malformed("contains an invalid %XX in '\(name)'")
        }
        return bytes
    }

    /// Longest part of a value in a message.
    private static let exampleByteCount = 64

    // MARK: Characters

    private static let unreserved = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
    private static let both = unreserved.union(":[]@!$'()*+,=".utf8)
    private static let pathCharacters = both.union("&".utf8)
    private static let queryCharacters = both.union("/?|".utf8)

    // MARK: Writing

    /// The URI in canonical form, to be copied.
    package var text: String {
        let parts = Attribute.allCases.compactMap { attribute in
            path[attribute].map {
                "\(attribute.rawValue)="
                    + Self.encode($0, except: attribute == .id ? [] : Self.unreserved)
            }
        }
        let queries = [("module-name", moduleName), ("module-path", modulePath)].compactMap {
            name, value in
            value.map {
                "\(name)=" + Self.encode(Array($0.utf8), except: Self.unreserved.union("/".utf8))
            }
        }
        return Self.scheme + parts.joined(separator: ";")
            + (queries.isEmpty ? "" : "?" + queries.joined(separator: "&"))
    }

    /// - Parameter plain: bytes that are not escaped.
    private static func encode(_ bytes: some Sequence<UInt8>, except plain: Set<UInt8>) -> String {
        PercentEncoding.encode(bytes, isPlain: plain.contains)
    }
}
