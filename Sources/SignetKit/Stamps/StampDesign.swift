import Appearance
import ByteKit
import CryptoBridge
import PAdES
import PDFCore
import TextBridge

/// Decides what a signature looks like and where, from the person's options and the field, and what
/// else is drawn.
struct StampDesign {
    let options: SigningOptions
    let picture: PictureFile?
    let reason: String?
    let signerName: String
    let subject: DistinguishedName
    let claimedTime: CalendarTime
    let document: PDFDocument
    private var remarks: [String] = []
    /// What people should know of places and fonts.
    var warnings: [String] { remarks + (shared?.fonts.notes ?? []) }
    /// The lines of text that the stamp shows.
    private(set) var text: [String] = []
    /// What all drawings in the document share, once there is one.
    private var shared: Shared?
    /// See ``PDFDocument/repeatedPages()``; nil before anybody has asked.
    private var repeatedPages: [ObjectID: [Int]]?

    /// Most annotations of all marked pages together: each page gets a list of its own.
    private static let annotationLimit = 500_000
    /// How many places of one page are said.
    private static let namedPlaceLimit = 8

    private struct Shared {
        let surroundings: StampSurroundings
        let picture: StampPicture.Placed?
        let fonts: StampFontChoice
    }

    init(
        options: SigningOptions, picture: PictureFile?, reason: String?, signerName: String,
        subject: DistinguishedName, claimedTime: CalendarTime, document: PDFDocument
    ) {
        self.options = options
        self.picture = picture
        self.reason = reason
        self.signerName = signerName
        self.subject = subject
        self.claimedTime = claimedTime
        self.document = document
    }

    /// The looks for the widgets of `target`; none leaves the signature invisible.
    mutating func looks(
        for target: SignatureTarget, _ update: inout IncrementalUpdate
    ) throws -> [SignatureLook] {
        switch target {
        case .existing(let field):
            if let stamp = options.stamp, stamp.page != nil, !stamp.isDefault {
                throw SignetError(
                    .usage, "the field '\(field.fullName)' has its own place on the page",
                    hint: "leave out \(.place), or add a field with \(.newField)")
            }
            let placement = try FieldPlacement(of: field, in: document)
            try requireConsent(to: placement, of: field)
            remarks += placement.notes.map { "the field '\(field.fullName)': \($0)" }
            return try placement.widgets.map { widget in
                let box = try StampBox(fieldRect: widget.rect, on: widget.page)
                let number = placement.pageNumber(of: widget.id)
                remark(on: widget.page, number, box)
                return try draw(box, in: widget.id, on: (widget.page, number), &update)
            }
        case .new:
            guard let stamp = options.stamp else { return [] }
            guard let number = stamp.page else {
                throw SignetError(
                    .usage, "the stamp is described, but has no place",
                    hint: "add a place: \(.place, "last:bottom-right")")
            }
            let index = try pageIndex(number)
            let page = try document.page(at: index)
            try requireSolePlace(of: page, among: [index])
            let box = try StampBox(
                position: stamp.position.placement(margin: stamp.margin), width: stamp.width,
                height: stamp.height, on: page)
            try FieldClearance.check(box.rect, "the stamp", on: page, of: document)
            remark(on: page, index + 1, box)
            return [try draw(box, in: nil, on: (page, index + 1), &update)]
        }
    }

    /// What readers see in different ways, although its place in the page's own units is certain.
    private mutating func remark(on page: PDFPage, _ number: Int?, _ box: StampBox) {
        let name = number.map { "page \($0)" } ?? "the page"
        remarks += page.doubts.map { "readers disagree how \(name) is shown: \($0)" }
        guard page.userUnit != 1 else { return }
        let (width, height) = (box.rect[2] - box.rect[0], box.rect[3] - box.rect[1])
        let size = [width, height].map { ($0 * 10).rounded() / 10 }
        remarks.append(
            "a unit of \(name) is \(page.userUnit) pt (UserUnit): readers that ignore that show the "
                + "stamp with \(size[0]) x \(size[1]) pt")
    }

