import Base
import CryptoBridge
import NetworkBridge
import SystemBridge

/// What authorities answered in earlier runs: revocation lists and OCSP responses until their
/// successors come, and certificates of issuers for a while. A folder of the user's own.
///
/// Nothing counts for being kept: it is judged like what comes from the network. Files are named by
/// the hash of the question, and hold a few lines about the answer before its bytes, one of them
/// the hash of these: a file that a crash of the machine cut off is noticed.
struct EvidenceCache: Sendable {
    private enum Limits {
        /// Longer answers are not kept.
        static let entryByteCount = 32 << 20
        static let headByteCount = 4096
        /// Files in the folder, and their bytes together; beyond, those that end first go.
        static let entryCount = 1024
        static let byteCount = 256 << 20
        /// So many of these are not worth counting.
        static let smallByteCount = 256 << 10
    }

    typealias Entry = KeptAnswer

    private let folder: String

    /// - Parameter folder: nil is the user's folder for what can be had again.
    /// - Throws: ``SignetError`` where a named folder cannot be made.
    init(folder named: String) throws {
        folder = named
        try writing(named) { try FileSystem.makePrivateFolder(named) }
        prepare()
    }

    /// The user's own; nil where there is no place for it.
    init?() {
        let base =
            ProcessEnvironment.absolutePath("XDG_CACHE_HOME")
            ?? ProcessEnvironment.absolutePath("HOME").map { $0 + "/.cache" }
        guard let base else { return nil }
        folder = base + "/signet/evidence"
        // What somebody else could fill is not made use of.
        guard (try? FileSystem.makePrivateFolder(folder)) != nil,
            (try? FileSystem.makePrivate(folder)) != nil
        else { return nil }
        prepare()
    }

    private func prepare() {
        FileSystem.sweep(folder)
        if let names = try? FileSystem.list(folder), names.count > Limits.entryCount { tidy() }
    }

    private func path(_ question: [UInt8]) -> String? {
        (try? DigestAlgorithm.sha256.hash(question)).map { "\(folder)/\(Hex.encode($0))" }
    }

    /// What is kept about a question; nil for nothing, or nothing whole.
    ///
    /// - Parameter question: all that the answer depends on.
    func entry(_ question: [UInt8], at address: String) -> Entry? {
        guard let path = path(question),
            let bytes = try? FileSystem.readAll(
                path, limit: Limits.headByteCount + Limits.entryByteCount),
            let entry = Entry(bytes), entry.address == address
        else { return nil }
        return entry
    }

    /// Keeps an answer. That it cannot be kept is no failure.
    func keep(_ entry: Entry, _ question: [UInt8]) {
        guard entry.body.count <= Limits.entryByteCount, let path = path(question),
            let head = entry.head
        else { return }
        try? FileSystem.keep(head + entry.body, as: path)
        if entry.body.count > Limits.smallByteCount { tidy() }
    }

    // MARK: Lengths of tokens

    /// How long an authority's tokens are taken to stay alike.
    private static let lengthAge = 400 * 86_400

    private static func lengthQuestion(_ server: String) -> [UInt8] {
        Array("token\0\(server)".utf8)
    }

    /// How long the last time stamp of an authority was, in bytes; nil where that is not known.
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
                body: Array(String(count).utf8)), Self.lengthQuestion(server))
    }

    // MARK: Room

    /// Makes room, those first that end first.
    private func tidy() {
        guard let names = try? FileSystem.list(folder) else { return }
        var files = names.compactMap { name -> (path: String, until: CalendarTime, count: Int)? in
            let path = "\(folder)/\(name)"
            // A folder that a person named may have other files.
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
        // To half of it, so that this is not done each time.
        while let last = files.popLast(),
            files.count >= Limits.entryCount / 2 || total > Limits.byteCount / 2
        {
            try? FileSystem.removeFile(last.path)
            total -= last.count
        }
    }
}
