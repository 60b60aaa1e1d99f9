import Foundation

/// A temporary folder, removed with the last reference to the value.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "/signet-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// The path of a file in the folder. Creates the file if content is given.
    package func file(
        _ name: String, _ content: [UInt8]? = nil, permissions: Int? = nil
    ) -> String {
        let file = path + "/" + name
        if let content {
            _ = FileManager.default.createFile(
                atPath: file, contents: Data(content),
                attributes: permissions.map { [.posixPermissions: $0] })
        }
        return file
    }

    /// The bytes of a file; nil if it does not exist.
    package func content(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: file(name)).map { [UInt8]($0) }
    }

    package func permissions(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    /// Writes `bytes` to a file and returns its path.
    @discardableResult package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    package func read(_ name: String) throws -> [UInt8] {
        try [UInt8](Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    package func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: file(name))
    }

    package var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
    }
}
