import Base
import FoundationEssentials
import SystemBridge
import TrustKit

/// The fetched European lists, in a folder of the user.
///
/// Documents are named by their hashes; `state.json` lists the valid ones. It is replaced by
/// renaming, after all of its documents are written, so an update is complete or has no effect.
///
///     state.json
///     SHA256.xml
///     lock
struct TrustListCache: TrustListSource {
    /// Origin and properties of a list.
    struct Entry: Codable, Sendable {
        let location: String
        let sequence: Int
        /// Issue time of the list (RFC 3339).
        let issued: String
        let nextUpdate: String?
        /// SHA-256 of the received document, hexadecimal.
        let sha256: String
        let fetched: String
        /// Subject of the certificate that signed an imported list; nil for others.
        var signer: String?
        var signerIssuer: String?
        /// SHA-256 of its public key and of that of its issuer, hexadecimal: names do not identify
        /// them.
        var signerKey: String?
        var signerIssuerKey: String?
    }

    struct State: Codable, Sendable {
        var version = 1
        var listOfLists: Entry?
        var pivots: [String: Entry] = [:]
        /// National lists by territory.
        var lists: [String: Entry] = [:]

        var names: Set<String> {
            let entries = [listOfLists].compactMap { $0 } + pivots.values + lists.values
            return Set(entries.map { $0.sha256 + ".xml" })
        }
    }

    private static let stateName = "state.json"
    private static let stateByteLimit = 1 << 20

    let root: String
    let state: State

    /// - Parameters:
    ///   - root: the folder; nil uses `trust/eu` in the user's data folder.
    ///   - remedy: the hint if it is damaged; nil to remove the folder.
    /// - Throws: ``SignetError``: `malformedInput` if `state.json` is damaged.
    init(root: String? = nil, remedy: Sentence? = nil) throws {
        self.root = try root ?? IdentityStore.defaultRoot() + "/trust/eu"
        let path = "\(self.root)/\(Self.stateName)"
        guard FileSystem.exists(path) else {
            state = State()
            return
        }
        let isLink = FileSystem.isLink(path)
        let bytes =
            isLink
            ? [] : try reading(path) { try FileSystem.readAll(path, limit: Self.stateByteLimit) }
        guard let known = try? JSONDecoder().decode(State.self, from: Data(bytes)),
            known.version == 1, known.names.allSatisfy(Self.isName)
        else {
            throw SignetError(
                .malformedInput, file: path,
                isLink ? "the file is a symbolic link" : "the stored list is damaged",
                hint: remedy ?? Sentence(.removeAndFetch, self.root))
        }
        state = known
    }

    /// An empty one, for a folder whose lists are to be replaced.
    private init(replacing root: String) {
        self.root = root
        state = State()
    }

    /// The fetched lists.
    ///
    /// - Throws: ``SignetError``: `missingInput` if there are none.
    static func fetched() throws -> TrustListCache {
        let cache = try TrustListCache()
        guard !cache.isEmpty else {
            throw SignetError(
                .missingInput, file: cache.root, "no EU trusted lists are stored",
                hint: Sentence(.fetchLists))
        }
        return cache
    }

    private static func isName(_ name: String) -> Bool {
        name.count == 68 && name.utf8.prefix(64).allSatisfy { Hex.decode([$0, $0]) != nil }
    }

    var isEmpty: Bool { state.listOfLists == nil }

    func documents(of territory: String) -> [String] {
        let entry =
            territory == ListAuthority.europeanTerritory
            ? state.listOfLists : state.lists[territory]
        return [entry].compactMap { $0?.sha256 }
    }

    func pivot(at location: String) throws(TrustListError) -> [UInt8]? {
        guard let entry = state.pivots[location] else { return nil }
        return try read(entry.sha256)
    }

    func read(_ name: String) throws(TrustListError) -> [UInt8] {
        guard !FileSystem.isLink("\(root)/\(name).xml") else {
            throw TrustListError(.malformed, "\(root)/\(name).xml: the file is a symbolic link")
        }
        return try Self.readList("\(root)/\(name).xml")
    }

    static func readList(_ path: String) throws(TrustListError) -> [UInt8] {
        do {
            return try FileSystem.readAll(path, limit: TrustListLimits.byteCount)
        } catch {
            throw TrustListError(.missing, "\(path): \(error.detail)")
        }
    }

    // MARK: Changes

    /// Runs `body` with an exclusive lock and the current lists.
    ///
    /// - Parameters:
    ///   - remedy: the hint if the lists are damaged; nil to remove the folder.
    ///   - replacing: called if damaged lists may be replaced; nil if they may not.
    static func changing<Result>(
        root: String? = nil, remedy: Sentence? = nil, replacing: ((SignetError) -> Void)? = nil,
        _ body: (TrustListCache) throws -> Result
    ) throws -> Result {
        let folder = try TrustListCache.folder(root)
        return try writing(folder) {
            try FileSystem.makePrivateFolder(folder)
            let lock = try FolderLock("\(folder)/lock", isShared: false)
            return try withExtendedLifetime(lock) {
                let cache: TrustListCache
                do {
                    cache = try TrustListCache(root: folder, remedy: remedy)
                } catch let error as SignetError {
                    guard let replacing else { throw error }
                    replacing(error)
                    cache = TrustListCache(replacing: folder)
                }
                return try body(cache)
            }
        }
    }

    private static func folder(_ root: String?) throws -> String {
        try root ?? IdentityStore.defaultRoot() + "/trust/eu"
    }

    /// Replaces the state, and removes documents that it does not contain.
    ///
    /// - Parameter documents: new documents by SHA-256, written before the state.
    func replace(with new: State, documents: [String: [UInt8]]) throws {
        for (name, document) in documents {
            try write(document, to: "\(name).xml")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        try write([UInt8](encoder.encode(new)), to: Self.stateName)
        let kept = new.names
        for name in try FileSystem.list(root)
        where name.hasSuffix(".xml") && !kept.contains(name) && Self.isName(name) {
            try FileSystem.removeFile("\(root)/\(name)")
        }
    }

    private func write(_ bytes: [UInt8], to name: String) throws {
        let output = try AtomicOutput(
            path: "\(root)/\(name)", mode: .secret, replace: true, run: nil)
        try output.write(bytes)
        try output.commit()
    }
}
