import SignetKit
import SystemBridge

/// The outputs of `sign`.
extension SignCommand {
    /// The naming of signed PDFs and of signatures of other files.
    func names(
        of found: [BatchSelection.Input]
    ) throws -> (pdf: OutputNaming, others: OutputNaming, format: SignatureFormat) {
        // A dry run writes no output, so its outputs may exist.
        (
            place.names(Self.suffix, for: found, batch, mayReplace: kind.dryRun),
            place.names(".p7s", dropping: [], for: found, batch, mayReplace: kind.dryRun),
            try Value.parse(kind.format, "--format") ?? .auto
        )
    }

    /// Checks the inputs before the key is opened. Outputs of an earlier run are not an error,
    /// because they are skipped.
    func requireWork(_ found: [BatchSelection.Input]) throws {
        guard !photos.asPDF else { return }
        let (pdfNames, otherNames, format) = try names(of: found)
        let mayBeDone = place.skipExisting || batch.journal != nil
        let paths = found.map(\.path)
        if format == .auto, let first = paths.first {
            try requireEnding(for: first, isOnly: paths.count == 1)
        }
        try OutputNaming.requireFolder(paths) { try format.isPDF($0) ? pdfNames : otherNames }
        try Batch("signed", paths, messages).requireWork { input in
            try Self.withHint(on: input, of: inputs) {
                let isPDF = try format.isPDF(input)
                return mayBeDone ? nil : try (isPDF ? pdfNames : otherNames).destination(for: input)
            }
        }
    }
}

extension SignCommand {
    /// Rejects a private key given as a document.
    func refuseKeys() throws {
        let isPDF = { (name: String) in name.lowercased().hasSuffix(".pdf") }
        guard let file = inputs.first(where: { !isPDF($0) && SwappedFiles.isKey($0) })
        else { return }
        throw SignetError(
            .usage, file: file, "the file contains a private key, not a document",
            hint: Sentence(hint(forKey: ShellWord.quoted(file))))
    }

    /// How to use a private key that is given as input.
    private func hint(forKey file: String) -> String {
        guard let given = key.key ?? key.identity else {
            return "to use this key, add --key \(file)"
        }
        return (try? FileKind.isPDF(given)) == true
            ? "the files are swapped: use \(ShellWord.quoted(given)) as input, and --key \(file)"
            : "leave out this file: another option names the key"
    }

    /// Rejects an output name with the ending of the other format, which would mislead its reader.
    private func requireEnding(for input: String, isOnly: Bool) throws {
        guard let output = place.output, FileSystem.isRegularFile(input),
            !FileSystem.isDirectory(output)
        else { return }
        let isPDF = try SignatureFormat.auto.isPDF(input)
        let name = output.lowercased()
        if isPDF, [".p7s", ".p7m"].contains(where: name.hasSuffix) {
            throw SignetError(
                .usage, file: output,
                "the output would be a PDF, but its name is that of a detached signature",
                hint: "use a name that ends in .pdf, or add --format cms")
        }
        guard !isPDF, name.hasSuffix(".pdf") else { return }
        let isPhoto = PictureFormats.nameExtensions.contains {
            input.lowercased().hasSuffix("." + $0)
        }
        // Several other files require a folder.
        guard isOnly || isPhoto else { return }
        throw SignetError(
            .usage, file: output,
            "the output would be a detached signature, but its name is that of a PDF",
            hint: isPhoto
                ? "to convert \(isOnly ? "the image" : "images") to a PDF and sign it, add --as-pdf"
                : "use a name that ends in .p7s")
    }
}

enum SignatureFormat: String, CaseIterable, OptionValue {
    case auto, pdf, cms

    func isPDF(_ input: String) throws -> Bool {
        switch self {
        case .pdf: true
        case .cms: false
        case .auto: try FileKind.isPDF(input)
        }
    }
}

/// The result of signing one file, or of a check.
protocol SigningResult: Encodable, Sendable {
    var output: String? { get }
    var signer: String { get }
    var summary: Sentence { get }
    var warnings: [Sentence] { get }
    var notes: [String] { get }
    /// The text lines of the signature appearance, if any.
    var stampText: [String]? { get }
    /// The positions of the signature appearance, as text.
    var places: [String] { get }
}

extension SignedDocument: SigningResult {
    var places: [String] { (widgets ?? []).map(\.place) }
}
extension SigningResult {
    var notes: [String] { [] }
    var stampText: [String]? { nil }
    var places: [String] { [] }
}
extension SignedMessage: SigningResult {}
extension SignedContainer: SigningResult {}
