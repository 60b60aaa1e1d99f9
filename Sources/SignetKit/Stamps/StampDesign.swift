import Base
import CodecBridge
import CryptoBridge
import PDFCore
import PDFSigning
import Pages
import SystemBridge
import TextBridge
import Witness

/// Determines the signature appearance, its position and the marks, from the options and the field.
struct StampDesign {
    /// The signature properties displayed in the appearance.
    struct Subject {
        let reason: String?
        let signerName: String
        let name: DistinguishedName
        let claimedTime: CalendarTime
        /// SHA-256 of the document before signing, as hexadecimal digits; nil if not displayed.
        let sha256: String?
    }

    let options: SigningOptions
    let picture: PictureFile?
    let subject: Subject
    let document: PDFDocument
    private var places: StampPlaces
    /// Whether to warn about content covered by the appearance and the marks.
    private var checksCover = false
    /// The text lines of the appearance.
    private(set) var text: [String] = []
    /// The text of the QR code; nil without a code.
    private(set) var codeText: String?
    /// Resources shared by all drawings in the document, once there is one.
    private var shared: Shared?

    /// Maximum number of annotations on all marked pages together: each page gets a separate list.
    private static let annotationLimit = 500_000
    /// Text size in points below which print is hard to read.
    private static let readableSize = 5.0

    private struct Shared {
        let surroundings: StampSurroundings
        let picture: StampPicture.Placed?
        let fonts: StampFontChoice
    }

    init(
        of subject: Subject, options: SigningOptions, picture: PictureFile?,
        document: PDFDocument, file: InputFile
    ) {
        self.options = options
        self.picture = picture
        self.subject = subject
        self.document = document
        places = StampPlaces(in: document, of: file)
    }

    /// Notes for the signer about reasons why the field's appearance is not visible.
    private(set) var notes: [String] = []

    var warnings: [String] { places.warnings + (shared?.fonts.notes ?? []) }

    /// The appearances for the widgets of `target`; empty for an invisible signature.
    mutating func appearances(
        for target: SignatureTarget, _ update: inout IncrementalUpdate, isRehearsal: Bool
    ) throws -> [SignatureAppearance] {
        checksCover = isRehearsal || options.isStrict
        switch target {
        case .existing(let field):
            if let stamp = options.stamp, stamp.hasPlace, !stamp.isDefault {
                throw SignetError(
                    .usage, "the field '\(field.fullName)' already has a position",
                    hint: Sentence(.leaveOutPlaceOrAddField))
            }
            let placement = try FieldPlacement(of: field, in: document)
            try requireConsent(to: placement, of: field)
            return try placement.widgets.map { widget in
                let box = try StampBox(fieldRect: widget.rect, on: widget.page)
                let number = placement.pageNumber(of: widget.id)
                places.remark(on: widget.page, number, box)
                if let number, checksCover || options.field == .automatic {
                    try warnAboutCover(
                        of: box, on: widget.page, number, "the field \(field.fullName.inQuotes)")
                }
                return try draw(box, in: widget.id, on: (widget.page, number), &update)
            }
        case .new:
            guard let stamp = options.stamp else { return [] }
            let place = try places.find(stamp, for: "the visible signature")
            places.remark(on: place.page, place.number, place.box)
            if checksCover {
                try warnAboutCover(of: place.box, on: place.page, place.number, "the signature")
            }
            return [try draw(place.box, in: nil, on: (place.page, place.number), &update)]
        }
    }

    /// Warns if a box will cover displayed content. An installed viewer renders the page; without
    /// one there is no warning.
    ///
    /// - Throws: ``SignetError`` instead of a warning, with the option `--strict`.
    private mutating func warnAboutCover(
        of box: StampBox, on page: PDFPage, _ number: Int, _ subject: String
    ) throws {
        guard !Viewer.installed.isEmpty, (try? places.covers(box, on: page, number)) == true else {
            return
        }
        let fact = "\(subject) covers content of page \(number)"
        guard !options.isStrict else {
            throw SignetError(.usage, fact, hint: Sentence(.chooseOtherPlaceOrUnstrictly))
        }
        places.warn(fact)
    }

    /// Rejects a field that is hidden or has several positions, unless the user accepts it. Notes
    /// why its appearance is not visible.
    private mutating func requireConsent(to placement: FieldPlacement, of field: FormField) throws {
        var (doubts, notes) = ([String](), [String]())
        // Several widgets may have the same problems.
        for doubt in placement.doubts where !doubts.contains(doubt) { doubts.append(doubt) }
        for note in placement.notes where !notes.contains(note) { notes.append(note) }
        if placement.widgets.isEmpty, options.stamp?.isDefault == false || options.picture != nil {
            notes.append("it has no rectangle, so the signature is invisible")
        }
        if !notes.isEmpty {
            self.notes = ["the field '\(field.fullName)': " + notes.joined(separator: ", ")]
        }
        guard !doubts.isEmpty, !options.allowsHiddenField else { return }
        throw SignetError(
            .usage,
            "the field '\(field.fullName)' does not have exactly one position: "
                + doubts.joined(separator: "; "),
            hint: Sentence(.consentToField, field.fullName.text))
    }

