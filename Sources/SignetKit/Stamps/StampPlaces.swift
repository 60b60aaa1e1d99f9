import Base
import PDFCore
import PDFSigning
import Pages
import SystemBridge

/// Finds the pages and boxes that the options describe.
struct StampPlaces {
    struct Place {
        let page: PDFPage
        /// Page number from 1.
        let number: Int
        let box: StampBox
    }

    let document: PDFDocument
    /// The document's file, for text search.
    let file: InputFile
    private(set) var warnings: [String] = []
    /// Rendered pages, by number.
    private var shownPages: [Int: ShownPage] = [:]
    /// See ``PDFDocument/repeatedPages()``; nil before the first use.
    private var repeatedPages: [ObjectID: [Int]]?

    /// Maximum number of page numbers listed for a repeated page.
    private static let namedPlaceLimit = 8

    init(in document: PDFDocument, of file: InputFile) {
        self.document = document
        self.file = file
    }

    /// The position of a new appearance, outside the form's fields.
    ///
    /// - Parameters:
    ///   - what: name of the appearance in messages.
    ///   - taken: positions already used.
    mutating func find(
        _ stamp: StampOptions, for what: String, besides taken: [Place] = []
    ) throws -> Place {
        do {
            return try place(stamp, what, taken)
        } catch {
            let known = SignetError(reading: file.path, error)
            guard let code = known.hint?.code, Self.sizeHints.contains(code) else { throw error }
            for (share, limit) in Self.smallerSizes {
                var smaller = stamp
                smaller.width = Self.whole(stamp.width * share)
                smaller.height = Self.whole(stamp.height * share)
                smaller.margin = min(stamp.margin, limit)
                guard (try? place(smaller, what, taken)) != nil else { continue }
                let size = [smaller.width, smaller.height].map(Self.millimetres)
                    .joined(separator: "x")
                let margin = Self.millimetres(smaller.margin)
                let hint =
                    smaller.margin == stamp.margin
                    ? Sentence(.useSize, size) : Sentence(.useSizeAndMargin, size, margin)
                throw SignetError(known.code, file: known.file, known.message, hint: hint)
            }
            throw error
        }
    }

    /// Hints about appearances that may fit if they are smaller.
    private static let sizeHints: [Sentence.Code] = [
        .chooseOtherPlaceOrSize, .chooseSmaller, .chooseSmallerOrOtherPage,
    ]
    /// Shares of the size, and maximum margins, that are tried for the hint.
    private static let smallerSizes: [(share: Double, margin: Double)] = [
        (0.75, .infinity), (0.5, .infinity), (0.5, 2 * StampOptions.pointsPerMillimetre),
        (0.33, 2 * StampOptions.pointsPerMillimetre),
    ]

    /// A length rounded down to whole millimeters.
    private static func whole(_ points: Double) -> Double {
        max(1, (points / StampOptions.pointsPerMillimetre).rounded(.down))
            * StampOptions.pointsPerMillimetre
    }

    private static func millimetres(_ points: Double) -> String {
        String(Int(nearest: points / StampOptions.pointsPerMillimetre))
    }

    private mutating func place(
        _ stamp: StampOptions, _ what: String, _ taken: [Place]
    ) throws -> Place {
        let words = try foundWords(for: stamp)
        guard let number = words?.page ?? stamp.page else {
            throw SignetError(
                .usage, "\(what) has no position", hint: Sentence(.addPlace))
        }
        let index = try pageIndex(number)
        let page = try document.page(at: index)
        try requireSolePlace(of: page, among: [index])
        var stamp = stamp
        if let words {
            try words.requireShown(on: shownPage(page, number: index + 1))
            stamp.position = try words.position(of: stamp, on: page)
        }
        let box = try box(
            for: stamp, what, on: page, index + 1,
            besides: taken.filter { $0.page.id == page.id }.map(\.box.rect))
        return Place(page: page, number: index + 1, box: box)
    }

    /// The box of an appearance on a page, outside the form's fields.
    ///
    /// - Parameters:
    ///   - stamp: options of the appearance; its page is ignored.
    ///   - taken: boxes already used.
    mutating func box(
        for stamp: StampOptions, _ what: String, on page: PDFPage, _ number: Int,
        besides taken: [[Double]] = []
    ) throws -> StampBox {
        let box =
            switch stamp.position.placement(margin: stamp.margin) {
            case let position?:
                try StampBox(position: position, width: stamp.width, height: stamp.height, on: page)
            case nil: try freeBox(stamp, on: page, number, besides: taken)
            }
        try FieldClearance.check(box.rect, what, on: page, of: document)
        return box
    }

