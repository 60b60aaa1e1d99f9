import Base
import TextBridge

/// `META-INF/manifest.xml` (OpenDocument 1.2 part 3 §4): the files of a container and their types.
package struct PackageManifest: Sendable {
    package struct File: Sendable {
        package let path: String
        package let mimeType: String
    }

    package let files: [File]
    /// Whether it has anything but entries: other elements, comments or text.
    let hasOtherContent: Bool

    private static let namespace = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"

    package init(_ bytes: [UInt8]) throws {
        let tree = try XMLTree(bytes, byteLimit: ContainerLimits.manifestByteCount)
        let root = tree.root
        guard root.name == XMLName("manifest", namespace: Self.namespace) else {
            throw ContainerError(.malformed, "its root element is not that of a manifest")
        }
        let entry = XMLName("file-entry", namespace: Self.namespace)
        hasOtherContent =
            tree.hasComments
            || ([root] + root.children).contains { element in
                element.text.contains { !$0.isWhitespace }
            }
            || root.children.contains { $0.name != entry || !$0.children.isEmpty }
        files = try root.all("file-entry", in: Self.namespace).map { element in
            guard let path = element[XMLName("full-path", namespace: Self.namespace)],
                !path.isEmpty,
                let type = element[XMLName("media-type", namespace: Self.namespace)]
            else { throw ContainerError(.malformed, "an entry has no path or no type") }
            return File(path: path, mimeType: type)
        }
        guard Set(files.map { ExactText($0.path) }).count == files.count else {
            throw ContainerError(.malformed, "it names a file twice")
        }
    }

    /// The type of the container; nil if it is not given.
    package var containerType: String? { files.first { $0.path == "/" }?.mimeType }

    /// The type of a file; nil if the file is not listed.
    package func mimeType(of name: String) -> String? {
        files.first { ExactText($0.path) == ExactText(name) }?.mimeType
    }

    /// The listed files, without folders.
    package var names: [String] { files.map(\.path).filter { !$0.hasSuffix("/") } }
}
