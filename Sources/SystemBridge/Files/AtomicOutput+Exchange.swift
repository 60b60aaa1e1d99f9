import Base
import CSystem
import Glibc
import Synchronization

extension AtomicOutput {
    /// Takes the place of the file that was read, and of nothing else: the two change names, and what
    /// came out is looked at. What somebody saved there meanwhile gets its name back.
    ///
    /// - Parameter name: this output's, until then.
    /// - Throws: ``FileError``, `.changed` when it was not the file that was read.
    func takePlace(
        of input: InputFile, _ name: TemporaryName, at target: String
    ) throws(FileError) {
        guard Self.exchange(name.path, target) else {
            guard [EINVAL, ENOSYS, EOPNOTSUPP].contains(errno) else {
                throw errno == ENOENT
                    ? InputFile.wasChanged(path) : .writing(path, errno: errno)
            }
            return try takePlaceUnseen(of: input, name, at: target)
        }
        // The name is that of the file that was read now.
        if input.isWhat(has: name.path) { return name.remove() }
        guard Self.exchange(name.path, target) else { throw Self.kept(name, target, path: path) }
        // And this is what was to be put there, unless somebody saved once more.
        guard let named = FileSystem.status(of: name.path), let own = descriptor.status(),
            InputFile.Identity(named) == InputFile.Identity(own)
        else { throw Self.kept(name, target, path: path) }
        name.remove()
        throw InputFile.wasChanged(path)
    }

    private static let isUnseenTold = Atomic(false)

    /// Where the file system has no exchange: what is saved between the last look and the new name
    /// is lost, which is said.
    private func takePlaceUnseen(
        of input: InputFile, _ name: TemporaryName, at target: String
    ) throws(FileError) {
        if !Self.isUnseenTold.exchange(true, ordering: .relaxed) {
            Notices.say(.cannotExchange, path)
        }
        try input.requireUnchanged(at: target)
        try rename(name, to: target)
    }

    private static func exchange(_ one: String, _ other: String) -> Bool {
        unsafe one.withSystemPath(and: other) { unsafe CFile_exchange($0, $1) } == 0
    }

    /// Keeps what is nobody's to remove under a name beside the file.
    private static func kept(_ name: TemporaryName, _ target: String, path: String) -> FileError {
        let saved = target + ".saved"
        let isMoved =
            unsafe name.path.withSystemPath(and: saved) { unsafe CFile_rename_to_new($0, $1) } == 0
        let place = isMoved ? saved : name.path
        name.forget()
        return FileError(
            .changed, path: path,
            detail: "was changed since it was read; what was saved meanwhile is in \(place)")
    }
}
