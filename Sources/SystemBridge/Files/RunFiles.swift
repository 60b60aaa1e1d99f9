import Base
import Glibc
import Synchronization

/// The files that one run of the program reads and writes.
///
/// It ensures that no output replaces another output or an input, also through links, and that each
/// input is opened once, since a pipe permits only that.
package final class RunFiles: Sendable {
    /// The run of this process; nil if a program uses the library.
    package static var current: RunFiles? { box.withLock { $0 } }
    private static let box = Mutex<RunFiles?>(nil)

    package static func begin() { box.withLock { $0 = RunFiles() } }

    package init() {}

    /// Number of open files kept for reuse.
    private static let keptCount = 4

    /// A name in a folder, whether or not the file exists.
    fileprivate struct Place: Hashable {
        let folder: InputFile.Identity
        let name: ExactText

        /// The hash of the name in a folder that may ignore case or Unicode normalization.
        var folded: Int {
            var hasher = Hasher()
            hasher.combine(folder)
            hasher.combine(name.text.lowercased())
            return hasher.finalize()
        }
    }

    /// An output: its name, and the file that it will replace.
    struct Output: Hashable {
        fileprivate let place: Place
        fileprivate let replaced: InputFile.Identity?
    }

    private struct State {
        var read: Set<InputFile.Identity> = []
        /// Planned outputs that are not begun yet.
        var planned: Set<Place> = []
        /// Hashes of the planned and begun outputs, with case folded. There may be millions.
        var folded: Set<Int> = []
        /// Hashes of outputs that were begun or finished.
        var begun: Set<Int> = []
        var replaced: Set<InputFile.Identity> = []
        /// Inputs that may be read although they are replaced.
        var inPlace: Set<InputFile.Identity> = []
        var kept: [(path: ExactText, file: InputFile.Opened)] = []
    }
    private let state = Mutex(State())

    // MARK: Outputs

    /// Registers the outputs of a run with several, before any is begun.
    ///
    /// - Parameters:
    ///   - inputs: all known inputs.
    ///   - isInPlace: whether each output replaces its input.
    /// - Throws: ``FileError``, `.doubleOutput` or `.overInput`.
    package func plan(outputs: [String], inputs: [String], isInPlace: Bool) throws(FileError) {
        if !isInPlace { for input in inputs { note(read: Self.identity(input)) } }
        // In folders that do not exist yet only names can be compared.
        var unmade: Set<ExactText> = []
        for path in outputs {
            guard let output = Self.output(path, found: FileSystem.find(path)) else {
                let isNew = path != "-" && !FileSystem.exists(FileSystem.folder(of: path))
                guard isNew else { continue }
                guard unmade.insert(ExactText(FileSystem.place(path))).inserted else {
                    throw Self.refusal(.doubleOutput, path: path)
                }
                continue
            }
            try requireDistinct(output, path: path)
            let failure: FileError.Code? = state.withLock { state in
                if let old = output.replaced {
                    if isInPlace { state.inPlace.insert(old) }
                    if !isInPlace, state.read.contains(old) { return .overInput }
                    guard state.replaced.insert(old).inserted else { return .doubleOutput }
                }
                return state.planned.insert(output.place).inserted ? nil : .doubleOutput
            }
            if let failure { throw Self.refusal(failure, path: path) }
        }
    }

    /// Registers an output that is begun.
    ///
    /// - Parameter input: The file that may be replaced although it was read.
    func begin(
        _ path: String, found: FileSystem.Found, replacing input: InputFile.Identity?
    ) throws(FileError) -> Output? {
        guard let output = Self.output(path, found: found) else { return nil }
        try requireDistinct(output, path: path)
        let failure: FileError.Code? = state.withLock { state in
            if let old = output.replaced, old != input, state.read.contains(old) {
                return .overInput
            }
            let isPlanned = state.planned.remove(output.place) != nil
            guard state.begun.insert(output.place.hashValue).inserted else { return .doubleOutput }
            guard let old = output.replaced else { return nil }
            if old == input { state.inPlace.insert(old) }
            guard state.replaced.insert(old).inserted || isPlanned else {
                state.begun.remove(output.place.hashValue)
                return .doubleOutput
            }
            return nil
        }
        if let failure { throw Self.refusal(failure, path: path) }
        return output
    }

    /// - Throws: ``FileError``, `.doubleOutput` if another output has the same name in another
    ///   case, in a case-insensitive folder.
    private func requireDistinct(_ output: Output, path: String) throws(FileError) {
        let place = output.place
        let isAnother = state.withLock { state in
            !state.folded.insert(place.folded).inserted
                && !state.planned.contains(place) && !state.begun.contains(place.hashValue)
        }
        guard isAnother, FileSystem.ignoresCase(FileSystem.folder(of: path)) else { return }
        throw Self.refusal(.doubleOutput, path: path)
    }

    /// Registers a file that is read and replaced repeatedly, for the whole run.
    ///
    /// - Throws: ``FileError``, `.doubleOutput` if an output has this path.
    package static func claim(_ path: String) throws(FileError) {
        _ = try current?.begin(path, found: FileSystem.find(path), replacing: identity(path))
    }

    /// Registers that the output has replaced the previous file.
    func finish(_ output: Output) {
        guard let old = output.replaced else { return }
        _ = state.withLock { $0.replaced.remove(old) }
    }

    /// Registers that the output was discarded: it may be begun again.
    func giveUp(_ output: Output) {
        state.withLock { state in
            state.begun.remove(output.place.hashValue)
            state.folded.remove(output.place.folded)
            if let old = output.replaced { state.replaced.remove(old) }
        }
    }

    private static func refusal(_ code: FileError.Code, path: String) -> FileError {
        FileError(
            code, path: path,
            detail: code == .overInput
                ? "the output would overwrite an input file" : "two outputs have the same path")
    }

    /// Nil for streams and devices.
    private static func output(_ path: String, found: FileSystem.Found) -> Output? {
        guard path != "-" else { return nil }
        let status = found.target
        if let status, status.kind != S_IFREG { return nil }
        let target = status != nil && found.isLink ? FileSystem.resolved(path) : path
        guard let folder = identity(FileSystem.folder(of: target)) else { return nil }
        return Output(
            place: Place(folder: folder, name: ExactText(FileSystem.name(of: target))),
            replaced: status.map(InputFile.Identity.init))
    }

    private static func identity(_ path: String) -> InputFile.Identity? {
        path == "-" ? nil : FileSystem.target(of: path).map(InputFile.Identity.init)
    }

    // MARK: Inputs

    func note(read file: InputFile.Identity?) {
        guard let file else { return }
        _ = state.withLock { $0.read.insert(file) }
    }

    /// Registers a file that may be read later, such as a password file that may not be needed.
    package func willRead(_ path: String) {
        guard FileSystem.isRegularFile(path) else { return }
        note(read: Self.identity(path))
    }

    /// Registers that a file was only compared with an output. It may be replaced.
    package static func lookedAt(_ path: String) {
        guard let current, let identity = identity(path) else { return }
        current.forget(path)
        _ = current.state.withLock { $0.read.remove(identity) }
    }

    /// The file opened before, if it is still open; otherwise opens it.
    func open(
        _ path: String, _ open: () throws(FileError) -> InputFile.Opened
    ) throws(FileError) -> InputFile.Opened {
        // Standard input can be read only once.
        guard path != "-" else { return try open() }
        let name = ExactText(path)
        let known = state.withLock { state in state.kept.first { $0.path == name }?.file }
        if let known { return known }
        let file = try open()
        let isRefused = state.withLock { state in
            if let identity = file.identity {
                if state.replaced.contains(identity), !state.inPlace.contains(identity) {
                    return true
                }
                state.read.insert(identity)
            }
            state.kept.append((name, file))
            let files = state.kept.indices.filter { !state.kept[$0].file.isCopy }
            if files.count > Self.keptCount { state.kept.remove(at: files[0]) }
            return false
        }
        if isRefused { throw Self.refusal(.overInput, path: path) }
        return file
    }

    /// Registers that the path now leads to another file.
    func forget(_ path: String) {
        state.withLock { $0.kept.removeAll { $0.path == ExactText(path) } }
    }
}
