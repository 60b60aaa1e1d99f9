import SystemBridge

/// The file that a signature or time stamp stands beside: `contract.pdf` for `contract.pdf.p7s`.
///
/// Whoever sees both takes the one for the other's signature. So that file is always what counts:
/// a message that brings its own content must bring the same.
enum CompanionFile {
    private static let suffixes = [".p7s", ".p7m", ".p7", ".sig", ".tsr", ".tst", ".tsp"]

    /// What is put before the suffix of a signature that was extended.
    static let extended = ".extended"

    /// The path of the file beside `input`, named like it but for the suffix; nil when there is
    /// none. Names with other suffixes count as well, where such a file exists.
    ///
    /// - Throws: ``SignetError`` for what stands there and is no file that can be read.
    static func path(of input: String) throws(SignetError) -> String? {
        guard input != "-", let path = withoutSuffix(input), FileSystem.exists(path),
            !FileSystem.isDirectory(path)
        else { return nil }
        // Opening a pipe would wait for somebody to write into it.
        guard FileSystem.isRegularFile(path) else {
            throw SignetError(
                .missingInput, file: path,
                "stands beside \(input), but is no file that can be read",
                hint: Sentence(.nameContent))
        }
        return path
    }

    /// The signature or time stamp that stands beside a file; nil when there is none.
    static func signature(beside path: String) -> String? {
        suffixes.map { path + $0 }.first { FileSystem.isRegularFile($0) }
    }

    /// Whether the name is that of a signature beside another file, whatever is inside.
    static func isSignatureName(_ path: String) -> Bool { stem(path) != nil }

    private static func stem(_ path: String) -> String? {
        suffixes.lazy.compactMap { FileSystem.without(ending: $0, path) }.first
    }

    private static func withoutSuffix(_ input: String) -> String? {
        if let rest = stem(input) {
            // What was signed is not extended along with its signature.
            guard !FileSystem.exists(rest) else { return rest }
            return FileSystem.without(ending: extended, rest) ?? rest
        }
        guard let dot = input.utf8.lastIndex(of: UInt8(ascii: ".")),
            !input.utf8[dot...].contains(UInt8(ascii: "/"))
        else { return nil }
        return String(input[..<dot])
    }
}

/// As what a file is verified.
public enum VerifiedKind: Sendable {
    case document, message, timestamp

    /// The signature or time stamp that stands beside a file; nil when there is none.
    public static func signature(beside path: String) -> String? {
        CompanionFile.signature(beside: path)
    }

    /// - Parameter hasContent: whether the signed content was named, so that the file is none itself.
    /// - Throws: ``SignetError`` for a document in the place of a signature beside another file.
    public static func of(_ source: InputSource, hasContent: Bool) throws -> VerifiedKind {
        let input = source.name
        // Standard input is not looked at: what was named as its content says what it is.
        guard !source.isStandardInput else { return hasContent ? .message : .document }
        let isSignature = CompanionFile.isSignatureName(input)
        switch try FileKind.of(source) {
        case .message: return .message
        case .timestamp: return .timestamp
        case .pdf where isSignature || hasContent:
            throw SignetError(
                .malformedInput, file: input,
                "is a PDF, where a signature of another file is expected",
                hint: isSignature ? Sentence(.renameDocument) : Sentence(.leaveOutContent))
        case .pdf: return .document
        case .photo, .other:
            if isSignature || hasContent { return .message }
            guard FileSystem.without(ending: ".pdf", input) == nil else { return .document }
            throw SignetError(
                .malformedInput, file: input, "is no PDF, and no signature of another file",
                hint: source.path.flatMap(CompanionFile.signature).map {
                    Sentence(.verifyBeside, $0)
                } ?? Sentence(.seeWhatItIs, input))
        }
    }
}