    /// Where a field does not show what people think it shows, they have to say that they know.
    private func requireConsent(to placement: FieldPlacement, of field: FormField) throws {
        var doubts: [String] = []
        // Several widgets may raise the same ones.
        for doubt in placement.doubts where !doubts.contains(doubt) { doubts.append(doubt) }
        if placement.widgets.isEmpty, options.stamp != nil || options.picture != nil {
            doubts.append("it has no box in which a stamp would show")
        }
        guard !doubts.isEmpty, !options.allowsHiddenField else { return }
        throw SignetError(
            .usage,
            "the field '\(field.fullName)' is no plain place for a signature: "
                + doubts.joined(separator: "; "),
            hint:
                "look at it, and sign it all the same: \(.field, field.fullName) "
                + "\(.allowHidden); or sign in a place of your own: \(.newField) \(.place, "last:bottom-right")"
        )
    }

    /// Draws the marks.
    ///
    /// - Returns: the pages' numbers.
    mutating func draw(
        _ marks: MarkOptions, beside looks: [SignatureLook], _ update: inout IncrementalUpdate
    ) throws -> [Int] {
        let indices = try pageIndices(marks.pages, without: looks.map(\.page.id))
        let form = update.allocate()
        let wanted = Set(indices)
        var drawn: Set<ObjectID> = []
        var annotationCount = 0
        var made: [(mark: PageMark, page: PDFPage)] = []
        for index in indices {
            let page = try document.page(at: index)
            // A page may stand in the tree twice.
            guard drawn.insert(page.id).inserted else { continue }
            try requireSolePlace(of: page, among: wanted)
            let box = try StampBox(
                position: marks.position.placement(margin: marks.margin), width: marks.width,
                height: marks.height, on: page)
            let what = "the mark on page \(index + 1)"
            try FieldClearance.check(box.rect, what, on: page, of: document)
            annotationCount += try document.value(page.dictionary, "Annots").arrayValue?.count ?? 0
            guard annotationCount <= Self.annotationLimit else {
                throw SignetError(
                    .malformedInput,
                    "the pages to be marked have more than \(Self.annotationLimit) annotations",
                    hint: "mark fewer pages")
            }
            let mark = PageMark(
                form: form, rect: box.rect, matrix: box.matrix,
                description: SignedDocument.Marks.description)
            made.append((mark, page))
        }
        try PageMark.add(made, size: (marks.width, marks.height), of: document, &update)
        let isRightToLeft = isRightToLeft
        let objects = try appearance(&update) { lines, shared in
            try StampAppearance(
                mark: marks.template == nil && shared.picture != nil
                    ? [] : lines.mark(template: marks.template),
                isRightToLeft: isRightToLeft, width: marks.width, height: marks.height,
                fonts: shared.fonts,
                picture: shared.picture, surroundings: shared.surroundings)
        }
        update.set(form, .stream(objects.form))
        for (id, object) in objects.resources { update.set(id, object) }
        return indices.map { $0 + 1 }
    }

    private mutating func draw(
        _ box: StampBox, in widgetID: ObjectID?, on page: (PDFPage, number: Int?),
        _ update: inout IncrementalUpdate
    ) throws -> SignatureLook {
        let (showsText, template) = (options.stamp?.showsText ?? true, options.stamp?.template)
        let isRightToLeft = isRightToLeft
        let background = options.stamp.flatMap { StampBackground(rawValue: $0.background.rawValue) }
        // Who signs a field of the form has not chosen its size.
        let mayShorten = widgetID != nil && template == nil && showsText
        var isShortened = false
        var shown: [StampParagraph] = []
        let objects = try appearance(&update) { lines, shared in
            func draw(_ paragraphs: [StampParagraph]) throws -> StampAppearance {
                shown = paragraphs
                return try StampAppearance(
                    paragraphs, isRightToLeft: isRightToLeft,
                    background: background ?? .light, in: box, fonts: shared.fonts,
                    picture: shared.picture,
                    surroundings: shared.surroundings)
            }
            do {
                return try draw(showsText ? lines.paragraphs(template: template) : [])
            } catch let error as AppearanceError
                where error.code == .textDoesNotFit && mayShorten
            {
                isShortened = true
                for paragraphs in lines.shortened {
                    if let appearance = try? draw(paragraphs) { return appearance }
                }
                return try draw([])
            }
        }
        text = shown.map(\.text)
        if isShortened {
            let sides = [box.width, box.height].map { ($0 * box.pointsPerUnit * 10).rounded() / 10 }
            remarks.append(
                "the field's box of \(sides[0]) x \(sides[1]) pt is too small for all of the stamp's "
                    + "text: lines are left out")
        }
        return SignatureLook(
            widgetID: widgetID, page: page, rect: box.rect, appearance: objects.form,
            resources: objects.resources)
    }

