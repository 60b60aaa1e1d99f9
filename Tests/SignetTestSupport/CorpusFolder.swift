package import Foundation

/// Files from public test suites, which are not part of the project: `SIGNET_CORPUS` names the
/// folder.
package enum CorpusFolder {
    /// A folder below it; nil when there is none.
    package static func url(_ path: String) -> URL? {
        ProcessInfo.processInfo.environment["SIGNET_CORPUS"]
            .map { URL(fileURLWithPath: $0).appendingPathComponent(path) }
            .flatMap { FileManager.default.fileExists(atPath: $0.path) ? $0 : nil }
    }

    /// The names of the files in a folder below it that end so, sorted.
    package static func names(_ path: String, suffix: String) -> [String] {
        guard let folder = url(path) else { return [] }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
            .filter { $0.hasSuffix(suffix) }.sorted()
    }
}
