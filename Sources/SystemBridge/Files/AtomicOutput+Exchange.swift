import Base
import CSystemCalls
import Glibc
import Synchronization

extension AtomicOutput {
    /// Replaces exactly the file that was read: the two files exchange names, and the old one is
    /// checked. A file saved there in the meantime gets its name back.
    ///
    /// - Parameter name: current name of this output.
    /// - Throws: ``FileError``, `.changed` if it was not the file that was read.
    func takePlace(
        of input: InputFile, _ name: TemporaryName, at target: String
    ) throws(FileError) {
        guard Self.exchange(name.path, with: target) else {
            guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else {
                throw errno == ENOENT
                    ? InputFile.wasChanged(path) : .writing(path, errno: errno)
            }
            return try replaceWithoutExchange(of: input, name, at: target)
        }
        // The temporary name now belongs to the file that was read.
        if input.isUnwrittenFile(at: name.path) { return name.remove() }
        guard Self.exchange(name.path, with: target) else {
            throw Self.kept(name, besides: target, path: path)
        }
        // The temporary name belongs to this output again, unless the file was saved once more.
        guard let named = FileSystem.status(of: name.path), let own = descriptor.status(),
            InputFile.Identity(named) == InputFile.Identity(own)
        else { throw Self.kept(name, besides: target, path: path) }
        name.remove()
        throw InputFile.wasChanged(path)
    }

    private static let isUnseenTold = Atomic(false)

    /// Replaces the file where the file system cannot exchange two files: what another program saves
    /// between the last check and the renaming is lost. A notice warns of it once.
    private func replaceWithoutExchange(
        of input: InputFile, _ name: TemporaryName, at target: String
    ) throws(FileError) {
        if !Self.isUnseenTold.exchange(true, ordering: .relaxed) {
            Notices.say(.cannotExchange, path)
        }
        try input.requireUnchanged(at: target)
        try rename(name, to: target)
    }

    private static func exchange(_ one: String, with other: String) -> Bool {
        unsafe one.withSystemPath(and: other) { unsafe CFile_exchange($0, $1) } == 0
    }

    /// Keeps the changed file under a name next to the output.
    private static func kept(_ name: TemporaryName, besides target: String, path: String)
        -> FileError
    {
        let saved = target + ".saved"
        let isMoved =
            unsafe name.path.withSystemPath(and: saved) { unsafe CFile_rename_to_new($0, $1) } == 0
        let place = isMoved ? saved : name.path
        name.forget()
        return FileError(
            .changed, path: path,
            detail: "the file was changed since it was read; the changed version is in \(place)")
    }
}
