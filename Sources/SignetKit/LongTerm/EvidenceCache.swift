import Base
import CryptoBridge
import NetworkBridge
import SystemBridge

/// The cache of earlier runs in a folder of the user: CRLs and OCSP responses until their
/// nextUpdate, and issuer certificates for some days.
///
/// Cached data is validated like fetched data. Files are named by the hash of the request. Header
/// lines before the data contain its hash, so that truncated files are detected.
struct EvidenceCache: Sendable {
    private enum Limits {
        /// Maximum size of a cached response, in bytes.
        static let entryByteCount = 32 << 20
        static let headByteCount = 4096
        /// Maximum number and total size of files, in bytes. The entries that expire first are
        /// removed.
        static let entryCount = 1024
        static let byteCount = 256 << 20
        /// Maximum size in bytes of an entry that is stored without a cleanup.
        static let smallByteCount = 256 << 10
    }

    typealias Entry = KeptAnswer

    private let folder: String

    /// Opens the cache in a folder named by the user.
    ///
    /// - Parameter named: the folder, which is created if it does not exist.
    /// - Throws: ``SignetError`` if the folder cannot be created.
    init(folder named: String) throws {
        folder = named
        try writing(named) { try FileSystem.makePrivateFolder(named) }
        prepare()
    }

    /// The user's cache folder; nil if it is not available.
    init?() {
        let base =
            ProcessEnvironment.absolutePath("XDG_CACHE_HOME")
            ?? ProcessEnvironment.absolutePath("HOME").map { $0 + "/.cache" }
        guard let base else { return nil }
        folder = base + "/signet/evidence"
        // A folder that others can write to is not used.
        guard (try? FileSystem.makePrivateFolder(folder)) != nil,
            (try? FileSystem.makePrivate(folder)) != nil
        else { return nil }
        prepare()
    }

    private func prepare() {
        if let names = try? FileSystem.list(folder), names.count > Limits.entryCount { tidy() }
    }

    private func path(_ question: [UInt8]) -> String? {
        (try? DigestAlgorithm.sha256.hash(question)).map { "\(folder)/\(Hex.encode($0))" }
    }

    /// The cached response to a request; nil if there is none, or a damaged one.
    ///
    /// - Parameter question: everything that the response depends on.
    func entry(_ question: [UInt8], at address: String) -> Entry? {
        guard let path = path(question),
            let bytes = try? FileSystem.readAll(
                path, limit: Limits.headByteCount + Limits.entryByteCount),
            let entry = Entry(bytes), entry.address == address
        else { return nil }
        return entry
    }

    /// Caches a response. Failures are ignored.
    func keep(_ entry: Entry, for question: [UInt8]) {
        guard entry.body.count <= Limits.entryByteCount, let path = path(question),
            let head = entry.head
        else { return }
        try? FileSystem.keep(head + entry.body, as: path)
        if entry.body.count > Limits.smallByteCount { tidy() }
    }

    // MARK: Lengths of tokens

    /// Time for which the token length of a TSA is cached, in seconds (400 days).
    private static let lengthAge = 400 * 86_400

    private static func lengthQuestion(_ server: String) -> [UInt8] {
        Array("token\0\(server)".utf8)
    }

    /// The length of the last token of a TSA, in bytes; nil if unknown.
    func tokenLength(of server: String) -> Int? {
        guard let entry = entry(Self.lengthQuestion(server), at: server),
            entry.until > SystemClock.now(),
            let count = Int(String(decoding: entry.body, as: UTF8.self)),
            (1...TimestampAuthorities.generousByteCount).contains(count)
        else { return nil }
        return count
    }

    func keep(tokenLength count: Int, of server: String) {
        let now = SystemClock.now()
        keep(
            Entry(
                address: server, said: now, until: now.adding(seconds: Self.lengthAge),
                body: Array(String(count).utf8)), for: Self.lengthQuestion(server))
    }

    // MARK: Cleanup

    /// Removes the entries that expire first, if the cache exceeds its limits.
    private func tidy() {
        guard let names = try? FileSystem.list(folder) else { return }
        var files = names.compactMap { name -> (path: String, until: CalendarTime, count: Int)? in
            let path = "\(folder)/\(name)"
            // A folder named by the user may contain other files, which are left unchanged.
            guard Hex.decode(Array(name.utf8))?.count == DigestAlgorithm.sha256.byteCount,
                let file = try? InputFile(path: path),
                let head = try? file.bytes(at: 0, count: min(file.byteCount, Limits.headByteCount)),
                let entry = Entry(head, isWhole: false)
            else { return nil }
            return (path, entry.until, file.byteCount)
        }
        var total = files.reduce(0) { $0 + $1.count }
        guard files.count > Limits.entryCount || total > Limits.byteCount else { return }
        files.sort { $0.until > $1.until }
        // Removes entries down to half of the limits, so that cleanups are rare.
        while let last = files.popLast(),
            files.count >= Limits.entryCount / 2 || total > Limits.byteCount / 2
        {
            try? FileSystem.removeFile(last.path)
            total -= last.count
        }
    }
}
