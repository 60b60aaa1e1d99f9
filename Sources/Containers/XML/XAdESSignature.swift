package import Base
package import CMSKit
package import CryptoBridge
import TextBridge
package import TimestampKit
package import TrustKit

/// The result for one XML signature (XAdES, ETSI EN 319 132-1): integrity, covered files, timestamps
/// and validation data. Trust is not checked here.
package struct XAdESSignature: Sendable {
    package struct Stamp: Sendable {
        /// Nil if it cannot be read.
        package let token: TimestampToken?
        /// Hash of the timestamped data with the algorithm of the token; nil if unknown.
        package let hash: [UInt8]?
        /// The validation data before an archive timestamp, which it covers.
        package let material: ValidationMaterial
    }

    package let check: SignatureCheck
    package let covered: CoveredFiles.Finding
    package let signatureStamps: [Stamp]
    /// In document order: the oldest first.
    package let archiveStamps: [Stamp]
    package let material: ValidationMaterial
    /// Problems of parts that are not signed.
    package let problems: [VerificationProblem]
}

/// A file of XML signatures in a container (ETSI EN 319 162-1 §A.5).
package struct XAdESFile {
    private let tree: XMLTree
    private let elements: [XMLBranch]
    package private(set) var problems: [VerificationProblem] = []

    static let roots = [
        XMLName("XAdESSignatures", namespace: ContainerManifest.namespace),
        // In Estonian containers of before 2015.
        XMLName("XAdESSignatures", namespace: "http://uri.etsi.org/2918/v1.2.1#"),
        XMLName(
            "document-signatures",
            namespace: "urn:oasis:names:tc:opendocument:xmlns:digitalsignature:1.0"),
    ]

    /// - Throws: ``XMLError`` or ``ContainerError`` for a file that is not a list of signatures.
    package init(_ bytes: [UInt8]) throws {
        tree = try XMLTree(bytes, byteLimit: ContainerLimits.signatureFileByteCount)
        let name = XMLName("Signature", namespace: XMLAlgorithm.namespace)
        let root = tree.root
        guard root.name == name || Self.roots.contains(root.name) else {
            throw ContainerError(.malformed, "its root element is not a list of signatures")
        }
        let own = root.name == name ? [root] : root.children.filter { $0.name == name }
        elements = own
        guard !own.isEmpty, own.count <= ContainerLimits.signatureCount else {
            throw ContainerError(.malformed, "it has \(own.count) signatures")
        }
        // A signature elsewhere is not verified, and other programs may take it for this one.
        for other in tree.all(name) where !own.contains(where: { $0.isSame(as: other) }) {
            let isCounter =
                other.parent?.name == XMLName("CounterSignature", namespace: XAdESReader.namespace)
            problems.append(
                isCounter
                    ? .remark(
                        .signatureFormUnsupported, "a countersignature was not checked")
                    : .doubt(
                        .signatureFormUnsupported,
                        "the file has an XML signature at an unexpected place"))
        }
        if tree.contains(attribute: .base) {
            problems.append(
                .doubt(
                    .signatureFormUnsupported,
                    "the file has an xml:base, with which programs resolve references differently"))
        }
        let others = root.name == name ? [] : root.children.filter { $0.name != name }
        if !others.isEmpty {
            problems.append(
                .doubt(
                    .signatureFormUnsupported,
                    "the file has the unexpected element \(others[0].name.local.inQuotes)"))
        }
    }

    /// Verifies all signatures in document order.
    package func signatures(
        _ files: CoveredFiles, in archive: ZIPArchive, _ additional: [Certificate]
    ) throws -> [XAdESSignature] {
        try elements.map {
            try XAdESReader($0, tree, files, archive, additional).signature()
        }
    }
}
