package import PDFCore

/// What boxes on pages cover of what the pages show.
package struct ContentCover {
    /// What is covered, for people: `text ('The goods') of the page`.
    package private(set) var covered: [String] = []
    /// What could not be looked at, for people.
    package private(set) var doubts: [String] = []
    /// What nobody can say without looking, for people.
    package private(set) var notes: [String] = []

    private let document: PDFDocument
    private var remainingAnnotations = Self.annotationLimit
    private var remainingContent = CoveredContent.byteLimit
    private var fontBudget = ShownFont.Budget(byteCount: CoveredContent.fontByteLimit)

    /// Most annotations that are looked at for all boxes together.
    static let annotationLimit = 20_000

    package init(of document: PDFDocument) { self.document = document }

    /// Looks below a box that is drawn last on its page.
    ///
    /// - Parameter name: of the page, for messages.
    package mutating func look(below rect: [Double], on page: PDFPage, named name: String) throws {
        try look(
            below: PDFRectangle(rect[0], rect[1], rect[2], rect[3]), on: page,
            (document.value(page.dictionary, "Annots").arrayValue ?? [])[...], besides: [],
            named: name)
    }

    /// Whether people see words that a program finds.
    package enum Visibility {
        /// Painted as text in a colour of its own.
        case seen
        /// On a picture, in colours or ways that are not followed, or in what cannot be read.
        case unknown
        /// Something else is painted there, for which the document says these words.
        case replaced
        case unseen
    }

    /// Annotations that lie over words and let them be read.
    private static let marking: Set<PDFName> = ["Highlight", "Underline", "Squiggly", "StrikeOut"]

    package func visibility(
        of words: [String], in rect: [Double], on page: PDFPage
    ) throws -> Visibility {
        let box = PDFRectangle(rect[0], rect[1], rect[2], rect[3])
        let ground = PaintedGround(in: box, permitsLine: false, seeksWords: true)
        var content = CoveredContent(in: box, of: document, judging: ground)
        content.seesOutlines = true
        content.look(at: page)
        let annotations = try document.value(page.dictionary, "Annots").arrayValue ?? []
        for entry in annotations.prefix(Self.annotationLimit) {
            guard
                let (subtype, annotation, extent) = try CoveredContent.shownAnnotation(
                    entry, on: page, besides: [], in: document),
                !Self.marking.contains(subtype), box.intersection(extent.box) != nil
            else { continue }
            content.look(at: annotation, in: extent.hasLook ? extent.rect : extent.box)
        }
        if let found = content.ground?.words, found.showsText {
            return found.isReplaced || found.shows(words) == false ? .replaced : .seen
        }
        let mayShow = content.ground?.words?.mayShowText == true
        return mayShow || content.hasPicture || content.liesOnPicture || !content.isReadable
            ? .unknown : .unseen
    }

    /// - Parameters:
    ///   - annotations: those that are drawn before.
    ///   - own: widgets that do not count.
    mutating func look(
        below rect: PDFRectangle, on page: PDFPage, _ annotations: ArraySlice<PDFObject>,
        besides own: Set<ObjectID>, named name: String = "the page"
    ) throws {
        var content = CoveredContent(in: rect, of: document, upTo: remainingContent)
        (content.seesOutlines, content.fontBudget) = (true, fontBudget)
        content.look(at: page)
        tell(content, name)
        // Many small annotations, or such and the page, may draw one thing.
        var parts = content.showsDrawing ? [] : content.lines
        let taken = annotations.prefix(remainingAnnotations)
        if taken.count < annotations.count {
            doubts.append("there are too many annotations to be looked at")
        }
        remainingAnnotations -= taken.count
        var seen: Set<ObjectID> = []
        for entry in taken {
            // A list may name one of them thousands of times.
            if let id = entry.referenceValue, !seen.insert(id).inserted { continue }
            guard
                let (subtype, annotation, extent) = try CoveredContent.shownAnnotation(
                    entry, on: page, besides: own, in: document),
                rect.intersection(extent.box) != nil
            else { continue }
            var content = CoveredContent(in: rect, of: document, upTo: remainingContent)
            (content.seesOutlines, content.fontBudget) = (true, fontBudget)
            content.look(at: annotation, in: extent.hasLook ? extent.rect : extent.box)
            tell(content, "an annotation (\(subtype))")
            if !content.showsDrawing { parts.formUnion(content.lines) }
        }
        if parts.count > CoveredContent.lineLimit { covered.append("a drawing of annotations") }
    }

    private mutating func tell(_ content: CoveredContent, _ owner: String) {
        remainingContent = content.remaining
        fontBudget = content.fontBudget
        covered += content.descriptions.map { "\($0) of \(owner)" }
        if !content.isReadable { doubts.append("what it covers of \(owner) cannot be read") }
        if content.liesOnPicture {
            notes.append("it lies on a picture of \(owner): what it covers there is not known")
        }
    }
}
