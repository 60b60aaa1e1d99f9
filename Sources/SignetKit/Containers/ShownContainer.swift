import Base
import Containers
import SystemBridge

/// The description of a container (ETSI EN 319 162-1): nothing in it is verified.
public struct ShownContainer: Encodable, Sendable {
    /// An entry of the container.
    public struct Entry: Encodable, Sendable {
        /// The role of an entry, by its name.
        public enum Role: String, Encodable, Sendable {
            case file, manifest, signature, timestamp
            case evidenceRecord = "evidence-record"
            case other
        }

        /// Name in the container.
        public let name: String
        /// Size in bytes.
        public let byteCount: Int
        /// The role, by the name.
        public let role: Role
    }

    /// A signature, timestamp or evidence record with a manifest.
    public struct Reference: Encodable, Sendable {
        /// Name of the signature, timestamp or evidence record.
        public let name: String
        /// The files that its manifest refers to.
        public let files: [String]
    }

    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.container/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// ASiC-S or ASiC-E.
    public let kind: String
    /// The content of the entry `mimetype`; nil without it.
    @Nullable public private(set) var mimeType: String?
    /// All entries in the order of the archive, without folders.
    public let entries: [Entry]
    /// What manifests refer to.
    public let references: [Reference]
    /// Violations of the standard, and lists of files that contradict each other.
    public let warnings: [String]

    init(_ file: InputFile, name: String) throws {
        let container = try SignatureContainer(file, name: name)
        self.file = name
        kind = container.kind.rawValue
        entries = container.archive.entries.filter { !$0.isFolder }.map {
            Entry(name: $0.name, byteCount: $0.byteCount, role: Entry.Role(ContainerMember($0)))
        }
        references = container.units.compactMap { unit in
            unit.manifest.map { manifest in
                Reference(name: unit.entry.name, files: manifest.references.map(\.file.shown))
            }
        }
        warnings = container.problems.map(\.message)
        mimeType = container.mimeType
    }

    private enum CodingKeys: String, CodingKey {
        case schema, file, kind, mimeType, entries, references, warnings
    }
}

extension ShownContainer.Entry.Role {
    init(_ member: ContainerMember) {
        self =
            switch member {
            case .data: .file
            case .manifest, .packageManifest: .manifest
            case .message, .signatureFile: .signature
            case .timestamp: .timestamp
            case .evidenceRecord: .evidenceRecord
            case .mimeType, .other, .folder: .other
            }
    }
}
