/// The role of an entry in a container, by its name (ETSI EN 319 162-1 §4.3.3, §4.4.3, §4.4.4).
package enum ContainerMember: Hashable, Sendable {
    /// A signed file.
    case data
    case mimeType
    /// `META-INF/manifest.xml`
    case packageManifest
    case manifest(ContainerManifest.Kind)
    /// A CAdES signature.
    case message
    /// A timestamp token (RFC 3161).
    case timestamp
    /// A file of XAdES signatures.
    case signatureFile
    case evidenceRecord
    /// Another file in `META-INF`, without a meaning for signatures.
    case other
    case folder

    package init(_ entry: ZIPEntry) {
        let folder = "META-INF/"
        if entry.isFolder {
            self = .folder
        } else if entry.name == "mimetype" {
            self = .mimeType
        } else if entry.name.hasPrefix(folder) {
            self = Self.meta(String(entry.name.dropFirst(folder.count)))
        } else {
            self = .data
        }
    }

    /// The media type of an entry in `META-INF` of that name; nil if it is unknown.
    package static func mimeType(named name: String) -> String? {
        let folded = name.lowercased()
        if folded.hasSuffix(".p7s") { return ManifestBuilder.message }
        if folded.hasSuffix(".tst") { return ManifestBuilder.timestamp }
        return folded.hasSuffix(".xml") ? "text/xml" : nil
    }

    private static func meta(_ name: String) -> Self {
        guard !name.contains("/") else { return .other }
        let folded = name.lowercased()
        let isXML = folded.hasSuffix(".xml")
        if name == "manifest.xml" { return .packageManifest }
        if isXML, folded.hasPrefix("asicarchivemanifest") { return .manifest(.archive) }
        if isXML, folded.hasPrefix("asicevidencerecordmanifest") {
            return .manifest(.evidenceRecord)
        }
        if isXML, folded.hasPrefix("asicmanifest") { return .manifest(.signature) }
        if folded.contains("evidencerecord"), isXML || folded.hasSuffix(".ers") {
            return .evidenceRecord
        }
        if folded.hasSuffix(".p7s") || folded.hasSuffix(".p7m") { return .message }
        if folded.hasSuffix(".tst") { return .timestamp }
        if isXML, folded.contains("signature") { return .signatureFile }
        return .other
    }
}
