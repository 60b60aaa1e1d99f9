internal import Base
import CodecBridge
import Synchronization
import SystemBridge

/// Where an output goes: a file, memory, or a file that is open already.
public struct Destination: Equatable, Sendable {
    private enum Place: Equatable {
        case path
        case memory(OutputBytes)
        case descriptor(Int32)
    }

    private let place: Place
    /// `-` is standard output. For what has no path a name of your own, which results bring.
    public let path: String
    /// Whether a file there may be replaced.
    public let replacesExisting: Bool
    /// Whether the output takes the input's place and its permissions.
    public let isInPlace: Bool
    /// Whether its folder is made if there is none.
    public let makesFolder: Bool
    /// Who is told of an output before it is there; see ``telling(_:)``.
    private var listener: OutputListener?

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

    /// - Parameter openFile: a descriptor to write to. It stays open, and gets the output when that
    ///   is whole.
    public init(openFile: Int32, name: String = "output") {
        self.init(place: .descriptor(openFile), name: name)
    }

    private init(place: Place, name: String) {
        self.place = place
        path = name
        (replacesExisting, isInPlace, makesFolder) = (false, false, false)
    }
}

/// Who is told what outputs are.
private final class OutputListener: Equatable, Sendable {
    let hear: @Sendable (String) throws -> Void

    init(_ hear: @escaping @Sendable (String) throws -> Void) { self.hear = hear }

    static func == (left: OutputListener, right: OutputListener) -> Bool { left === right }
}

/// An output in memory. It is empty until the task is done.
public final class OutputBytes: Sendable {
    private let state = Mutex<[UInt8]>([])

    public init() {}

    /// The whole output; empty before the task is done, and after one that failed.
    public var bytes: [UInt8] { state.withLock { $0 } }

    fileprivate func take(_ bytes: [UInt8]) { state.withLock { $0 = bytes } }
}

extension OutputBytes: Equatable {
    /// Whether both are the same place, not whether they hold the same.
    public static func == (left: OutputBytes, right: OutputBytes) -> Bool { left === right }
}

extension Destination {
    /// The same, and somebody is told the SHA-256 of the output, in hexadecimal, when that is whole
    /// and before it has its name: whoever finds it there later knows whose it is.
    package func telling(_ hear: @escaping @Sendable (String) throws -> Void) -> Destination {
        var told = self
        told.listener = OutputListener(hear)
        return told
    }

    /// Checks that the output could be written; leaves nothing.
    ///
    /// - Throws: ``SignetError``, what writing would fail with.
    public func rehearse() throws {
        try requireNoTerminal()
        guard place == .path, path != "-", !FileSystem.isPipe(path) else { return }
        try writing(path) {
            let folder = FileSystem.folder(of: path)
            guard FileSystem.exists(folder) || !makesFolder else {
                return try FileSystem.requireWritableFolder(
                    FileSystem.folder(of: folder), for: path)
            }
            try requireNoKey()
            // What takes the place of its input may: only a run that read it knows which that is.
            try AtomicOutput(
                path: path, mode: .normal, replace: replacesExisting,
                run: isInPlace ? nil : .current
            ).discard()
        }
    }

    /// The output, to be written and committed.
    ///
    /// - Parameter mode: permissions of a new file.
    fileprivate func output(_ mode: AtomicOutput.Mode) throws -> AtomicOutput {
        try writing(path) {
            switch place {
            case .path:
                // Made where the person named it with a slash at its end.
                if makesFolder { try FileSystem.makeFolders(FileSystem.folder(of: path)) }
                let output = try AtomicOutput(path: path, mode: mode, replace: replacesExisting)
                if let listener {
                    output.whenWhole = { (file) throws(FileError) in
                        do {
                            try listener.hear(FileHash.sha256(of: file))
                        } catch {
                            let detail = (error as? SignetError)?.message ?? "\(error)"
                            throw FileError(.io, path: file.path, detail: detail)
                        }
                    }
                }
                return output
            case .memory(let bytes): return try AtomicOutput(name: path) { bytes.take($0) }
            case .descriptor(let number):
                return try AtomicOutput(descriptor: number, name: path)
            }
        }
    }

    /// An output that only its owner may read.
    ///
    /// - Parameter keepsKeys: whether a private key that is there stays, whoever wants it replaced.
    func secretOutput(keepsKeys: Bool = false) throws -> AtomicOutput {
        try requireFileName()
        if keepsKeys { try requireNoKey() }
        return try output(.secret)
    }

    /// Whoever names a token must not get a file of that name, and take the key for safe there.
    private func requireFileName() throws(SignetError) {
        guard place == .path, OpenedKey.isElsewhere(path) else { return }
        throw SignetError(
            .usage, "'\(path)' names a key that is in no file, and only a file can be written here",
            hint: Sentence(.makeOnToken, path))
    }

    /// An output with the usual permissions.
    func output() throws -> AtomicOutput {
        try requireNoKey()
        return try output(.normal)
    }

    /// An output made of files: no more public than each of them.
    func output(madeOf paths: [String]) throws -> AtomicOutput {
        try requireNoKey()
        return try output(.atMost(FileSystem.commonPermissions(of: paths)))
    }

    /// An output made of a file: no more public than it, or with its permissions where it takes its
    /// place.
    func output(from file: InputFile) throws -> AtomicOutput {
        try requireNoKey()
        try requireNoTerminal()
        return try output(isInPlace ? .like(file) : .noMorePublic(than: file))
    }
}

extension Destination {
    /// Documents are nothing that terminals could show.
    func requireNoTerminal() throws(SignetError) {
        guard path == "-", place == .path, Terminal.isInteractive(.output) else { return }
        throw SignetError(
            .usage, "the document would go to the terminal", hint: Sentence(.writeIntoFile))
    }

    /// A private key is not to be had again: nothing else takes its place.
    private func requireNoKey() throws(SignetError) {
        guard replacesExisting, !isInPlace, place == .path, FileSystem.isRegularFile(path),
            let file = try? InputFile(outputOf: path),
            let head = try? file.bytes(at: 0, count: min(file.byteCount, Self.keyByteLimit)),
            Self.isPrivateKey(head)
        else { return }
        throw SignetError(
            .outputRefused, file: path, "holds a private key, which nothing else replaces",
            hint: Sentence(.nameAnotherOrRemove))
    }

    /// Where keys end in files that hold some.
    private static let keyByteLimit = 64 << 10

    /// PEM, or the first bytes of PKCS#8 and PKCS#12 in DER.
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
