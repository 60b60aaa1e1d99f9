import ByteKit
import PDFCore

extension DynamicContentSearch {
    /// How many bytes of texts and looks count as much as a widget.
    static let byteShare = 1024
    /// As how many widgets counts to look through one that cannot be read as text.
    private static let emptyLookCost = 20

    /// A signature field that is empty and shows something looks as if somebody had signed it, whether
    /// that is meant or says where to sign.
    mutating func lookForUnsignedLook(
        _ entry: PDFObject, _ widget: PDFDictionary, _ place: String
    ) {
        guard value(widget["Subtype"]).nameValue == "Widget",
            entry.referenceValue.map({ !own.contains($0) }) ?? true,
            dictionary(widget["AP"]) != nil,
            inherited("FT", of: widget)?.nameValue == "Sig",
            (inherited("V", of: widget) ?? .null) == .null,
            !AnnotationFlags(value(widget["F"])).isSurelyHidden
        else { return }
        guard remainingLooks > 0 else {
            isComplete = false
            return
        }
        remainingLooks -= 1
        guard let shown = try? shownText(of: widget) else { return }
        let name = (inherited("T", of: widget)?.stringValue).map { PDFString(bytes: $0).text } ?? ""
        note(
            .unsignedLook,
            "the signature field \(FieldValue.short(name).inQuotes) \(place) shows "
                + (shown.isEmpty ? "something" : FieldValue.short(shown).inQuotes)
                + ", and nobody has signed it")
    }

    /// What an empty field shows, as far as it is text; nil where there is but a ground or a frame.
    private mutating func shownText(of widget: PDFDictionary) throws -> String? {
        guard let look = try shown("N", of: widget) else { return nil }
        guard look.words.isEmpty, !look.isDrawn, !look.isReadable else {
            return look.words.isEmpty && !look.isDrawn ? nil : look.words
        }
        // What is not read as text may draw nothing all the same.
        remainingLooks -= Self.emptyLookCost
        return try BlankAppearance.isBlank(widget["AP"], in: document) ? nil : look.words
    }

    /// A field that says one thing on the screen and another on paper or under the mouse.
    ///
    /// Boxes and buttons have looks for the mouse that only shade them, and forms keep hidden fields:
    /// neither is told.
    mutating func lookForOtherLooks(of widget: PDFDictionary, _ place: String) {
        guard value(widget["Subtype"]).nameValue == "Widget", let looks = dictionary(widget["AP"])
        else { return }
        let flags = AnnotationFlags(value(widget["F"]))
        let (partly, never) = (
            AnnotationFlags.noView | AnnotationFlags.toggleNoView, AnnotationFlags.hidden
        )
        if flags.mayHave(partly), !flags.surelyHas(never), !flags.isSurelyHidden {
            note(
                .hiddenAnnotation,
                "a form field \(place) that the screen does not show as paper does, or not always")
        }
        let others: [PDFName] = ["R", "D"].filter { looks[$0] != nil && looks[$0] != looks["N"] }
        guard !others.isEmpty, !flags.isSurelyHidden else { return }
        guard remainingLooks > 0 else {
            isComplete = false
            return
        }
        remainingLooks -= 1 + others.count
        let usual = try? shown("N", of: widget)
        let saysOther = others.contains { key in
            guard let look = try? shown(key, of: widget) else { return false }
            // What is drawn while the mouse is pressed shades a box.
            let isDrawnAnew = key == "R" && look.isDrawn && usual?.isDrawn != true
            return isDrawnAnew || look.words != usual?.words ?? ""
        }
        if saysOther {
            note(.rollover, "a form field says something else under the mouse \(place)")
        }
    }

    /// One of a widget's looks (ISO 32000-2 Table 170), in the state that it has; nil where there is
    /// none.
    private mutating func shown(
        _ key: PDFName, of widget: PDFDictionary
    ) throws -> (words: String, isDrawn: Bool, isReadable: Bool)? {
        let look = value(dictionary(widget["AP"])?[key])
        let state = value(widget["AS"]).nameValue ?? "Off"
        guard let form = look.streamValue ?? value(look.dictionaryValue?[state]).streamValue else {
            return nil
        }
        let text = try AppearanceText(
            form, rect: document.rectangle(widget["Rect"]), in: document)
        remainingLooks -= text.byteCount / Self.byteShare
        let words = FieldValue.words(text.text.replacing(AppearanceText.unreadable, with: ""))
        return (words, text.hasOtherPaint, text.isReadable)
    }

    private func inherited(_ key: PDFName, of field: PDFDictionary) -> PDFObject? {
        (try? document.inherited(key, of: field)) ?? nil
    }

    /// Parents that are asked.
    private static let parentLimit = 64

    /// Whether a widget is one of the form's, or one of those that lead to such and are listed there.
    mutating func isInForm(_ entry: PDFObject, _ widget: PDFDictionary) -> Bool {
        var current = (id: entry.referenceValue, dictionary: widget)
        for _ in 0..<Self.parentLimit {
            if let id = current.id, roots.contains(id) { return true }
            guard let parent = current.dictionary["Parent"], let next = dictionary(parent) else {
                // Nobody can say beyond the budget.
                return remaining <= 0
            }
            // What is no object of its own nobody can list.
            guard let id = current.id, let parentID = parent.referenceValue,
                kids(of: next, parentID).contains(id)
            else { return remaining <= 0 }
            current = (parentID, next)
        }
        return false
    }

    private mutating func kids(of field: PDFDictionary, _ id: ObjectID) -> Set<ObjectID> {
        // Fields may share a list.
        let id = field["Kids"]?.referenceValue ?? id
        if let known = knownKids[id] { return known }
        let kids = Set(array(field["Kids"]).compactMap(\.referenceValue))
        remaining -= kids.count / Self.kidsPerObject
        knownKids[id] = kids
        return kids
    }

    /// How many kids of a field, which are looked up, count as much as an object that is read.
    private static let kidsPerObject = 64
}
