import PDFCore

/// Limits and names that the readers of fonts share.
enum ShownFont {
    /// How much of font programs may still be decoded, in bytes, and whether it was enough.
    struct Budget {
        var byteCount: Int
        var isEnough = true
    }

    /// Standard fonts whose glyphs have names of their own.
    static let ownGlyphs: Set<String> = ["Symbol", "ZapfDingbats"]
}

/// Where the program of a font is embedded.
struct FontFile {
    let key: PDFName
    let stream: PDFStream

    private static let keys: [PDFName] = ["FontFile", "FontFile2", "FontFile3"]

    /// Nil where none is.
    init?(of descriptor: PDFDictionary?, in document: PDFDocument) throws(PDFError) {
        guard let descriptor else { return nil }
        for key in Self.keys {
            guard let stream = try document.value(descriptor, key).streamValue else { continue }
            (self.key, self.stream) = (key, stream)
            return
        }
        return nil
    }

    /// Nil beyond the budget, and for what cannot be decoded.
    func program(
        in document: PDFDocument, within budget: inout ShownFont.Budget
    ) throws(PDFError) -> FontProgram? {
        do throws(PDFError) {
            let bytes = try document.decodedData(of: stream, upTo: budget.byteCount)
            budget.byteCount -= bytes.count
            return FontProgram(bytes)
        } catch {
            guard error.code != .readFailed else { throw error }
            guard error.code == .limitExceeded else { return nil }
            budget.isEnough = false
            // Another font may be smaller; all of these together cost as much as one.
            budget.byteCount /= 2
            return nil
        }
    }
}

extension PDFDocument {
    /// The numbers of an array in a dictionary; nil where it is none, or has anything else.
    func numbers(_ dictionary: PDFDictionary, _ key: PDFName) throws(PDFError) -> [Double]? {
        guard let elements = try value(dictionary, key).arrayValue else { return nil }
        var found: [Double] = []
        for element in elements {
            guard let number = try resolve(element).numberValue, number.isFinite else { return nil }
            found.append(number)
        }
        return found
    }
}
