internal import Base
import CMSKit
import CryptoBridge
import PDFSigning
import SystemBridge
import TimestampKit

/// Error: a signature value is longer than its reserved space.
struct ReservationExceeded: Error {
    /// Length of the value and of the reserved space, in bytes.
    let detail: String
}

/// A prepared update, and the hash of its signed byte range. The output contains the original, but
/// not yet the update.
struct HashedDocument {
    let prepared: PreparedSignature
    let output: AtomicOutput
    let messageDigest: [UInt8]
    /// Name in the error message if the value cannot be embedded.
    let source: String

    /// The error if the value is longer than the reserved space; nil if it fits.
    func excess(of value: [UInt8]) -> ReservationExceeded? {
        guard value.count > prepared.reservedByteCount else { return nil }
        return ReservationExceeded(
            detail: "\(value.count) bytes, \(prepared.reservedByteCount) reserved")
    }

    /// Appends the update with the value.
    ///
    /// - Returns: the output, to be committed.
    /// - Throws: ``ReservationExceeded`` among others: the reserved space was fixed when the update
    ///   was prepared.
    func holding(_ value: [UInt8]) throws -> AtomicOutput {
        if let excess = excess(of: value) { throw excess }
        var prepared = prepared
        try reading(source) { try prepared.embed(value) }
        try writing(output.path) { try output.write(prepared.bytes) }
        return output
    }
}

/// 16 random bytes for /ID of the trailer (ISO 32000-2 §14.4). They need not be secret, so the
/// system's generator is used and OpenSSL is not loaded.
func newFileIdentifier() -> [UInt8] {
    (0..<2).flatMap { _ in
        let word = UInt64.random(in: .min ... .max)
        return (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) }
    }
}
