import SignetKit

/// Where what is signed goes.
extension SignCommand {
    /// How outputs of PDFs are called, and those of other files.
    func names(
        of found: [BatchSelection.Input]
    ) throws -> (pdf: OutputNaming, others: OutputNaming, format: SignatureFormat) {
        (
            place.names(Self.suffix, for: found, batch),
            place.names(".p7s", dropping: [], for: found, batch),
            try Value.parse(kind.format, "--format") ?? .auto
        )
    }

    /// What an earlier run has done is passed over, and no reason against this one.
    func requireWork(_ found: [BatchSelection.Input]) throws {
        guard !photos.asPDF else { return }
        let (pdfNames, otherNames, format) = try names(of: found)
        let mayBeDone = place.skipExisting || batch.journal != nil
        let paths = found.map(\.path)
        try OutputNaming.requireFolder(paths) { try format.isPDF($0) ? pdfNames : otherNames }
        try Batch("signed", paths, messages).requireWork { input in
            try Self.withHint(on: input, of: paths) {
                let isPDF = try format.isPDF(input)
                return mayBeDone ? nil : try (isPDF ? pdfNames : otherNames).destination(for: input)
            }
        }
    }
}

/// Into what a file is signed.
enum SignatureFormat: String, CaseIterable, OptionValue {
    case auto, pdf, cms

    /// Whether a file is signed as PDF.
    func isPDF(_ input: String) throws -> Bool {
        switch self {
        case .pdf: true
        case .cms: false
        case .auto: try FileKind.isPDF(input)
        }
    }
}

/// What signing did to one file, or would do.
protocol SigningResult: Encodable, Sendable {
    var output: String? { get }
    var signer: String { get }
    var summary: Sentence { get }
    var warnings: [Sentence] { get }
    /// What the signer should know.
    var notes: [String] { get }
    /// The lines of the stamp, where there is one.
    var stampText: [String]? { get }
}

extension SignedDocument: SigningResult {}
extension SignedMessage: SigningResult {
    var notes: [String] { [] }
    var stampText: [String]? { nil }
}
