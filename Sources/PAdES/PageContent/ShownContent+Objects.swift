import PDFCore

extension ShownContent {
    /// What cannot be read at all is judged elsewhere.
    func resolve(_ entry: PDFObject) throws(PDFError) -> PDFObject {
        do {
            return try document.resolve(entry)
        } catch {
            guard error.code != .readFailed else { throw error }
            return .null
        }
    }

    func value(_ dictionary: PDFDictionary, _ key: PDFName) throws(PDFError) -> PDFObject {
        try dictionary[key].map { (entry) throws(PDFError) in try resolve(entry) } ?? .null
    }
}
