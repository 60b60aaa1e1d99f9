import Base
package import CryptoBridge
import TextBridge
import TrustKit

/// A manifest of an ASiC-E container (ETSI EN 319 162-1 §A.4): the signature, timestamp or evidence
/// record that it belongs to, and the hashes of the files.
package struct ContainerManifest: Sendable {
    package enum Kind: Sendable {
        /// `ASiCManifest*.xml`, for a CAdES signature or a timestamp.
        case signature
        /// `ASiCArchiveManifest*.xml`, for a timestamp over signatures.
        case archive
        /// `ASiCEvidenceRecordManifest*.xml`
        case evidenceRecord
    }

    /// A file with its hash.
    package struct Reference: Sendable {
        package let file: FileReference
        package let mimeType: String?
        /// Nil for an unknown algorithm.
        package let digest: DigestAlgorithm?
        package let value: [UInt8]
    }

    /// The signature, timestamp or evidence record.
    package let target: FileReference
    package let references: [Reference]

    /// Namespaces of EN 319 162-1 and its predecessors.
    static let namespace = "http://uri.etsi.org/02918/v1.2.1#"

    package init(_ bytes: [UInt8]) throws {
        let root = try XMLTree(bytes, byteLimit: ContainerLimits.manifestByteCount).root
        guard root.name == XMLName("ASiCManifest", namespace: Self.namespace) else {
            throw ContainerError(.malformed, "its root element is not an ASiCManifest")
        }
        guard let target = root.only("SigReference", in: Self.namespace)?[attribute: "URI"] else {
            throw ContainerError(.malformed, "it names not exactly one signature")
        }
        let known: Set<String> = ["SigReference", "DataObjectReference", "ASiCManifestExtensions"]
        guard
            root.children.allSatisfy({
                $0.name.namespace == Self.namespace && known.contains($0.name.local)
            })
        else { throw ContainerError(.malformed, "it has an unexpected element") }
        try Self.requireKnown(root)
        self.target = FileReference(target)
        references = try root.all("DataObjectReference", in: Self.namespace).map(Reference.init)
        guard !references.isEmpty else {
            throw ContainerError(.malformed, "it refers to no file")
        }
        guard references.count <= ContainerLimits.referenceCount else {
            throw ContainerError(.limitExceeded, "it refers to too many files")
        }
    }
}

extension ContainerManifest {
    /// Refuses what may change the meaning of a manifest: critical extensions (§A.4), transforms,
    /// and another base of its references.
    private static func requireKnown(_ element: XMLBranch) throws {
        guard element.name != XMLName("Transforms", namespace: XMLAlgorithm.namespace),
            element[attribute: "Critical"].map({ $0 == "false" || $0 == "0" }) ?? true,
            element[.base] == nil
        else {
            throw ContainerError(
                .unsupported, "it has a critical extension, a transform or an xml:base")
        }
        for child in element.children { try requireKnown(child) }
    }
}

extension XMLName {
    /// Base of relative references (XML Base §3).
    static let base = XMLName("base", namespace: "http://www.w3.org/XML/1998/namespace")
}

extension ContainerManifest.Reference {
    fileprivate init(_ element: XMLBranch) throws {
        let signature = XMLAlgorithm.namespace
        guard let uri = element[attribute: "URI"],
            let method = element.only("DigestMethod", in: signature)?[attribute: "Algorithm"],
            let value = element.only("DigestValue", in: signature)?.base64
        else { throw ContainerError(.malformed, "a reference has no file or no hash") }
        self.init(
            file: FileReference(uri), mimeType: element[attribute: "MimeType"],
            digest: XMLAlgorithm.digest(method), value: value)
    }
}

/// The file that a URI in a manifest or signature refers to (ETSI EN 319 162-1 §A.6): relative to the
/// root of the container.
package struct FileReference: Sendable {
    /// As it is written.
    package let uri: String
    /// The names that it may mean: decoded, then as it is written. Some programs do not encode names.
    package let names: [String]

    package init(_ uri: String) {
        self.uri = uri
        let written = uri.hasPrefix("/") ? String(uri.dropFirst()) : uri
        let decoded = PercentEncoding.decode(written.utf8).flatMap {
            String(validating: $0, as: UTF8.self)
        }
        names = [decoded, written].compactMap(\.self)
    }

    /// The entry; nil if there is none.
    package func entry(in archive: ZIPArchive) -> ZIPEntry? {
        names.lazy.compactMap { archive.entry($0) }.first { !$0.isFolder }
    }

    /// Whether programs that decode references (RFC 3986) find this entry too.
    func isEncoded(_ entry: ZIPEntry) -> Bool {
        !uri.contains { $0 == "#" || $0 == "?" } && names.count > 1
            && ExactText(entry.name) == ExactText(names[0])
    }

    package var shown: String { names.first ?? uri }
}
