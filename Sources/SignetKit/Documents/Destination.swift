internal import Base
import CodecBridge
import Synchronization
import SystemBridge

/// The destination of an output: a file, memory, or an open file.
public struct Destination: Sendable {
    private enum Place {
        case path
        case memory(OutputBytes)
        case descriptor(Int32)
    }

    private let place: Place
    /// Path, where `-` is standard output. For memory and open files, a name for results.
    public let path: String
    /// Whether an existing file may be replaced.
    public let replacesExisting: Bool
    /// Whether the output replaces the input and keeps its permissions.
    public let isInPlace: Bool
    /// Whether a missing folder is created.
    public let makesFolder: Bool
    /// Called before an output is renamed to its final name; see ``telling(_:)``.
    private var hear: (@Sendable (String) throws -> Void)?

    /// A file.
    ///
    /// - Parameter path: `-` is standard output.
    public init(
        path: String, replacesExisting: Bool = false, isInPlace: Bool = false,
        makesFolder: Bool = false
    ) {
        place = .path
        self.path = path
        self.replacesExisting = replacesExisting
        self.isInPlace = isInPlace
        self.makesFolder = makesFolder
    }

    /// Collects the output in memory.
    public init(_ bytes: OutputBytes, name: String = "output") {
        self.init(place: .memory(bytes), name: name)
    }

    /// - Parameter openFile: a descriptor to write to. It stays open, and receives the output when
    ///   it is complete.
    public init(openFile: Int32, name: String = "output") {
        self.init(place: .descriptor(openFile), name: name)
    }

    /// Whether it is the file at ``path``.
    private var isFile: Bool { if case .path = place { true } else { false } }

    private init(place: Place, name: String) {
        self.place = place
        path = name
        (replacesExisting, isInPlace, makesFolder) = (false, false, false)
    }
}

/// An output in memory, empty until the task has finished.
public final class OutputBytes: Sendable {
    private let state = Mutex<[UInt8]>([])

    public init() {}

    /// The complete output; empty before the task has finished, and after a failure.
    public var bytes: [UInt8] { state.withLock { $0 } }

    fileprivate func take(_ bytes: [UInt8]) { state.withLock { $0 = bytes } }
}

extension Destination {
    /// A copy with a callback. Before the output is renamed to its final name, the callback
    /// receives the SHA-256 of the complete output in hexadecimal. Callers use the hash to
    /// recognize the output later.
    package func telling(_ hear: @escaping @Sendable (String) throws -> Void) -> Destination {
        var told = self
        told.hear = hear
        return told
    }

    /// Checks that the output can be written; writes nothing.
    ///
    /// - Throws: ``SignetError``, as writing would.
    public func rehearse() throws {
        try requireNoTerminal()
        guard isFile, path != "-", !FileSystem.isPipe(path) else { return }
        try writing(path) {
            let folder = FileSystem.folder(of: path)
            guard FileSystem.exists(folder) || !makesFolder else {
                return try FileSystem.requireWritableFolder(
                    FileSystem.folder(of: folder), for: path)
            }
            try requireNoKey()
            // An in-place output is checked later, when the input is open.
            try AtomicOutput(
                path: path, mode: .normal, replace: replacesExisting,
                run: isInPlace ? nil : .current
            ).discard()
        }
    }

    /// Opens the output for writing.
    ///
    /// - Parameter mode: permissions of a new file.
    fileprivate func output(_ mode: AtomicOutput.Mode) throws -> AtomicOutput {
        try writing(path) {
            switch place {
            case .path:
                // The folder is created if the given path ends in a slash.
                if makesFolder { try FileSystem.makeFolders(FileSystem.folder(of: path)) }
                let output = try AtomicOutput(path: path, mode: mode, replace: replacesExisting)
                if let hear {
                    output.whenWhole = { (file) throws(FileError) in
                        do {
                            try hear(FileHash.sha256(of: file))
                        } catch {
                            let detail = (error as? SignetError)?.message ?? "\(error)"
                            throw FileError(.io, path: file.path, detail: detail)
                        }
                    }
                }
                return output
            case .memory(let bytes): return try AtomicOutput(name: path) { bytes.take($0) }
            case .descriptor(let number): return try AtomicOutput(descriptor: number, name: path)
            }
        }
    }

    /// An output that only its owner may read.
    ///
    /// - Parameter keepsKeys: whether an existing private key is never replaced.
    func secretOutput(keepsKeys: Bool = false) throws -> AtomicOutput {
        try requireFileName()
        if keepsKeys { try requireNoKey() }
        return try output(.secret)
    }

    /// Rejects a token URI as a file name: the key would be written to disk.
    private func requireFileName() throws(SignetError) {
        guard isFile, OpenedKey.isElsewhere(path) else { return }
        throw SignetError(
            .usage, "'\(path)' is a key outside a file, but the output must be a file",
            hint: Sentence(.makeOnToken, path))
    }

    /// An output with the usual permissions.
    func output() throws -> AtomicOutput {
        try requireNoKey()
        return try output(.normal)
    }

    /// An output created from several files, with at most their common permissions.
    func output(madeOf paths: [String]) throws -> AtomicOutput {
        try requireNoKey()
        return try output(.atMost(FileSystem.commonPermissions(of: paths)))
    }

    /// An output created from a file. It has at most the file's permissions, or exactly these if it
    /// replaces the file.
    func output(from file: InputFile) throws -> AtomicOutput {
        try requireNoKey()
        try requireNoTerminal()
        return try output(isInPlace ? .like(file) : .noMorePublic(than: file))
    }

    /// Rejects a terminal as destination, since documents are binary.
    func requireNoTerminal() throws(SignetError) {
        guard path == "-", isFile, Terminal.isInteractive(.output) else { return }
        throw SignetError(
            .usage, "standard output is a terminal", hint: Sentence(.writeIntoFile))
    }

    /// An existing private key is never replaced, since it cannot be restored.
    private func requireNoKey() throws(SignetError) {
        guard replacesExisting, !isInPlace, isFile, FileSystem.isRegularFile(path),
            let file = try? InputFile(outputOf: path),
            let head = try? file.bytes(at: 0, count: min(file.byteCount, Self.keyByteLimit)),
            Self.isPrivateKey(head)
        else { return }
        throw SignetError(
            .outputRefused, file: path,
            "the output file contains a private key and is not overwritten",
            hint: Sentence(.nameAnotherOrRemove))
    }

    /// Maximum size in bytes of a file that is checked for private keys.
    private static let keyByteLimit = 64 << 10

    /// Whether the bytes are a private key in PEM, or begin like PKCS#8 or PKCS#12 in DER.
    private static func isPrivateKey(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == ASN1Tag.sequence else {
            var hasMark = false
            ByteSearch.forEach(Array("-----BEGIN".utf8), in: bytes.span) { _ in hasMark = true }
            guard hasMark else { return false }
            return String(decoding: bytes, as: UTF8.self).contains("PRIVATE KEY-----")
        }
        guard let head = ASN1Node.headByteCount(in: bytes) else { return false }
        let rest = bytes.dropFirst(head)
        return rest.starts(with: DERWriter.integer(3))
            || rest.starts(with: DERWriter.integer(0) + [ASN1Tag.sequence])
    }
}
