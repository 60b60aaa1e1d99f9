import FileBridge
import Synchronization

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

/// An output in memory. It is empty until the task is done.
public final class OutputBytes: Sendable {
    private let state = Mutex<[UInt8]>([])

    public init() {}

    public var bytes: [UInt8] { state.withLock { $0 } }

    fileprivate func take(_ bytes: [UInt8]) { state.withLock { $0 = bytes } }
}

extension OutputBytes: Equatable {
    public static func == (left: OutputBytes, right: OutputBytes) -> Bool { left === right }
}

extension Destination {
    /// Checks that the output could be written; leaves nothing.
    ///
    /// - Throws: ``SignetError``, what writing would fail with.
    public func rehearse() throws {
        guard place == .path, path != "-" else { return }
        try writing(path) {
            let folder = FileSystem.folder(of: path)
            guard FileSystem.exists(folder) || !makesFolder else {
                return try FileSystem.requireWritableFolder(
                    FileSystem.folder(of: folder), for: path)
            }
            try AtomicOutput(path: path, mode: .normal, replace: replacesExisting, run: nil)
                .discard()
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
                return try AtomicOutput(path: path, mode: mode, replace: replacesExisting)
            case .memory(let bytes): return try AtomicOutput(name: path) { bytes.take($0) }
            case .descriptor(let number):
                return try AtomicOutput(descriptor: number, name: path)
            }
        }
    }

    /// An output that only its owner may read.
    func secretOutput() throws -> AtomicOutput { try output(.secret) }

    /// An output with the usual permissions, or with those of the file whose place it takes.
    func output(replacing file: InputFile? = nil) throws -> AtomicOutput {
        guard let file, isInPlace else { return try output(.normal) }
        return try output(.like(file))
    }
}
