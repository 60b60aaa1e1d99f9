import SignetKit
import Synchronization

/// Version, commit and compiler of the program.
enum BuildText {
    private static let kept = Mutex(
        Installation.Build(version: Signet.version, commit: 0, compiler: 0))

    static var build: Installation.Build { kept.withLock { $0 } }

    static func keep(_ build: Installation.Build) { kept.withLock { $0 = build } }

    /// Text for `--version`, with details for `--version --verbose`; nil for other arguments.
    static func answer(to arguments: [String]) -> String? {
        guard arguments.contains("--version"), arguments.count <= 2 else { return nil }
        let others = arguments.filter { $0 != "--version" }
        if others.isEmpty { return arguments.count == 1 ? Signet.version : nil }
        guard others == ["-v"] || others == ["--verbose"] else { return nil }
        let parts = CheckInstallation(build).run().parts.compactMap { part in
            part.version.map { part.name.padding(to: width) + $0 }
        }
        return ([text(build)] + parts).joined(separator: "\n")
    }

    static func text(_ build: Installation.Build) -> String {
        let rows = [
            ("Commit", build.commit), ("Compiler", build.compiler.map { "Swift \($0)" }),
        ]
        let known = rows.compactMap { name, value in value.map { name.padding(to: width) + $0 } }
        return (["Signet \(build.version)"] + known).joined(separator: "\n")
    }

    private static let width = 30
}
