import Containers
import SystemBridge

/// Writes the files of a container to a folder: those that unchanged signatures or timestamps cover.
public struct ExtractContainer: Sendable {
    private let verifier: VerifyContainer
    /// Whether files are written that no valid signature covers.
    public var includesUncovered = false

    /// The written files.
    public struct Result: Sendable {
        /// The verification of the container.
        public let verification: VerifiedDocument
        /// Names in the container and paths of the written files.
        public internal(set) var written: [(name: String, path: String)] = []
        /// Names of files that were not written, because no valid signature covers them.
        public internal(set) var skipped: [String] = []
    }

    /// - Parameter verifier: verifies the container before files are written.
    public init(_ verifier: VerifyContainer) { self.verifier = verifier }

    /// Verifies a container, and writes its files.
    ///
    /// - Parameters:
    ///   - folder: path of the folder, which is created if it is missing.
    ///   - replacesExisting: whether existing files are replaced.
    /// - Throws: ``SignetError`` for a file that is not a container or is damaged, and for outputs
    ///   that cannot be written. Files written before remain.
    public func run(
        _ source: InputSource, into folder: String, replacesExisting: Bool = false
    ) throws -> Result {
        let input = source.name
        let (file, container, document) = try verifier.opened(source)
        var result = Result(verification: document)
        for shown in document.container?.files ?? [] {
            guard let entry = container.archive.entry(shown.name) else { continue }
            guard includesUncovered || !shown.coveredBy.isEmpty else {
                result.skipped.append(shown.name)
                continue
            }
            let path = FileSystem.joined(folder, shown.name)
            let output = try Destination(
                path: path, replacesExisting: replacesExisting, makesFolder: true
            ).output(from: file)
            try reading(input) {
                try container.archive.stream(entry) { part in
                    try writing(path) { try output.write(part) }
                }
                // The written bytes must be the verified ones.
                try file.requireUnchanged()
            }
            try writing(path) { try output.commit() }
            result.written.append((shown.name, path))
        }
        return result
    }
}
