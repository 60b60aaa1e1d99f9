import ByteKit
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

    /// The field whose look is being looked at, for a person who knows no numbers of objects; empty
    /// where it is none.
    var fieldWords: String {
        // Others have their author there.
        guard let annotation, (try? value(annotation, "Subtype"))?.nameValue == "Widget" else {
            return ""
        }
        let parent = (try? value(annotation, "Parent"))?.dictionaryValue
        for holder in [annotation, parent].compactMap(\.self) {
            guard let bytes = (try? value(holder, "T"))?.stringValue,
                bytes.count <= AcroForm.maximumPartialNameByteCount
            else { continue }
            let name = PDFString(bytes: bytes, isHexadecimal: false).text
            return ", in the look of the field \(name.inQuotes)"
        }
        return ""
    }

    func value(_ dictionary: PDFDictionary, _ key: PDFName) throws(PDFError) -> PDFObject {
        try dictionary[key].map { (entry) throws(PDFError) in try resolve(entry) } ?? .null
    }
}
