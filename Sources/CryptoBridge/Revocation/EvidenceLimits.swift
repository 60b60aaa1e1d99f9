/// How much is tried for one piece of evidence.
enum EvidenceLimits {
    /// Keys that may have signed it: certificates of one name may be many, and each costs a check of
    /// the signature. Those of the path are tried first.
    static let signers = 6
}
