import PDFCore

/// Who refers to whom in all revisions of a document, as far as the comparison of revisions has to
/// know: which objects are referred to before they exist, and from where those are referred to
/// that a later revision defines anew.
///
/// Made in one pass over every definition of every object.
final class ReferenceIndex {
    /// Stands for the trailer as the place of a reference.
    static let trailer = 0

    private struct Referrer {
        let number: Int
        let section: Int
    }

    private let document: PDFDocument
    private var referrers: [Int: [Referrer]] = [:]
    private var referrerCount = 0
    /// Numbers referred to before they exist, with the oldest such section.
    private var danglingSince: [Int: Int] = [:]
    private var referenced: NumberSet
    /// Whether all references are known: neither too many, nor in unreadable objects.
    private(set) var isComplete = true

    /// Most places that are remembered.
    private static let maximumReferrerCount = 1_000_000

    init(of document: PDFDocument) throws(PDFError) {
        self.document = document
        referenced = NumberSet(upTo: document.highestObjectNumber)
        var existing = NumberSet(upTo: document.highestObjectNumber)
        let replaced = try Self.numbersDefinedTwice(in: document)
        for group in document.revisionSections {
            for section in group {
                try document.sections[section].forEachEntry { (entry) throws(PDFError) in
                    if entry.location != .free { existing.insert(entry.number) }
                }
            }
            for section in group {
                let view = document.view(newestSection: section)
                // What private entries of a trailer refer to, no reader shows.
                for key in ["Root", "Info", "Encrypt"] as [PDFName] {
                    note(view.trailer[key] ?? .null, Self.trailer, section, existing, replaced)
                }
                try view.sections[0].forEachEntry { (entry) throws(PDFError) in
                    guard entry.location != .free else { return }
                    guard let object = try? view.object(entry.objectID) else {
                        isComplete = false
                        return
                    }
                    // A cross-reference stream's entries are the trailer's.
                    guard object.streamValue?.dictionary["Type"]?.nameValue != "XRef" else {
                        return
                    }
                    note(object, entry.number, section, existing, replaced)
                }
            }
        }
    }

    private static func numbersDefinedTwice(
        in document: PDFDocument
    ) throws(PDFError) -> Set<Int> {
        var seen = NumberSet(upTo: document.highestObjectNumber)
        var twice: Set<Int> = []
        for section in document.sections.reversed() {
            try section.forEachEntry { (entry) throws(PDFError) in
                guard entry.location != .free else { return }
                if !seen.insert(entry.number) { twice.insert(entry.number) }
            }
        }
        return twice
    }

    /// Notes every reference in an object; the parser bounds how large that can be.
    private func note(
        _ object: PDFObject, _ holder: Int, _ section: Int, _ existing: NumberSet,
        _ replaced: Set<Int>
    ) {
        var stack = [object]
        while let next = stack.popLast() {
            switch next {
            case .array(let elements): stack += elements
            case .dictionary(let dictionary): stack += dictionary.entries.map(\.value)
            case .stream(let stream): stack += stream.dictionary.entries.map(\.value)
            case .reference(let id):
                referenced.insert(id.number)
                if !existing.contains(id.number), danglingSince[id.number] == nil {
                    danglingSince[id.number] = section
                }
                guard replaced.contains(id.number) else { continue }
                guard referrerCount < Self.maximumReferrerCount else {
                    isComplete = false
                    continue
                }
                referrerCount += 1
                referrers[id.number, default: []].append(
                    Referrer(number: holder, section: section))
            default: break
            }
        }
    }

    /// Whether a revision older than that of `section` refers to the number without having it.
    func wasReferredTo(_ number: Int, before section: Int) -> Bool {
        danglingSince[number].map { $0 > section } ?? false
    }

    /// Whether anything refers to the number.
    func isReferredTo(_ number: Int) -> Bool { referenced.contains(number) }

    /// Whether the document that ends with `section` refers to the number from `holders` alone.
    func isReferredTo(
        _ number: Int, onlyFrom holders: Set<Int>, asOf section: Int
    ) throws(PDFError) -> Bool {
        guard isComplete else { return false }
        let view = document.view(newestSection: section)
        for referrer in referrers[number] ?? [] where referrer.section >= section {
            if holders.contains(referrer.number) { continue }
            // An object that was defined anew meanwhile refers no more.
            if referrer.number != Self.trailer,
                try view.definition(of: referrer.number)?.section != referrer.section - section
            {
                continue
            }
            return false
        }
        return true
    }
}

/// Object numbers, one bit for each.
private struct NumberSet {
    private var words: [UInt64]

    init(upTo highest: Int) {
        words = [UInt64](repeating: 0, count: max(0, highest) / 64 + 1)
    }

    func contains(_ number: Int) -> Bool {
        number >= 0 && number / 64 < words.count
            && words[number / 64] & 1 << UInt64(number % 64) != 0
    }

    /// Whether the number was not in the set. Numbers beyond the highest stay outside.
    @discardableResult
    mutating func insert(_ number: Int) -> Bool {
        guard number >= 0, number / 64 < words.count, !contains(number) else { return false }
        words[number / 64] |= 1 << UInt64(number % 64)
        return true
    }
}

extension PDFDocument {
    /// Indices of ``sections`` by revision, the oldest revision first: a linearized file begins
    /// with two sections that are one revision (ISO 32000-2 Annex F).
    var revisionSections: [[Int]] {
        var groups: [[Int]] = []
        for index in sections.indices.reversed() {
            let continues = (sections[index].previous ?? 0) > sections[index].offset
            if continues, !groups.isEmpty {
                groups[groups.count - 1].append(index)
            } else {
                groups.append([index])
            }
        }
        return groups
    }
}

extension CrossReferenceEntry {
    var objectID: ObjectID {
        if case .offset(_, let generation) = location {
            return ObjectID(number: number, generation: generation)
        }
        return ObjectID(number: number, generation: 0)
    }
}
