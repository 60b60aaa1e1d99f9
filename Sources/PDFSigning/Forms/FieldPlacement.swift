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
    /// Reasons to sign it only if the signer agrees: it shows in several places, or has parts of others; for
    /// people.
    package private(set) var doubts: [String] = []
    /// Reasons why the appearance of the field is not visible in its box, for people.
    package private(set) var notes: [String] = []

    private var remainingAnnotations = Self.annotationLimit
    private let field: FormField
    private let widgetIDs: Set<ObjectID>
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
    /// Most annotations that are compared with widgets.
    private static let annotationLimit = 2000
    /// Most annotations that are looked at for a widget's sake: they may refer to what refers to it.
    private static let searchedAnnotationLimit = 200_000
    private static let unseenFlags =
        AnnotationFlags.invisible | AnnotationFlags.hidden | AnnotationFlags.noView
        | AnnotationFlags.toggleNoView
    /// Boxes that overlap by no more than this, in user space units, only touch.
    private static let slack = 1.0
    /// Most parents of a widget that are asked for flags and layers.
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
        if !search.isComplete { doubts.append("there are too many annotations to be looked at") }
        for id in taken {
            guard let dictionary = try document.object(id).dictionaryValue else { continue }
            try judgeKind(id, dictionary)
            guard let rect = try box(of: dictionary, id) else { continue }
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
        if shown.isEmpty { notes.append("no page shows it") }
        if shown.count > 1 {
            let numbers =
                shown.map { String($0.number) }.joined(separator: ", ")
                + (all.count > shown.count ? ", ..." : "")
            doubts.append("it shows on several pages (\(numbers))")
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

    /// What is listed as a part of the field may be another's, or nothing that viewers show.
    private mutating func judgeKind(_ id: ObjectID, _ dictionary: PDFDictionary) throws {
        guard id != field.id else { return }
        let subtype = try document.value(dictionary, "Subtype").nameValue
        let parent = dictionary["Parent"]?.referenceValue
        if subtype != "Widget" {
            let kind = subtype.map { "an annotation (\($0))" } ?? "something"
            doubts.append("a part of it (\(id)) is no widget, but \(kind)")
        } else if let parent, parent != field.id {
            doubts.append("a part of it (\(id)) says that it belongs to another field")
        }
    }

    /// The widget's box, if something can be seen in it.
    private mutating func box(of widget: PDFDictionary, _ id: ObjectID) throws -> PDFRectangle? {
        guard try document.value(widget, "Rect") != .null else { return nil }
        guard let rect = try document.rectangle(widget["Rect"]),
            [rect.left, rect.bottom, rect.right, rect.top].allSatisfy(\.isFinite)
        else {
            notes.append("its box cannot be read (\(id))")
            return nil
        }
        guard min(rect.width, rect.height) < Self.shortestSide else { return rect }
        // Without any area it is meant to be invisible.
        if rect.width > 0, rect.height > 0 {
            notes.append("its box \(rect.description) is too small to show anything")
        }
        return nil
    }

    /// Flags and layers of the widget and of what it belongs to: some viewers inherit them.
    private mutating func judgeEntries(_ widget: PDFDictionary, on page: PDFPage) throws {
        let flags = try AnnotationFlags(of: widget, in: document)
        if flags.mayHave(AnnotationFlags.noRotate), page.rotate != 0 {
            notes.append("it is not turned with its page: it is seen outside its box (NoRotate)")
        }
        if flags.mayHave(AnnotationFlags.noZoom) {
            notes.append("it is not enlarged with its page: it is seen in another size (NoZoom)")
        }
        var isHidden = false
        var current = widget
        for _ in 0..<Self.parentLimit {
            let flags = try AnnotationFlags(of: current, in: document)
            if let doubt = flags.doubt { notes.append(doubt) }
            if flags.surelyHas(Self.unseenFlags) {
                notes.append("it is hidden")
                isHidden = true
                break
            }
            guard let parent = try document.value(current, "Parent").dictionaryValue else { break }
            current = parent
        }
        if !isHidden, !flags.surelyHas(AnnotationFlags.print) {
            notes.append("it is not printed: its signature is seen on screens only")
        }
        if try document.value(widget, "OC") != .null {
            notes.append("it is in a layer that can be switched off")
        }
    }

    private mutating func judgePlace(_ rect: PDFRectangle, on page: PDFPage) {
        let box = rect.description
        guard let seen = rect.intersection(page.cropBox) else {
            notes.append("its box \(box) is off the page")
            return
        }
        if seen.width * seen.height < rect.width * rect.height / 2 {
            notes.append("most of its box \(box) is off the page")
        }
    }

    /// Annotations that are drawn later cover those before them.
    private mutating func judgeCovers(
        _ rect: PDFRectangle, on page: PDFPage, above annotations: ArraySlice<PDFObject>
    ) throws {
        for entry in taken(annotations) {
            guard let (subtype, _, extent) = try shownAnnotation(entry, on: page),
                let common = rect.intersection(extent.box),
                common.width > Self.slack, common.height > Self.slack
            else { continue }
            notes.append(
                "an annotation (\(subtype)) covers \(common.description) of its box "
                    + rect.description)
            return
        }
    }

    /// Those that may still be looked at.
    private mutating func taken(_ annotations: ArraySlice<PDFObject>) -> ArraySlice<PDFObject> {
        let taken = annotations.prefix(remainingAnnotations)
        remainingAnnotations -= taken.count
        return taken
    }

    /// An annotation of others, where people see one.
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
            // Pages may share their annotations, and a page may stand in the tree twice.
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

        /// Where each widget stands first.
        private mutating func places(in annotations: [PDFObject]) -> [ObjectID: Int] {
            var places: [ObjectID: Int] = [:]
            for (index, entry) in annotations.enumerated() {
                guard let id = widget(entry), places[id] == nil else { continue }
                places[id] = index
            }
            return places
        }

        /// The widget that an entry leads to, over any number of references.
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
