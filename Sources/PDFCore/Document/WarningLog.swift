/// Collects tolerated defects, each only once.
final class WarningLog {
    /// The first defects; see ``PDFLimits/warningCount``.
    private(set) var warnings: [PDFWarning] = []
    /// The first defect of each kind, including those beyond the limit of ``warnings``.
    private(set) var first: [PDFWarning.Code: PDFWarning] = [:]
    /// The kinds of all defects.
    var codes: Set<PDFWarning.Code> { Set(first.keys) }
    private var known: Set<PDFWarning> = []

    func add(
        _ code: PDFWarning.Code, _ detail: String, offset: Int? = nil, object: ObjectID? = nil
    ) {
        let warning = PDFWarning(code, detail, offset: offset, object: object)
        if first[code] == nil { first[code] = warning }
        guard warnings.count < PDFLimits.warningCount, known.insert(warning).inserted else {
            return
        }
        warnings.append(warning)
    }
}
