/// Limits for lists. Real ones have up to 2.5 MB, 44 pointers and 8 pivots.
package enum TrustListLimits {
    package static let byteCount = 32 << 20
    package static let pointerCount = 100
    package static let pivotCount = 20
    /// Services of one list; the largest has 700.
    package static let serviceCount = 20_000
    static let criteriaDepth = 8
}
