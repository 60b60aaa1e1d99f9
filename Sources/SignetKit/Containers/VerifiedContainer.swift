import Base
import Containers

/// The files of a container (ETSI EN 319 162-1), and the signatures that cover them.
public struct VerifiedContainer: Encodable, Sendable {
    /// A signed or signable file.
    public struct File: Encodable, Sendable {
        /// Name in the container.
        public let name: String
        /// Size in bytes.
        public let byteCount: Int
        /// The names of the unchanged signatures over the file; in a container without signatures,
        /// of the timestamps.
        public let coveredBy: [String]
    }

    /// ASiC-S or ASiC-E.
    public let kind: String
    /// The content of the entry `mimetype`; nil without it.
    @Nullable public private(set) var mimeType: String?
    /// The files in the order of the archive, without signatures and manifests.
    public let files: [File]

    init(
        _ container: SignatureContainer, _ signatures: [VerifiedSignature],
        demandsSignature: Bool
    ) {
        let kind: SignaturePurpose =
            demandsSignature || signatures.contains { $0.kind == .signature }
            ? .signature : .timestamp
        self.kind = container.kind.rawValue
        var coveredBy: [ExactText: [String]] = [:]
        for signature in signatures
        where signature.kind == kind && signature.intact && signature.verdict != .failed {
            for name in signature.files ?? [] {
                coveredBy[ExactText(name), default: []].append(signature.field)
            }
        }
        files = container.files.map {
            File(
                name: $0.name, byteCount: $0.byteCount,
                coveredBy: coveredBy[ExactText($0.name)] ?? [])
        }
        mimeType = container.mimeType
    }

    private enum CodingKeys: String, CodingKey { case kind, mimeType, files }
}
