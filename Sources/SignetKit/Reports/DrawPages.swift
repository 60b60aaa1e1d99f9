import Base
import PDFCore
import PDFSigning
import SystemBridge
import Witness

/// Renders the pages of a verified document with signatures, and those displayed differently since
/// signing, before and after.
///
/// The pages are found by rendering, not by the list of changes: a page is unchanged if its images
/// have equal bytes. An installed viewer renders in a separate process.
public struct DrawPages: Sendable {
    private let password: DocumentPassword?

    /// Maximum width and height of an image, in pixels.
    private static let side = 1400
    /// Maximum number of images kept, and their maximum total size in bytes.
    private static let pictureLimit = 24
    private static let byteLimit = 24 << 20
    /// Maximum number of pages compared, and of earlier revisions.
    private static let comparedLimit = 40
    private static let stateLimit = 3
    /// Maximum number of signatures searched on the pages: each requires a search of all pages.
    private static let markedLimit = 32
    /// Time limit for all rendering.
    private static let duration = Duration.seconds(60)

    /// - Parameter password: for encrypted documents.
    public init(password: DocumentPassword? = nil) { self.password = password }

    /// Renders the pages.
    ///
    /// - Parameter report: verification result of `source`, with its hash.
    /// - Throws: ``SignetError``: among others `missingInput` if no viewer is installed,
    ///   `inputOutput` if the file was changed after verification.
    public func run(_ source: InputSource, _ report: VerifiedDocument) throws -> PagePictures {
        guard !report.signatures.isEmpty else { return PagePictures() }
        let input = source.name
        return try reading(input) {
            let file = try source.open()
            try report.requireUnchanged(file)
            var pictures = PagePictures()
            let viewer: Viewer
            do throws(WitnessError) {
                viewer = try Self.viewer(for: report)
            } catch {
                throw SignetError(error, "to draw pages")
            }
            pictures.program = viewer.rawValue
            do {
                let document = try PDFDocument.open(file, path: input, password: password)
                guard document.encryption?.isMistakenByPrograms != true else {
                    pictures.remarks.append(.encrypted)
                    return pictures
                }
                try draw(document, file, report, with: viewer, into: &pictures)
            } catch let error as PDFError {
                pictures.remarks.append(.notDrawn(error.detail))
            } catch let error as PAdESError {
                pictures.remarks.append(.notDrawn(error.detail))
            }
            return pictures
        }
    }

    /// The viewer that displays a page differently without a listed change, else the default
    /// viewer.
    private static func viewer(for report: VerifiedDocument) throws(WitnessError) -> Viewer {
        let names = report.viewers?.differences.filter { !$0.isNamed }.map(\.program) ?? []
        if let viewer = Viewer.installed.first(where: { names.contains($0.rawValue) }) {
            return viewer
        }
        return try Viewer.drawer()
    }

    private func draw(
        _ document: PDFDocument, _ file: InputFile, _ report: VerifiedDocument,
        with viewer: Viewer, into pictures: inout PagePictures
    ) throws {
        let marks = try self.marks(in: document, report, &pictures)
        var states = SignedState.all(of: report, file, limit: Self.stateLimit)
        defer { for state in states { state.copied?.discard() } }
        for index in states.indices { try states[index].copy(file, password) }
        var artist = PageRenderer(viewer: viewer)
        let pageCount = try document.pageCount()
        let count = states.reduce(pageCount) { max($0, $1.pageCount) }
        let numbers = Self.order(Set(marks.keys), states.isEmpty ? 0 : count, report)
        var compared = 0
        for number in numbers {
            let marked = marks[number] ?? []
            guard !marked.isEmpty || compared < Self.comparedLimit, artist.mayGoOn else { break }
            compared += 1
            let now = number <= pageCount ? artist.picture(of: file, page: number) : nil
            var earlier: [PagePictures.Earlier] = []
            for state in states {
                let picture =
                    number <= state.pageCount
                    ? state.file.flatMap { artist.picture(of: $0, page: number) } : nil
                guard picture != now else { continue }
                earlier.append(.init(signatures: state.signatures, picture: picture))
            }
            // A page that could not be rendered must not be treated as missing.
            guard artist.failure == nil else { break }
            guard !marked.isEmpty || !earlier.isEmpty else { continue }
            let page = PagePictures.Page(
                number: number, picture: now,
                marks: try Self.fits(now, document, number) ? marked : [], earlier: earlier)
            guard artist.keep(page) else {
                compared -= 1
                break
            }
            pictures.pages.append(page)
        }
        if let failure = artist.failure {
            pictures.remarks.append(document.isEncrypted ? .encrypted : .notDrawn(failure))
        } else if compared < numbers.count {
            pictures.remarks.append(.notCompared(numbers.count - compared))
        }
        pictures.pages.sort { $0.number < $1.number }
    }

