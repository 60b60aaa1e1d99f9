import CMSKit

/// The authorization of signatures: in a service, one authorization may be valid for several
/// signatures, which must be announced before the first one is made.
public struct SharedConsent: Sendable {
    private let key: any DigestSigner

    init(_ key: any DigestSigner) { self.key = key }

    /// Number of signatures per authorization; 1 if each needs its own.
    public var signaturesAtOnce: Int { key.signaturesAtOnce }

    /// Announces the number of signatures to come, for the signer's prompt.
    public func expect(_ count: Int) { key.expect(count) }
}
