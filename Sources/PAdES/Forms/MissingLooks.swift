import ByteKit
import PDFCore

/// Looks for the fields of a form whose viewers are asked to draw them (/NeedAppearances), so that
/// they need not be asked: then all show what is signed, and poppler the stamp as well, which it
/// draws anew, as nothing, with all the others.
///
/// Those who ask viewers have not said what their own looks are for: viewers that obey pass over
/// them. So all looks have to say, in the same place and on the same ground, what such a viewer
/// draws; what has none is drawn by its value (``FieldDrawing``). A form with anything else keeps
/// asking: what is seen does not change by signing.
struct MissingLooks {
    private let document: PDFDocument
    private let form: AcroForm
    /// What the widgets get.
    private var looks: [(widget: ObjectID, look: PDFStream)] = []

    /// What of their values may still be drawn.
    private var remainingByteCount = Self.textByteLimit

    /// Most widgets that are looked at.
    private static let widgetLimit = 5000
    /// Most bytes of text in all of them: to find the size of several lines is work.
    private static let textByteLimit = 1 << 18

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

    /// What the one who signs has to know.
    var note: String {
        "the form asked viewers to draw its fields (NeedAppearances), and does so no longer: "
            + (looks.isEmpty
                ? "their own looks show the values"
                : "\(looks.count) that had no looks were drawn by their values")
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
            widget["AP"] = .dictionary(["N": reference(look)])
            widget["AS"] = nil
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
            return try BlankAppearance.isBlank(widget["AP"], in: document)
        }
        let look = try WidgetLook(id, in: document)
        let text = try document.resolve(field.value ?? .null).stringValue
        remainingByteCount -= text?.count ?? 0
        guard remainingByteCount > 0 else { return false }
        let value = try FieldValue(field, in: document)
        let drawing = try FieldDrawing(of: field, widget, box, form: form, in: document)
        guard let made = try drawing.look(of: value) else { return false }
        guard look.isMissing else { return try drawing.isShown(by: look, value, as: made) }
        looks.append((id, made))
        return true
    }
}