    // MARK: Pages

    /// Page numbers in rendering order: pages with signatures, pages with listed changes or
    /// differences between viewers, all others.
    private static func order(
        _ marked: Set<Int>, _ count: Int, _ report: VerifiedDocument
    ) -> [Int] {
        let named = report.signatures.reduce(into: Set<Int>()) {
            $0.formUnion($1.record.changedPages ?? [])
        }.union((report.viewers?.differences ?? []).map(\.page))
        let told = named.filter { (1...max(1, count)).contains($0) && !marked.contains($0) }
        guard count > 0 else { return marked.sorted() }
        return marked.sorted() + told.sorted()
            + (1...count).filter { !marked.contains($0) && !told.contains($0) }
    }

    /// Positions of signature appearances, by page.
    private func marks(
        in document: PDFDocument, _ report: VerifiedDocument, _ pictures: inout PagePictures
    ) throws -> [Int: [PagePictures.Mark]] {
        var marks: [Int: [PagePictures.Mark]] = [:]
        var fields: [ExactText: FormField] = [:]
        for field in try AcroForm(of: document).signatureFields { fields[field.fullName] = field }
        if report.signatures.count > Self.markedLimit {
            pictures.remarks.append(.notMarked(report.signatures.count - Self.markedLimit))
        }
        for (index, signature) in report.signatures.prefix(Self.markedLimit).enumerated() {
            guard let field = fields[ExactText(signature.field)] else { continue }
            let placement = try FieldPlacement(of: field, in: document)
            for widget in placement.widgets {
                guard let number = placement.pageNumber(of: widget.id) else { continue }
                let (width, height) = widget.page.shownSize
                let box = widget.page.shown(
                    PDFRectangle(widget.rect[0], widget.rect[1], widget.rect[2], widget.rect[3]))
                func share(_ value: Double, _ whole: Double) -> Double {
                    min(1, max(0, value / whole))
                }
                let (left, top) = (share(box.left, width), share(box.top, height))
                marks[number, default: []].append(
                    PagePictures.Mark(
                        signature: index, left: left, top: top,
                        width: share(box.right, width) - left,
                        height: share(box.bottom, height) - top))
            }
        }
        return marks
    }

    /// Whether an image has the aspect ratio of the page; otherwise marks would be at wrong
    /// positions.
    private static func fits(
        _ picture: [UInt8]?, _ document: PDFDocument, _ number: Int
    ) throws -> Bool {
        // PNG §11.2.2: the header chunk is the first one.
        guard let picture, picture.count > 24 else { return false }
        func number32(_ start: Int) -> Double {
            Double(picture[start..<start + 4].reduce(0) { $0 << 8 | Int($1) })
        }
        let (width, height) = try document.page(at: number - 1).shownSize
        let scale = Double(side) / max(width, height)
        return abs(number32(16) - width * scale) <= 2 && abs(number32(20) - height * scale) <= 2
    }

    // MARK: Drawing

    /// Renders images until a limit is reached.
    private struct PageRenderer {
        let viewer: Viewer
        private let deadline = ContinuousClock.now + duration
        /// The reason for a failed rendering.
        private(set) var failure: String?
        private var pictureCount = 0
        private var byteCount = 0

        init(viewer: Viewer) { self.viewer = viewer }

        var mayGoOn: Bool {
            failure == nil && pictureCount < pictureLimit && byteCount < byteLimit
                && ContinuousClock.now < deadline
        }

        mutating func picture(of file: InputFile, page: Int) -> [UInt8]? {
            guard failure == nil else { return nil }
            let left = ContinuousClock.now.duration(to: deadline)
            do throws(WitnessError) {
                return try viewer.png(
                    of: page, in: file, side: side,
                    seconds: max(1, Double(left.components.seconds)))
            } catch {
                failure = error.detail
                return nil
            }
        }

        /// Adds a page to the totals.
        ///
        /// - Returns: false if a limit is exceeded.
        mutating func keep(_ page: PagePictures.Page) -> Bool {
            let all = ([page.picture] + page.earlier.map(\.picture)).compactMap(\.self)
            pictureCount += all.count
            byteCount += all.reduce(0) { $0 + $1.count }
            return pictureCount <= pictureLimit && byteCount <= byteLimit
        }
    }
}
