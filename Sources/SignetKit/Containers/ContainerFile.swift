import Base
import Containers
import SystemBridge

/// Detects containers (ETSI EN 319 162-1) among files.
enum ContainerFile {
    /// Whether a file is a container: a ZIP archive with the name, the media type or the entries of
    /// one.
    ///
    /// - Throws: ``SignetError`` if the file cannot be read.
    static func isContainer(_ source: InputSource) throws -> Bool {
        guard !source.isStandardInput else { return false }
        return try reading(source.name) { try isContainer(source.open()) }
    }

    static func isContainer(_ file: InputFile) throws -> Bool {
        let head = try file.bytes(at: 0, count: FoundFile.headByteCount)
        guard ZIPArchive.isArchive(head: head) else { return false }
        if SignatureContainer.isContainerName(file.path)
            || FoundFile(head: head)?.isContainer == true
        {
            return true
        }
        // Other archives are not errors here.
        return (try? ZIPArchive(file)).map(SignatureContainer.isContainer) ?? false
    }

    /// Rejects containers in which another signature or timestamp would hide a defect: one whose
    /// structure has a problem, with a signature that is not intact, or with a file that no
    /// signature covers.
    static func requireSound(_ container: SignatureContainer, _ name: String) throws {
        if let problem = container.problems.first(where: { $0.verdict != nil }) {
            throw SignetError(.malformedInput, file: name, problem.message)
        }
        guard !container.units.isEmpty else { return }
        let found = try reading(name) { try VerifyContainer().verify(container, name) }
        let doubt = (found.problems + found.signatures.flatMap(\.problems)).first {
            $0.verdict != nil && [.fileNotCovered, .fileMissing].contains($0.code)
        }
        guard doubt == nil, found.signatures.allSatisfy(\.intact) else {
            throw SignetError(
                .invalidSignature, file: name, doubt?.message ?? "an earlier signature fails",
                hint: Sentence(.verifyInstead, name))
        }
    }

    /// Rejects a new container that would not be read: with too many files, or with names that file
    /// systems treat as the same.
    static func requireReadable(_ output: AtomicOutput, _ name: String) throws {
        do {
            let made = try SignatureContainer(InputFile(output), name: name)
            if let problem = made.problems.first(where: { $0.verdict == .failed }) {
                throw SignetError(.usage, file: name, problem.message)
            }
        } catch let error as ContainerError {
            throw SignetError(.usage, file: name, error.detail)
        }
    }
}
