import ByteKit
import PDFCore
import SignatureTerms

/// What of looks of fields counts besides their text: the ground, and that there is a look at all
/// (ISO 32000-2 §12.5.5, §12.7.4.3).
extension RevisionComparison {
    /// How far the size of the text may be from the one that the field asks for.
    private static let sizes = 0.75...1.35

    /// Some viewers drew the value before, and some did not: to all of them it is new, or as it was.
    mutating func judgeFirstLook(
        of widget: ObjectID, _ look: WidgetLook, _ value: FieldValue, _ before: FormField
    ) throws {
        try judgeGround(of: widget, WidgetLook(widget, in: old), look, before)
        guard value.label?.isEmpty == false else { return }
        let name = before.fullName.inQuotes
        note(.formFilling, "field \(name) got a look, which shows its value \(value.words)")
        if try !wasDrawnLike(look, widget, before) {
            doubt(
                "whether the value of field \(name) could be seen before it had a look is unknown")
        }
    }

    /// A ground that comes or goes hides or uncovers what the page shows under it.
    mutating func judgeGround(
        of widget: ObjectID, _ was: WidgetLook, _ now: WidgetLook, _ field: FormField
    ) throws {
        guard try !now.hasSameGround(as: was), try !isOnEmptyGround(widget, isStrict: true) else {
            return
        }
        doubt(
            "the look of field \(field.fullName.inQuotes) has another ground, which may hide or "
                + "uncover what the page shows")
    }

    /// Whether its page showed nothing where a widget is, neither itself nor by other annotations.
    ///
    /// - Parameter isStrict: whether a line to write on counts too.
    func isOnEmptyGround(_ id: ObjectID, isStrict: Bool = false) throws -> Bool {
        guard memory.takeLook(), let widget = try new.object(id).dictionaryValue,
            let pageID = widget["P"]?.referenceValue,
            try new.rectangle(widget["Rect"]) != nil, let page = try old.page(pageID),
            let box = try AnnotationExtent(of: widget, on: page, in: new)?.box,
            // In another size of the page it covers more of it.
            try !AnnotationFlags(of: widget, in: new).mayHave(AnnotationFlags.noZoom),
            try LookBounds.confineAll(widget["AP"], in: new),
            // What /P says counts for nothing: readers go by the lists of the pages.
            try memory.holders.pages(with: id, in: new, takePage: memory.takePage) == [pageID]
        else { return false }
        var content = CoveredContent(
            in: box, of: old, upTo: Self.pageContentLimit,
            judging: PaintedGround(in: box, permitsLine: !isStrict))
        content.look(at: page)
        var seen: Set<ObjectID> = [id]
        let annotations = try old.value(page.dictionary, "Annots").arrayValue ?? []
        memory.spendLook(annotations.count * Self.annotationCost)
        for entry in annotations where content.remaining > 0 {
            if let other = entry.referenceValue, !seen.insert(other).inserted { continue }
            guard
                let (_, annotation, extent) = try CoveredContent.shownAnnotation(
                    entry, on: page, besides: [id], in: old),
                box.intersection(extent.box) != nil
            else { continue }
            content.look(at: annotation, in: extent.hasLook ? extent.rect : extent.box)
        }
        memory.spendLook(Self.pageContentLimit - content.remaining)
        return content.remaining > 0 && content.isEmptyGround
    }

    /// Most content of a page that is looked at for one field, in bytes.
    private static let pageContentLimit = 1 << 20
    /// What it costs to see where another annotation is, in bytes.
    private static let annotationCost = 8

    /// Whether viewers that drew the value did it in about this size, and so that it could be read.
    private func wasDrawnLike(
        _ look: WidgetLook, _ id: ObjectID, _ field: FormField
    ) throws -> Bool {
        let widget = try old.object(id).dictionaryValue ?? PDFDictionary()
        guard let style = try DefaultAppearance(of: field, widget, in: formBefore, old),
            let font = try old.resolve(style.resource(in: formBefore, old) ?? .null)
                .dictionaryValue, try SimpleFont(font, in: old) != nil,
            let ink = style.brightness, let ground = try ground(of: widget),
            abs(ink - ground) >= AppearanceMeasure.leastContrast
        else { return false }
        // Some draw it where it has to stand.
        guard let box = try old.rectangle(widget["Rect"]), box.width > 0, box.height > 0,
            try FieldDrawing(of: field, widget, box, form: formBefore, in: old)
                .hasUsualPlace(look)
        else { return false }
        return try look.texts().allSatisfy { text in
            guard let size = text?.shown.size else { return false }
            return style.size == 0 || Self.sizes.contains(size / style.size)
        }
    }

