import CMSKit

/// How whoever has a key agrees to signatures: where a service has it, one consent may be good for
/// several, which have to be announced before the first of them is made.
public struct SharedConsent: Sendable {
    private let key: any DigestSigner

    init(_ key: any DigestSigner) { self.key = key }

    /// How many signatures one consent is good for; 1 where each stands for itself.
    public var signaturesAtOnce: Int { key.signaturesAtOnce }

    /// Announces how many signatures are to come, for what the signer is told.
    public func expect(_ count: Int) { key.expect(count) }
}
