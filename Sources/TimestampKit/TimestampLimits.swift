/// Limits for malicious requests, responses and tokens.
package enum TimestampLimits {
    /// A request: the longest hash, nonce and policy take less than a quarter of it.
    package static let requestByteCount = 4096
    /// A response or token, with certificates and revocation lists.
    package static let replyByteCount = 1_048_576
    /// Maximum number of tokens of one kind read in a signature.
    package static let tokenCount = 32
    static let hashByteCount = 128
    static let nonceByteCount = 128
    static let serialByteCount = 128
    static let extensionCount = 32
    static let statusTextCount = 16
    static let statusTextByteCount = 4096
}
