import Base

extension PDFDocument {
    /// Why the file seems to be cut off: it does not end with `startxref`, or objects follow the
    /// last one. Appended white space and text are harmless. `nil` for a complete file.
    package func truncation() throws(PDFError) -> String? {
        let count = min(reader.cache.byteCount, PDFLimits.junkSearchByteCount)
        let tail = try reader.bytes(at: reader.cache.byteCount - count, count: count)
        guard let last = tail.lastRange(of: Keyword.Spelling.startxref) else {
            return tail.allSatisfy { Characters.isWhiteSpace(Int($0)) }
                ? nil : "no startxref in the last \(count) bytes"
        }
        return tail[last.upperBound...].firstRange(of: Array(" 0 obj".utf8)) == nil
            ? nil : "objects follow the last startxref"
    }

    /// The difference that viewers would find if they searched the whole file for its objects, as
    /// text; `nil` if there is none.
    package func readersDisagreement() throws(PDFError) -> String? {
        if isRebuilt {
            if let disagreement = found.disagreement { return disagreement }
            return try referenceToFormerGeneration(found.generations)
        }
        guard try makesReadersSearch(), let rebuilt = try searched() else { return nil }
        if let disagreement = rebuilt.disagreement { return disagreement }
        if let text = try referenceToFormerGeneration(rebuilt.generations) { return text }
        guard let section = rebuilt.sections.first else { return nil }
        return try difference(from: section)
    }

    /// The sections reconstructed by searching the whole file; `nil` if nothing usable is found.
    func searched() throws(PDFError) -> FoundSections? {
        do throws(PDFError) {
            return try Self.rebuilt(reader, headerOffset, encryption)
        } catch {
            guard error.code == .damagedCrossReference else { throw error }
            return nil
        }
    }

    /// An object at its listed offset that a search of the whole file does not find. Writing only
    /// the found objects would remove it.
    package func objectLostInSearch() throws(PDFError) -> ObjectID? {
        guard !isRebuilt, let rebuilt = try searched()?.sections.first else { return nil }
        for section in sections {
            let lost = try section.firstEntry { (entry) throws(PDFError) -> Bool in
                guard case .offset(let offset, let generation) = entry.location,
                    try definition(of: entry.number)?.location == entry.location,
                    try rebuilt.location(of: entry.number) == nil
                else { return false }
                let id = ObjectID(number: entry.number, generation: generation)
                return reader.begins(id, at: offset)
            }
            if let lost { return ObjectID(number: lost.number) }
        }
        return nil
    }

    /// A displayed object that a search of the whole file finds elsewhere or not at all. Viewers
    /// that find no error in the sections do not search, and display the listed object.
    ///
    /// - Returns: A description; `nil` if there is no such object, or if viewers find no sections
    ///   and all search.
    package func objectReplacedInSearch() throws(PDFError) -> String? {
        guard try mayBeFound() else { return nil }
        guard isRebuilt || found.isHidden else { return try listedObjectReplaced() }
        // The document for viewers that use the last `startxref`, regardless of the bytes after it.
        let ended = try? revised(by: Array("\n%%EOF\n".utf8), repair: .never)
        guard let searched = try isRebuilt ? found : searched(),
            let section = searched.sections.first, !searched.replaced.isEmpty
        else { return nil }
        // If these sections are unreadable without repair, this document is examined.
        let shown = isRebuilt ? self : ended ?? self
        return try shown.firstShown { (id) throws(PDFError) in
            guard searched.replaced.contains(id.number) else { return false }
            guard case .offset(let listed, let generation)? = try ended?.location(of: id),
                let place = reader.beginning(of: id, behind: listed)
            else { return true }
            return try section.location(of: id.number) != .offset(place, generation: generation)
        }.map { "the file contains object \($0.number) several times" }
    }

    private func listedObjectReplaced() throws(PDFError) -> String? {
        guard let rebuilt = try searched()?.sections.first else { return nil }
        if let root = rebuilt.trailer["Root"]?.referenceValue, root != (try? catalogID),
            (try? catalog()) != nil
        {
            return "the catalog that is listed is not the last one in the file, object \(root)"
        }
        let replaced = try firstShown { (id) throws(PDFError) in try isReplaced(id, in: rebuilt) }
        if let id = replaced {
            return "the object \(id.number) that is listed is not the last one in the file"
        }
        guard let text = try sectionIrregularity() else { return nil }
        let lost = try firstShown { (id) throws(PDFError) in
            let isListed = try location(of: id) ?? .free != .free
            let isFound = try rebuilt.location(of: id.number) ?? .free != .free
            return isListed != isFound && (!isListed || (try? object(id)) != nil)
        }
        return lost.map {
            "viewers that reconstruct the cross-reference table because of \(text) find another object "
                + "\($0.number) or none"
        }
    }

    /// The first object reachable from the trailer that `isWanted` accepts.
    ///
    /// - Parameter keys: Dictionary entries that are not followed.
    func firstShown(
        besides keys: Set<PDFName> = [], where isWanted: (ObjectID) throws(PDFError) -> Bool
    ) throws(PDFError) -> ObjectID? {
        var visited: Set<Int> = []
        var walk = ReferenceWalk(through: .dictionary(trailer), besides: keys)
        while let id = walk.next() {
            guard visited.insert(id.number).inserted else { continue }
            if try isWanted(id) { return id }
            // Unreadable objects are not followed.
            if let object = try? object(id) { walk.follow(object) }
        }
        return nil
    }

