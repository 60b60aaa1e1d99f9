/// A secret that a person is asked for.
public enum SecretQuestion: Sendable, Hashable {
    /// How many wrong PINs the token still accepts before it blocks.
    public enum TriesLeft: Sendable { case usual, few, one }

    /// The PIN that opens a token.
    ///
    /// - Parameter subject: owner of the key, if known.
    case tokenPIN(token: String, subject: String?, TriesLeft)
    /// The PIN that confirms each signature. An empty answer means the PIN that opens the token.
    case signaturePIN(token: String, subject: String?)
    /// The PIN that confirms that a document is decrypted. An empty answer means the PIN that
    /// opens the token.
    case decryptionPIN(token: String, subject: String?)
    /// The PIN of a key at a signing service.
    case servicePIN(key: ServiceKey)
    /// - Parameters:
    ///   - signatures: numbers of the signatures to authorize, from 1.
    ///   - expected: maximum number of signatures, if known.
    case oneTimePassword(key: ServiceKey, signatures: ClosedRange<Int>, expected: Int?)
    /// The URL to which a browser was redirected after an authorization, or the code in it (OAuth
    /// 2.0, RFC 6749 §4.1.2).
    ///
    /// - Parameter address: URL that the user opens in any browser.
    case redirectedURL(service: String, address: String)

    /// A key at a signing service.
    public struct ServiceKey: Sendable, Hashable {
        /// Identifier of the credential.
        public let id: String
        /// Owner of the key.
        public let subject: String
        /// Address of the service.
        public let address: String

        /// Creates the description of a key at a signing service.
        public init(id: String, subject: String, address: String) {
            self.id = id
            self.subject = subject
            self.address = address
        }
    }
}
