import CLoaded

/// The parts of an http or https URL, as parsed by libcurl.
package struct HTTPAddress: Equatable, Sendable {
    package let text: String
    package let host: String
    package let port: Int
    package let isEncrypted: Bool

    /// Loads libcurl on first use.
    ///
    /// - Throws: `.badAddress`, also for a name and password in the URL, which would be visible on
    ///   the command line and in logs.
    package init(_ text: String) throws(HTTPError) {
        try CurlLibrary.load()
        var address = CCurl_address()
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }),
            unsafe CCurl_read_address(text, &address) != 0
        else { throw HTTPError(.badAddress, "is not a URL") }
        let scheme = unsafe withUnsafeBytes(of: address.scheme) { unsafe Self.text(of: $0) }
        guard scheme == "http" || scheme == "https" else {
            throw HTTPError(.badAddress, "does not start with http:// or https://")
        }
        guard address.has_login == 0 else {
            throw HTTPError(.badAddress, "contains a user name or a password")
        }
        self.text = text
        host = unsafe withUnsafeBytes(of: address.host) { unsafe Self.text(of: $0) }.lowercased()
        port = address.port
        isEncrypted = scheme == "https"
    }

    /// The host, with the port if it is not the default one.
    package var authority: String {
        port == (isEncrypted ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// The URL without the login before an `@`.
    package static func withoutLogin(_ text: String) -> String {
        let start = text.firstRange(of: "//")?.upperBound ?? text.startIndex
        // After the host an `@` is part of the path (RFC 3986 §3.2).
        let server = text[start...].prefix { !"/?#\\".contains($0) }
        guard let end = server.lastIndex(of: "@") else { return text }
        return start < end ? text[..<start] + "…" + text[end...] : text
    }

    /// Whether the host is this computer.
    package var isLoopback: Bool {
        let address = host.drop { $0 == "[" }.prefix { $0 != "]" }
        let parts = labels
        if address == "::1" || parts == ["localhost"] { return true }
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
    }

    /// The labels of the host name, without a final dot.
    private var labels: [Substring] {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        return labels.count > 1 && labels.last == "" ? labels.dropLast() : labels
    }

    private static func text(of field: UnsafeRawBufferPointer) -> String {
        unsafe String(decoding: field.prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Whether secrets for this server may be sent to `other`: the same server, or the same host at
    /// the default ports with encryption added.
    package func sharesCredentials(with other: HTTPAddress) -> Bool {
        guard host == other.host else { return false }
        return (port == other.port && isEncrypted == other.isEncrypted)
            || (port == 80 && other.port == 443 && !isEncrypted && other.isEncrypted)
    }

    /// The target of a redirect.
    ///
    /// - Throws: `.redirectRefused` when encryption would be lost.
    func following(_ target: String) throws(HTTPError) -> HTTPAddress {
        let address: HTTPAddress
        do {
            address = try HTTPAddress(target)
        } catch {
            throw HTTPError(
                .redirectRefused,
                "the server redirects to a URL that \(error.detail): \(Self.withoutLogin(target))")
        }
        guard address.isEncrypted || !isEncrypted else {
            throw HTTPError(
                .redirectRefused, "the server redirects from https to unencrypted \(target)")
        }
        return address
    }
}
