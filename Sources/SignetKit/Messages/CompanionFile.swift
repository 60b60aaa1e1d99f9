import Containers
import SystemBridge

/// The file next to a signature or timestamp: `contract.pdf` for `contract.pdf.p7s`.
///
/// Users expect the signature to belong to that file, so it is always used as the content. Content
/// attached to a message must be equal to it.
enum CompanionFile {
    private static let suffixes =
        [".p7s", ".p7m", ".p7", ".sig", ".tsr", ".tst", ".tsp"]
        + EvidenceRecordFile.suffixes

    /// Added before the suffix of an extended signature.
    static let extended = ".extended"

    /// The path of the file next to `input` with the same name, but without the suffix; nil if
    /// there is none. Other suffixes are accepted if the file exists.
    ///
    /// - Throws: ``SignetError`` if the path is not a regular file.
    static func path(of input: String) throws(SignetError) -> String? {
        guard input != "-", let path = withoutSuffix(input), FileSystem.exists(path),
            !FileSystem.isDirectory(path)
        else { return nil }
        // Opening a pipe would block.
        guard FileSystem.isRegularFile(path) else {
            throw SignetError(
                .missingInput, file: path,
                "the file is next to \(input), but cannot be read",
                hint: Sentence(.nameContent))
        }
        return path
    }

    /// The given content of a message, else the file next to it.
    static func content(_ given: InputSource?, of source: InputSource) throws -> InputSource {
        let found = try given ?? source.path.flatMap(path).map(InputSource.file)
        return try found ?? { throw missingContent(of: source.name) }()
    }

    static func missingContent(of input: String) -> SignetError {
        SignetError(
            .missingInput, file: input,
            "the signed content was not found, neither in the signature file nor next to it",
            hint: Sentence(.giveContent))
    }

    /// The content of a signature or timestamp in another folder: `files/a/b.txt` for `b.txt.p7s`.
    ///
    /// - Parameters:
    ///   - folder: the folder with the content, or its subfolder.
    /// - Returns: nil if the file has no name of a signature or timestamp.
    static func path(of input: String, in folder: String) -> String? {
        guard let stem = stem(FileSystem.name(of: input)) else { return nil }
        let path = FileSystem.joined(folder, stem)
        guard !FileSystem.exists(path), let former = FileSystem.without(ending: extended, stem)
        else { return path }
        return FileSystem.joined(folder, former)
    }

    /// The signature or timestamp next to a file; nil if there is none.
    static func signature(beside path: String) -> String? {
        suffixes.map { path + $0 }.first { FileSystem.isRegularFile($0) }
    }

    /// Whether the name is that of a detached signature, regardless of the content.
    static func isSignatureName(_ path: String) -> Bool { stem(path) != nil }

    private static func stem(_ path: String) -> String? {
        suffixes.lazy.compactMap { FileSystem.without(ending: $0, path) }.first
    }

    private static func withoutSuffix(_ input: String) -> String? {
        if let rest = stem(input) {
            // If a signature is extended, the name of its detached content remains without
            // `.extended`.
            guard !FileSystem.exists(rest) else { return rest }
            return FileSystem.without(ending: extended, rest) ?? rest
        }
        guard let dot = input.utf8.lastIndex(of: UInt8(ascii: ".")),
            !input.utf8[dot...].contains(UInt8(ascii: "/"))
        else { return nil }
        return String(input[..<dot])
    }
}

/// The kind of verification for a file.
public enum VerifiedKind: Sendable {
    case document, message, timestamp, evidenceRecord, container

    /// The signature or timestamp next to a file; nil if there is none.
    public static func signature(beside path: String) -> String? {
        CompanionFile.signature(beside: path)
    }

    /// The content of a signature or timestamp in another folder; nil if the file has no name of a
    /// signature or timestamp.
    public static func content(of input: BatchSelection.Input, in folder: String) -> String? {
        CompanionFile.path(
            of: input.path,
            in: input.subfolder.isEmpty ? folder : FileSystem.joined(folder, input.subfolder))
    }

    /// Determines the kind of verification by the content and the name of a file.
    ///
    /// - Parameter hasContent: whether the signed content was named separately.
    /// - Throws: ``SignetError`` for a PDF with the name of a detached signature, and for unknown
    ///   content.
    public static func of(_ source: InputSource, hasContent: Bool) throws -> VerifiedKind {
        let input = source.name
        // Standard input is not read: its kind follows from whether content was named.
        guard !source.isStandardInput else { return hasContent ? .message : .document }
        let kind = try kind(of: source, hasContent: hasContent)
        // Viewers open a file by its name, so they may display something else.
        guard kind == .document || FileSystem.without(ending: ".pdf", input) == nil else {
            throw SignetError(
                .malformedInput, file: input, "the name ends in .pdf, but the file is not a PDF",
                hint: Sentence(.renameOrAskForOriginal))
        }
        return kind
    }

    private static func kind(of source: InputSource, hasContent: Bool) throws -> VerifiedKind {
        let input = source.name
        let isSignature = CompanionFile.isSignatureName(input)
        switch try FileKind.of(source) {
        case .message: return .message
        case .timestamp: return .timestamp
        case .evidenceRecord: return .evidenceRecord
        case .pdf where isSignature || hasContent:
            throw SignetError(
                .malformedInput, file: input,
                "the file is a PDF, not a detached signature",
                hint: isSignature ? Sentence(.renameDocument) : Sentence(.leaveOutContent))
        case .pdf: return .document
        case .photo, .other:
            if isSignature || hasContent { return .message }
            // A damaged container is reported by its name.
            if try SignatureContainer.isContainerName(input) || ContainerFile.isContainer(source) {
                return .container
            }
            guard FileSystem.without(ending: ".pdf", input) == nil else { return .document }
            let found = FoundFile(input)
            let isOther = found?.isDescribed != true && found?.isImage != true
            throw SignetError(
                .malformedInput, file: input,
                "the file is \(found.map { $0.name + ", " } ?? "")neither a PDF nor a detached signature",
                hint: source.path.flatMap(CompanionFile.signature).map {
                    Sentence(.verifyBeside, $0)
                }
                    ?? (isOther
                        ? found?.hint ?? Sentence(.giveSigned)
                        : Sentence(
                            found?.isCertificate == true ? .trustOrSee : .seeWhatItIs, input)))
        }
    }
}