    /// Draws the marks.
    ///
    /// - Returns: the page numbers, from 1.
    mutating func draw(
        _ marks: MarkOptions, beside appearances: [SignatureAppearance],
        _ update: inout IncrementalUpdate
    ) throws -> [Int] {
        guard marks.template?.hasCode != true else {
            throw SignetError(.usage, "marks have no QR code", hint: Sentence(.writeCode))
        }
        let indices = try pageIndices(marks.pages, without: appearances.map(\.page.id))
        let form = update.allocate()
        let wanted = Set(indices)
        var drawn: Set<ObjectID> = []
        var annotationCount = 0
        var made: [(mark: PageMark, page: PDFPage)] = []
        for index in indices {
            let page = try document.page(at: index)
            // A page may occur twice in the page tree.
            guard drawn.insert(page.id).inserted else { continue }
            try places.requireSolePlace(of: page, among: wanted)
            let box = try places.box(
                for: marks.stamp, "the mark on page \(index + 1)", on: page, index + 1)
            if checksCover { try warnAboutCover(of: box, on: page, index + 1, "the mark") }
            annotationCount += try document.value(page.dictionary, "Annots").arrayValue?.count ?? 0
            guard annotationCount <= Self.annotationLimit else {
                throw SignetError(
                    .malformedInput,
                    "the pages for marks have more than \(Self.annotationLimit) annotations",
                    hint: Sentence(.markFewerPages))
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
                mark: StampContent(
                    marks.template == nil && shared.picture != nil
                        ? [] : lines.mark(template: marks.template),
                    isRightToLeft: isRightToLeft, picture: shared.picture),
                width: marks.width, height: marks.height, fonts: shared.fonts,
                surroundings: shared.surroundings)
        }
        update.set(form, .stream(objects.form))
        for (id, object) in objects.resources { update.set(id, object) }
        return indices.map { $0 + 1 }
    }

    private mutating func draw(
        _ box: StampBox, in widgetID: ObjectID?, on page: (PDFPage, number: Int?),
        _ update: inout IncrementalUpdate
    ) throws -> SignatureAppearance {
        let (showsText, template) = (options.stamp?.showsText ?? true, options.stamp?.template)
        let isRightToLeft = isRightToLeft
        let background = options.stamp?.background ?? .light
        // The user did not choose the size of an existing field, so the text may be shortened.
        let mayShorten = widgetID != nil && template == nil && showsText
        var isShortened = false
        var smallest: Double?
        var shown: [StampParagraph] = []
        var codeText: String?
        let objects = try appearance(&update) { lines, shared in
            codeText = template.flatMap(lines.code)
            let code = try codeText.map { try Self.code($0) }
            func draw(_ paragraphs: [StampParagraph]) throws -> StampAppearance {
                shown = paragraphs
                let appearance = try StampAppearance(
                    StampContent(
                        paragraphs, isRightToLeft: isRightToLeft, picture: shared.picture,
                        code: code),
                    background: background, in: box, fonts: shared.fonts,
                    surroundings: shared.surroundings)
                smallest = appearance.smallestTextSize
                return appearance
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
        (text, self.codeText) = (shown.map(\.text), codeText)
        if isShortened {
            let sides = [box.width, box.height].map { ($0 * box.pointsPerUnit * 10).rounded() / 10 }
            places.warn(
                "the field of \(sides[0]) x \(sides[1]) pt is too small for the text of the visible "
                    + "signature: lines are omitted")
        }
        // The signer cannot choose the size of an existing field.
        if widgetID == nil, let smallest, smallest < Self.readableSize {
            places.warn(
                "the text of the visible signature is only \(smallest) pt high: use a larger appearance "
                    + "or less text")
        }
        return SignatureAppearance(
            widgetID: widgetID, page: page, rect: box.rect, appearance: objects.form,
            resources: objects.resources)
    }

    private static func code(_ text: String) throws(SignetError) -> QRCode {
        do {
            return try QRCode(text)
        } catch {
            let isMissing = error.code == .libraryMissing
            throw SignetError(
                isMissing ? .missingInput : .usage, error.detail,
                hint: isMissing ? Sentence(.install) : Sentence(.shortenCode))
        }
    }

    /// Creates a drawing of the text, and the shared resources.
    private mutating func appearance(
        _ update: inout IncrementalUpdate, _ make: (StampLines, Shared) throws -> StampAppearance
    ) throws -> (form: PDFStream, resources: [(ObjectID, PDFObject)]) {
        let lines = StampLines(of: subject, options: options)
        do {
            let shared = try shared ?? prepare(&update)
            self.shared = shared
            return try make(lines, shared).objects { update.allocate() }
        } catch let error as TextError {
            throw SignetError(
                .malformedInput, file: options.stamp?.fontFile, error.detail,
                hint: Sentence(.nameFont))
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

    /// True for right-to-left languages; nil derives the direction from the text.
    private var isRightToLeft: Bool? { options.language.isRightToLeft ? true : nil }

    /// Page indexes from 0, ascending, without duplicates.
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
                let (first, last) = (
                    try places.pageIndex(range.first), try places.pageIndex(range.last)
                )
                guard first <= last else {
                    throw SignetError(
                        .usage, "the page range \(range.first) to \(range.last) is reversed",
                        hint: Sentence(.orderPages))
                }
                indices.formUnion(first...last)
            }
            return indices.sorted()
        }
    }

}

extension MarkOptions {
    fileprivate var stamp: StampOptions {
        var stamp = StampOptions()
        stamp.position = position
        (stamp.width, stamp.height, stamp.margin) = (width, height, margin)
        return stamp
    }
}
