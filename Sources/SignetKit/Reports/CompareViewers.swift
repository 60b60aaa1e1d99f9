import Base
import PDFCore
import PDFSigning
import SystemBridge
import Witness

/// Compares page images by installed PDF viewers: of signed revisions with the whole file, and of
/// the viewers with each other.
///
/// A page that is displayed differently without a listed change makes the signature indeterminate.
public struct CompareViewers: Sendable {
    /// The result of the comparison, in the structure of the JSON output.
    public struct Result: Encodable, Sendable {
        /// Names of the viewers: `poppler`, `mupdf`, `ghostscript`.
        public internal(set) var programs: [String] = []
        /// Resolution of the images, in pixels per inch.
        public let resolution: Int
        /// Number of compared pages, from the first one on.
        public internal(set) var pages = 0
        /// Pages that are displayed differently since they were signed.
        public internal(set) var differences: [Difference] = []
        /// Notes, one line each: pages that viewers display differently, and parts that were not
        /// compared.
        public internal(set) var notes: [String] = []
    }

    /// A page that a viewer displays differently since it was signed.
    public struct Difference: Encodable, Sendable {
        /// Name of the viewer.
        public let program: String
        /// Page number from 1.
        public let page: Int
        /// Full name of the signature's field.
        public let field: String
        /// Whether the page has a listed change.
        public let isNamed: Bool
    }

    private let password: DocumentPassword?
    private let viewers: [Viewer]

    /// Resolution of the images, in pixels per inch.
    private static let resolution = 72
    private static let (pageLimit, pagesAtOnce) = (100, 10)
    /// Maximum number of earlier revisions compared.
    private static let stateLimit = 4
    /// Time limit for comparing a file. Running renderings are still compared.
    private static let duration = Duration.seconds(120)

    /// - Parameters:
    ///   - password: for encrypted documents.
    ///   - all: whether all installed viewers are compared, or only one is used.
    /// - Throws: ``SignetError``: `missingInput` if no viewer is installed.
    public init(password: DocumentPassword? = nil, all: Bool = true) throws {
        self.password = password
        do throws(WitnessError) {
            viewers = all ? Viewer.installed : [try Viewer.drawer()]
            if viewers.isEmpty { _ = try Viewer.drawer() }
        } catch {
            throw SignetError(error, "to compare pages")
        }
    }

    /// Renders and compares the pages.
    ///
    /// - Parameter report: verification result of `source`, with its hash and the changed pages.
    /// - Returns: the report with the result of the comparison.
    /// - Throws: ``SignetError``: `inputOutput` if the file was changed after verification.
    public func run(_ source: InputSource, _ report: VerifiedDocument) throws -> VerifiedDocument {
        try reading(source.name) {
            let file = try source.open()
            try report.requireUnchanged(file)
            var report = report
            var result = Result(resolution: Self.resolution)
            result.programs = viewers.map(\.rawValue)
            var states = SignedState.all(of: report, file, limit: Self.stateLimit)
            defer { for state in states { state.copied?.discard() } }
            for index in states.indices { try states[index].copy(file, password) }
            let document = try? PDFDocument.open(file, path: source.name, password: password)
            guard document?.encryption?.isMistakenByPrograms != true else {
                result.notes.append("not compared: viewers cannot decrypt the document")
                report.viewers = result
                return report
            }
            let pageCount = (try? document?.pageCount()) ?? 0
            let count = states.reduce(pageCount) { max($0, $1.pageCount) }
            result.pages = min(count, Self.pageLimit)
            if count > Self.pageLimit {
                result.notes.append("only the first \(Self.pageLimit) pages were compared")
            }
            compareAll(Whole(file, document, pageCount), states, &report, &result)
            report.viewers = result
            return report
        }
    }

    private func compareAll(
        _ whole: Whole, _ states: [SignedState], _ report: inout VerifiedDocument,
        _ result: inout Result
    ) {
        if SignedState.all(of: report, whole.file, limit: .max).count > states.count {
            result.notes.append("only the first \(states.count) signed revisions were compared")
        }
        let deadline = ContinuousClock.now + Self.duration
        for start in stride(from: 1, through: result.pages, by: Self.pagesAtOnce) {
            guard ContinuousClock.now < deadline else {
                result.pages = start - 1
                result.notes.append(
                    "only the first \(result.pages) pages were compared within "
                        + "\(Self.duration.components.seconds) seconds")
                return
            }
            let pages = start...min(start + Self.pagesAtOnce - 1, result.pages)
            compare(pages, whole, states, &report, &result)
        }
    }

    private func compare(
        _ pages: ClosedRange<Int>, _ whole: Whole, _ states: [SignedState],
        _ report: inout VerifiedDocument, _ result: inout Result
    ) {
        var others: [(viewer: Viewer, pictures: [Picture])] = []
        for viewer in viewers {
            let drawn = pictures(viewer, pages, whole.file, whole.pageCount, &result)
            for state in states {
                guard let stateFile = state.file,
                    let was = pictures(viewer, pages, stateFile, state.pageCount, &result)
                else { continue }
                // If a viewer renders the signed revision but not the whole file, that is a
                // difference.
                for (offset, page) in pages.enumerated() {
                    guard was.at(offset) != drawn?.at(offset) else { continue }
                    for index in state.signatures {
                        report.note(page, viewer, ofSignature: index, &result)
                    }
                }
            }
            guard let now = drawn else { continue }
            for (other, pictures) in others {
                for (offset, page) in pages.enumerated() {
                    guard let mine = now.at(offset), let others = pictures.at(offset),
                        whole.differ(mine, others, on: page)
                    else { continue }
                    result.notes.append(
                        "page \(page) is displayed differently in \(other.rawValue) and \(viewer.rawValue)"
                    )
                }
            }
            others.append((viewer, now))
        }
    }

