/// The choice of a key in a file, or the connection to a signing service and authentication in
/// addition to the PIN (`csc:https://…`, Cloud Signature Consortium API).
public struct ServiceOptions: Sendable {
    /// The key's alias (friendlyName) in a PKCS#12 file with several keys.
    public var alias: String?
    /// A file with the certificate of the key, which chooses it like ``alias``.
    public var certificateFile: String?
    /// Login name for the service.
    public var user: String?
    /// Login password; requested if the service requires it.
    public var password: PassphraseSource?
    /// OAuth 2.0 client identifier, for client credentials (RFC 6749 §4.4), or for an authorization
    /// in a browser (RFC 6749 §4.1, RFC 7636) if the service requires it.
    public var clientID: String?
    /// OAuth 2.0 client secret (RFC 6749 §2.3.1). A prompt for it is not used in a browser.
    public var clientSecret: PassphraseSource?
    /// Redirect URI registered for the client (RFC 6749 §3.1.2); nil is an address on this computer
    /// with a free port (RFC 8252 §7.3).
    public var redirect: String?
    /// A prompt (``PassphraseSource/person(_:)``) for the URL to which a browser was redirected; nil
    /// opens a browser and receives it.
    public var redirectedURL: PassphraseSource?
    /// Issuer or base URI of the authorization server, in place of the one that the service names.
    public var authorizationServer: String?
    /// Whether a refresh token is stored (RFC 6749 §6), so that later runs need no login.
    public var keepsLogin = false
    /// An existing OAuth 2.0 access token (RFC 6750).
    public var token: PassphraseSource?
    /// One-time passwords: the lines of a file in sequence; nil prompts the user.
    public var otp: PassphraseSource?
    /// A file of trust anchors for TLS instead of the system trust store.
    public var trust: String?
    /// Whether secrets may be sent without encryption.
    public var allowsUnencrypted = false
    /// Time limit of each attempt; nil is 20 seconds, 120 with a user confirmation, 300 in a
    /// browser, and 60 for a program.
    public var timeLimit: Duration?

    public init() {}
}