    /// The words next to which the appearance is placed; nil for other positions.
    private func foundWords(for stamp: StampOptions) throws -> FoundWords? {
        guard case .words(let anchor) = stamp.position else { return nil }
        let page = try stamp.page.map { try pageIndex($0) + 1 }
        return try FoundWords(anchor, on: page, of: document, file)
    }

    private mutating func shownPage(_ page: PDFPage, number: Int) throws -> ShownPage {
        if let known = shownPages[number] { return known }
        let shown = try ShownPage(page, number, of: document, in: file)
        shownPages[number] = shown
        return shown
    }

    private mutating func freeBox(
        _ stamp: StampOptions, on page: PDFPage, _ number: Int, besides taken: [[Double]]
    ) throws -> StampBox {
        let shown = try shownPage(page, number: number)
        guard let box = FreePlace(for: stamp, on: shown, besides: taken).box() else {
            let size = [stamp.width, stamp.height].map(Self.millimetres).joined(separator: " x ")
            throw SignetError(
                .usage, "page \(number) has no free place of \(size) mm",
                hint: Sentence(
                    try document.pageCount() > 1 ? .chooseSmallerOrOtherPage : .chooseSmaller))
        }
        return box
    }

    // MARK: Warnings

    mutating func warn(_ text: String) { warnings.append(text) }

    /// Warns about a page that viewers display differently, although the position in user space is
    /// unambiguous.
    mutating func remark(on page: PDFPage, _ number: Int?, _ box: StampBox) {
        let name = number.map { "page \($0)" } ?? "the page"
        warnings += page.doubts.map { "viewers display \(name) differently: \($0)" }
        guard page.userUnit != 1 else { return }
        let (width, height) = (box.rect[2] - box.rect[0], box.rect[3] - box.rect[1])
        let size = [width, height].map { ($0 * 10).rounded() / 10 }
        warnings.append(
            "the UserUnit of \(name) is \(page.userUnit) pt: viewers that ignore it display the visible "
                + "signature with \(size[0]) x \(size[1]) pt")
    }

    /// Whether a box would cover displayed content.
    mutating func covers(_ box: StampBox, on page: PDFPage, _ number: Int) throws -> Bool {
        let rect = PDFRectangle(box.rect[0], box.rect[1], box.rect[2], box.rect[3])
        return try !shownPage(page, number: number).isBlank(page.shown(rect))
    }

    // MARK: Pages

    /// Index of a page, from 0.
    ///
    /// - Parameter number: page number from 1; negative numbers count from the end.
    /// - Throws: ``SignetError`` if the page does not exist, or viewers number the pages
    ///   differently.
    func pageIndex(_ number: Int) throws -> Int {
        let count = try document.pageCount()
        let index = number > 0 ? number - 1 : count + number
        guard (0..<count).contains(index) else {
            guard count > 0 else { throw SignetError(.malformedInput, "the document has no pages") }
            throw SignetError(
                .usage,
                "page \(number) does not exist: the document has \(count) "
                    + (count == 1 ? "page" : "pages"),
                hint: Sentence(.countPages))
        }
        try requireAgreement(on: number, index)
        return index
    }

    /// Rejects a page that occurs several times in the page tree: the drawing would be on all of
    /// them.
    mutating func requireSolePlace(of page: PDFPage, among indices: Set<Int>) throws {
        let known = try repeatedPages ?? document.repeatedPages()
        repeatedPages = known
        guard let places = known[page.id], !places.allSatisfy(indices.contains) else { return }
        let numbers = places.prefix(Self.namedPlaceLimit).map { String($0 + 1) }
        throw SignetError(
            .malformedInput,
            "the pages \(numbers.joined(separator: ", "))"
                + (places.count > numbers.count ? ", ..." : "")
                + " are the same object: added content would be displayed on all of them",
            hint: Sentence(.remakeOrSignUnseen))
    }

    /// Rejects a page if viewers number the pages differently: the drawing would be elsewhere or
    /// missing.
    private func requireAgreement(on number: Int, _ index: Int) throws {
        guard let first = try document.firstDisputedPageIndex(), number < 0 || index >= first else {
            return
        }
        throw SignetError(
            .malformedInput,
            "viewers differ about "
                + (number < 0 ? "the number of pages" : "which page is page \(number)")
                + ": the document's page tree is damaged",
            hint: first > 0
                ? Sentence(.takeEarlierPage, "\(first)")
                : Sentence(.remakeOrSignUnseen))
    }
}

extension StampOptions.Position {
    /// The position for drawing; nil for positions that require a search.
    func placement(margin: Double) -> StampPosition? {
        switch self {
        case .place(let place): .named(place, margin: margin)
        case .topLeft(let x, let y): .topLeft(x: x, y: y)
        case .userSpace(let x1, let y1, let x2, let y2): .userSpace(x1, y1, x2, y2)
        case .free, .words: nil
        }
    }
}
