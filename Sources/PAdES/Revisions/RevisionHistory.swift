import ByteKit
import PDFCore

/// A document as one of its revisions left it.
struct RevisionState {
    let document: PDFDocument
    let form: AcroForm
}

/// The revisions of a document (ISO 32000-2 §7.5.6), and what each one changed. Every step is
/// compared once, however many signatures ask.
final class RevisionHistory {
    enum Extent {
        case wholeFile
        /// The signed bytes are what the document was when this section, counted from the newest,
        /// was the newest.
        case revision(Int)
        case partial(String)
    }

    private let document: PDFDocument
    /// The comparison of section `index` with the one before it.
    private var comparisons: [Int: RevisionChanges] = [:]
    private var references: ReferenceIndex?
    /// The highest place that each section names, by index.
    private var highestOffsets: [Int: Int] = [:]
    /// The later state of the last comparison, by section.
    private var states: [Int: RevisionState] = [:]

    /// Bytes of line ends behind the last `%%EOF` that count as nothing.
    private static let toleratedTrailingByteCount = 4

    init(of document: PDFDocument) { self.document = document }

    /// What a signature covers whose second span ends at `end`.
    func coverage(upTo end: Int, signatureID: ObjectID) throws -> Extent {
        let size = document.source.byteCount
        if end == size { return .wholeFile }
        if size - end <= Self.toleratedTrailingByteCount,
            try isLineEnds(from: end, to: size)
        {
            return .wholeFile
        }
        guard let signed = try document.view(atRevisionEndingAt: end),
            let offset = signed.sections.first?.offset,
            let index = document.sections.firstIndex(where: { $0.offset == offset })
        else {
            return .partial("the signed bytes do not end where a revision of the document ends")
        }
        guard index > 0 else {
            return .partial(
                "\(size - end) bytes stand behind the signed revision that belong to no other")
        }
        guard document.sections[..<index].allSatisfy({ $0.offset >= end }) else {
            return .partial("a later revision keeps its cross-references inside the signed bytes")
        }
        guard try signed.location(of: signatureID) == document.location(of: signatureID) else {
            return .partial("a later revision replaces the signature itself")
        }
        guard try !refersBehind(end, from: index) else {
            return .partial("the signed cross-references lead behind the signed bytes")
        }
        guard try document.hasNothingBehindLastRevision(upTo: size) else {
            return .partial("bytes stand behind the last revision that belong to none")
        }
        return .revision(index)
    }

    /// Whether any section up to the signed one places an object where nothing was signed.
    private func refersBehind(_ end: Int, from index: Int) throws(PDFError) -> Bool {
        for index in document.sections.indices[index...] {
            if try highestOffset(index) >= end { return true }
        }
        return false
    }

    private func highestOffset(_ index: Int) throws(PDFError) -> Int {
        if let known = highestOffsets[index] { return known }
        var highest = -1
        try document.sections[index].forEachEntry { (entry) throws(PDFError) in
            if case .offset(let offset, _) = entry.location { highest = max(highest, offset) }
        }
        highestOffsets[index] = highest
        return highest
    }

    private func isLineEnds(from start: Int, to end: Int) throws(SourceError) -> Bool {
        try document.source.bytes(at: start, count: end - start).allSatisfy {
            $0 == 0x0A || $0 == 0x0D
        }
    }

    /// What each revision later than section `index` changed, oldest first.
    func changes(since index: Int) throws -> [RevisionChanges] {
        try (0..<index).reversed().map { newer in
            if let known = comparisons[newer] { return known }
            let changes = try compare(newer)
            comparisons[newer] = changes
            return changes
        }
    }

    /// The document as section `index` left it. What one comparison read serves the next.
    private func state(_ index: Int) throws -> RevisionState {
        if let known = states[index] { return known }
        let view = document.view(newestSection: index)
        return RevisionState(document: view, form: try AcroForm(of: view))
    }

    /// A revision that cannot be read cannot be told to be harmless.
    private func compare(_ newer: Int) throws -> RevisionChanges {
        do {
            let references = try self.references ?? ReferenceIndex(of: document)
            self.references = references
            let (old, new) = (try state(newer + 1), try state(newer))
            states = [newer: new]
            var defined: Set<ObjectID> = []
            try document.sections[newer].forEachEntry { entry throws(PDFError) in
                guard entry.number > 0,
                    try !new.document.isContainer(
                        entry.number, before: old.document)
                else {
                    return
                }
                defined.insert(entry.objectID)
            }
            return try RevisionComparison(
                from: old, to: new, section: newer, defining: defined, references: references
            ).result
        } catch let error as PDFError where error.code != .readFailed {
            let place = error.object.map { " in object \($0)" } ?? ""
            return RevisionChanges(
                forbidding: "a later revision cannot be read: \(error.detail)\(place)")
        }
    }
}

extension PDFDocument {
    /// Whether the object is a new cross-reference or object stream: it holds no content itself.
    fileprivate func isContainer(_ number: Int, before old: PDFDocument) throws(PDFError) -> Bool {
        let id = ObjectID(number: number, generation: 0)
        switch try old.location(of: id) {
        case nil, .free?: break
        default: return false
        }
        let type = try object(id).streamValue?.dictionary["Type"]?.nameValue
        return type == "XRef" || type == "ObjStm"
    }

    /// Whether only line ends follow the last `%%EOF`.
    fileprivate func hasNothingBehindLastRevision(upTo size: Int) throws(SourceError) -> Bool {
        let tailByteCount = 1024
        let start = max(0, size - tailByteCount)
        let tail = try source.bytes(at: start, count: size - start)
        let end = tail.lastIndex { $0 != 0x0A && $0 != 0x0D } ?? -1
        return end >= 4 && tail[(end - 4)...end].elementsEqual(Array("%%EOF".utf8))
    }
}
