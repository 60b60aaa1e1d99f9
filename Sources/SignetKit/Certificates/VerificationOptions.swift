/// Trust anchors, validation data and validation time of a verification.
public struct VerificationOptions: Sendable {
    /// Files or folders of trust anchors; without any the system trust store is used.
    public var trust: [String]
    /// DER or PEM of trust anchors in memory, in addition to those in ``trust``. With any of both,
    /// the system trust store is not used.
    public var trustedCertificates: [[UInt8]] = []
    /// Files with certificates missing in signatures: intermediate CAs or signing certificates.
    public var chain: [String] = []
    /// DER or PEM of such certificates in memory.
    public var chainCertificates: [[UInt8]] = []
    /// A file with the only certificate accepted as signer. Without ``trust`` and ``trustLists`` it
    /// is trusted directly.
    public var signer: String?
    /// Files or folders with CRLs, in addition to embedded ones.
    public var revocationLists: [String] = []
    /// Files with one OCSP response each, in DER, or folders with such files.
    public var responses: [String] = []
    /// Document of the signature policy that signatures must name by its hash (ETSI EN 319 122-1
    /// §5.2.9); nil requires none.
    public var policyDocument: InputSource?
    /// Validation time; nil is now.
    public var time: Moment?
    /// Fetches missing revocation data; nil to work offline.
    public var fetcher: RevocationFetcher?
    /// Trusted lists: granted services are trust anchors, and qualification is reported.
    public var trustLists: TrustLists?

    /// - Parameters:
    ///   - trust: files or folders of trust anchors; empty means the system trust store.
    ///   - time: validation time; nil is now.
    public init(trust: [String] = [], time: Moment? = nil) {
        self.trust = trust
        self.time = time
    }
}
