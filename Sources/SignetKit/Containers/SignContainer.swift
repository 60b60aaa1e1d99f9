public import Base
import Containers
import CryptoBridge
import SystemBridge
import TimestampKit

/// The result of signing or timestamping files in a container.
public struct SignedContainer: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.sign/1"
    /// Path of the first input, or the name given to an input in memory.
    public let file: String
    /// Path of the container.
    public let output: String?
    /// ASiC-S or ASiC-E.
    public let container: String
    /// Names of the covered files in the container.
    public let files: [String]
    /// The level that verification with the same trust anchors would find.
    public let level: SignatureLevel
    /// Digest algorithm, such as `sha256`.
    public let digest: String
    /// Signature algorithm: `rsa-pkcs1`, `ecdsa` and so on.
    public let algorithm: String
    /// The signer's common name.
    public let signer: String
    /// Claimed signing time.
    public let claimedTime: Moment
    /// Timestamp over the signature value; nil without one.
    public let timestamp: TimestampReceipt?
    /// Validation data added for B-LT; nil for other levels.
    public let validationData: ValidationData?
    /// Warnings after success, one sentence each.
    public let warnings: [Sentence]

    init(
        _ signed: SignedMessage, _ output: String, _ kind: SignatureContainer.Kind,
        _ files: [String], isArchived: Bool = false
    ) {
        file = signed.file
        self.output = output
        container = kind.rawValue
        self.files = files
        level = isArchived && signed.level == .lt ? .lta : signed.level
        digest = signed.digest
        algorithm = signed.algorithm
        signer = signed.signer
        claimedTime = signed.claimedTime
        timestamp = signed.timestamp
        validationData = signed.validationData
        warnings = signed.warnings
    }

    /// One-line summary: `ASiC-E, CAdES B-T, 2 files`.
    public var summary: Sentence {
        let format = level.format(hasTimestamp: timestamp != nil)
        return Sentence(
            "\(container), CAdES \(format.rawValue), \(files.count) file"
                + (files.count == 1 ? "" : "s") + (timestamp?.summary ?? ""))
    }
}

/// Signs files in a container with CAdES (ETSI EN 319 162-1 §4.3.3.4, §4.4.4): a new ASiC-S or ASiC-E
/// container, or another signature in an ASiC-E container, whose entries remain byte for byte.
public struct SignContainer: Sendable {
    private let message: SignMessage

    /// - Parameter message: signs the file of ASiC-S, or the manifest of ASiC-E.
    public init(_ message: SignMessage) { self.message = message }

    /// Signs files, and writes a new container.
    ///
    /// - Parameter destination: a file whose name ends in `.asics` or `.scs` for one file, otherwise
    ///   in `.asice` or `.sce`.
    /// - Throws: ``SignetError``. After a failure, no output file remains.
    public func run(_ sources: [InputSource], into destination: Destination) throws
        -> SignedContainer
    {
        let layout = try ContainerLayout(sources, destination)
        switch layout.kind {
        case .simple: return try simple(layout, destination)
        case .extended: return try extended(layout, destination)
        }
    }

    private func simple(
        _ layout: ContainerLayout, _ destination: Destination
    ) throws -> SignedContainer {
        let output = try destination.output(madeOf: layout.paths)
        let file = layout.files[0]
        let bytes = OutputBytes()
        let signed = try message.run(file.source, into: Destination(bytes, name: output.path))
        try writing(destination.path) {
            var writer = ZIPWriter { try output.write($0) }
            try writer.add("mimetype", Array(layout.kind.mimeType.utf8))
            try writer.add(file.name, file.file)
            try writer.add("META-INF/signature.p7s", bytes.bytes)
            try writer.finish()
            try ContainerFile.requireReadable(output, destination.path)
            try file.file.requireUnchanged()
            try output.commit()
        }
        return SignedContainer(signed, destination.path, layout.kind, [file.name])
    }

    private func extended(
        _ layout: ContainerLayout, _ destination: Destination
    ) throws -> SignedContainer {
        let digest = message.digest?.algorithm ?? .usual
        let output = try layout.output(destination)
        return try reading(layout.firstName) {
            var writer = ZIPWriter { part in
                try writing(destination.path) { try output.write(part) }
            }
            let manifest = try layout.addFiles(to: &writer, digest)
            let names = layout.signatureNames
            if archives { try layout.requireNoArchive() }
            let content = manifest.document(target: names.signature, type: ManifestBuilder.message)
            let bytes = OutputBytes()
            var task = message
            // The archive timestamp of ASiC-E also covers the files (EN 319 162-1 §4.4.4.2).
            if archives { task.longTermLevel = .lt }
            let signed = try task.run(
                .bytes(content, name: layout.firstName), into: Destination(bytes))
            try writer.add(names.manifest, content)
            try writer.add(names.signature, bytes.bytes)
            if archives {
                try addArchive(
                    &writer, manifest,
                    [
                        (names.manifest, "text/xml", content),
                        (names.signature, ManifestBuilder.message, bytes.bytes),
                    ], digest)
            }
            try writer.finish(comment: layout.existing?.archive.comment ?? [])
            try ContainerFile.requireReadable(output, destination.path)
            try layout.requireUnchanged()
            try writing(destination.path) { try output.commit() }
            return SignedContainer(
                signed, destination.path, layout.kind, manifest.names, isArchived: archives)
        }
    }

