/// Collects tolerated defects, each once.
final class WarningLog {
    private(set) var warnings: [PDFWarning] = []
    private var known: Set<PDFWarning> = []

    func add(
        _ code: PDFWarning.Code, _ detail: String, offset: Int? = nil, object: ObjectID? = nil
    ) {
        let warning = PDFWarning(code, detail, offset: offset, object: object)
        guard warnings.count < PDFLimits.warningCount, known.insert(warning).inserted else {
            return
        }
        warnings.append(warning)
    }
}
