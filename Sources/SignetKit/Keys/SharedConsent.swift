import CMSKit

/// How whoever has a key agrees to signatures: where a service has it, one consent may be good for
/// several, which then have to be asked for at the same time.
public struct SharedConsent: Sendable {
    private let key: any DigestSigner

    init(_ key: any DigestSigner) { self.key = key }

    /// How many signatures one consent is good for; 1 where each stands for itself. As many threads
    /// should ask for them at once.
    public var signaturesAtOnce: Int { key.signaturesAtOnce }

    /// Announces how many signatures are to come, so that few consents serve for all.
    ///
    /// - Parameter workers: how many threads call ``attending(_:)``.
    public func expect(_ count: Int, workers: Int) { key.expect(count, workers: workers) }

    /// Does what one of the announced signatures is part of.
    public func attending<Result>(_ body: () throws -> Result) rethrows -> Result {
        try key.attending(body)
    }
}
