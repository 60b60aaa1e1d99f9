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
        try Reporter.orFailure(messages) {
            try OutputNaming.requireFolder(paths) { try format.isPDF($0) ? pdfNames : otherNames }
        }
        try Batch("signed", paths, messages).requireWork { input in
            try Self.withHint(on: input, of: paths) {
                let isPDF = try format.isPDF(input)
                return mayBeDone ? nil : try (isPDF ? pdfNames : otherNames).destination(for: input)
            }
        }
    }
}
