internal import Base
package import CMSKit
internal import NetworkBridge

/// An OAuth 2.0 authorization server of a signing service.
package struct AuthorizationServer: Sendable, Equatable {
    /// The issuer identifier (RFC 8414 §2); nil without metadata.
    package let issuer: String?
    /// The authorization endpoint (RFC 6749 §3.1).
    package let authorization: String
    /// The token endpoint (RFC 6749 §3.2).
    package let token: String
    /// Whether each response names the issuer (RFC 9207 §3).
    package var namesIssuer = false
    /// Whether authorization details of the type `credential` are supported (RFC 9396 §10).
    package var takesDetails = true
    /// Whether the client secret is a parameter of the body, not a login (RFC 6749 §2.3.1).
    package var takesSecretInBody = false

    /// The endpoints below a base URI (CSC API §8.3), for servers without metadata.
    package init(base: String) {
        let base = base.hasSuffix("/") ? base : base + "/"
        issuer = nil
        authorization = base + "oauth2/authorize"
        token = base + "oauth2/token"
    }

    /// The endpoints in the server's metadata (RFC 8414 §2).
    ///
    /// - Parameter expected: the issuer from whose URL the metadata was read.
    /// - Throws: ``SigningFailure``: of kind `refused` for another issuer (RFC 8414 §3.3),
    ///   `unavailable` if an endpoint or method is missing.
    package init(_ metadata: JSONValue, issuer expected: String) throws(SigningFailure) {
        guard let issuer = metadata["issuer"]?.text, Self.isSame(issuer, expected) else {
            throw SigningFailure(
                .refused,
                "the metadata of the authorization server \(expected) names another issuer ("
                    + (metadata["issuer"]?.text ?? "").inQuotes + ")",
                hint: Sentence(.nameAuthorizationServer))
        }
        guard let authorization = metadata["authorization_endpoint"]?.text,
            let token = metadata["token_endpoint"]?.text, !authorization.contains("#")
        else {
            throw SigningFailure(
                .unavailable,
                "the metadata of the authorization server \(expected) do not name usable endpoints")
        }
        guard
            metadata["code_challenge_methods_supported"]?.texts?.contains("S256") ?? true
        else {
            throw SigningFailure(
                .unavailable,
                "the authorization server \(expected) does not support the authorization code "
                    + "flow with PKCE (S256)")
        }
        (self.issuer, self.authorization, self.token) = (issuer, authorization, token)
        // An issuer that refers users to another host could mix up servers (RFC 9700 §2.1).
        let hosts = [issuer, authorization].map { try? HTTPAddress($0).authority }
        namesIssuer =
            metadata["authorization_response_iss_parameter_supported"]?.truth ?? false
            || hosts[0] == nil || hosts[0] != hosts[1]
        let types = metadata["authorization_details_types_supported"]?.texts
        takesDetails = types?.contains("credential") ?? true
        let methods = metadata["token_endpoint_auth_methods_supported"]?.texts ?? []
        takesSecretInBody =
            methods.contains("client_secret_post") && !methods.contains("client_secret_basic")
    }

    /// Whether two issuers are the same, with or without a final slash.
    static func isSame(_ one: String, _ other: String) -> Bool {
        one == other || one + "/" == other || one == other + "/"
    }

    /// The URLs of an issuer's metadata (RFC 8414 §3.1, OpenID Connect Discovery 1.0 §4.1); none if
    /// the issuer is malformed.
    package static func metadataAddresses(of issuer: String) -> [String] {
        guard let start = issuer.firstRange(of: "://")?.upperBound,
            !issuer.contains(where: { $0 == "?" || $0 == "#" })
        else { return [] }
        let host = issuer[start...].prefix { $0 != "/" }
        let path = issuer[host.endIndex...]
        let shortPath = path.hasSuffix("/") ? path.dropLast() : path
        let root = String(issuer[..<host.endIndex])
        return [
            root + "/.well-known/oauth-authorization-server" + shortPath,
            root + shortPath + "/.well-known/openid-configuration",
        ]
    }
}
