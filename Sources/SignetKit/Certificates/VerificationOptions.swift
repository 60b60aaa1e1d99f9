/// Whom verification believes, what it knows of certificates, and when it judges.
public struct VerificationOptions: Sendable {
    /// Files or folders of trust anchors; none means the system's.
    public var trust: [String]
    /// Files with certificates that signatures may lack: steps to an anchor, or the signer's own.
    public var chain: [String] = []
    /// A file with the one certificate that counts as signer. Without ``trust`` it is trusted, without
    /// a path to an anchor.
    public var signer: String?
    /// Files with revocation lists, or folders that have some, besides what is carried.
    public var revocationLists: [String] = []
    /// Files with an OCSP response each, in DER, or folders that have some.
    public var responses: [String] = []
    /// When the question is asked; nil is now.
    public var time: Moment?
    /// Fetches revocation data that is missing; nil is no access to the network.
    public var fetcher: RevocationFetcher?
    /// Lists of services that are believed too, while they are granted, and say what is qualified.
    public var trustLists: TrustLists?

    /// - Parameters:
    ///   - trust: files or folders of trust anchors; none means the system's.
    ///   - time: when the question is asked; nil is now.
    public init(trust: [String] = [], time: Moment? = nil) {
        self.trust = trust
        self.time = time
    }
}
