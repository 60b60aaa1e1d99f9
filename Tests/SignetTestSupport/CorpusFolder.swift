package import Foundation

/// Files of public test suites, which are not part of the repository. `SIGNET_CORPUS` is the path
/// of their folder.
package enum CorpusFolder {
    /// A folder or file in the corpus; nil if there is none.
    package static func url(_ path: String) -> URL? {
        ProcessInfo.processInfo.environment["SIGNET_CORPUS"]
            .map { URL(fileURLWithPath: $0).appendingPathComponent(path) }
            .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
    }

    /// The sorted names of the files with this suffix in a folder of the corpus.
    package static func names(_ path: String, suffix: String) -> [String] {
        guard let folder = url(path) else { return [] }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
            .filter { $0.hasSuffix(suffix) }.sorted()
    }
}
