import ByteKit
import CryptoBridge
import FileBridge
import NetworkBridge

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

    /// What was answered.
    struct Entry {
        /// Who was asked; names differ though hashes of questions are short.
        var address: String
        var keeping = HTTPKeeping()
        /// When it was said; of certificates, when they came.
        var said: CalendarTime
        /// Until when it need not be asked for again.
        var until: CalendarTime
        var body: [UInt8]

        init(
            address: String, keeping: HTTPKeeping = HTTPKeeping(), said: CalendarTime,
            until: CalendarTime, body: [UInt8]
        ) {
            self.address = address
            self.keeping = keeping
            self.said = said
            self.until = until
            self.body = body
        }
    }

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

    /// Makes room, those first that end first.
    private func tidy() {
        guard let names = try? FileSystem.list(folder) else { return }
        var files = names.compactMap { name -> (path: String, until: CalendarTime, count: Int)? in
            let path = "\(folder)/\(name)"
            guard Hex.decode(Array(name.utf8)) != nil, let file = try? InputFile(path: path) else {
                return nil
            }
            let head = try? file.bytes(
                at: 0, count: min(file.byteCount, Limits.headByteCount))
            let entry = head.flatMap { Entry($0, isWhole: false) }
            return (path, entry?.until ?? CalendarTime(secondsSinceEpoch: 0), file.byteCount)
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

extension EvidenceCache.Entry {
    private static let mark = "signet evidence 1"
    private static let lineCount = 8

    /// The lines before the body: the mark, the address, its tag, its date, when it was said, until
    /// when it holds, the body's hash, and an empty one. Nil where that would not be lines.
    fileprivate var head: [UInt8]? {
        guard let hash = try? DigestAlgorithm.sha256.hash(body) else { return nil }
        let lines = [
            Self.mark, address, keeping.entityTag, keeping.lastModified, said.rfc3339,
            until.rfc3339, Hex.encode(hash), "",
        ]
        guard !lines.contains(where: { $0.utf8.contains { $0 < 0x20 } }) else { return nil }
        return Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    /// - Parameter isWhole: the bytes are not a file's beginning alone.
    init?(_ bytes: [UInt8], isWhole: Bool = true) {
        var lines: [String] = []
        var start = 0
        while lines.count < Self.lineCount {
            guard let end = bytes[start...].prefix(4096).firstIndex(of: 0x0A) else { return nil }
            lines.append(String(decoding: bytes[start..<end], as: UTF8.self))
            start = end + 1
        }
        let body = Array(bytes[start...])
        guard lines[0] == Self.mark, lines[7].isEmpty,
            !isWhole || Hex.decode(lines[6].utf8) == (try? DigestAlgorithm.sha256.hash(body)),
            let said = CalendarTime(rfc3339: lines[4]), let until = CalendarTime(rfc3339: lines[5])
        else { return nil }
        self.init(
            address: lines[1],
            keeping: HTTPKeeping(entityTag: lines[2], lastModified: lines[3]), said: said,
            until: until, body: body)
    }
}
