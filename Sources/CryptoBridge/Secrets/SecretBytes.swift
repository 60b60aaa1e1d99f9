internal import COpenSSL
import Synchronization

/// Key bytes or a passphrase, wiped when the last reference is released.
///
/// Not printable, not `Codable`, compared in constant time.
@safe
package final class SecretBytes: @unchecked Sendable, CustomStringConvertible, CustomReflectable {
    // Sendable: only the bridge changes the buffer, while it is the only owner; afterwards the
    // buffer is constant.
    let storage: UnsafeMutableRawBufferPointer
    /// Number of bytes used; the allocation may be longer.
    package private(set) var byteCount: Int
    /// Whether the storage is in the secure memory of ``protectProcess()``.
    private let isSetAside: Bool

    /// Size of the secure memory for keys and passphrases, a power of 2.
    private static let setAsideByteCount = 1 << 20
    /// Longer data contain more than keys. They use normal memory, so that space is left for
    /// keys.
    private static let longestSetAside = 1 << 14
    private static let isProtected = Atomic(false)

    /// Must be called before the first key or passphrase is read or generated. Secrets are then
    /// kept out of swap if the system permits, a crash writes no core dump, and other processes of
    /// the same user cannot read the memory.
    package static func protectProcess() {
        guard !isProtected.exchange(true, ordering: .relaxed) else { return }
        OpenSSL.prepare()
        COpenSSL_protect(setAsideByteCount)
    }

    /// A zeroed buffer for the bridge to fill.
    init(zeroedByteCount count: Int) {
        byteCount = count
        if Self.isProtected.load(ordering: .relaxed), count <= Self.longestSetAside,
            let memory = unsafe COpenSSL_secure_allocate(max(count, 1))
        {
            unsafe storage = .init(start: memory, count: max(count, 1))
            isSetAside = true
            return
        }
        isSetAside = false
        unsafe storage = .allocate(byteCount: max(count, 1), alignment: 16)
        unsafe storage.initializeMemory(as: UInt8.self, repeating: 0)
    }

    convenience init(copying buffer: UnsafeRawBufferPointer) {
        self.init(zeroedByteCount: buffer.count)
        unsafe storage.copyMemory(from: buffer)
    }

    /// Copies `bytes`; the caller must wipe the original.
    package convenience init(copying bytes: [UInt8]) {
        self.init(zeroedByteCount: bytes.count)
        unsafe bytes.withUnsafeBytes { unsafe storage.copyMemory(from: $0) }
    }

    /// Moves `bytes` in: the array is wiped and emptied.
    package convenience init(consuming bytes: inout [UInt8]) {
        self.init(copying: bytes)
        SecretBytes.wipe(&bytes)
    }

    deinit {
        if isSetAside {
            unsafe COpenSSL_secure_free(storage.baseAddress, storage.count)
        } else {
            unsafe OPENSSL_cleanse(storage.baseAddress, storage.count)
            unsafe storage.deallocate()
        }
    }

    package var isEmpty: Bool { byteCount == 0 }

    /// Provides the bytes for one call.
    package func withBytes<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        try body(unsafe buffer.bindMemory(to: UInt8.self).span)
    }

    /// The bytes in use, valid while the object lives.
    var buffer: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(storage)[0..<byteCount])
    }

    /// Shortens the contents after a decoder wrote less than was allocated.
    func truncate(to count: Int) { byteCount = min(count, byteCount) }

    /// Equality in constant time for equal lengths.
    package func isEqual(to other: SecretBytes) -> Bool {
        guard byteCount == other.byteCount else { return false }
        return unsafe CRYPTO_memcmp(storage.baseAddress, other.storage.baseAddress, byteCount) == 0
    }

    /// Overwrites an array so that the optimizer cannot remove the write, and empties it.
    package static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
        bytes.removeAll()
    }

    package var description: String { "SecretBytes" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// A range of a ``SecretBytes``, read byte by byte without copying.
struct SecretView: RandomAccessCollection, Sendable {
    let owner: SecretBytes
    let startIndex: Int
    let endIndex: Int

    init(_ owner: SecretBytes) {
        self.owner = owner
        startIndex = 0
        endIndex = owner.byteCount
    }

    private init(_ owner: SecretBytes, _ range: Range<Int>) {
        self.owner = owner
        startIndex = range.lowerBound
        endIndex = range.upperBound
    }

    subscript(position: Int) -> UInt8 {
        precondition(position >= startIndex && position < endIndex, "index outside the view")
        return unsafe owner.buffer[position]
    }

    subscript(bounds: Range<Int>) -> SecretView {
        precondition(
            bounds.lowerBound >= startIndex && bounds.upperBound <= endIndex,
            "range outside the view")
        return SecretView(owner, bounds)
    }

    /// The viewed memory, valid while the owner lives.
    var buffer: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: owner.buffer[startIndex..<endIndex])
    }
}

extension SecretBytes {
    /// A copy in normal memory, for writing to a file; the caller wipes it with ``wipe(_:)``.
    package func copyOut() -> [UInt8] { Array(SecretView(self)) }
}
