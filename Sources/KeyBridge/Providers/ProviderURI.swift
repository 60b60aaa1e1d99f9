internal import Base
internal import CMSKit

/// The URI of a key of an OpenSSL provider: `provider:URI?provider=NAME`, with a URI of the
/// provider's store, such as `handle:0x81000001` in a TPM.
package struct ProviderURI: KeyURI, Sendable, Equatable {
    package static let scheme = "provider:"
    package static let signOnlyPlace: String? = "an OpenSSL provider"

    /// The URI without the name of the provider.
    package let uri: String
    /// The provider in the URI, otherwise the one known for the URI's scheme.
    package let provider: String

    /// Providers by the schemes of their stores.
    private static let known = ["handle": "tpm2", "object": "tpm2", "pkcs11": "pkcs11"]
    private static let nameLimit = 64

    /// - Throws: ``SigningFailure`` of kind `usage`.
    package init(_ text: String) throws {
        let parts = text.dropFirst(Self.scheme.count).split(
            separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let attributes = parts.count > 1 ? parts[1].split(separator: "&") : []
        let named = attributes.filter { $0.hasPrefix("provider=") }
        let others = attributes.filter { !$0.hasPrefix("provider=") }
        let name = parts[0].prefix { $0 != ":" }.lowercased()
        guard let provider = named.first.map({ String($0.dropFirst(9)) }) ?? Self.known[name],
            named.count <= 1, !name.isEmpty, name.utf8.count < parts[0].utf8.count,
            text.utf8.count <= Self.byteLimit, !text.utf8.contains(where: { $0 < 0x20 }),
            (1...Self.nameLimit).contains(provider.utf8.count),
            provider.utf8.allSatisfy(Self.isNameByte)
        else {
            throw SigningFailure(
                .usage, "the key's URI does not name a store and its OpenSSL provider",
                hint: Sentence(.writeProviderURI))
        }
        uri = parts[0] + (others.isEmpty ? "" : "?" + others.joined(separator: "&"))
        self.provider = provider
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || "-_".utf8.contains(byte)
    }

    /// The URI with the name of the provider.
    package var text: String {
        Self.scheme + uri + (uri.contains("?") ? "&" : "?") + "provider=" + provider
    }
}
