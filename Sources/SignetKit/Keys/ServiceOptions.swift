/// How a signing service is reached, and what guards the key there besides the PIN
/// (`csc:https://…`, Cloud Signature Consortium API).
public struct ServiceOptions: Sendable {
    /// A name to log in with, and its password.
    public var user: String?
    /// Of the login; asked for when the service wants it.
    public var password: PassphraseSource?
    /// OAuth 2.0 client credentials (RFC 6749 §4.4).
    public var clientID: String?
    /// Of the program that asks (RFC 6749 §2.3.1).
    public var clientSecret: PassphraseSource?
    /// An access token that somebody else got (RFC 6750).
    public var token: PassphraseSource?
    /// One-time passwords: the lines of a file, one after the other; nil asks a person.
    public var otp: PassphraseSource?
    /// A file of trust anchors for TLS, instead of the system's.
    public var trust: String?
    /// Sends secrets without encryption too.
    public var allowsUnencrypted = false
    /// For each try; nil is 20 seconds, 120 where the signer is asked, and 60 for a program.
    public var timeLimit: Duration?

    public init() {}
}