    /// Images of the requested pages that the document has. Viewers differ for nonexistent pages.
    ///
    /// - Returns: nil, with a note added, if the viewer cannot render the document.
    private func pictures(
        _ viewer: Viewer, _ pages: ClosedRange<Int>, _ file: InputFile, _ pageCount: Int,
        _ result: inout Result
    ) -> [Picture]? {
        guard pages.lowerBound <= pageCount else { return [] }
        let present = pages.lowerBound...min(pages.upperBound, pageCount)
        do throws(WitnessError) {
            return try viewer.pictures(of: present, in: file, resolution: Self.resolution)
        } catch {
            let note = "not compared in \(viewer.rawValue): \(error.detail)"
            if !result.notes.contains(note) { result.notes.append(note) }
            return nil
        }
    }

    /// Description of the first page that installed viewers clearly display differently. Nil if
    /// they agree, or if fewer than two are installed.
    static func disagreement(about file: InputFile, _ document: PDFDocument) -> String? {
        let viewers = Viewer.installed
        let whole = Whole(file, document, (try? document.pageCount()) ?? 0)
        let pages = min(whole.pageCount, pageLimit)
        guard viewers.count > 1, pages > 0 else { return nil }
        for start in stride(from: 1, through: pages, by: pagesAtOnce) {
            let range = start...min(start + pagesAtOnce - 1, pages)
            let drawn = viewers.compactMap { viewer in
                (try? viewer.pictures(of: range, in: file, resolution: resolution)).map {
                    (viewer, $0)
                }
            }
            for (offset, page) in range.enumerated() {
                for (index, (viewer, pictures)) in drawn.enumerated() {
                    for (other, others) in drawn[..<index] {
                        guard let mine = pictures.at(offset), let theirs = others.at(offset),
                            whole.differ(mine, theirs, on: page)
                        else { continue }
                        return "page \(page) is displayed differently in \(other.rawValue) and "
                            + viewer.rawValue
                    }
                }
            }
        }
        return nil
    }
}

/// The whole file, which the viewers render.
private struct Whole {
    let file: InputFile
    let pageCount: Int
    private let document: PDFDocument?

    init(_ file: InputFile, _ document: PDFDocument?, _ pageCount: Int) {
        (self.file, self.document, self.pageCount) = (file, document, pageCount)
    }

    /// Whether two viewers clearly display the content of a page differently. Annotations without
    /// appearance streams are ignored, since viewers differ in them.
    func differ(_ first: Picture, _ second: Picture, on number: Int) -> Bool {
        guard first.clearlyDiffers(from: second) else { return false }
        guard let document, let page = try? document.page(at: number - 1),
            let boxes = try? PageAnnotations(on: page, in: document).boxes
        else { return true }
        let (width, height) = page.shownSize
        let masks = boxes.map(page.shown).map {
            (
                left: $0.left / width, top: $0.top / height, right: $0.right / width,
                bottom: $0.bottom / height
            )
        }
        return first.masked(masks).clearlyDiffers(from: second.masked(masks))
    }
}

extension [Picture] {
    fileprivate func at(_ index: Int) -> Picture? { indices.contains(index) ? self[index] : nil }
}

extension VerifiedDocument {
    /// Checks by its SHA-256 that the file is the verified one.
    ///
    /// - Throws: ``SignetError``: `inputOutput` if it is not.
    func requireUnchanged(_ file: InputFile) throws {
        guard try FileHash.sha256(of: file) == content?.sha256 else {
            throw SignetError(
                .inputOutput, file: self.file, "the file was changed during verification",
                hint: Sentence(.verifyAgain))
        }
    }

    /// Records that a page is displayed differently since it was signed. If the page has no listed
    /// change, the signature is indeterminate.
    fileprivate mutating func note(
        _ page: Int, _ viewer: Viewer, ofSignature index: Int, _ result: inout CompareViewers.Result
    ) {
        let isNamed = signatures[index].record.changedPages.map { $0.contains(page) } ?? true
        result.differences.append(
            .init(
                program: viewer.rawValue, page: page, field: signatures[index].field,
                isNamed: isNamed))
        guard !isNamed else { return }
        signatures[index].problems.append(
            .doubt(
                .lookUncertain,
                "page \(page) is displayed differently in \(viewer.rawValue) than the signed revision",
                .signatureConstraintsFailure))
        if signatures[index].verdict == .passed {
            signatures[index].verdict = .indeterminate
            signatures[index].subindication = .signatureConstraintsFailure
        }
        if verdict == .passed { verdict = .indeterminate }
    }
}
