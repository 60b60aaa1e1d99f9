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
}
