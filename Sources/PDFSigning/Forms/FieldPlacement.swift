package import PDFCore

/// Positions of a field's widgets, and reasons why their appearances may not be visible.
package struct FieldPlacement {
    /// A widget with a usable box.
    package struct Widget {
        package let id: ObjectID
        /// The widget's own dictionary.
        package let dictionary: PDFDictionary
        /// The page that lists the widget, else the page that the widget names.
        package let page: PDFPage
        /// Left, bottom, right, top in user space.
        package let rect: [Double]
    }

    /// The widgets with a usable box.
    package private(set) var widgets: [Widget] = []
    /// Findings that need the consent of the signer: several widgets, or parts of other fields.
    package private(set) var doubts: [String] = []
    /// Reasons why the appearance of the field is not visible in its box, as text.
    package private(set) var notes: [String] = []

    private var remainingAnnotations = Self.annotationLimit
    private let field: FormField
    private let widgetIDs: Set<ObjectID>
    private let document: PDFDocument
    private let pages: [ShowingPage]

    /// A page that lists widgets of the field.
    private struct ShowingPage {
        let number: Int
        let page: PDFPage
        let annotations: [PDFObject]
        /// Position of each widget in the page's annotations.
        let places: [ObjectID: Int]
    }

    /// Maximum number of widgets that are read, and of pages per widget.
    private static let widgetLimit = 16
    private static let placeLimit = 8
    /// Minimum side length of a visible box, in user space units.
    private static let shortestSide = 1.0
    /// Maximum number of annotations that are compared with widgets.
    private static let annotationLimit = 2000
    /// Maximum number of references followed in the search for widgets. Pages may refer to the same
    /// objects many times.
    private static let searchedAnnotationLimit = 200_000
    private static let unseenFlags =
        AnnotationFlags.invisible | AnnotationFlags.hidden | AnnotationFlags.noView
        | AnnotationFlags.toggleNoView
    /// Overlaps of at most this many user space units are ignored.
    private static let slack = 1.0
    /// Maximum number of ancestors of a widget that are searched for flags and layers.
    private static let parentLimit = 64

    package init(of field: FormField, in document: PDFDocument) throws {
        self.field = field
        self.document = document
        widgetIDs = Set(field.widgetIDs)
        let taken = field.widgetIDs.prefix(Self.widgetLimit)
        var search = WidgetSearch(Set(taken), document)
        pages = try search.pages()
        if field.widgetIDs.count > taken.count {
            doubts.append("it has \(field.widgetIDs.count) widgets")
        }
        if !search.isComplete { doubts.append("the page has more annotations than are checked") }
        for id in taken {
            guard let dictionary = try document.object(id).dictionaryValue else { continue }
            try judgeKind(id, dictionary: dictionary)
            guard let rect = try box(of: dictionary, id) else { continue }
            try take(id, dictionary: dictionary, rect: rect)
        }
        if widgets.count > 1 { doubts.append("it is displayed in \(widgets.count) places") }
    }

    private mutating func take(
        _ id: ObjectID, dictionary: PDFDictionary, rect: PDFRectangle
    ) throws {
        let all = pages.filter { $0.places[id] != nil }
        let shown = all.prefix(Self.placeLimit)
        if shown.isEmpty { notes.append("it is not on a page") }
        if shown.count > 1 {
            let numbers =
                shown.map { String($0.number) }.joined(separator: ", ")
                + (all.count > shown.count ? ", ..." : "")
            doubts.append("it is displayed on several pages (\(numbers))")
        }
        let named = try dictionary["P"]?.referenceValue.flatMap { try document.page($0) }
        guard let page = try shown.first?.page ?? named ?? firstPage() else { return }
        try judgeEntries(dictionary, on: page)
        judgePlace(rect, on: page)
        for page in shown {
            guard let index = page.places[id] else { continue }
            try judgeCovers(rect, on: page.page, above: page.annotations[(index + 1)...])
        }
        widgets.append(
            Widget(
                id: id, dictionary: dictionary, page: page,
                rect: [rect.left, rect.bottom, rect.right, rect.top]))
    }

    private func firstPage() throws -> PDFPage? {
        try document.pageCount() > 0 ? document.page(at: 0) : nil
    }

    /// Checks that an object listed as a part of the field is its widget.
    private mutating func judgeKind(_ id: ObjectID, dictionary: PDFDictionary) throws {
        guard id != field.id else { return }
        let subtype = try document.value(dictionary, "Subtype").nameValue
        let parent = dictionary["Parent"]?.referenceValue
        if subtype != "Widget" {
            let kind = subtype.map { "an annotation (\($0))" } ?? "something"
            doubts.append("a part of it is not a widget, but \(kind) (object \(id))")
        } else if let parent, parent != field.id {
            doubts.append("a part of it has another field as parent (object \(id))")
        }
    }

    /// The widget's box; nil if it is too small to show anything.
    private mutating func box(of widget: PDFDictionary, _ id: ObjectID) throws -> PDFRectangle? {
        guard try document.value(widget, "Rect") != .null else { return nil }
        guard let rect = try document.rectangle(widget["Rect"]),
            [rect.left, rect.bottom, rect.right, rect.top].allSatisfy(\.isFinite)
        else {
            notes.append("its rectangle cannot be read (object \(id))")
            return nil
        }
        guard min(rect.width, rect.height) < Self.shortestSide else { return rect }
        // A widget without any area is invisible by intention.
        if rect.width > 0, rect.height > 0 {
            notes.append("its rectangle is too small to display anything")
        }
        return nil
    }

    /// Checks flags and layers of the widget and its ancestors: some viewers inherit them.
    private mutating func judgeEntries(_ widget: PDFDictionary, on page: PDFPage) throws {
        let flags = try AnnotationFlags(of: widget, in: document)
        if flags.mayHave(AnnotationFlags.noRotate), page.rotate != 0 {
            notes.append(
                "it is not rotated with its page: it is displayed outside its rectangle (NoRotate)")
        }
        if flags.mayHave(AnnotationFlags.noZoom) {
            notes.append("it is not scaled with its page: it is displayed in another size (NoZoom)")
        }
        var isHidden = false
        var current = widget
        for _ in 0..<Self.parentLimit {
            let flags = try AnnotationFlags(of: current, in: document)
            if let doubt = flags.doubt { notes.append(doubt) }
            if flags.surelyHas(Self.unseenFlags) {
                notes.append("it is hidden, so viewers do not display the signature")
                isHidden = true
                break
            }
            guard let parent = try document.value(current, "Parent").dictionaryValue else { break }
            current = parent
        }
        if !isHidden, !flags.surelyHas(AnnotationFlags.print) {
            notes.append("it is not printed: its signature is displayed on screen only")
        }
        if try document.value(widget, "OC") != .null {
            notes.append("it is on a layer that can be hidden (optional content)")
        }
    }

    private mutating func judgePlace(_ rect: PDFRectangle, on page: PDFPage) {
        guard let seen = rect.intersection(page.cropBox) else {
            notes.append("its rectangle is outside the page")
            return
        }
        if seen.width * seen.height < rect.width * rect.height / 2 {
            notes.append("most of its rectangle is outside the page")
        }
    }

    /// Checks for later annotations, which viewers draw over earlier ones.
    private mutating func judgeCovers(
        _ rect: PDFRectangle, on page: PDFPage, above annotations: ArraySlice<PDFObject>
    ) throws {
        for entry in taken(annotations) {
            guard let (subtype, _, extent) = try shownAnnotation(entry, on: page),
                let common = rect.intersection(extent.box),
                common.width > Self.slack, common.height > Self.slack
            else { continue }
            notes.append("an annotation (\(subtype)) covers a part of its rectangle")
            return
        }
    }

    /// The annotations that the budget still permits.
    private mutating func taken(_ annotations: ArraySlice<PDFObject>) -> ArraySlice<PDFObject> {
        let taken = annotations.prefix(remainingAnnotations)
        remainingAnnotations -= taken.count
        return taken
    }

    /// A visible annotation that is not part of the field.
    private func shownAnnotation(
        _ entry: PDFObject, on page: PDFPage
    ) throws -> (subtype: PDFName, PDFDictionary, AnnotationExtent)? {
        guard entry.referenceValue.map({ !widgetIDs.contains($0) }) ?? true else { return nil }
        return try PageAnnotations.shown(entry, on: page, in: document)
    }

    /// Looks for widgets among the annotations of all pages.
    private struct WidgetSearch {
        let widgets: Set<ObjectID>
        let document: PDFDocument
        private(set) var isComplete = true
        private var budget = FieldPlacement.searchedAnnotationLimit

        init(_ widgets: Set<ObjectID>, _ document: PDFDocument) {
            self.widgets = widgets
            self.document = document
        }

        mutating func pages() throws -> [ShowingPage] {
            guard !widgets.isEmpty else { return [] }
            var found: [ShowingPage] = []
            // Pages may share their annotations, and the page tree may list a page twice.
            var known: [ObjectID: [ObjectID: Int]] = [:]
            for index in 0..<(try document.pageCount()) {
                let page = try document.page(at: index)
                guard let entry = page.dictionary["Annots"] else { continue }
                let holder = entry.referenceValue ?? page.id
                if known[holder]?.isEmpty == true { continue }
                guard let annotations = try document.resolve(entry).arrayValue else { continue }
                let places = known[holder] ?? places(in: annotations)
                known[holder] = places
                guard !places.isEmpty else { continue }
                found.append(
                    ShowingPage(
                        number: index + 1, page: page, annotations: annotations, places: places))
            }
            return found
        }

        /// First position of each widget.
        private mutating func places(in annotations: [PDFObject]) -> [ObjectID: Int] {
            var places: [ObjectID: Int] = [:]
            for (index, entry) in annotations.enumerated() {
                guard let id = widget(entry), places[id] == nil else { continue }
                places[id] = index
            }
            return places
        }

        /// The widget that an entry refers to, directly or through other references.
        private mutating func widget(_ entry: PDFObject) -> ObjectID? {
            var current = entry
            for _ in 0..<PDFLimits.referenceHops {
                guard case .reference(let id) = current else { return nil }
                if widgets.contains(id) { return id }
                guard budget > 0 else {
                    isComplete = false
                    return nil
                }
                budget -= 1
                guard let next = try? document.object(id) else { return nil }
                current = next
            }
            return nil
        }
    }

    /// The number, from 1, of the page that lists a widget.
    package func pageNumber(of widget: ObjectID) -> Int? {
        pages.first { $0.places[widget] != nil }?.number
    }
}
