package import Foundation

/// A temporary folder with helpers for its files, removed with the value.
package final class Workspace: Sendable {
    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("signet-test-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// The URL of a file in the folder, whether it exists or not.
    package func url(_ name: String) -> URL { folder.appendingPathComponent(name) }

    package func read(_ name: String) throws -> Data { try Data(contentsOf: url(name)) }

    /// Folders of the name are created.
    package func write(_ data: Data, to name: String) throws {
        if name.contains("/") {
            try FileManager.default.createDirectory(
                at: url(name).deletingLastPathComponent(), withIntermediateDirectories: true)
        }
        try data.write(to: url(name))
    }

    package func write(_ text: String, to name: String) throws {
        try write(Data(text.utf8), to: name)
    }

    /// A file as text.
    package func text(_ name: String) throws -> String {
        String(decoding: try read(name), as: UTF8.self)
    }

    package func makeFolder(_ name: String) throws {
        try FileManager.default.createDirectory(at: url(name), withIntermediateDirectories: true)
    }

    package func copy(_ name: String, to copy: String) throws {
        try FileManager.default.copyItem(at: url(name), to: url(copy))
    }

    package func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: url(name).path)
    }

    /// The sorted names of all items in the folder, including forgotten temporary files.
    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    /// The permission bits of a file.
    package func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: url(name).path)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    /// Copies a file of `TestVectors/` into the folder under the same name.
    @discardableResult package func copyVector(_ path: String) throws -> String {
        let source = TestVectors.url(path)
        try FileManager.default.copyItem(at: source, to: url(source.lastPathComponent))
        return source.lastPathComponent
    }
}

/// The folder with test data in the repository.
package enum TestVectors {
    /// The root folder of the repository, derived from the path of this source file.
    package static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    package static func url(_ path: String) -> URL {
        root.appendingPathComponent("TestVectors").appendingPathComponent(path)
    }
}
