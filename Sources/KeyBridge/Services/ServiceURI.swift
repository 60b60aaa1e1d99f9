internal import Base
package import CMSKit

/// Names a key at a signing service (Cloud Signature Consortium API): `csc:https://host/csc/v2`,
/// with `?credential=ID` where the service has several.
package struct ServiceURI: Sendable, Equatable {
    /// Versions of the API.
    package enum Version: String, Sendable {
        case v1, v2
    }

    /// Without a slash at the end.
    package let base: String
    /// As the address says; nil where the service is to say.
    package let version: Version?
    package let credential: String?

    package static let scheme = "csc:"
    /// Of what is given, and of ``text``, which may be longer.
    package static let byteLimit = 4096

    /// Whether the text is meant as one: by its scheme, whatever the case.
    package static func isMeant(by text: String) -> Bool {
        text.utf8.count >= scheme.utf8.count && text.prefix(scheme.count).lowercased() == scheme
    }

    /// - Throws: ``SigningFailure`` of kind `usage`.
    package init(_ text: String) throws(SigningFailure) {
        guard Self.isMeant(by: text), text.utf8.count <= Self.byteLimit else {
            throw Self.malformed("is none")
        }
        let parts = text.dropFirst(Self.scheme.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var address = parts[0]
        guard !address.contains("#"), !address.contains(where: \.isWhitespace) else {
            throw Self.malformed("has characters that no address has")
        }
        while address.hasSuffix("/") { address = address.dropLast() }
        base = String(address)
        version = address.split(separator: "/").last.flatMap { Version(rawValue: String($0)) }
        guard parts.count > 1 else {
            credential = nil
            return
        }
        let pair = parts[1].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, pair[0] == "credential", !pair[1].isEmpty, !pair[1].contains("&")
        else { throw Self.malformed("says something else than which credential") }
        credential = try Self.decode(pair[1])
        guard self.text.utf8.count <= Self.byteLimit else { throw Self.malformed("is too long") }
    }

    private init(base: String, credential: String) {
        self.base = base
        self.credential = credential
        version = nil
    }

    /// The same service, and one of its credentials.
    package func naming(_ credential: String) -> ServiceURI {
        ServiceURI(base: base, credential: credential)
    }

    private static func decode(_ text: Substring) throws(SigningFailure) -> String {
        guard let bytes = PercentEncoding.decode(text) else { throw malformed("has a broken %XX") }
        guard !bytes.contains(where: { $0 < 0x20 }),
            let decoded = String(validating: bytes, as: UTF8.self)
        else { throw malformed("names a credential that cannot be one") }
        return decoded
    }

    private static func malformed(_ detail: String) -> SigningFailure {
        SigningFailure(
            .usage, "the name of the signing service \(detail)", hint: Sentence(.writeServiceURI))
    }

    /// As it is written.
    package var text: String {
        Self.scheme + base + (credential.map { "?credential=" + Self.encoded($0) } ?? "")
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.map { byte in
            let isPlain =
                byte != UInt8(ascii: "%") && byte != UInt8(ascii: "&") && byte != UInt8(ascii: "#")
                && (0x21..<0x7F).contains(byte)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + Hex.encode([byte], uppercase: true)
        }.joined()
    }
}
