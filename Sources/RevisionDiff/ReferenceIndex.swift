import PDFCore

/// References between objects in all revisions of a document, as far as comparisons need them: to
/// objects that do not exist yet, and to objects that later revisions redefine. Section 0 is the
/// newest, as in ``RevisionHistory``.
///
/// Built in one pass over all definitions of all objects.
final class ReferenceIndex {
    /// The number used for the trailer as a referrer.
    static let trailer = 0

    private struct Referrer: Equatable {
        let number: Int
        let section: Int
    }

    private struct DanglingReference: Hashable {
        let number: Int
        let holder: Int
    }

    private let document: PDFDocument
    private var referrers: [Int: [Referrer]] = [:]
    private var referrerCount = 0
    /// By number: the referrers that no revision up to this section rewrote.
    private var current: [Int: (section: Int, referrers: [Referrer])] = [:]
    /// The numbers for which ``referrers`` contains every reference.
    private var indexed: Set<Int>
    private var hasIndexedReferrers = false
    /// Numbers referenced while undefined, with the oldest such section.
    private var dangling: [Int: Int] = [:]
    /// Numbers to which an object gained references while they were undefined, with the newest such
    /// section.
    private var gained: [Int: Int] = [:]
    /// The highest number of references from an object to an undefined number in one section.
    private var danglingCounts: [DanglingReference: Int] = [:]
    /// Whether the limit of undefined numbers was reached.
    private var isDanglingCut = false
    /// Nonzero generations in the current revision.
    private var generations: [Int: Int] = [:]
    /// Whether all references are known: within the limits and in readable objects.
    private(set) var isComplete = true
    /// Offsets of sections, including hybrid ones.
    private let sectionOffsets: Set<Int>
    /// Object streams, with the oldest section that places objects in them.
    private var containers: [Int: Int] = [:]
    /// Ends of objects by section, including older sections.
    private var extents: [Extent]
    /// Offsets of entries without a matching object.
    private var unreadableOffsets: Set<Int> = []
    private static let maximumSearchCount = 1000
    private(set) var unreadable: String?

