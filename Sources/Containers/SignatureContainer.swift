package import Base
package import CryptoBridge

/// An associated signature container (ASiC, ETSI EN 319 162-1): its files, and which signature,
/// timestamp or evidence record is for which of them. Signatures are not verified here.
package struct SignatureContainer: Sendable {
    /// ASiC-S holds one file, ASiC-E any number.
    package enum Kind: String, Sendable {
        case simple = "ASiC-S"
        case extended = "ASiC-E"

        /// Media type (ETSI EN 319 162-1 §A.1).
        package var mimeType: String {
            switch self {
            case .simple: "application/vnd.etsi.asic-s+zip"
            case .extended: "application/vnd.etsi.asic-e+zip"
            }
        }

        init?(mimeType: String) {
            guard let kind = [Self.simple, .extended].first(where: { $0.mimeType == mimeType })
            else { return nil }
            self = kind
        }
    }

    /// A signature, timestamp or evidence record, and what it is over.
    package struct Unit: Sendable {
        package enum Form: Sendable { case message, timestamp, signatureFile, evidenceRecord }

        package let form: Form
        package let entry: ZIPEntry
        /// The bytes that a CMS message or timestamp is over: a manifest, or the file itself; nil
        /// for other forms.
        package let signed: ZIPEntry?
        /// The manifest, with the hashes of the files; nil if the signature is over a file itself.
        package let manifest: ContainerManifest?
    }

    package let archive: ZIPArchive
    package let kind: Kind
    /// The content of `mimetype`; nil without it.
    package let mimeType: String?
    /// The signed or signable files.
    package let files: [ZIPEntry]
    package private(set) var units: [Unit] = []
    /// `META-INF/manifest.xml`; nil without it.
    package private(set) var packageManifest: PackageManifest?
    /// Violations of the standard, and files that contradict each other.
    package private(set) var problems: [VerificationProblem] = []
    package private(set) var manifests: [(entry: ZIPEntry, content: ContainerManifest)] = []
    private let members: [(entry: ZIPEntry, member: ContainerMember)]

    /// - Parameter name: name of the file, whose suffix tells the kind if there is no `mimetype`.
    /// - Throws: ``ContainerError`` if the archive cannot be read in one way only.
    package init(_ source: any ByteSource, name: String) throws {
        archive = try ZIPArchive(source)
        let members = archive.entries.map { (entry: $0, member: ContainerMember($0)) }
        self.members = members
        files = members.filter { $0.member == .data }.map(\.entry)
        var written: String?
        if let entry = archive.entry("mimetype") {
            let bytes = try archive.bytes(of: entry, limit: Self.typeByteCount)
            written = String(decoding: bytes, as: UTF8.self)
        }
        mimeType = written?.trimmedType
        let suffixKind = Self.kind(suffixOf: name)
        kind =
            written.flatMap { Kind(mimeType: $0.trimmedType) } ?? suffixKind
            ?? (members.contains { $0.entry.name == "META-INF/signature.p7s" }
                ? .simple : .extended)
        checkType(written: written, suffixKind)
        try readPackageManifest()
        try readManifests()
        collectUnits()
        checkForm()
        noteUnsigned()
    }

    private static let typeByteCount = 1024

    private static func kind(suffixOf name: String) -> Kind? {
        let folded = name.lowercased()
        if [".asics", ".scs"].contains(where: folded.hasSuffix) { return .simple }
        if [".asice", ".sce", ".bdoc", ".edoc", ".adoc"].contains(where: folded.hasSuffix) {
            return .extended
        }
        return nil
    }

    package static func isContainerName(_ name: String) -> Bool { kind(suffixOf: name) != nil }

    package static func isContainer(_ archive: ZIPArchive) -> Bool {
        archive.entries.contains { entry in
            switch ContainerMember(entry) {
            case .manifest, .message, .timestamp, .signatureFile, .evidenceRecord: true
            default: false
            }
        }
    }

    /// Why a manifest was not read that may belong to a signature; nil if all were.
    package private(set) var unsupportedManifest: (any Error)?

    private mutating func fail(_ message: String, _ error: (any Error)? = nil) {
        problems.append(
            error?.isOfSupport == true
                ? .doubt(.containerMalformed, message) : .failure(.containerMalformed, message))
    }

    // MARK: Reading

    private mutating func checkType(written: String?, _ suffixKind: Kind?) {
        guard let mimeType, let written else { return }
        if let first = archive.entry("mimetype"),
            first.offset != 0 || !first.isStored || first.hasLocalExtra || written != mimeType
        {
            problems.append(
                .remark(
                    .containerMalformed,
                    "'mimetype' is not the first entry, stored without other bytes"))
        }
        // ASiC-S permits the type of its file (EN 319 162-1 §4.3.3.1).
        if Kind(mimeType: mimeType) == nil, kind == .extended || !mimeType.contains("/") {
            fail(
                "the media type \(mimeType.prefix(100).description.inQuotes) is not that of a container"
            )
        }
        if let suffixKind, let stated = Kind(mimeType: mimeType), stated != suffixKind {
            problems.append(
                .doubt(
                    .manifestMismatch,
                    "the file is named like \(suffixKind.rawValue), but contains the media type of "
                        + stated.rawValue))
        }
    }

    private mutating func readPackageManifest() throws {
        guard let entry = archive.entry("META-INF/manifest.xml") else { return }
        let bytes = try archive.bytes(of: entry, limit: ContainerLimits.manifestByteCount)
        do {
            packageManifest = try PackageManifest(bytes)
        } catch  where !error.isOfMachine {
            fail("\(entry.name) cannot be read: \(error)", error)
            return
        }
        guard let manifest = packageManifest else { return }
        if let mimeType, let type = manifest.containerType, type != mimeType {
            problems.append(
                .remark(
                    .manifestMismatch,
                    "\(entry.name) names another media type of the container than 'mimetype'"))
        }
        if manifest.hasOtherContent {
            problems.append(
                .remark(.fileNotCovered, "not signed: other content of \(entry.name)"))
        }
        let listed = Set(
            manifest.names.compactMap { FileReference($0).entry(in: archive)?.name }
                .map { ExactText($0) })
        let missing = manifest.names.filter { FileReference($0).entry(in: archive) == nil }
        let unlisted = files.map(\.name).filter { !listed.contains(ExactText($0)) }
        for (names, words) in [
            (missing, "lists files that are missing"),
            (unlisted, "does not list files of the container"),
        ]
        where !names.isEmpty {
            problems.append(
                .doubt(.manifestMismatch, "\(entry.name) \(words): \(Self.list(names))"))
        }
    }

    /// Maximum number of file names in a message.
    private static let nameLimit = 20

    private static func list(_ names: [String]) -> String {
        names.prefix(nameLimit).map(\.inQuotes).joined(separator: ", ")
            + (names.count > nameLimit ? " and others" : "")
    }

    private mutating func readManifests() throws {
        var referenceCount = 0
        for (entry, member) in members {
            guard case .manifest = member else { continue }
            do {
                let bytes = try archive.bytes(of: entry, limit: ContainerLimits.manifestByteCount)
                let content = try ContainerManifest(bytes)
                referenceCount += content.references.count
                guard referenceCount <= ContainerLimits.referenceCount else {
                    return fail("the manifests refer to too many files")
                }
                manifests.append((entry, content))
            } catch  where !error.isOfMachine {
                if error.isOfSupport { unsupportedManifest = error }
                fail("the manifest \(entry.name.inQuotes) cannot be read: \(error)", error)
            }
        }
    }

    /// Assigns manifests and files to signatures, timestamps and evidence records.
    private mutating func collectUnits() {
        var targets: Set<ExactText> = []
        for (entry, manifest) in manifests {
            let words =
                "the manifest \(entry.name.inQuotes) belongs to "
                + "\(manifest.target.shown.inQuotes), which is "
            guard let target = manifest.target.entry(in: archive) else {
                problems.append(.doubt(.fileMissing, words + "missing", .signedDataNotFound))
                continue
            }
            guard let form = Self.form(of: ContainerMember(target)), form != .signatureFile else {
                fail(words + "not a signature")
                continue
            }
            targets.insert(ExactText(target.name))
            units.append(Unit(form: form, entry: target, signed: entry, manifest: manifest))
        }
        for (entry, member) in members where !targets.contains(ExactText(entry.name)) {
            guard let form = Self.form(of: member) else { continue }
            let file = kind == .simple && files.count == 1 ? files[0] : nil
            if form == .message || form == .timestamp, file == nil {
                // Without a manifest nothing is signed (EN 319 162-1 §4.4.4.2).
                fail(
                    "no manifest refers to \(entry.name.inQuotes), so it covers no file",
                    unsupportedManifest)
            }
            units.append(Unit(form: form, entry: entry, signed: file, manifest: nil))
        }
        if units.count > ContainerLimits.signatureCount {
            fail("the container has more than \(ContainerLimits.signatureCount) signatures")
            units = Array(units.prefix(ContainerLimits.signatureCount))
        }
    }

    private static func form(of member: ContainerMember) -> Unit.Form? {
        switch member {
        case .message: .message
        case .timestamp: .timestamp
        case .signatureFile: .signatureFile
        case .evidenceRecord: .evidenceRecord
        default: nil
        }
    }

    /// The rules for the number of files and signatures.
    private mutating func checkForm() {
        if files.isEmpty { fail("the container has no signed file") }
        guard kind == .simple else { return }
        // EN 319 162-1 §4.3.3.1: one file in the root folder, with one signature or timestamp file.
        if files.count > 1 {
            fail("an ASiC-S container has exactly one file, but this one has \(files.count)")
        }
        if let file = files.first, file.name.contains("/") {
            fail("the file of an ASiC-S container is in the folder of \(file.name.inQuotes)")
        }
        let own = units.filter { $0.manifest == nil && $0.form != .evidenceRecord }
        if own.count > 1 {
            fail("an ASiC-S container has one signature or timestamp file, not \(own.count)")
        }
    }

    /// The media type of an entry, by `META-INF/manifest.xml` or by its name; nil if it is unknown.
    package func mimeType(of entry: ZIPEntry) -> String? {
        ContainerMember(entry) == .data
            ? packageManifest?.mimeType(of: entry.name)
            : ContainerMember.mimeType(named: entry.name)
    }

    /// The manifest that contains the hash of an entry; nil if there is none.
    package func manifest(covering entry: ZIPEntry) -> ZIPEntry? {
        manifests.first { manifest in
            manifest.content.references.contains {
                $0.file.entry(in: archive)?.offset == entry.offset
            }
        }?.entry
    }

    // MARK: Hashes

    package func hash(_ entry: ZIPEntry, _ digest: DigestAlgorithm) throws -> [UInt8] {
        let context = try DigestContext(digest)
        try archive.stream(entry) { try context.update($0) }
        return try context.finish()
    }

    // MARK: Parts that are never signed

    /// Notes about what programs show of a container although no signature can cover it.
    private mutating func noteUnsigned() {
        let others = members.filter { $0.member == .other }.map(\.entry.name)
        var used: Set<ExactText> = []
        for name in archive.entries.filter({ !$0.isFolder }).map(\.name) {
            for slash in name.indices where name[slash] == "/" {
                used.insert(ExactText(String(name[...slash])))
            }
        }
        let folders = archive.entries.filter { $0.isFolder && !used.contains(ExactText($0.name)) }
        let unusual = archive.entries.filter { !$0.isPortable }
        for (names, words) in [
            (others, "other files in META-INF"), (folders.map(\.name), "not signed: empty folders"),
            (unusual.map(\.name), "names that other systems may write or show differently"),
            (
                archive.entries.filter(\.hasUnknownExtra).map(\.name),
                "unknown extra fields in the archive"
            ),
        ]
        where !names.isEmpty {
            problems.append(.remark(.fileNotCovered, "\(words): \(Self.list(names))"))
        }
        // EN 319 162-1 §A.1 permits the media type as the comment.
        let permitted = Array("mimetype=\(mimeType ?? kind.mimeType)".utf8)
        if !archive.comment.isEmpty && archive.comment != permitted
            || archive.entries.contains(where: \.hasComment)
        {
            problems.append(
                .remark(.fileNotCovered, "the ZIP archive has comments, which are not signed"))
        }
    }
}

extension String {
    /// Without byte order mark and white space, which some programs write.
    fileprivate var trimmedType: String {
        var scalars = Substring(self).unicodeScalars
        func isIgnored(_ scalar: Unicode.Scalar) -> Bool {
            scalar == "\u{FEFF}" || scalar.properties.isWhitespace
        }
        while let first = scalars.first, isIgnored(first) { scalars.removeFirst() }
        while let last = scalars.last, isIgnored(last) { scalars.removeLast() }
        return String(scalars)
    }
}