    /// Whether the last `startxref` with a number, or the last one before the last %%EOF, points to
    /// a plausible section.
    private func mayBeFound() throws(PDFError) -> Bool {
        let count = min(source.byteCount, PDFLimits.junkSearchByteCount)
        let tail = try reader.bytes(at: source.byteCount - count, count: count)
        let marker = tail.lastRange(of: Array("%%EOF".utf8))
        for start in [nil, marker?.lowerBound] {
            var end = start
            var named: Int?
            for _ in 0..<Self.keywordLimit where named == nil {
                guard let keyword = tail.lastRange(of: Keyword.Spelling.startxref, before: end)
                else { break }
                end = keyword.lowerBound
                let next = tail[keyword.upperBound...].prefix(Self.offsetByteCount)
                var lexer = Lexer(Array(next))
                if case .integer(let number)? = try? lexer.next() { named = number }
                // Some viewers skip `startxref` if it is only the start of a longer word.
                if let first = next.first, Characters.isWhiteSpace(Int(first)) { break }
            }
            for base in [0, headerOffset] {
                guard let offset = named?.addingChecked(base) else { continue }
                if try SectionBeginning.isPlausibleSection(at: offset, reader) { return true }
            }
        }
        return false
    }

    /// Maximum number of `startxref` keywords without a number that are skipped.
    private static let keywordLimit = 16

    /// Number of bytes after `startxref` that are searched for its number.
    private static let offsetByteCount = 64

    func isReplaced(_ id: ObjectID, in rebuilt: CrossReferenceSection) throws(PDFError) -> Bool {
        guard let found = try rebuilt.location(of: id.number), found != .free else { return false }
        switch try location(of: id) {
        case .offset(let listed, _)?:
            guard let place = reader.beginning(of: id, behind: listed) else { return false }
            return found != .offset(place, generation: id.generation)
        case .compressed(let stream, let index)?:
            guard found != .compressed(stream: stream, index: index) else { return false }
            return (try? object(id)) != nil
        case .free?, nil: return false
        }
    }

    /// Whether viewers search the whole file for its objects, because they do not find the sections
    /// or the listed objects. All viewers skip white space before an object.
    package func makesReadersSearch() throws(PDFError) -> Bool {
        if found.isHidden { return true }
        return try entryExactness() == .elsewhere
    }

    /// The first object that a reconstructed section locates elsewhere, as text.
    private func difference(from rebuilt: CrossReferenceSection) throws(PDFError) -> String? {
        if let root = rebuilt.trailer["Root"]?.referenceValue, try root != catalogID {
            return "the last catalog in the file is object \(root)"
        }
        let different = try rebuilt.firstEntry { (entry) throws(PDFError) -> Bool in
            switch (entry.location, try definition(of: entry.number)?.location) {
            case (.offset(let found, let generation), .offset(let listed, let listedGeneration)?):
                return generation != listedGeneration
                    || abs(found - listed) > PDFLimits.nearbyByteCount
            // Nothing refers to a removed object.
            case (_, .free?), (_, nil), (.free, _):
                return false
            case (let found, let listed?):
                return found != listed
            }
        }
        return different.map {
            "the last object \($0.number) in the file is not the one that is listed"
        }
    }

    /// Some viewers use only an object's number, and find objects that others do not.
    ///
    /// - Returns: The generation of the listed object, if it differs from that of `id`.
    package func otherGeneration(of id: ObjectID) throws(PDFError) -> Int? {
        guard let generation = try generation(of: id.number), generation != id.generation else {
            return nil
        }
        return generation
    }

    func warnOfOtherGeneration(_ id: ObjectID) throws(PDFError) {
        guard let generation = try otherGeneration(of: id) else { return }
        reader.warnings.add(
            .generation,
            "a reference names \(id), but the object is \(id.number) \(generation): viewers display "
                + "it or nothing",
            object: ObjectID(number: id.number, generation: generation))
    }

    /// Reports an object that is itself a reference: some viewers follow it, others do not.
    package func noteChain(_ id: ObjectID, as object: PDFObject) {
        guard case .reference(let next) = object else { return }
        reader.warnings.add(
            .referenceChain,
            "it is only a reference to object \(next.number), which not all viewers follow",
            object: id)
    }

    /// The annotations of a page, to be extended; `nil` if it has none.
    ///
    /// - Throws: `readersDisagree` if /Annots is not an array, because some viewers do not show
    ///   such a page.
    package func annotations(
        of page: PDFDictionary, on id: ObjectID
    ) throws(PDFError) -> [PDFObject]? {
        switch try value(page, "Annots") {
        case .array(let annotations): return annotations
        case .null: return nil
        case let other:
            throw PDFError(
                .readersDisagree, "its /Annots is not an array but a \(other.kind)", object: id)
        }
    }

    /// Searches all objects reachable from the trailer for a reference to an earlier generation of
    /// a reused number.
    private func referenceToFormerGeneration(
        _ generations: [Int: Int]
    ) throws(PDFError) -> String? {
        guard !generations.isEmpty else { return nil }
        var visited: Set<Int> = []
        var walk = ReferenceWalk(through: .dictionary(trailer))
        while let id = walk.next() {
            if let generation = generations[id.number], generation != id.generation {
                return "a reference names object \(id), but the last object with that number "
                    + "has generation \(generation)"
            }
            // Unreadable objects are not followed.
            guard visited.insert(id.number).inserted, let object = try? object(id) else { continue }
            walk.follow(object)
        }
        return nil
    }
}
