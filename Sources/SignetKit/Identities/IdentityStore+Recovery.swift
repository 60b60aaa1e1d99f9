import CryptoBridge
import SystemBridge

/// Taking turns, and finishing what was interrupted.
extension IdentityStore {
    private static let promisePrefix = "request-"
    /// Longest path of an output that is remembered.
    private static let pathByteLimit = 4096
    /// Folders of unfinished changes as earlier versions named them.
    private static let formerPrefixes = [".new-", ".old-"]

    /// Runs `body` while nobody changes the store.
    func looking<Result>(_ body: () throws -> Result) throws -> Result {
        // Nothing is made where there is nothing.
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

    /// Runs `body` while nobody else works on the store, with everything finished that was
    /// interrupted.
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
            // Where nothing can be written nobody changes anything either.
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

    /// Closes a file or folder of the store to others.
    func close(_ path: String) throws {
        try writing(path) {
            if try FileSystem.makePrivate(path) { Notices.say(.closedToOthers, path) }
        }
    }

    /// Whether others left something who were interrupted. To be asked while nobody changes the
    /// store.
    private func hasLeftovers() throws -> Bool {
        try reading(root) {
            let isClean =
                try FileSystem.listIfThere(workFolder).isEmpty && former().isEmpty
                && withoutKey().isEmpty
            return !isClean
        }
    }

    /// Folders of unfinished changes of earlier versions.
    private func former() throws -> [String] {
        try [readyFolder, pendingFolder].flatMap { folder in
            try FileSystem.listIfThere(folder)
                .filter { name in Self.formerPrefixes.contains(where: name.hasPrefix) }
                .map { folder + "/" + $0 }
        }
    }

    /// Requests whose key is gone: earlier versions removed it first. What cannot be looked at is
    /// an error, never a reason to remove it.
    private func withoutKey() throws -> [String] {
        try folders(in: pendingFolder).map { pendingFolder + "/" + $0 }
            .filter { try Set(FileSystem.list($0)).isDisjoint(with: [Name.key, Name.place]) }
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
        var left = work.filter { !$0.hasPrefix(Self.promisePrefix) }.map { workFolder + "/" + $0 }
        left += try reading(root) { try former() + withoutKey() }
        guard !left.isEmpty else { return }
        for path in left { try writing(path) { try FileSystem.removeFolder(path) } }
        Notices.say(.leftoversRemoved, root)
    }

    // MARK: Requests

    /// Notes where a request will go, so that it gets there however the program ends.
    ///
    /// - Returns: The note's file, to be removed when the request is there.
    func promise(of identifier: String, to destination: Destination) throws -> String {
        let note = workFolder + "/" + Self.promisePrefix + identifier
        try write(Array(FileSystem.absolute(destination.path).utf8), to: note)
        return note
    }

    /// Writes a request that may not have got to where it was to go.
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
        // What streams and devices get now belongs to another command.
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