    private var archives: Bool { message.longTerm != nil && message.longTermLevel == .lta }

    /// Adds a timestamp over signature, manifest and files (ETSI EN 319 162-1 §4.4.4.2).
    private func addArchive(
        _ writer: inout ZIPWriter, _ files: ManifestBuilder,
        _ entries: [(name: String, type: String, content: [UInt8])], _ digest: DigestAlgorithm
    ) throws {
        guard let timestamps = message.timestamps else {
            throw SignetError(.usage, "B-LTA requires a time-stamping authority")
        }
        var manifest = files
        for entry in entries {
            manifest.add(entry.name, entry.type, try digest.hash(entry.content))
        }
        let content = manifest.document(
            target: ContainerLayout.archiveTimestamp, type: ManifestBuilder.timestamp)
        let stamp = try timestamps.stamp(hash: try digest.hash(content), digest: digest)
        try writer.add(ContainerLayout.archiveManifest, content)
        try writer.add(ContainerLayout.archiveTimestamp, stamp.token.encoded)
    }
}

/// The files of a new container, or the container to which a signature is added.
struct ContainerLayout {
    struct File {
        let source: InputSource
        let file: InputFile
        let name: String
    }

    let kind: SignatureContainer.Kind
    private(set) var files: [File] = []
    /// The container that gets another signature; nil for a new one.
    private(set) var existing: SignatureContainer?
    private var existingFile: InputFile?
    let firstName: String
    let paths: [String]

    init(_ sources: [InputSource], _ destination: Destination) throws {
        guard let first = sources.first else {
            throw SignetError(.usage, "a container requires at least one file")
        }
        firstName = first.name
        paths = sources.compactMap(\.path)
        let folded = destination.path.lowercased()
        kind = [".asics", ".scs"].contains(where: folded.hasSuffix) ? .simple : .extended
        guard kind == .simple || [".asice", ".sce"].contains(where: folded.hasSuffix) else {
            throw SignetError(
                .usage, file: destination.path, "the name of a container ends in .asice or .asics")
        }
        if sources.count == 1, kind == .extended, try ContainerFile.isContainer(first) {
            let file = try reading(first.name) {
                try first.open(isReplaced: destination.isInPlace)
            }
            existingFile = file
            let container = try reading(first.name) {
                try SignatureContainer(file, name: first.name)
            }
            guard container.kind == .extended else {
                throw SignetError(
                    .malformedInput, file: firstName,
                    "only ASiC-E containers get further signatures"
                )
            }
            try ContainerFile.requireSound(container, firstName)
            existing = container
            return
        }
        guard kind == .extended || sources.count == 1 else {
            throw SignetError(
                .usage, file: destination.path,
                "an ASiC-S container has exactly one file: use the ending .asice")
        }
        files = try sources.map { source in
            File(
                source: source, file: try reading(source.name) { try source.open() },
                name: FileSystem.name(of: source.name))
        }
        var known: Set<String> = ["mimetype", "meta-inf"]
        for file in files where !known.insert(file.name.lowercased()).inserted {
            throw SignetError(
                .usage, file: file.source.name,
                "two files of the container would have the name \(file.name.inQuotes)")
        }
    }

    var signatureNames: (manifest: String, signature: String, timestamp: String) {
        var free = ContainerNames(existing)
        let names = free.next([
            ("ASiCManifest", ".xml"), ("signature", ".p7s"), ("timestamp", ".tst"),
        ])
        return (names[0], names[1], names[2])
    }

    static let archiveManifest = "META-INF/ASiCArchiveManifest.xml"
    static let archiveTimestamp = "META-INF/timestamp001.tst"

    func requireNoArchive() throws(SignetError) {
        guard let archive = existing?.archive,
            archive.entry(Self.archiveManifest) != nil
                || archive.entry(Self.archiveTimestamp) != nil
        else { return }
        throw SignetError(
            .usage, file: firstName,
            "the container has an archive timestamp: a new signature cannot add another one",
            hint: Sentence(.signThenExtend))
    }

    /// Writes the files or the existing entries, and returns a manifest with their hashes.
    func addFiles(
        to writer: inout ZIPWriter, _ digest: DigestAlgorithm
    ) throws -> ManifestBuilder {
        var manifest = ManifestBuilder(digest)
        if let existing {
            try writer.copy(existing.archive)
            for entry in existing.files {
                manifest.add(
                    entry.name, existing.packageManifest?.mimeType(of: entry.name),
                    try existing.hash(entry, digest))
            }
        } else {
            try writer.add("mimetype", Array(kind.mimeType.utf8))
        }
        for file in files {
            let context = try DigestContext(digest)
            try writer.add(file.name, file.file) { try context.update($0) }
            manifest.add(file.name, nil, try context.finish())
        }
        return manifest
    }

    func output(_ destination: Destination) throws -> AtomicOutput {
        try existingFile.map { try destination.output(from: $0) }
            ?? destination.output(madeOf: paths)
    }

    func requireUnchanged() throws {
        try existingFile?.requireUnchanged()
        for file in files { try file.file.requireUnchanged() }
    }
}