    /// How bright the background is that the field asks for, the page's where it asks for none; nil
    /// when it is not known.
    private func ground(of widget: PDFDictionary) throws -> Double? {
        let marks = try old.value(widget, "MK").dictionaryValue ?? PDFDictionary()
        let entry = try old.value(marks, "BG")
        guard entry != .null, entry.arrayValue?.isEmpty != true else { return 1 }
        let parts = try (entry.arrayValue ?? []).compactMap { try old.resolve($0).numberValue }
        guard [1, 3, 4].contains(parts.count) else { return nil }
        return AppearanceMeasure.brightness(parts)
    }

    // MARK: Looks that are replaced in place

    /// Takes the looks of a field or annotation off the list that are replaced in place and used by
    /// nothing else.
    ///
    /// - Returns: Whether anything about the look is new.
    mutating func settleAppearance(of id: ObjectID) throws -> Bool {
        guard !pending.isEmpty, let dictionary = try old.object(id).dictionaryValue,
            let appearance = dictionary["AP"], try leadsToPendingLook(appearance)
        else { return false }
        var isNew = false
        var holders: Set<Int> = [id.number]
        var visited: Set<ObjectID> = []
        func settleIfOwn(_ entry: PDFObject, _ kind: AuxiliaryObject) throws {
            guard let entryID = entry.referenceValue, visited.insert(entryID).inserted,
                try stays(kind, entryID)
            else { return }
            if pending[entryID.number] != nil, try belongsOnly(to: holders, entryID) {
                settle(entryID)
                isNew = true
            }
            if case .stream = kind { return }
            // What others use too is theirs as much.
            if try leadsToPending(entryID), try isHolder(onlyFor: holders, entryID) {
                holders.insert(entryID.number)
            }
        }
        try settleIfOwn(appearance, .entries(Self.lookKeys))
        guard let looks = try old.resolve(appearance).dictionaryValue else { return isNew }
        for key in Self.lookKeys.sorted(by: { $0.bytes[0] < $1.bytes[0] }) {
            guard let entry = looks[key] else { continue }
            switch try old.resolve(entry) {
            case .stream: try settleIfOwn(entry, .stream)
            case .dictionary(let states):
                try settleIfOwn(entry, .states)
                for state in states.entries { try settleIfOwn(state.value, .stream) }
            default: break
            }
        }
        return isNew
    }

    /// Whether anything in a look is still to be accounted for. Any number of annotations may share
    /// what is gone through.
    private mutating func leadsToPendingLook(_ entry: PDFObject, depth: Int = 0) throws -> Bool {
        let id = entry.referenceValue
        if let id {
            if pending[id.number] != nil { return true }
            if idleLooks.contains(id) { return false }
        }
        if depth < Self.lookDepth, let list = try old.resolve(entry).dictionaryValue {
            for element in list.entries {
                try memory.values.spend(Self.costOfState)
                if try leadsToPendingLook(element.value, depth: depth + 1) { return true }
            }
        }
        if let id { idleLooks.insert(id) }
        return false
    }

    /// How deep looks nest: by their kind, then by their state. What going through one costs.
    private static let (lookDepth, costOfState) = (2, 4)

    /// Whether a dictionary of looks, or one in it, names what is still to be accounted for.
    private func leadsToPending(_ id: ObjectID) throws -> Bool {
        try (old.object(id).dictionaryValue?.entries ?? []).contains { entry in
            try isPending(entry.value)
                || old.resolve(entry.value).dictionaryValue?.entries
                    .contains { isPending($0.value) } ?? false
        }
    }

    /// ISO 32000-2 Table 170.
    private static let lookKeys: Set<PDFName> = ["N", "R", "D"]
}
