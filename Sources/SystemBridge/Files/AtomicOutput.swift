import Base
import CSystemCalls
import Glibc

/// An output file that becomes visible only when it is complete.
///
/// Bytes are written to an unnamed file in the target's folder; ``commit()`` syncs it, gives it its
/// name and syncs the folder. Without a commit no file remains, however the process ends.
package final class AtomicOutput {
    /// Permissions of a new file. A replaced file keeps its permissions.
    package enum Mode {
        /// 0600, regardless of umask and replaced file.
        case secret
        /// 0666 less the umask.
        case normal
        /// The normal ones, but without permissions that others lack for a file that was read.
        case noMorePublic(than: InputFile)
        /// The normal ones, restricted to these permission bits.
        case atMost(UInt32)
        /// Those of the file that was read and is replaced.
        case like(InputFile)
    }

    /// The path as it was given.
    package let path: String
    private let replace: Bool
    private let mode: Mode
    private(set) var descriptor: FileDescriptor
    private enum Destination {
        /// A folder; with a temporary name if unnamed files are not supported.
        case file(target: String, folder: String, TemporaryName?)
        /// A device, pipe or socket: the content is copied to it.
        case copy(FileDescriptor)
        /// A callback that receives the bytes.
        case handOver(([UInt8]) -> Void)
    }
    private var destination: Destination?
    /// Called with the complete content before it becomes visible.
    package var whenWhole: ((InputFile) throws(FileError) -> Void)?
    private var writeBack: WriteBack
    /// The files of the run, and the entry of this output among them.
    private let run: RunFiles?
    private var place: RunFiles.Output?

    /// Prepares the output; `-` is standard output.
    ///
    /// - Parameters:
    ///   - path: the target. A symbolic link itself is replaced, not its target: otherwise anybody
    ///     who can create a link in the folder chooses the file to overwrite. Only a file that was
    ///     read is replaced at its real location.
    ///   - mode: permissions of the new file.
    ///   - replace: whether an existing file may be replaced. Devices and pipes are always written.
    ///   - run: the run whose files must not be overwritten.
    /// - Throws: ``FileError``, `.exists` before anything is written.
    package init(
        path: String, mode: Mode, replace: Bool, run: RunFiles? = .current
    ) throws(FileError) {
        self.path = path
        self.replace = replace
        self.mode = mode
        self.run = run
        let found = FileSystem.find(path)
        if let device = try Self.device(path, found: found, replace: replace) {
            descriptor = try FileDescriptor.anonymousTemporary()
            writeBack = WriteBack(descriptor)
            destination = .copy(device)
            return
        }
        var input: InputFile.Identity?
        if case .like(let file) = mode { input = file.identity }
        let target =
            input == nil
            ? FileSystem.inResolvedFolder(path, isLink: found.isLink) : FileSystem.resolved(path)
        let folder = FileSystem.folder(of: target)
        let place = try run?.begin(path, found: found, replacing: input)
        let name: TemporaryName?
        do {
            (descriptor, name) = try Self.create(in: folder, mode, for: path)
        } catch {
            if let place { run?.giveUp(place) }
            throw error
        }
        self.place = place
        writeBack = WriteBack(descriptor)
        destination = .file(target: target, folder: folder, name)
    }

    /// An output that is copied to an open file when it is complete. The file stays open.
    ///
    /// - Parameter name: name in messages, in place of a path.
    package convenience init(descriptor: Int32, name: String) throws(FileError) {
        try self.init(
            name, waitingIn: .anonymousTemporary(),
            .copy(FileDescriptor(descriptor, borrowed: true)))
    }

    /// An output whose complete bytes are passed to a callback.
    package convenience init(name: String, _ take: @escaping ([UInt8]) -> Void) throws(FileError) {
        try self.init(name, waitingIn: .temporaryStore(), .handOver(take))
    }

    /// - Parameter waiting: the file with the content until the commit.
    private init(
        _ name: String, waitingIn waiting: FileDescriptor, _ destination: Destination
    ) throws(FileError) {
        path = name
        (replace, mode, run) = (false, .normal, nil)
        descriptor = waiting
        writeBack = WriteBack(waiting)
        self.destination = destination
    }

    deinit { discard() }

    /// The device to which the content is copied; nil for a regular file.
    ///
    /// - Throws: ``FileError`` if an existing file must not be replaced.
    private static func device(
        _ path: String, found: FileSystem.Found, replace: Bool
    ) throws(FileError) -> FileDescriptor? {
        if path == "-" { return FileDescriptor(StandardOutput.number, borrowed: true) }
        guard let status = found.target else {
            // A dangling link exists too.
            guard replace || !found.isLink else { throw exists(path) }
            return nil
        }
        switch status.kind {
        case S_IFDIR: throw FileError(.cannotCreate, path: path, detail: "the path is a folder")
        case S_IFREG:
            guard replace else { throw exists(path) }
            return nil
        case S_IFIFO:
            if let pipe = FileDescriptor.openToWrite(pipe: path) { return pipe }
            guard errno == ENXIO else { throw .creating(path, errno: errno) }
            throw FileError(.cannotCreate, path: path, detail: "the pipe has no reader")
        default:
            guard let device = FileDescriptor.open(path, flags: O_WRONLY | O_NOCTTY) else {
                throw .creating(path, errno: errno)
            }
            return device
        }
    }

    /// A new file in the folder, unnamed if possible.
    private static func create(
        in folder: String, _ mode: Mode, for path: String
    ) throws(FileError) -> (file: FileDescriptor, name: TemporaryName?) {
        let permissions: mode_t =
            switch mode {
            case .secret, .like: 0o600
            case .normal: 0o666
            case .noMorePublic(let input):
                input.hasPermissions ? mode_t(input.permissions | 0o600) & 0o666 : 0o666
            case .atMost(let bits): mode_t(bits | 0o600) & 0o666
            }
        guard let made = FileDescriptor.create(in: folder, mode: permissions) else {
            throw .creating(path, errno: errno)
        }
        // The lock shows other processes that the file is in use, as soon as it has a name.
        _ = flock(made.file.number, LOCK_EX | LOCK_NB)
        return made
    }

    package func write(_ bytes: [UInt8]) throws(FileError) { try write(bytes.span) }

    package func write(_ bytes: Span<UInt8>) throws(FileError) {
        try WorkRun.check(path)
        try descriptor.write(bytes, to: path)
        writeBack.note(bytes.count)
    }

    /// Appends a range of a file, and passes each part to `tee` in the same pass.
    ///
    /// - Throws: ``FileError``, or what `tee` throws.
    package func copy(
        from input: InputFile, range: Range<Int>, tee: (Span<UInt8>) throws -> Void = { _ in },
        alongside: (@Sendable (Span<UInt8>) -> Void)? = nil
    ) throws {
        if range.count >= Self.backgroundByteCount,
            let writer = BackgroundWriter(descriptor, alongside: alongside)
        {
            let result = Result { try input.stream(range: range, through: writer, tee) }
            let failure = writer.finish()
            try result.get()
            guard failure == 0 else { throw FileError.writing(path, errno: failure) }
            return
        }
        try input.stream(range: range) { part in
            try tee(part)
            try write(part)
            alongside?(part)
        }
    }

    /// From this size a second thread is faster.
    private static let backgroundByteCount = 8 * 1024 * 1024

    /// Replaces bytes that were written before.
    ///
    /// - Parameter offset: Offset in the output; the replaced bytes must have been written.
    package func replace(at offset: Int, with bytes: [UInt8]) throws(FileError) {
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe pwrite(
                    descriptor.number, buffer.baseAddress.map { unsafe $0 + written },
                    buffer.count - written, off_t(offset + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .writing(path, errno: count < 0 ? errno : ENOSPC) }
            written += count
        }
    }

    /// Discards the output. No effect after a commit.
    package func discard() {
        if let place { run?.giveUp(place) }
        place = nil
        destination = nil
    }

    // MARK: Commit

    /// Makes the output visible under its name.
    ///
    /// - Throws: ``FileError``; `.exists` if another process has created the target and it must not
    ///   be replaced, `.changed` if the input to replace has changed. No file remains then.
    package func commit() throws(FileError) {
        SignalCleanup.waitIfEnding()
        switch destination {
        case .copy(let device):
            destination = nil
            try WorkRun.beginOutput(path)
            if path == "-" { StandardOutput.noteData() }
            try descriptor.copyContent(to: device, path: path)
        case .handOver(let take):
            destination = nil
            let bytes = try FileSystem.readAll(InputFile(self), limit: .max)
            try WorkRun.beginOutput(path)
            take(bytes)
        case .file(let target, let folder, let name):
            defer { discard() }
            let lost = try secure(for: target)
            try WorkRun.beginOutput(path)
            try publish(in: folder, name, as: target)
            settle(in: folder, lost)
        case nil: throw FileError(.io, path: path, detail: "the output is already finished")
        }
    }

    /// Performs slow steps before the file gets its name.
    ///
    /// - Returns: attributes of the replaced file that could not be kept.
    private func secure(
        for target: String, isSynced: Bool = true
    ) throws(FileError) -> [String] {
        if case .like(let input) = mode, replace { try input.requireUnchanged(at: target) }
        let lost = keepAttributes(of: target)
        let number = descriptor.number
        let failure =
            isSynced ? OrderedWork.whileWaiting { fsync(number) == 0 ? 0 : errno } : 0
        guard failure == 0 else { throw .writing(path, errno: failure) }
        try whenWhole?(InputFile(self))
        return lost
    }

    /// Writes the content of all files to disk: one call for each file system.
    private static func syncTogether(_ outputs: [AtomicOutput]) throws(FileError) {
        var synced: Set<dev_t> = []
        for output in outputs {
            let number = output.descriptor.number
            guard let device = output.descriptor.status()?.st_dev else {
                throw .writing(output.path, errno: errno)
            }
            guard synced.insert(device).inserted else { continue }
            let failure = OrderedWork.whileWaiting { CFile_sync_system(number) == 0 ? 0 : errno }
            guard failure == 0 else { throw .writing(output.path, errno: failure) }
        }
    }

    private func settle(in folder: String, _ lost: [String], isSynced: Bool = true) {
        _ = flock(descriptor.number, LOCK_UN)
        // No other output of the run may use this path, which now leads to another file.
        if let place { run?.finish(place) }
        place = nil
        RunFiles.current?.forget(path)
        if !lost.isEmpty { Notices.say(.attributesLost, path, lost.joined(separator: ", ")) }
        // The new name must survive a power failure too. Some file systems cannot sync folders;
        // that is ignored.
        guard isSynced else { return }
        OrderedWork.whileWaiting { FileSystem.syncFolder(folder) }
    }

    /// Commits related outputs in this order: after a failure, earlier ones that replaced no file
    /// are removed. A signal cannot interrupt the naming.
    ///
    /// - Parameter syncingTogether: whether one sync of their file system replaces that of each
    ///   file, which is faster for many small files.
    package static func commit(
        _ outputs: [AtomicOutput], syncingTogether: Bool = false
    ) throws(FileError) {
        SignalCleanup.waitIfEnding()
        defer { for output in outputs { output.discard() } }
        var files: [(output: AtomicOutput, target: String, folder: String, lost: [String])] = []
        for output in outputs {
            guard case .file(let target, let folder, _) = output.destination else { continue }
            let lost = try output.secure(for: target, isSynced: !syncingTogether)
            files.append((output, target, folder, lost))
        }
        if syncingTogether { try syncTogether(files.map(\.output)) }
        if let first = outputs.first { try WorkRun.beginOutput(first.path) }
        try SignalCleanup.whole { () throws(FileError) in
            for (index, file) in files.enumerated() {
                do throws(FileError) {
                    guard case .file(_, _, let name) = file.output.destination else { continue }
                    try file.output.publish(in: file.folder, name, as: file.target)
                } catch {
                    for earlier in files[..<index] { earlier.output.withdraw(earlier.target) }
                    throw error
                }
            }
        }
        var synced: Set<ExactText> = []
        for file in files {
            let isNew = !syncingTogether || synced.insert(ExactText(file.folder)).inserted
            file.output.settle(in: file.folder, file.lost, isSynced: isNew)
        }
        for output in outputs {
            if case .file = output.destination { continue }
            do throws(FileError) {
                try output.commit()
            } catch {
                for file in files { file.output.withdraw(file.target) }
                throw error
            }
        }
    }

    /// Removes a name that did not exist before.
    private func withdraw(_ target: String) {
        guard !replace else { return }
        _ = unsafe target.withSystemPath { unsafe unlink($0) }
    }

    /// - Returns: attributes of the replaced file that could not be kept.
    private func keepAttributes(of target: String) -> [String] {
        // A symbolic link has no attributes to copy, and its target is not replaced.
        guard replace, let old = FileSystem.status(of: target), old.kind != S_IFLNK else {
            // A file system without permissions rejects the call; the file then stays private.
            if case .like(let input) = mode {
                _ = fchmod(descriptor.number, mode_t(input.permissions))
            }
            return []
        }
        var isSecret = false
        if case .secret = mode { isSecret = true }
        return FileAttributes.copy(old, of: target, to: descriptor, isSecret: isSecret)
    }

    private func publish(
        in folder: String, _ name: TemporaryName?, as target: String
    ) throws(FileError) {
        if name == nil, !replace {
            if unsafe target.withSystemPath({ unsafe CFile_link(descriptor.number, $0) }) == 0 {
                return
            }
            guard errno != EEXIST else { throw Self.exists(path) }
        }
        let name = if let name { name } else { try takeName(in: folder) }
        if case .like(let input) = mode, replace {
            try takePlace(of: input, name, at: target)
        } else if replace {
            try rename(name, to: target)
        } else {
            try renameToNew(name, as: target)
        }
        name.forget()
    }

    /// Gives an unnamed file a temporary name next to the target.
    private func takeName(in folder: String) throws(FileError) -> TemporaryName {
        let number = descriptor.number
        let linked = TemporaryName.take(in: folder) { name in
            unsafe name.withSystemPath { unsafe CFile_link(number, $0) } == 0 ? () : nil
        }
        if let linked { return linked.name }
        // The file system has no links: the content is copied to a named file.
        let (file, name) = try copyWithName(in: folder)
        descriptor = file
        return name
    }

    private func copyWithName(
        in folder: String
    ) throws(FileError) -> (FileDescriptor, TemporaryName) {
        let permissions = (descriptor.status()?.st_mode ?? 0o600) & 0o7777
        guard let (name, file) = TemporaryName.file(in: folder) else {
            throw .creating(path, errno: errno)
        }
        _ = flock(file.number, LOCK_EX | LOCK_NB)
        try descriptor.copyContent(to: file, path: path)
        _ = fchmod(file.number, permissions)
        guard fsync(file.number) == 0 else { throw .writing(path, errno: errno) }
        return (file, name)
    }

    func rename(_ name: TemporaryName, to target: String) throws(FileError) {
        let result = unsafe name.path.withSystemPath(and: target) { unsafe Glibc.rename($0, $1) }
        guard result == 0 else { throw .writing(path, errno: errno) }
    }

    /// Never overwrites a file that appears in the meantime, if the system has a suitable call.
    private func renameToNew(_ name: TemporaryName, as target: String) throws(FileError) {
        let moved = unsafe name.path.withSystemPath(and: target) {
            unsafe CFile_rename_to_new($0, $1)
        }
        if moved == 0 { return }
        guard errno != EEXIST else { throw Self.exists(path) }
        let linked = unsafe name.path.withSystemPath(and: target) { unsafe link($0, $1) }
        if linked == 0 { return name.remove() }
        guard errno != EEXIST, !FileSystem.exists(target) else { throw Self.exists(path) }
        try rename(name, to: target)
    }

    private static func exists(_ path: String) -> FileError {
        FileError(.exists, path: path, detail: "the output file already exists")
    }
}
