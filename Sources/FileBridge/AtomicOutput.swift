import ByteKit
import Glibc

/// An output file that appears whole or not at all.
///
/// Bytes go to a temporary file beside the target; ``commit()`` syncs it, gives it its name and
/// syncs the folder. Without a commit nothing is left behind, also when a signal ends the process.
package final class AtomicOutput {
    /// Which permissions the new file gets.
    package enum Mode {
        /// 0600, whatever the umask says.
        case secret
        /// 0666 less the umask.
        case normal
        /// Those of another file.
        case like(InputFile)
    }

    /// The path as it was given.
    package let path: String
    private let replace: Bool
    let descriptor: FileDescriptor
    /// Where the content goes at the end.
    private enum Destination {
        /// A temporary file that is given the name of the target.
        case rename(temporary: String, target: String, folder: String, ticket: Int?)
        /// Something that is not a regular file: the content is copied into it.
        case copy(FileDescriptor)
    }
    private var destination: Destination?
    private var writeBack: WriteBack

    /// Prepares the output; `-` is standard output.
    ///
    /// - Parameters:
    ///   - path: The target. A symbolic link is followed when it is to be replaced.
    ///   - mode: Permissions of the new file.
    ///   - replace: Whether an existing file may be replaced. Devices and pipes may always be
    ///     written to.
    /// - Throws: ``FileError``, `.exists` before anything is written.
    package init(path: String, mode: Mode, replace: Bool) throws(FileError) {
        self.path = path
        self.replace = replace
        if path == "-" {
            descriptor = try FileDescriptor.anonymousTemporary()
            writeBack = WriteBack(descriptor)
            destination = .copy(FileDescriptor(STDOUT_FILENO, borrowed: true))
            return
        }
        var target = path
        var status = stat()
        if unsafe stat(path, &status) == 0 {
            let type = status.st_mode & S_IFMT
            guard type != S_IFDIR else {
                throw FileError(.notAFile, path: path, detail: "is a folder")
            }
            if type != S_IFREG {
                guard let device = FileDescriptor.open(path, flags: O_WRONLY | O_NOCTTY) else {
                    throw .creating(path, errno: errno)
                }
                descriptor = try FileDescriptor.anonymousTemporary()
                writeBack = WriteBack(descriptor)
                destination = .copy(device)
                return
            }
            guard replace else { throw Self.exists(path) }
            if let resolved = unsafe realpath(path, nil) {
                target = unsafe String(cString: resolved)
                unsafe free(resolved)
            }
        } else if FileSystem.exists(path) {
            // A link that leads nowhere: replacing would put the file where nobody looks for it.
            throw Self.exists(path)
        }
        let folder = Self.folder(of: target)
        let permissions: mode_t =
            switch mode {
            case .secret, .like: 0o600
            case .normal: 0o666
            }
        let (temporary, file) = try Self.createTemporary(
            in: folder, permissions: permissions, for: path)
        descriptor = file
        writeBack = WriteBack(file)
        destination = .rename(
            temporary: temporary, target: target, folder: folder,
            ticket: SignalCleanup.register(path: temporary))
        if case .like(let input) = mode {
            // A file system without permissions refuses; the file stays private then.
            _ = fchmod(file.number, mode_t(input.permissions))
        }
    }

    deinit {
        discard()
    }

    /// Appends bytes.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        try write(bytes.span)
    }

    /// Appends bytes.
    package func write(_ bytes: Span<UInt8>) throws(FileError) {
        let failure = descriptor.write(bytes)
        guard failure == 0 else { throw .writing(path, errno: failure) }
        writeBack.note(bytes.count)
    }

    /// Appends a range of a file, handing each part to `tee` in the same pass.
    ///
    /// - Throws: ``FileError``, or what `tee` throws.
    package func copy(
        from input: InputFile, range: Range<Int>, tee: (Span<UInt8>) throws -> Void = { _ in }
    ) throws {
        if range.count >= Self.backgroundByteCount, let writer = BackgroundWriter(descriptor) {
            let result = Result { try input.stream(range: range, through: writer, tee) }
            let failure = writer.finish()
            try result.get()
            guard failure == 0 else { throw FileError.writing(path, errno: failure) }
            return
        }
        try input.stream(range: range) { part in
            try tee(part)
            try write(part)
        }
    }

    /// From this size on a second thread pays.
    private static let backgroundByteCount = 8 * 1024 * 1024

    /// Replaces bytes that were written before.
    ///
    /// - Parameter offset: Where, counted from the first byte of the output; the replaced bytes
    ///   must have been written.
    package func overwrite(at offset: Int, _ bytes: [UInt8]) throws(FileError) {
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

    /// Makes the output visible under its name.
    ///
    /// - Throws: ``FileError``; `.exists` when another process has created the target meanwhile
    ///   and it may not be replaced. Nothing is left behind then.
    package func commit() throws(FileError) {
        switch destination {
        case .copy(let device):
            destination = nil
            try copyContent(to: device)
        case .rename(let temporary, let target, let folder, _):
            defer { discard() }
            guard fsync(descriptor.number) == 0 else { throw .writing(path, errno: errno) }
            try rename(temporary, to: target)
            forgetTemporary()
            // The new name must survive a power failure as well. Some file systems cannot sync
            // folders: the file is there all the same.
            if let directory = FileDescriptor.open(folder, flags: O_RDONLY | O_DIRECTORY) {
                _ = fsync(directory.number)
            }
        case nil:
            throw FileError(.io, path: path, detail: "the output is finished already")
        }
    }

    /// Gives up: the temporary file is removed. Nothing happens after a commit.
    package func discard() {
        if case .rename(let temporary, _, _, _) = destination {
            _ = unsafe unlink(temporary)
        }
        forgetTemporary()
    }

    private func forgetTemporary() {
        if case .rename(_, _, _, let ticket?) = destination { SignalCleanup.forget(ticket) }
        destination = nil
    }

    private func rename(_ temporary: String, to target: String) throws(FileError) {
        if !replace {
            // link(2) fails when the target exists: a race cannot overwrite somebody's file.
            if unsafe link(temporary, target) == 0 {
                _ = unsafe unlink(temporary)
                return
            }
            guard errno != EEXIST else { throw Self.exists(path) }
            // A file system without hard links: reserve the name, then rename over it.
            guard
                FileDescriptor.open(target, flags: O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) != nil
            else { throw errno == EEXIST ? Self.exists(path) : .writing(path, errno: errno) }
        }
        guard unsafe Glibc.rename(temporary, target) == 0 else {
            throw .writing(path, errno: errno)
        }
    }

    private func copyContent(to device: FileDescriptor) throws(FileError) {
        var buffer = [UInt8](repeating: 0, count: InputFile.chunkByteCount)
        var position = 0
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { storage in
                unsafe descriptor.read(into: storage, at: position)
            }
            guard count >= 0 else { throw .reading(path, errno: Int32(-count)) }
            guard count > 0 else { return }
            let failure = device.write(buffer.span.extracting(0..<count))
            guard failure == 0 else { throw .writing(path, errno: failure) }
            position += count
        }
    }

    private static func exists(_ path: String) -> FileError {
        FileError(.exists, path: path, detail: "exists already")
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    /// Creates a file with a name that nobody has, beside the target so that a rename is atomic.
    private static func createTemporary(
        in folder: String, permissions: mode_t, for path: String
    ) throws(FileError) -> (String, FileDescriptor) {
        // A few tries: O_EXCL makes sure that a guessed name does no harm.
        for _ in 0..<16 {
            let name = "\(folder)/.signet-\(Hex.encode(randomName())).tmp"
            if let file = FileDescriptor.open(
                name, flags: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: permissions)
            {
                return (name, file)
            }
            guard errno == EEXIST else { throw .creating(path, errno: errno) }
        }
        throw .creating(path, errno: EEXIST)
    }

    private static func randomName() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<8).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
