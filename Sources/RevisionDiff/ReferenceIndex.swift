import PDFCore

/// Who refers to whom in all revisions of a document, as far as the comparison of revisions has to
/// know: which objects are referred to before they exist, and from where those are referred to
/// that a later revision defines anew.
///
/// Made in one pass over every definition of every object.
final class ReferenceIndex {
    /// Stands for the trailer as the place of a reference.
    static let trailer = 0

    private struct Referrer: Equatable {
        let number: Int
        let section: Int
    }

    private let document: PDFDocument
    private var referrers: [Int: [Referrer]] = [:]
    private var referrerCount = 0
    /// Those of a number that were not written anew up to a section.
    private var current: [Int: (section: Int, referrers: [Referrer])] = [:]
    /// The numbers to which all references are in ``referrers``.
    private var indexed: Set<Int>
    private var hasHolders = false
    /// Numbers referred to while they do not exist, with the oldest such section.
    private var dangling: [Int: Int] = [:]
    /// Whether there are more of these than are remembered.
    private var isDanglingCut = false
    /// Generations other than 0, of the revision that is read.
    private var generations: [Int: Int] = [:]
    /// Whether all references are known: neither too many, nor in unreadable objects.
    private(set) var isComplete = true
    /// Where sections begin, those of hybrid sections too.
    private let sectionOffsets: Set<Int>
    /// The object streams, by the oldest section that places objects in them.
    private var containers: [Int: Int] = [:]
    /// What was noticed about the ends of objects, by section, those of older ones included.
    private var extents: [Extent]
    /// Where entries lead that have no object of theirs there.
    private var unreadableOffsets: Set<Int> = []
    /// Most unreadable objects that are searched for references.
    private static let maximumSearchCount = 1000
    /// An object that cannot be read, in words.
    private(set) var unreadable: String?

    /// How far the objects of a section go.
    private struct Extent {
        var end = 0
        /// As ``end``, for viewers that trust the lengths of streams.
        var reach = 0
    }

    /// Most places that are remembered.
    private static let maximumReferrerCount = 1_000_000

    init(of document: PDFDocument) throws(PDFError) {
        self.document = document
        extents = [Extent](repeating: Extent(), count: document.sections.count)
        sectionOffsets = Set(
            document.sections.flatMap { [$0.offset, $0.supplementOffset].compactMap { $0 } })
        var existing = NumberSet(upTo: document.highestObjectNumber)
        let replaced = try Self.numbersDefinedTwice(in: document)
        indexed = replaced
        for group in document.revisionSections {
            for section in group {
                var container: Int?
                try document.sections[section].forEachEntry { (entry) throws(PDFError) in
                    if case .compressed(let stream, _) = entry.location, stream != container {
                        container = stream
                        containers[stream] = max(containers[stream] ?? section, section)
                    }
                    if entry.location == .free {
                        existing.remove(entry.number)
                    } else {
                        existing.insert(entry.number)
                    }
                    generations[entry.number] =
                        entry.objectID.generation > 0 ? entry.objectID.generation : nil
                }
            }
            for section in group {
                let view = document.view(newestSection: section)
                // What private entries of a trailer refer to, no reader shows.
                for key in PDFDocument.trailerReferences {
                    note(view.trailer[key] ?? .null, Self.trailer, section, existing, replaced)
                }
                try view.sections[0].forEachEntry { (entry) throws(PDFError) in
                    guard entry.number > 0, entry.location != .free else { return }
                    try note(entry, in: view, section, existing, replaced)
                }
            }
        }
        for index in extents.indices.dropLast().reversed() {
            extents[index].end = max(extents[index].end, extents[index + 1].end)
            extents[index].reach = max(extents[index].reach, extents[index + 1].reach)
        }
    }

    private func note(
        _ entry: CrossReferenceEntry, in view: PDFDocument, _ section: Int, _ existing: NumberSet,
        _ replaced: Set<Int>
    ) throws(PDFError) {
        // However many entries lead to what is none of their objects, it is read once.
        if case .offset(let offset, _) = entry.location, unreadableOffsets.contains(offset) {
            return
        }
        let found = try view.inspect(entry)
        extents[section].end = max(extents[section].end, found.end ?? 0)
        extents[section].reach = max(extents[section].reach, found.reach ?? 0)
        guard let object = found.object else {
            isComplete = false
            unreadable =
                unreadable
                ?? "object \(entry.number) cannot be read (\(found.deviation ?? "")): what it refers "
                + "to is unknown"
            guard case .offset(let offset, _) = entry.location else { return }
            unreadableOffsets.insert(offset)
            guard unreadableOffsets.count <= Self.maximumSearchCount else { return }
            let numbers = try view.apparentReferences(at: offset)
            note(
                .array(numbers.map { .reference(ObjectID(number: $0)) }), entry.number, section,
                existing, replaced)
            return
        }
        // What really is a cross-reference stream has the trailer's entries.
        if case .offset(let offset, _) = entry.location, sectionOffsets.contains(offset) { return }
        note(object, entry.number, section, existing, replaced)
    }

    /// Whether an object of `section` or an older one ends behind `end`; and whether one does for
    /// viewers that trust the lengths of streams.
    func goes(behind end: Int, from section: Int) -> (surely: Bool, perhaps: Bool) {
        (extents[section].end > end, extents[section].reach > end)
    }

    /// Numbers that are defined anew or freed.
    private static func numbersDefinedTwice(
        in document: PDFDocument
    ) throws(PDFError) -> Set<Int> {
        var seen = NumberSet(upTo: document.highestObjectNumber)
        var twice: Set<Int> = []
        for section in document.sections.reversed() {
            try section.forEachEntry { (entry) throws(PDFError) in
                let isFree = entry.location == .free
                if isFree ? seen.contains(entry.number) : !seen.insert(entry.number) {
                    twice.insert(entry.number)
                }
            }
        }
        return twice
    }

