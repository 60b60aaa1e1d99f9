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
    /// OAuth 2.0 client identifier, for client credentials (RFC 6749 §4.4).
    public var clientID: String?
    /// OAuth 2.0 client secret (RFC 6749 §2.3.1).
    public var clientSecret: PassphraseSource?
    /// An existing OAuth 2.0 access token (RFC 6750).
    public var token: PassphraseSource?
    /// One-time passwords: the lines of a file in sequence; nil prompts the user.
    public var otp: PassphraseSource?
    /// A file of trust anchors for TLS instead of the system trust store.
    public var trust: String?
    /// Whether secrets may be sent without encryption.
    public var allowsUnencrypted = false
    /// Time limit of each attempt; nil is 20 seconds, 120 with a user confirmation, and 60 for a
    /// program.
    public var timeLimit: Duration?

    public init() {}
}