    /// Makes a drawing of the words and what all drawings share.
    private mutating func appearance(
        _ update: inout IncrementalUpdate,
        _ make: (StampLines, Shared) throws -> StampAppearance
    ) throws -> (form: PDFStream, resources: [(ObjectID, PDFObject)]) {
        let lines = StampLines(
            name: signerName, subject: subject.description, time: claimedTime, reason: reason,
            options: options)
        do {
            let shared = try shared ?? prepare(&update)
            self.shared = shared
            return try make(lines, shared).objects { update.allocate() }
        } catch let error as TextError {
            throw SignetError(
                .malformedInput, file: options.stamp?.fontFile, error.detail,
                hint: "name another font with \(.font)")
        }
    }

    private func prepare(_ update: inout IncrementalUpdate) throws -> Shared {
        let surroundings = try StampSurroundings(of: document)
        var placed: StampPicture.Placed?
        if let picture {
            let content = try picture.picture()
            let (result, objects) = try reading(picture.path) {
                try content.objects(surroundings) { update.allocate() }
            }
            for (id, object) in objects { update.set(id, object) }
            placed = result
        }
        return Shared(
            surroundings: surroundings, picture: placed,
            fonts: try StampFontChoice(
                file: options.stamp?.fontFile, mustEmbed: surroundings.mustEmbedFonts))
    }

    /// Nil leaves it to the text.
    private var isRightToLeft: Bool? { options.language.isRightToLeft ? true : nil }

    private func pageIndex(_ number: Int) throws -> Int {
        let count = try document.pageCount()
        let index = number > 0 ? number - 1 : count + number
        guard (0..<count).contains(index) else {
            throw SignetError(
                .usage, "there is no page \(number): the document has \(count)",
                hint: "count from 1, or from the end with -1 (also: last)")
        }
        try requireAgreement(on: number, index)
        return index
    }

    /// What is drawn on a page shows wherever the page tree has it.
    private mutating func requireSolePlace(of page: PDFPage, among indices: Set<Int>) throws {
        let known = try repeatedPages ?? document.repeatedPages()
        repeatedPages = known
        guard let places = known[page.id], !places.allSatisfy(indices.contains) else { return }
        let numbers = places.prefix(Self.namedPlaceLimit).map { String($0 + 1) }
        throw SignetError(
            .malformedInput,
            "the pages \(numbers.joined(separator: ", "))"
                + (places.count > numbers.count ? ", ..." : "")
                + " are one: what is drawn there would show on all of them",
            hint: "have the document made anew, or sign it without a place")
    }

    /// Readers that count the pages in another way would show the drawing elsewhere, or not at all.
    private func requireAgreement(on number: Int, _ index: Int) throws {
        guard let first = try document.firstDisputedPageIndex(), number < 0 || index >= first else {
            return
        }
        throw SignetError(
            .malformedInput,
            "readers disagree "
                + (number < 0 ? "how many pages there are" : "which page is page \(number)")
                + ": the document's page tree is damaged",
            hint: first > 0
                ? "up to page \(first) they agree; or have the document made anew"
                : "have the document made anew, or sign it without a place")
    }

    /// Ascending, each once.
    private func pageIndices(
        _ pages: MarkOptions.Pages, without stamped: [ObjectID]
    ) throws -> [Int] {
        switch pages {
        case .all:
            return try (0..<document.pageCount()).filter {
                try !stamped.contains(document.page(at: $0).id)
            }
        case .ranges(let ranges):
            var indices: Set<Int> = []
            for range in ranges {
                let (first, last) = (try pageIndex(range.first), try pageIndex(range.last))
                guard first <= last else {
                    throw SignetError(
                        .usage, "the pages \(range.first) to \(range.last) go backwards",
                        hint: "name the first page first")
                }
                indices.formUnion(first...last)
            }
            return indices.sorted()
        }
    }

}

extension StampOptions.Position {
    fileprivate func placement(margin: Double) -> StampPosition {
        switch self {
        case .place(let place):
            .named(StampPlace(rawValue: place.rawValue) ?? .bottomRight, margin: margin)
        case .topLeft(let x, let y): .topLeft(x: x, y: y)
        case .userSpace(let x1, let y1, let x2, let y2): .userSpace(x1, y1, x2, y2)
        }
    }
}