    /// Notes every reference in an object; the parser bounds how large that can be.
    private func note(
        _ object: PDFObject, _ holder: Int, _ section: Int, _ existing: NumberSet,
        _ replaced: Set<Int>
    ) {
        var walk = ReferenceWalk(through: object)
        while let id = walk.next() {
            if !existing.contains(id.number) || generations[id.number] ?? 0 != id.generation {
                noteDangling(id.number, section)
            }
            guard replaced.contains(id.number) else { continue }
            noteReferrer(of: id.number, holder, section)
        }
    }

    private func noteDangling(_ number: Int, _ section: Int) {
        guard number > 0 else { return }
        guard dangling[number] == nil else { return }
        if dangling.count < Self.maximumReferrerCount {
            dangling[number] = section
        } else {
            isDanglingCut = true
        }
    }

    /// Whether a revision older than that of `section` refers to the number without having it.
    func wasReferredTo(_ number: Int, before section: Int) -> Bool {
        dangling[number].map { $0 > section } ?? isDanglingCut
    }

    /// The lowest number that only revisions later than that of `section` refer to without having it.
    func missing(since section: Int) -> Int? {
        dangling.filter { $0.value < section }.keys.min()
    }

    /// Whether a revision older than that of `section` has objects in the stream of this number:
    /// whoever replaces it replaces them.
    func heldObjects(_ number: Int, before section: Int) -> Bool {
        containers[number].map { $0 > section } ?? false
    }

    /// As ``isReferredTo(_:onlyFrom:asOf:)``, for what refers to an object that is defined anew and
    /// need not be defined anew itself.
    func isHolderReferredTo(
        _ number: Int, onlyFrom holders: Set<Int>, asOf section: Int
    ) throws(PDFError) -> Bool {
        if !indexed.contains(number), !hasHolders {
            hasHolders = true
            try indexHolders()
        }
        guard indexed.contains(number) else { return false }
        return try isReferredTo(number, onlyFrom: holders, asOf: section)
    }

    /// Notes every reference to what refers to the objects that are defined anew. Few documents ask
    /// for that.
    private func indexHolders() throws(PDFError) {
        let wanted = Set(referrers.values.joined().map(\.number)).subtracting(indexed)
        for section in document.sections.indices {
            let view = document.view(newestSection: section)
            for key in PDFDocument.trailerReferences {
                note(wanted, in: view.trailer[key] ?? .null, Self.trailer, section)
            }
            try view.sections[0].forEachEntry { (entry) throws(PDFError) in
                guard entry.number > 0, entry.location != .free else { return }
                if case .offset(let offset, _) = entry.location,
                    unreadableOffsets.contains(offset) || sectionOffsets.contains(offset)
                {
                    return
                }
                guard let object = try view.inspect(entry).object else { return }
                note(wanted, in: object, entry.number, section)
            }
        }
        indexed.formUnion(wanted)
    }

    private func note(_ wanted: Set<Int>, in object: PDFObject, _ holder: Int, _ section: Int) {
        var walk = ReferenceWalk(through: object)
        while let id = walk.next() {
            if wanted.contains(id.number) { noteReferrer(of: id.number, holder, section) }
        }
    }

    private func noteReferrer(of number: Int, _ holder: Int, _ section: Int) {
        guard referrerCount < Self.maximumReferrerCount else {
            isComplete = false
            return
        }
        let referrer = Referrer(number: holder, section: section)
        guard referrers[number]?.last != referrer else { return }
        referrerCount += 1
        referrers[number, default: []].append(referrer)
    }

    /// Whether the document that ends with `section` refers to the number from `holders` alone.
    func isReferredTo(
        _ number: Int, onlyFrom holders: Set<Int>, asOf section: Int
    ) throws(PDFError) -> Bool {
        guard isComplete, let all = referrers[number] else { return isComplete }
        let view = document.view(newestSection: section)
        var left = current[number] ?? (section, all)
        // In older revisions, what has been dropped since may refer to it.
        if section > left.section { left.referrers = all }
        current[number] = nil
        defer { current[number] = (section, left.referrers) }
        var index = 0
        while index < left.referrers.count {
            let referrer = left.referrers[index]
            if referrer.section >= section, !holders.contains(referrer.number) {
                if try refers(referrer, to: number, view, section) { return false }
                // What was written anew meanwhile refers no more, now and in all later revisions.
                left.referrers.swapAt(index, left.referrers.count - 1)
                left.referrers.removeLast()
            } else {
                index += 1
            }
        }
        return true
    }

    private func refers(
        _ referrer: Referrer, to number: Int, _ view: PDFDocument, _ section: Int
    ) throws(PDFError) -> Bool {
        try referrer.number == Self.trailer
            ? view.isNamedByTrailer(number)
            : view.definition(of: referrer.number)?.section == referrer.section - section
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

    mutating func remove(_ number: Int) {
        if contains(number) { words[number / 64] &= ~(1 << UInt64(number % 64)) }
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
    /// Entries of a trailer that lead to objects.
    fileprivate static let trailerReferences: [PDFName] = ["Root", "Info", "Encrypt"]

    /// Whether a trailer names the object, in the newest section that has the entry.
    fileprivate func isNamedByTrailer(_ number: Int) -> Bool {
        Self.trailerReferences.contains { key in
            let entry = sections.lazy.compactMap { $0.trailer[key] }.first
            return entry?.referenceValue?.number == number
        }
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
