/// A secret that a person is asked for.
public enum SecretQuestion: Sendable, Hashable {
    /// How many wrong PINs a token still takes.
    public enum TriesLeft: Sendable { case usual, few, one }

    /// The PIN that opens a token.
    ///
    /// - Parameter subject: whose key it is, if that is known.
    case tokenPIN(token: String, subject: String?, TriesLeft)
    /// The PIN that confirms each signature; empty where it is the one that opens the token.
    case signaturePIN(token: String, subject: String?)
    /// The PIN that confirms that a document is decrypted; empty where it is the one that opens the
    /// token.
    case decryptionPIN(token: String, subject: String?)
    /// The PIN of a key at a signing service.
    case servicePIN(key: ServiceKey)
    /// - Parameters:
    ///   - signatures: those that it is for, from 1.
    ///   - expected: how many there will be at most, where that is known.
    case oneTimePassword(key: ServiceKey, signatures: ClosedRange<Int>, expected: Int?)

    /// A key at a signing service.
    public struct ServiceKey: Sendable, Hashable {
        /// Of the credential.
        public let id: String
        /// Whose key it is.
        public let subject: String
        /// Where the service is.
        public let address: String

        /// A key as the service names it.
        public init(id: String, subject: String, address: String) {
            self.id = id
            self.subject = subject
            self.address = address
        }
    }
}
