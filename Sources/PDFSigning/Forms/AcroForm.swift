package import Base
package import PDFCore

/// A terminal field of the document's form with its inherited attributes
/// (ISO 32000-2 §12.7.4).
package struct FormField: Sendable {
    package let id: ObjectID
    /// The field's own dictionary in the file.
    package let dictionary: PDFDictionary
    /// Partial names from the root, joined by periods.
    package let fullName: ExactText
    /// Inherited /FT.
    package let type: PDFName?
    /// Inherited /V, not resolved. A signature field without one has the /V of its first widget
    /// with a value.
    package let value: PDFObject?
    /// The object with this /V entry; nil without a value.
    package let valueHolder: ObjectID?
    /// The field's widget annotations: its kids, and itself if it is one.
    package let widgetIDs: [ObjectID]

    package var isSignature: Bool { type == "Sig" }
    /// Whether the value is an entry of a widget instead of a field (ISO 32000-2 §12.7.4.2).
    package var hasValueInWidget: Bool {
        valueHolder.map { $0 != id && widgetIDs.contains($0) } ?? false
    }
}

/// The document's interactive form (ISO 32000-2 §12.7.3) and the objects that hold its parts: an
/// incremental update rewrites only the changed ones.
package struct AcroForm {
    /// The form's own object; nil if the form is missing or is a direct object in the catalog.
    package private(set) var id: ObjectID?
    package private(set) var dictionary = PDFDictionary()
    package private(set) var exists = false
    /// The object of the /Fields array; nil if the array is a direct object in the form dictionary.
    package private(set) var fieldsID: ObjectID?
    package private(set) var fieldReferences: [PDFObject] = []
    package private(set) var fields: [FormField] = []
    /// Whether ``fields`` is complete: the tree did not exceed ``maximumDepth``,
    /// ``maximumFieldCount`` or a limit on name lengths.
    package private(set) var isComplete = true
    /// Numbers of the objects that the form was read from, including the catalog. While these
    /// objects are unchanged, the properties above remain valid.
    package private(set) var objectNumbers: Set<Int>
    /// Non-terminal fields: fields with child fields.
    package private(set) var parentIDs: [ObjectID] = []
    /// Direct objects in /Fields and /Kids arrays. Most viewers ignore them. Others treat them as
    /// fields, which may take over the widgets of another field.
    package private(set) var directParts: [PDFObject] = []
    /// An object of the form that is also part of the page tree: an addition to the form would also
    /// change the page tree.
    package private(set) var pageInForm: ObjectID?
    /// The first field that is its own descendant, or whose /Kids array is empty or contains null.
    /// Viewers find other fields and widgets there.
    package private(set) var circle: ObjectID?
    /// The first reference whose generation number differs from the object's. Some viewers find a
    /// field, signature or form there; others find nothing.
    package private(set) var misnamed: ObjectID?

    /// Whether /NeedAppearances is true: viewers then generate appearances that differ from the
    /// signed ones. Removing the entry would hide fields without an appearance.
    package private(set) var asksForAppearances = false

    package var signatureFields: [FormField] { fields.filter(\.isSignature) }

    package func hasSignature(in document: PDFDocument) throws(PDFError) -> Bool {
        for field in signatureFields {
            if try document.resolve(field.value ?? .null) != .null { return true }
        }
        return false
    }

    /// Maximum depth of the field tree.
    package static let maximumDepth = 64
    package static let maximumFieldCount = 500_000
    /// Maximum total length of the full names of all fields, non-terminal fields included, in
    /// bytes.
    static let maximumNameByteCount = 64 << 20
    static let maximumPartialNameByteCount = 1 << 20

    /// Reads the form of `document`; a document without one gives an empty form.
    package init(of document: PDFDocument) throws(PDFError) {
        let catalog = try document.catalog()
        var reading = FormReading(document)
        reading.numbers.insert(try document.catalogID.number)
        let entry = catalog["AcroForm"] ?? .null
        let resolved = try reading.resolve(entry)
        misnamed = reading.misnamed
        objectNumbers = reading.numbers
        guard let dictionary = resolved.dictionaryValue else { return }
        id = entry.referenceValue
        self.dictionary = dictionary
        exists = true
        asksForAppearances = try reading.value(dictionary, "NeedAppearances").booleanValue == true
        let fieldsEntry = dictionary["Fields"] ?? .null
        fieldsID = fieldsEntry.referenceValue
        fieldReferences = try reading.resolve(fieldsEntry).arrayValue ?? []
        fields = try Self.terminalFields(under: fieldReferences, &reading)
        objectNumbers = reading.numbers
        isComplete = reading.isComplete
        directParts = reading.directParts
        parentIDs = reading.parentIDs
        circle = reading.circle
        misnamed = reading.misnamed
        let candidates = fieldReferences.compactMap(\.referenceValue) + [id].compactMap { $0 }
        for id in candidates where pageInForm == nil {
            guard let part = try document.object(id).dictionaryValue else { continue }
            if try Self.belongsToPages(part, in: document) { pageInForm = id }
        }
    }

    /// Finds the field of an object identifier, which may be the field or one of its widgets.
    package final class Places {
        /// Indices of ``AcroForm/fields``.
        package let fields: [ObjectID: Int]
        package let widgets: [ObjectID: Int]
        /// Whether several fields share a widget: viewers assign it to one of them.
        package let haveSharedWidgets: Bool

        package init(of form: AcroForm) {
            let indices = form.fields.enumerated().map { ($1.id, $0) }
            fields = Dictionary(indices, uniquingKeysWith: { first, _ in first })
            let count = form.fields.reduce(0) { $0 + $1.widgetIDs.count }
            widgets = form.fields.enumerated().reduce(into: [:]) { widgets, field in
                for id in field.element.widgetIDs where widgets[id] == nil {
                    widgets[id] = field.offset
                }
            }
            haveSharedWidgets = widgets.count < count
        }

        /// The index of the first field that is this object or has this widget.
        package func field(of widget: ObjectID) -> Int? {
            [fields[widget], widgets[widget]].compactMap { $0 }.min()
        }
    }

    /// Keys of the entries that determine the field tree.
    package static let structuralKeys: [PDFName] = ["T", "FT", "Kids", "Subtype", "Parent"]

    /// The form after a revision that rewrites fields or widgets without moving them. Only these
    /// are read: reading all fields for each revision would take quadratic time.
    ///
    /// - Returns: the form and the indices of the fields read; nil if all must be read.
    package func updated(
        to document: PDFDocument, from old: PDFDocument, defining defined: Set<ObjectID>,
        _ places: Places
    ) throws(PDFError) -> (form: AcroForm, changed: [Int])? {
        guard exists, isComplete, pageInForm == nil else { return nil }
        var reading = FormReading(document, having: objectNumbers)
        var form = self
        var changed: [Int] = []
        let catalog = try document.catalogID
        for id in defined.filter({ objectNumbers.contains($0.number) }).sorted() {
            // Updates with validation data often replace the catalog.
            if id == catalog, try Self.haveSameForm(old, document) { continue }
            guard let before = try old.object(id).dictionaryValue,
                let after = try reading.resolve(.reference(id)).dictionaryValue,
                Self.structuralKeys.allSatisfy({ before[$0] == after[$0] }),
                try !Self.belongsToPages(after, in: document)
            else { return nil }
            guard let index = places.fields[id] else {
                guard let owner = places.widgets[id], before["V"] == after["V"] else { return nil }
                if !changed.contains(owner) { changed.append(owner) }
                continue
            }
            let field = fields[index]
            // A removed value may be inherited instead.
            guard after["V"] != nil || before["V"] == nil else { return nil }
            form.fields[index] = FormField(
                id: id, dictionary: after, fullName: field.fullName, type: field.type,
                value: after["V"] ?? field.value,
                valueHolder: after["V"] != nil ? id : field.valueHolder, widgetIDs: field.widgetIDs)
            if !changed.contains(index) { changed.append(index) }
        }
        form.objectNumbers = reading.numbers
        form.misnamed = misnamed ?? reading.misnamed
        return (form, changed)
    }

    /// Whether two revisions have the same indirect form entry in the catalog.
    package static func haveSameForm(
        _ first: PDFDocument, _ second: PDFDocument
    ) throws(PDFError) -> Bool {
        let (was, now) = (try first.catalog(), try second.catalog())
        guard was.duplicateKeys.isEmpty, now.duplicateKeys.isEmpty,
            let form = was["AcroForm"]?.referenceValue
        else { return false }
        return try first.catalogID == second.catalogID && now["AcroForm"] == .reference(form)
    }

    private static func belongsToPages(
        _ dictionary: PDFDictionary, in document: PDFDocument
    ) throws(PDFError) -> Bool {
        let type = try document.value(dictionary, "Type").nameValue
        if let type, ["Page", "Pages", "Catalog"].contains(type) { return true }
        // Page tree nodes without a /Type.
        let isNode = dictionary["Kids"] != nil && dictionary["Count"] != nil
        return dictionary["MediaBox"] != nil
            || dictionary["Contents"] != nil && type == nil && dictionary["Subtype"] == nil
            || isNode
    }

    /// Reads objects and records their numbers.
    private struct FormReading {
        let document: PDFDocument
        var numbers: Set<Int> = []
        var isComplete = true
        var misnamed: ObjectID?
        var directParts: [PDFObject] = []
        var parentIDs: [ObjectID] = []
        var circle: ObjectID?
        /// The parent of each field.
        private var owners: [ObjectID: ObjectID] = [:]

        init(_ document: PDFDocument, having numbers: Set<Int> = []) {
            self.document = document
            self.numbers = numbers
        }

        mutating func resolve(_ object: PDFObject) throws(PDFError) -> PDFObject {
            var current = object
            for _ in 0..<PDFLimits.referenceHops {
                guard case .reference(let id) = current else { return current }
                numbers.insert(id.number)
                let location = try document.location(of: id)
                if case .compressed(let stream, _)? = location { numbers.insert(stream) }
                if location == nil { try checkGeneration(of: id) }
                current = try document.object(id)
                document.noteChain(id, as: current)
            }
            // A long chain or a cycle of references: the document reports which.
            return try document.resolve(object)
        }

        mutating func checkGeneration(of id: ObjectID) throws(PDFError) {
            guard misnamed == nil, try document.otherGeneration(of: id) != nil else { return }
            misnamed = id
        }

        mutating func kids(
            of field: PDFDictionary, _ id: ObjectID
        ) throws(PDFError) -> [PDFObject] {
            guard let kids = try value(field, "Kids").arrayValue else { return [] }
            if kids.isEmpty { circle = circle ?? id }
            return kids
        }

        /// Records the kids of a field.
        mutating func noteKids(_ kids: [PDFObject], of id: ObjectID) {
            noteDirectParts(kids)
            if kids.contains(.null) { circle = circle ?? id }
            for case let kid? in kids.map(\.referenceValue) {
                guard kid == id || owners[kid] != nil else {
                    owners[kid] = id
                    continue
                }
                var above: ObjectID? = id
                for _ in 0...maximumDepth {
                    if above == kid { circle = circle ?? kid }
                    above = above.flatMap { owners[$0] }
                }
            }
        }

        mutating func noteDirectParts(_ list: [PDFObject]) {
            directParts += list.filter { $0.referenceValue == nil && $0 != .null }
        }

        mutating func value(
            _ dictionary: PDFDictionary, _ key: PDFName
        ) throws(PDFError) -> PDFObject {
            guard let value = dictionary[key] else { return .null }
            return try resolve(value)
        }

        /// The /V of the first widget of a signature field that has one.
        ///
        /// - Parameter type: the field's /FT; set from the widget if nil.
        mutating func value(
            ofWidgets widgets: [ObjectID], _ type: inout PDFName?
        ) throws(PDFError) -> (object: PDFObject, holder: ObjectID)? {
            for id in widgets {
                guard let widget = try resolve(.reference(id)).dictionaryValue,
                    let value = widget["V"], value != .null
                else { continue }
                let own = try self.value(widget, "FT").nameValue
                guard (type ?? own) == "Sig" else { continue }
                type = "Sig"
                if let id = value.referenceValue { try checkGeneration(of: id) }
                return (value, id)
            }
            return nil
        }

        /// A field's full name; nil if its partial name exceeds the limit.
        mutating func name(
            of dictionary: PDFDictionary, below prefix: ExactText
        ) throws(PDFError) -> ExactText? {
            let own = try value(dictionary, "T").stringValue
            guard own.map({ $0.count <= AcroForm.maximumPartialNameByteCount }) ?? true else {
                isComplete = false
                return nil
            }
            let partial = own.map { PDFString(bytes: $0, isHexadecimal: false).text }
            return ExactText(
                [prefix.text, partial ?? ""].filter { !$0.isEmpty }.joined(separator: "."))
        }

        /// Separates kids: a kid with a missing or null /T is a widget of its field, not a field
        /// (§12.7.4.2).
        mutating func parted(
            _ kids: [PDFObject]
        ) throws(PDFError) -> (widgets: [ObjectID], fields: [ObjectID]) {
            var widgets: [ObjectID] = []
            var fields: [ObjectID] = []
            for id in kids.compactMap(\.referenceValue) {
                guard let kid = try resolve(.reference(id)).dictionaryValue else { continue }
                if try value(kid, "T") == .null {
                    widgets.append(id)
                } else {
                    fields.append(id)
                }
            }
            return (widgets, fields)
        }
    }

    private struct Pending {
        let id: ObjectID
        let prefix: ExactText
        let type: PDFName?
        /// The inherited /V, and the object that has it.
        let value: (object: PDFObject, holder: ObjectID)?
        let depth: Int
    }

    /// A field that is also its own widget, without /Parent and /Kids; nil for any other object.
    package static func field(
        _ id: ObjectID, in document: PDFDocument
    ) throws(PDFError) -> FormField? {
        guard let dictionary = try document.object(id).dictionaryValue,
            dictionary["T"] != nil, dictionary["Parent"] == nil, dictionary["Kids"] == nil
        else { return nil }
        var reading = FormReading(document)
        return try terminalFields(under: [.reference(id)], &reading).first {
            $0.type != nil && $0.widgetIDs == [id]
        }
    }

    /// Walks the field tree without recursion. Each object is visited once.
    private static func terminalFields(
        under roots: [PDFObject], _ reading: inout FormReading
    ) throws(PDFError) -> [FormField] {
        var found: [FormField] = []
        var visited: Set<ObjectID> = []
        reading.noteDirectParts(roots)
        var stack: [Pending] = roots.reversed().compactMap { root in
            root.referenceValue.map { Pending(id: $0, prefix: "", type: nil, value: nil, depth: 0) }
        }
        var kidCount = 0
        var nameByteCount = 0
        while let next = stack.popLast() {
            guard visited.insert(next.id).inserted else { continue }
            guard next.depth <= maximumDepth, visited.count <= maximumFieldCount,
                nameByteCount <= maximumNameByteCount
            else {
                reading.isComplete = false
                continue
            }
            guard let dictionary = try reading.resolve(.reference(next.id)).dictionaryValue,
                let name = try reading.name(of: dictionary, below: next.prefix)
            else { continue }
            nameByteCount += name.text.utf8.count
            let type = try reading.value(dictionary, "FT").nameValue ?? next.type
            var value = dictionary["V"].map { ($0, next.id) } ?? next.value
            if let id = dictionary["V"]?.referenceValue { try reading.checkGeneration(of: id) }
            let kids = try reading.kids(of: dictionary, next.id)
            // Fields that share an array of kids would take quadratic time.
            kidCount += kids.count
            guard kidCount <= 2 * maximumFieldCount else {
                throw PDFError(
                    .limitExceeded, "the form has more than \(2 * maximumFieldCount) field kids",
                    object: next.id)
            }
            reading.noteKids(kids, of: next.id)
            let (widgets, childFields) = try reading.parted(kids)
            if childFields.isEmpty {
                let isWidget = try reading.value(dictionary, "Subtype").nameValue == "Widget"
                var ownType = type
                if type == nil || type == "Sig", value.map({ $0.object == .null }) ?? true {
                    value = try reading.value(ofWidgets: widgets, &ownType) ?? value
                }
                found.append(
                    FormField(
                        id: next.id, dictionary: dictionary, fullName: name, type: ownType,
                        value: value?.object, valueHolder: value?.holder,
                        widgetIDs: isWidget ? widgets + [next.id] : widgets))
            } else {
                reading.parentIDs.append(next.id)
                stack += childFields.reversed().map {
                    Pending(id: $0, prefix: name, type: type, value: value, depth: next.depth + 1)
                }
            }
        }
        return found
    }
}
