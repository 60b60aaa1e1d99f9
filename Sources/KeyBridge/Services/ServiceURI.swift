internal import Base
package import CMSKit

/// The URI of a key at a signing service (Cloud Signature Consortium API):
/// `csc:https://host/csc/v2`, with `?credential=ID` if the service has several.
package struct ServiceURI: KeyURI, Sendable, Equatable {
    package enum Version: String, Sendable { case v1, v2 }

    /// Without a final slash.
    package let base: String
    /// The version in the URL; nil if the service reports it.
    package let version: Version?
    package let credential: String?

    package static let scheme = "csc:"
    package static let signOnlyPlace: String? = "a signing service"

    /// - Throws: ``SigningFailure`` of kind `usage`.
    package init(_ text: String) throws(SigningFailure) {
        guard Self.canParse(text), text.utf8.count <= Self.byteLimit else {
            throw Self.malformed("is none")
        }
        let parts = text.dropFirst(Self.scheme.count)
            .split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var address = parts[0]
        guard !address.contains("#"), !address.contains(where: \.isWhitespace) else {
            throw Self.malformed("contains characters that are invalid in a URL")
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
        else { throw Self.malformed("contains another query than credential") }
        credential = try Self.decode(pair[1])
        guard self.text.utf8.count <= Self.byteLimit else { throw Self.malformed("is too long") }
    }

    private init(base: String, credential: String) {
        self.base = base
        self.credential = credential
        version = nil
    }

    package func naming(_ credential: String) -> ServiceURI {
        ServiceURI(base: base, credential: credential)
    }

    private static func decode(_ text: Substring) throws(SigningFailure) -> String {
        guard let bytes = PercentEncoding.decode(text.utf8) else {
            throw malformed("contains an invalid %XX")
        }
        guard !bytes.contains(where: { $0 < 0x20 }),
            let decoded = String(validating: bytes, as: UTF8.self)
        else { throw malformed("contains an invalid credential name") }
        return decoded
    }

    private static func malformed(_ detail: String) -> SigningFailure {
        SigningFailure(
            .usage, "the name of the signing service \(detail)", hint: Sentence(.writeServiceURI))
    }

    /// The URI as text, which may be longer than the parsed text.
    package var text: String {
        guard let credential else { return Self.scheme + base }
        let encoded = PercentEncoding.encode(credential.utf8) {
            (0x21..<0x7F).contains($0) && !"%&#".utf8.contains($0)
        }
        return Self.scheme + base + "?credential=" + encoded
    }
}
