import CryptoBridge
import SystemBridge

/// Locking, and recovery of interrupted changes.
extension IdentityStore {
    private static let promisePrefix = "request-"
    private static let pathByteLimit = 4096

    /// Runs `body` with a shared lock: other processes cannot change the store.
    func looking<Result>(_ body: () throws -> Result) throws -> Result {
        // Nothing is created if the store does not exist.
        guard try !reading(root, { try FileSystem.listIfThere(root) }).isEmpty else {
            return try body()
        }
        try checkAccess()
        if try lock(isShared: true, { try hasLeftovers() }) {
            do {
                try changing {}
            } catch let error as SignetError {
                Notices.say(.changeUnfinished, root, error.message)
            }
        }
        return try lock(isShared: true, body)
    }

    /// Runs `body` with an exclusive lock, after completing interrupted changes.
    func changing<Result>(_ body: () throws -> Result) throws -> Result {
        try writing(root) { try FileSystem.makePrivateFolder(workFolder) }
        try checkAccess()
        return try lock(isShared: false) {
            try recover()
            return try body()
        }
    }

    private func lock<Result>(isShared: Bool, _ body: () throws -> Result) throws -> Result {
        let path = root + "/lock"
        do {
            let lock = try FolderLock(path, isShared: isShared)
            defer { extendLifetime(lock) }
            return try body()
        } catch let error as FileError {
            // A read-only store cannot be changed by other processes either.
            guard isShared, error.path == path, error.code == .cannotCreate else {
                throw SignetError(error)
            }
        }
        return try body()
    }

    private func checkAccess() throws {
        for folder in [root, readyFolder, pendingFolder, workFolder]
        where FileSystem.isDirectory(folder) { try close(folder) }
    }

    /// Restricts a file or folder of the store to its owner.
    func close(_ path: String) throws {
        try writing(path) {
            if try FileSystem.makePrivate(path) { Notices.say(.closedToOthers, path) }
        }
    }

    /// Whether an interrupted change left files. Must be called with a lock.
    private func hasLeftovers() throws -> Bool {
        try reading(root) { try !FileSystem.listIfThere(workFolder).isEmpty }
    }

    private func recover() throws {
        let work = try writing(workFolder) { try FileSystem.list(workFolder) }
        for name in work where name.hasPrefix(Self.promisePrefix) {
            let identifier = String(name.dropFirst(Self.promisePrefix.count))
            try unlessDamaged(pendingFolder + "/" + identifier) {
                try keepPromise(identifier: identifier)
            }
            try writing(workFolder) { try FileSystem.removeFile(workFolder + "/" + name) }
        }
        for name in try folders(in: readyFolder) { FileSystem.sweep(readyFolder + "/" + name) }
        let left = work.filter { !$0.hasPrefix(Self.promisePrefix) }.map { workFolder + "/" + $0 }
        guard !left.isEmpty else { return }
        for path in left { try writing(path) { try FileSystem.removeFolder(path) } }
        Notices.say(.leftoversRemoved, root)
    }

    // MARK: Requests

    /// Stores the destination of a request, so that it can be completed after an interruption.
    ///
    /// - Returns: the file, to be removed after the request is written.
    func promise(of identifier: String, to destination: Destination) throws -> String {
        let note = workFolder + "/" + Self.promisePrefix + identifier
        try write(Array(FileSystem.absolute(destination.path).utf8), to: note)
        return note
    }

    /// Writes a pending request to its destination if that was interrupted.
    private func keepPromise(identifier: String) throws {
        let folder = pendingFolder + "/" + identifier
        guard FileSystem.isDirectory(folder) else { return }
        let name = try showPending(identifier: identifier).name
        let request = try readRequest(folder).pem
        let note = workFolder + "/" + Self.promisePrefix + identifier
        let path = try reading(note) {
            String(decoding: try FileSystem.readAll(note, limit: Self.pathByteLimit), as: UTF8.self)
        }
        if FileSystem.exists(path),
            (try? FileSystem.readAll(path, limit: SigningCredential.byteLimit)) == request
        {
            return
        }
        // Standard output and existing files are left unchanged, since streams and devices may now
        // belong to another command.
        guard path != "-", !FileSystem.exists(path),
            let output = try? AtomicOutput(path: path, mode: .normal, replace: false, run: nil),
            (try? output.write(request)) != nil, (try? output.commit()) != nil
        else {
            Notices.say(.requestPending, name, "\(folder)/\(Name.request)")
            return
        }
        Notices.say(.requestFinished, name, path)
    }
}
