import ByteKit
import PDFCore

/// Looks for the fields of a form whose viewers are asked to draw them (/NeedAppearances), so that
/// they need not be asked: then all show what is signed, and poppler the stamp as well, which it
/// draws anew, as nothing, with all the others.
///
/// Those who ask viewers have not said what their own looks are for: viewers that obey pass over
/// them. So a look stays only where it says, and in the same place, what such a viewer draws;
/// otherwise it is drawn by the value (``FieldDrawing``). A form with anything that cannot be drawn
/// so keeps asking.
struct MissingLooks {
    private let document: PDFDocument
    private let form: AcroForm
    /// What the widgets get.
    private var looks: [(widget: ObjectID, look: FieldDrawing.Look)] = []
    private var replaced: [String] = []

    /// Most widgets that are looked at.
    private static let widgetLimit = 5000
    /// Most fields that are named.
    private static let namedLimit = 5

    /// - Parameter target: the field that gets a stamp, whose present look is of no matter.
    /// - Returns: nil when some look cannot be made, or nobody asks for any.
    init?(of form: AcroForm, except target: ObjectID?, in document: PDFDocument) throws {
        guard form.asksForAppearances, form.isComplete, form.dictionary["XFA"] == nil else {
            return nil
        }
        self.document = document
        self.form = form
        var remaining = Self.widgetLimit
        for field in form.fields where field.id != target {
            for widget in field.widgetIDs {
                remaining -= 1
                guard remaining > 0, try settle(widget, of: field) else { return nil }
            }
        }
    }

    /// What the one who signs has to know: what is shown may not be what was shown.
    var notes: [String] {
        let more = replaced.count - Self.namedLimit
        return [
            "the form asked viewers to draw its fields (NeedAppearances), and does so no longer: "
                + "\(looks.count) of their looks were drawn by the values"
        ] + replaced.prefix(Self.namedLimit) + (more > 0 ? ["and \(more) more such fields"] : [])
    }

    /// Gives the widgets their looks in `update`.
    func add(to update: inout IncrementalUpdate) throws {
        // Many boxes are alike.
        var known: [[UInt8]: ObjectID] = [:]
        func reference(_ stream: PDFStream) -> PDFObject {
            let bytes = PDFWriter.bytes(.stream(stream))
            let id = known[bytes] ?? update.add(.stream(stream))
            known[bytes] = id
            return .reference(id)
        }
        for (id, look) in looks {
            guard
                var widget = try update.pending(id)?.dictionaryValue
                    ?? document.object(id).dictionaryValue
            else { continue }
            switch look {
            case .single(let stream):
                widget["AP"] = .dictionary(["N": reference(stream)])
                widget["AS"] = nil
            case .states(let states, let current):
                var entries = PDFDictionary()
                for (name, stream) in states { entries[name] = reference(stream) }
                widget["AP"] = .dictionary(["N": .dictionary(entries)])
                widget["AS"] = .name(current)
            }
            update.set(id, .dictionary(widget))
        }
    }

    /// - Returns: Whether the widget has a look that shows its value, or gets one.
    private mutating func settle(_ id: ObjectID, of field: FormField) throws -> Bool {
        guard let widget = try document.object(id).dictionaryValue else { return true }
        let flags = try AnnotationFlags(of: widget, in: document)
        let box = try document.rectangle(widget["Rect"])
        guard !flags.surelyHas(AnnotationFlags.hidden), let box, box.width > 0, box.height > 0
        else {
            return true
        }
        // Viewers draw nothing where nobody has signed.
        guard !field.isSignature else {
            return try EmptyLook.isOne(widget["AP"], in: document)
        }
        let look = try WidgetLook(id, in: document)
        let value = try FieldValue(field, in: document)
        let drawing = try FieldDrawing(of: field, widget, box, form: form, in: document)
        if try !look.isMissing && drawing.isShown(by: look, value) { return true }
        // The picture of a button is its maker's.
        guard !value.isPushButton || look.isMissing, let made = try drawing.look(of: value, look)
        else { return false }
        looks.append((id, made))
        let said = look.text.map { FieldValue.words($0) }
        if !look.isMissing, !value.isButton, said != FieldValue.words(value.label ?? "") {
            let shown = said.map { FieldValue.short($0).inQuotes }
            replaced.append(
                "the look of the field \(field.fullName.inQuotes) was drawn anew by its value "
                    + "\(value.words): it showed \(shown ?? "what cannot be told")")
        }
        return true
    }
}
