package import PDFCore

/// Where the widgets of a field are, and what keeps people from seeing there what is drawn in them.
package struct FieldPlacement {
    /// A widget in which something can be drawn.
    package struct Widget {
        package let id: ObjectID
        /// The widget's own dictionary.
        package let dictionary: PDFDictionary
        /// The page that shows it, or without one that it names.
        package let page: PDFPage
        /// Left, bottom, right, top in user space.
        package let rect: [Double]
    }

    /// Those that have a box.
    package private(set) var widgets: [Widget] = []
    /// Reasons why what is drawn in the field is not seen, or not only there, or keeps something
    /// else from being seen; for people.
    package private(set) var doubts: [String] = []
    /// What nobody can say without looking, for people.
    package private(set) var notes: [String] = []

    private var remainingAnnotations = Self.annotationLimit
    private var remainingContent = CoveredContent.byteLimit
    private let field: FormField
    private let document: PDFDocument
    private let pages: [ShowingPage]

    /// A page that shows widgets of the field.
    private struct ShowingPage {
        let number: Int
        let page: PDFPage
        let annotations: [PDFObject]
        /// Where each widget stands among them.
        let places: [ObjectID: Int]
    }

    /// Most widgets that are looked at, and most pages of one: nobody needs more.
    private static let widgetLimit = 16
    private static let placeLimit = 8
    /// Shortest side, in user space units, of a box in which something can be seen.
    private static let shortestSide = 1.0
    /// Most pages that are looked at for widgets.
    private static let pageLimit = 2000
    /// Most annotations that are looked at for all widgets together, twice each.
    private static let annotationLimit = 20_000
    /// Invisible, Hidden, NoView and ToggleNoView (ISO 32000-2 Table 167).
    private static let unseenFlags = 1 | 2 | 32 | 256
    /// Boxes that overlap by no more than this, in user space units, only touch.
    private static let slack = 1.0
    /// Most parents of a widget that are asked for flags and layers.
    private static let parentLimit = 64

    package init(of field: FormField, in document: PDFDocument) throws {
        self.field = field
        self.document = document
        let widgetIDs = field.widgetIDs.prefix(Self.widgetLimit)
        pages = try Self.pages(showing: Set(widgetIDs), in: document)
        if field.widgetIDs.count > widgetIDs.count {
            doubts.append("it has \(field.widgetIDs.count) widgets")
        }
        for id in widgetIDs {
            guard let dictionary = try document.object(id).dictionaryValue,
                let rect = try Self.rectangle(of: dictionary, in: document),
                rect.width >= Self.shortestSide, rect.height >= Self.shortestSide
            else { continue }
            try take(id, dictionary, rect)
        }
        if widgets.count > 1 {
            doubts.append("it shows in \(widgets.count) places")
        }
    }

    private mutating func take(
        _ id: ObjectID, _ dictionary: PDFDictionary, _ rect: PDFRectangle
    ) throws {
        let all = pages.filter { $0.places[id] != nil }
        let shown = all.prefix(Self.placeLimit)
        if shown.isEmpty { doubts.append("no page shows it") }
        if shown.count > 1 {
            let numbers =
                shown.map { String($0.number) }.joined(separator: ", ")
                + (all.count > shown.count ? ", ..." : "")
            doubts.append("it shows on several pages (\(numbers))")
        }
        let named = try dictionary["P"]?.referenceValue.flatMap { try document.page($0) }
        guard let page = try shown.first?.page ?? named ?? firstPage() else { return }
        try judgeEntries(dictionary)
        judgePlace(rect, on: page)
        for page in shown {
            guard let index = page.places[id] else { continue }
            try judgeCovers(rect, above: page.annotations[(index + 1)...])
            try judgeCovered(rect, on: page.page, below: page.annotations[..<index])
        }
        widgets.append(
            Widget(
                id: id, dictionary: dictionary, page: page,
                rect: [rect.left, rect.bottom, rect.right, rect.top]))
    }

    private func firstPage() throws -> PDFPage? {
        try document.pageCount() > 0 ? document.page(at: 0) : nil
    }

    /// Flags and layers of the widget and of what it belongs to: some readers inherit them.
    private mutating func judgeEntries(_ widget: PDFDictionary) throws {
        var current = widget
        for _ in 0..<Self.parentLimit {
            if try (document.value(current, "F").integerValue ?? 0) & Self.unseenFlags != 0 {
                doubts.append("it is hidden")
                break
            }
            guard let parent = try document.value(current, "Parent").dictionaryValue else { break }
            current = parent
        }
        if try document.value(widget, "OC") != .null {
            doubts.append("it is in a layer that can be switched off")
        }
    }

    private mutating func judgePlace(_ rect: PDFRectangle, on page: PDFPage) {
        let box = rect.description
        guard let seen = rect.intersection(page.cropBox) else {
            doubts.append("its box \(box) is off the page")
            return
        }
        if seen.width * seen.height < rect.width * rect.height / 2 {
            doubts.append("most of its box \(box) is off the page")
        }
    }

    /// Annotations that are drawn later cover those before them.
    private mutating func judgeCovers(
        _ rect: PDFRectangle, above annotations: ArraySlice<PDFObject>
    ) throws {
        for entry in taken(annotations) {
            guard let (subtype, _, other) = try shownAnnotation(entry),
                let common = rect.intersection(other),
                common.width > Self.slack, common.height > Self.slack
            else { continue }
            doubts.append(
                "an annotation (\(subtype)) covers \(common.description) of its box "
                    + rect.description)
            return
        }
    }

    /// What lies below is not seen any more.
    private mutating func judgeCovered(
        _ rect: PDFRectangle, on page: PDFPage, below annotations: ArraySlice<PDFObject>
    ) throws {
        var content = CoveredContent(in: rect, of: document, upTo: remainingContent)
        content.look(at: page)
        tell(content, "the page")
        for entry in taken(annotations) {
            guard let (subtype, annotation, other) = try shownAnnotation(entry),
                rect.intersection(other) != nil
            else { continue }
            var content = CoveredContent(in: rect, of: document, upTo: remainingContent)
            content.look(at: annotation, in: other)
            tell(content, "an annotation (\(subtype))")
        }
    }

    /// Those that may still be looked at.
    private mutating func taken(_ annotations: ArraySlice<PDFObject>) -> ArraySlice<PDFObject> {
        let taken = annotations.prefix(remainingAnnotations)
        if taken.count < annotations.count {
            doubts.append("there are too many annotations to be looked at")
        }
        remainingAnnotations -= taken.count
        return taken
    }

    private mutating func tell(_ content: CoveredContent, _ owner: String) {
        remainingContent = content.remaining
        doubts += content.descriptions.map { "it covers \($0) of \(owner)" }
        if !content.isReadable { doubts.append("what it covers of \(owner) cannot be read") }
        if content.liesOnPicture {
            notes.append("it lies on a picture of \(owner): what it covers there is not known")
        }
    }

    /// An annotation of others, where people see one.
    private func shownAnnotation(
        _ entry: PDFObject
    ) throws -> (subtype: PDFName, PDFDictionary, PDFRectangle)? {
        guard let annotation = try document.resolve(entry).dictionaryValue,
            entry.referenceValue.map({ !field.widgetIDs.contains($0) }) ?? true,
            try (document.value(annotation, "F").integerValue ?? 0) & (2 | 32) == 0,
            let subtype = try document.value(annotation, "Subtype").nameValue,
            subtype != "Popup", subtype != "Link",
            let rect = try Self.rectangle(of: annotation, in: document)
        else { return nil }
        return (subtype, annotation, rect)
    }

    // MARK: Reading

    private static func rectangle(
        of annotation: PDFDictionary, in document: PDFDocument
    ) throws -> PDFRectangle? {
        let corners = try (document.value(annotation, "Rect").arrayValue ?? []).prefix(4).map {
            try document.resolve($0).numberValue ?? .nan
        }
        guard corners.count == 4, corners.allSatisfy(\.isFinite) else { return nil }
        return PDFRectangle(corners[0], corners[1], corners[2], corners[3])
    }

    private static func pages(
        showing widgets: Set<ObjectID>, in document: PDFDocument
    ) throws -> [ShowingPage] {
        guard !widgets.isEmpty else { return [] }
        var found: [ShowingPage] = []
        var seen: Set<ObjectID> = []
        // Arrays that pages share are read once.
        var known: [ObjectID: [ObjectID: Int]] = [:]
        for index in 0..<min(try document.pageCount(), pageLimit) {
            let page = try document.page(at: index)
            // A page may stand in the tree twice.
            guard seen.insert(page.id).inserted, let entry = page.dictionary["Annots"] else {
                continue
            }
            if let id = entry.referenceValue, known[id]?.isEmpty == true { continue }
            guard let annotations = try document.resolve(entry).arrayValue else { continue }
            let places = entry.referenceValue.flatMap { known[$0] } ?? places(widgets, annotations)
            if let id = entry.referenceValue { known[id] = places }
            guard !places.isEmpty else { continue }
            found.append(
                ShowingPage(
                    number: index + 1, page: page, annotations: annotations, places: places))
        }
        return found
    }

    private static func places(
        _ widgets: Set<ObjectID>, _ annotations: [PDFObject]
    ) -> [ObjectID: Int] {
        var places: [ObjectID: Int] = [:]
        for (index, entry) in annotations.enumerated() {
            guard let id = entry.referenceValue, widgets.contains(id), places[id] == nil else {
                continue
            }
            places[id] = index
        }
        return places
    }

    /// The number, from 1, of the page that shows a widget.
    package func pageNumber(of widget: ObjectID) -> Int? {
        pages.first { $0.places[widget] != nil }?.number
    }
}

extension PDFRectangle {
    /// `[0 0 612 792]`, rounded.
    package var description: String {
        let numbers = [left, bottom, right, top].map { number in
            String(decoding: PDFReal((number * 100).rounded() / 100).text, as: UTF8.self)
        }
        return "[" + numbers.joined(separator: " ") + "]"
    }
}
