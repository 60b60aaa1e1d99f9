import PDFCore
import SignatureTerms

/// How small content is drawn, by everything that draws it (ISO 32000-2 §8.3.4, §8.10.1).
extension ShownContent {
    /// Nothing is looked at once more for being smaller than this, or larger.
    private static let scales = 1e-6...1e6
    /// What is larger has no text that is next to nothing, but for what it says itself.
    private static let smallScale = 0.05

    /// Goes on with content that is drawn smaller.
    ///
    /// - Returns: ``scale`` as it was.
    mutating func enter(_ factor: Double) -> Double {
        let outer = scale
        let inner = outer * (factor.isFinite ? factor : 1)
        scale = max(Self.scales.lowerBound, min(Self.scales.upperBound, inner))
        return outer
    }

    /// As above, by a form's own matrix.
    mutating func enter(_ form: PDFStream) throws(PDFError) -> Double {
        enter(try ownScale(of: form))
    }

    private func ownScale(of form: PDFStream) throws(PDFError) -> Double {
        guard let matrix = try document.numbers(form.dictionary, "Matrix"), matrix.count == 6 else {
            return 1
        }
        func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() }
        return min(length(matrix[0], matrix[1]), length(matrix[2], matrix[3]))
    }

    /// By how much an annotation's look is made smaller to fit into its box (ISO 32000-2 §12.5.5);
    /// 1 where it is not seen.
    func lookScale(
        of look: PDFObject, in annotation: PDFDictionary
    ) throws(PDFError) -> Double {
        guard let form = try resolve(look).streamValue else { return 1 }
        let matrix = try document.numbers(form.dictionary, "Matrix") ?? [1, 0, 0, 1, 0, 0]
        guard let rect = try document.numbers(annotation, "Rect"), rect.count == 4,
            let box = try document.numbers(form.dictionary, "BBox"), box.count == 4,
            matrix.count == 6
        else { return 1 }
        let shown = Transform(matrix).applied(to: PDFRectangle(box[0], box[1], box[2], box[3]))
        let (width, height) = ((rect[2] - rect[0]).magnitude, (rect[3] - rect[1]).magnitude)
        guard width > 0, height > 0, shown.width > 0, shown.height > 0 else { return 1 }
        return min(width / shown.width, height / shown.height)
    }

    /// Finds how small a form draws text and further forms, where both together may be next to
    /// nothing.
    mutating func findPlaces(
        in form: PDFStream, _ id: ObjectID, _ outline: ContentOutline, _ chain: [PDFDictionary]
    ) throws(PDFError) {
        let isSmall = scale < Self.smallScale && !outline.shownFonts.isEmpty
        var isAsked = isSmall
        if !isAsked { isAsked = try drawsForms(outline, chain) }
        if places[id] == nil, isAsked {
            guard let data = try decoded(form, id) else { return }
            places[id] = ContentPlaces(in: data)
        }
        guard isSmall, let size = places[id]?.leastTextSize, size * scale < Self.leastText else {
            return
        }
        note(
            .contentAmbiguous,
            "the content of object \(id.number), which is shown, has text that is drawn so small that "
                + "some readers draw it many times larger")
    }

    /// - Parameter onlyScaled: asks for forms that have a scale of their own, or draw others: how large
    ///   they are drawn decides then.
    mutating func drawsForms(
        _ outline: ContentOutline, _ chain: [PDFDictionary], onlyScaled: Bool = false
    ) throws(PDFError) -> Bool {
        for name in outline.drawnObjects {
            guard takeLookup(chain) else { return false }
            guard let (entry, _) = try find(name, in: "XObject", chain),
                let form = try resolve(entry).streamValue
            else { continue }
            guard try value(form.dictionary, "Subtype").nameValue == "Form" else { continue }
            guard onlyScaled, try ownScale(of: form) == 1, let id = entry.referenceValue else {
                return true
            }
            if try self.outline(of: form, id)?.drawnObjects.isEmpty == false { return true }
        }
        return false
    }
}
