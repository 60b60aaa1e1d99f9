internal import Base
internal import CMSKit
internal import CryptoBridge
internal import NetworkBridge

/// One authorization by the user in a browser: authorization code with PKCE (RFC 6749 §4.1,
/// RFC 7636).
struct AuthorizationRequest: Sendable {
    /// Binds the response to this request (RFC 6749 §10.12).
    let state: String
    /// Binds the code to this process (RFC 7636 §4.1); only the token endpoint receives it.
    let verifier: SecretBytes
    private let challenge: String
    let redirect: String

    private static let randomByteCount = 32

    init(redirect: String) throws {
        self.redirect = redirect
        state = Base64.encodeForURL(try RandomBytes.generate(Self.randomByteCount))
        var verifier = Array(
            Base64.encodeForURL(try RandomBytes.generate(Self.randomByteCount)).utf8)
        challenge = Base64.encodeForURL(try DigestAlgorithm.sha256.hash(verifier))
        self.verifier = SecretBytes(consuming: &verifier)
    }

    /// The URL that the user opens.
    func address(
        at server: AuthorizationServer, client: String, _ parameters: [(String, String)]
    ) -> String {
        let all =
            [
                ("response_type", "code"), ("client_id", client), ("redirect_uri", redirect),
                ("state", state), ("code_challenge", challenge), ("code_challenge_method", "S256"),
            ] + parameters
        let query = all.map { name, value in
            name + "=" + PercentEncoding.encode(value.utf8, isPlain: PercentEncoding.isUnreserved)
        }
        return server.authorization + (server.authorization.contains("?") ? "&" : "?")
            + query.joined(separator: "&")
    }

    /// The code of a response.
    ///
    /// - Throws: ``SigningFailure`` of kind `refused` for an error, another issuer (RFC 9207 §2.4)
    ///   or another state.
    func code(
        in response: AuthorizationResponse, of server: AuthorizationServer
    ) throws(SigningFailure) -> String {
        guard response.state == state else {
            throw SigningFailure(
                .refused, "the redirect does not belong to this run (wrong state)",
                hint: Sentence(.authorizeAgain))
        }
        let host = try? HTTPAddress(server.authorization)
        let isRight =
            switch (response.issuer, server.issuer) {
            case (nil, _): !server.namesIssuer
            case (let issuer?, let known?): issuer == known
            // Without metadata, at least the server must be the same.
            case (let issuer?, nil):
                host.flatMap { try? HTTPAddress(issuer).sharesCredentials(with: $0) } ?? false
            }
        guard isRight else {
            throw SigningFailure(
                .refused,
                "the redirect names the issuer \((response.issuer ?? "").inQuotes), not "
                    + (server.issuer?.inQuotes ?? "one at \(host?.authority ?? "this server")"),
                hint: Sentence(.nothingWasWritten))
        }
        if let code = response.code { return code }
        let words = [response.error, response.explanation].compactMap { $0 }
            .joined(separator: ": ")
        throw SigningFailure(
            .refused, "the authorization was refused in the browser (\(words.inQuotes))")
    }
}

/// The response of an authorization server, in the query of the redirect (RFC 6749 §4.1.2).
package struct AuthorizationResponse: Equatable, Sendable {
    /// The authorization code; nil if ``error`` is set.
    package let code: String?
    package let state: String?
    /// RFC 9207.
    package let issuer: String?
    package let error: String?
    package let explanation: String?

    /// Longest query.
    package static let byteLimit = 16_384

    /// Nil if the query is malformed, repeats a parameter, or has neither a code nor an error.
    package init?(query: some StringProtocol) {
        guard query.utf8.count <= Self.byteLimit else { return nil }
        var values: [String: String] = [:]
        for part in query.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = pair.map { Self.decode(String($0)) }
            guard let name = decoded[0], let value = decoded.count > 1 ? decoded[1] : "",
                values.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        (code, state, error) = (values["code"], values["state"], values["error"])
        (issuer, explanation) = (values["iss"], values["error_description"])
        guard (code == nil) != (error == nil), code.map(Self.isCode) ?? true else { return nil }
    }

    /// The text that a user copied: the redirected URL. Nil if there is no response in it.
    package init?(url: String) {
        guard let start = url.firstIndex(of: "?") else { return nil }
        self.init(query: url[url.index(after: start)...].prefix { $0 != "#" })
    }

    /// Whether a text may be a code (RFC 6749 Appendix A.11).
    package static func isCode(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }

    private static func decode(_ text: String) -> String? {
        let spaced = text.utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
        return PercentEncoding.decode(spaced).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