    /// The highest end of the objects of a section.
    private struct Extent {
        var end = 0
        /// Like ``end``, with the /Length of streams, which some viewers trust.
        var reach = 0
    }

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
                // Viewers ignore private trailer entries.
                for key in PDFDocument.trailerReferences {
                    note(view.trailer[key] ?? .null, Self.trailer, section, existing, replaced)
                }
                try view.sections[0].forEachEntry { (entry) throws(PDFError) in
                    guard entry.number > 0, entry.location != .free else { return }
                    let isNull = try note(entry, in: view, section, existing, replaced)
                    // For later sections, an object that is null does not exist.
                    if isNull { existing.remove(entry.number) }
                }
            }
        }
        for index in extents.indices.dropLast().reversed() {
            extents[index].end = max(extents[index].end, extents[index + 1].end)
            extents[index].reach = max(extents[index].reach, extents[index + 1].reach)
        }
    }

    /// Records the references in the object of an entry.
    ///
    /// - Returns: whether the object is null.
    private func note(
        _ entry: CrossReferenceEntry, in view: PDFDocument, _ section: Int, _ existing: NumberSet,
        _ replaced: Set<Int>
    ) throws(PDFError) -> Bool {
        // An offset without a matching object is parsed only once.
        if case .offset(let offset, _) = entry.location, unreadableOffsets.contains(offset) {
            return false
        }
        let found = try view.inspect(entry)
        extents[section].end = max(extents[section].end, found.end ?? 0)
        extents[section].reach = max(extents[section].reach, found.reach ?? 0)
        guard let object = found.object else {
            isComplete = false
            unreadable =
                unreadable
                ?? "an object cannot be read: \(found.deviation ?? "damaged") (object "
                + "\(entry.number))"
            guard case .offset(let offset, _) = entry.location else { return false }
            unreadableOffsets.insert(offset)
            guard unreadableOffsets.count <= Self.maximumSearchCount else { return false }
            let numbers = try view.apparentReferences(at: offset)
            note(
                .array(numbers.map { .reference(ObjectID(number: $0)) }), entry.number, section,
                existing, replaced)
            return false
        }
        // Cross-reference streams have the trailer's entries.
        if case .offset(let offset, _) = entry.location, sectionOffsets.contains(offset) {
            return false
        }
        note(object, entry.number, section, existing, replaced)
        return object == .null
    }

    /// Whether an object of `section` or an older section ends after `end`: by its syntax, or by the
    /// /Length of streams, which some viewers trust.
    func objectsEnd(
        after end: Int, from section: Int
    ) -> (bySyntax: Bool, byLength: Bool) {
        (extents[section].end > end, extents[section].reach > end)
    }

    /// Numbers that a later section redefines or frees.
    private static func numbersDefinedTwice(in document: PDFDocument) throws(PDFError) -> Set<Int> {
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

    /// Records every reference in an object; the parser limits its size.
    private func note(
        _ object: PDFObject, _ holder: Int, _ section: Int, _ existing: NumberSet,
        _ replaced: Set<Int>
    ) {
        var walk = ReferenceWalk(through: object)
        var counts: [Int: Int] = [:]
        while let id = walk.next() {
            if !existing.contains(id.number) || generations[id.number] ?? 0 != id.generation {
                counts[id.number, default: 0] += 1
            }
            guard replaced.contains(id.number) else { continue }
            noteReferrer(of: id.number, holder, section)
        }
        for (number, count) in counts where number > 0 {
            noteDangling(DanglingReference(number: number, holder: holder), count, section)
        }
    }

    private func noteDangling(_ reference: DanglingReference, _ count: Int, _ section: Int) {
        guard danglingCounts.count < Self.maximumReferrerCount else {
            isDanglingCut = true
            gained[reference.number] = section
            return
        }
        if dangling[reference.number] == nil { dangling[reference.number] = section }
        guard count > danglingCounts[reference] ?? 0 else { return }
        danglingCounts[reference] = count
        gained[reference.number] = section
    }

    /// Whether a revision before `section` refers to the number without defining it.
    func wasReferredTo(_ number: Int, before section: Int) -> Bool {
        dangling[number].map { $0 > section } ?? isDanglingCut
    }

    /// The lowest undefined number to which an object refers more often after `section` than before.
    func missing(since section: Int) -> Int? { gained.filter { $0.value < section }.keys.min() }

    /// Whether a revision before `section` has objects in this object stream: replacing the stream
    /// replaces them.
    func heldObjects(_ number: Int, before section: Int) -> Bool {
        containers[number].map { $0 > section } ?? false
    }

    /// Like ``isReferredTo(_:onlyFrom:asOf:)``, for a referrer of a redefined object, which may
    /// itself be unchanged.
    func isHolderReferredTo(
        _ number: Int, onlyFrom holders: Set<Int>, asOf section: Int
    ) throws(PDFError) -> Bool {
        if !indexed.contains(number), !hasIndexedReferrers {
            hasIndexedReferrers = true
            try indexReferrers()
        }
        guard indexed.contains(number) else { return false }
        return try isReferredTo(number, onlyFrom: holders, asOf: section)
    }

    /// Records the references to referrers of redefined objects. Few documents need it.
    private func indexReferrers() throws(PDFError) {
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

    /// Whether only `holders` refer to the number in the document that ends with `section`.
    func isReferredTo(
        _ number: Int, onlyFrom holders: Set<Int>, asOf section: Int
    ) throws(PDFError) -> Bool {
        guard isComplete, let all = referrers[number] else { return isComplete }
        let view = document.view(newestSection: section)
        var left = current[number] ?? (section, all)
        // Objects that a later revision removed may still refer to it in an older revision.
        if section > left.section { left.referrers = all }
        current[number] = nil
        defer { current[number] = (section, left.referrers) }
        var index = 0
        while index < left.referrers.count {
            let referrer = left.referrers[index]
            if referrer.section >= section, !holders.contains(referrer.number) {
                if try refers(referrer, to: number, view, section) { return false }
                // A rewritten object no longer refers to it in this and later revisions.
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

    init(upTo highest: Int) { words = [UInt64](repeating: 0, count: max(0, highest) / 64 + 1) }

    func contains(_ number: Int) -> Bool {
        number >= 0 && number / 64 < words.count
            && words[number / 64] & 1 << UInt64(number % 64) != 0
    }

    mutating func remove(_ number: Int) {
        if contains(number) { words[number / 64] &= ~(1 << UInt64(number % 64)) }
    }

    /// Inserts a number; false if it was present. Numbers above the maximum are not inserted.
    @discardableResult mutating func insert(_ number: Int) -> Bool {
        guard number >= 0, number / 64 < words.count, !contains(number) else { return false }
        words[number / 64] |= 1 << UInt64(number % 64)
        return true
    }
}

extension PDFDocument {
    /// Trailer entries that refer to objects.
    fileprivate static let trailerReferences: [PDFName] = ["Root", "Info", "Encrypt"]

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
