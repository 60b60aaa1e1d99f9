/// Collects tolerated defects, each once.
final class WarningLog {
    /// The first ones; see ``PDFLimits/warningCount``.
    private(set) var warnings: [PDFWarning] = []
    /// The first of each kind, also of those that were too many to keep.
    private(set) var first: [PDFWarning.Code: PDFWarning] = [:]
    /// Of which kinds there were any.
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
