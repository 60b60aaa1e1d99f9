import Base
package import CryptoBridge
import TrustKit

/// Builds an `ASiCManifest` (ETSI EN 319 162-1 §A.4).
package struct ManifestBuilder {
    private let digest: DigestAlgorithm
    private var references: [String] = []
    /// The files so far.
    package private(set) var names: [String] = []

    /// Media types of signatures and timestamps.
    package static let message = "application/pkcs7-signature"
    package static let timestamp = "application/vnd.etsi.timestamp-token"

    package init(_ digest: DigestAlgorithm) { self.digest = digest }

    /// - Parameters:
    ///   - mimeType: nil if it is unknown.
    ///   - isRoot: whether the file is the archive manifest before this one.
    package mutating func add(
        _ name: String, _ mimeType: String?, _ hash: [UInt8], isRoot: Bool = false
    ) {
        names.append(name)
        let method = XMLAlgorithm.identifier(of: digest) ?? ""
        references.append(
            "<asic:DataObjectReference URI=\"\(Self.uri(name))\" "
                + "MimeType=\"\(Self.escaped(mimeType ?? "application/octet-stream"))\""
                + (isRoot ? " Rootfile=\"true\">" : ">")
                + "<ds:DigestMethod Algorithm=\"\(method)\"/>"
                + "<ds:DigestValue>\(Base64.encode(hash))</ds:DigestValue>"
                + "</asic:DataObjectReference>")
    }

    /// - Parameters:
    ///   - target: name of the signature or timestamp.
    ///   - type: its media type.
    package func document(target: String, type: String) -> [UInt8] {
        let head =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<asic:ASiCManifest xmlns:asic=\"\(ContainerManifest.namespace)\" "
            + "xmlns:ds=\"\(XMLAlgorithm.namespace)\">"
            + "<asic:SigReference URI=\"\(Self.uri(target))\" MimeType=\"\(type)\"/>"
        return Array((head + references.joined() + "</asic:ASiCManifest>\n").utf8)
    }

    /// A name as a relative reference (RFC 3986 §3.3).
    private static func uri(_ name: String) -> String {
        PercentEncoding.encode(Array(name.utf8)) { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
            default: "-._~/!$'()*+,=@".utf8.contains(byte)
            }
        }
        .unicodeScalars.reduce(into: "") { $0 += MarkupText.reference(for: $1) ?? String($1) }
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { $0 += MarkupText.reference(for: $1) ?? String($1) }
    }
}
