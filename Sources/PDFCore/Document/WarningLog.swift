/// Collects tolerated defects, each once.
final class WarningLog {
    /// The first ones; see ``PDFLimits/warningCount``.
    private(set) var warnings: [PDFWarning] = []
    /// Of which kinds there were any, also among those that were too many to keep.
    private(set) var codes: Set<PDFWarning.Code> = []
    private var known: Set<PDFWarning> = []

    func add(
        _ code: PDFWarning.Code, _ detail: String, offset: Int? = nil, object: ObjectID? = nil
    ) {
        codes.insert(code)
        let warning = PDFWarning(code, detail, offset: offset, object: object)
        guard warnings.count < PDFLimits.warningCount, known.insert(warning).inserted else {
            return
        }
        warnings.append(warning)
    }
}
