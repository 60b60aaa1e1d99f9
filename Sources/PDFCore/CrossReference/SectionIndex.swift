import Base

/// Index from object numbers to the cross-reference sections that list them, for documents with
/// many sections.
///
/// All views of a document share one; see ``PDFDocument/view(newestSection:)``.
final class SectionIndex {
    /// With fewer sections, each one is searched.
    static let minimumSectionCount = 8
    /// Sections with more entries are not indexed but searched, to limit memory.
    private static let maximumEntryCount = 5000

    /// Indices of the indexed sections by object number, the newest first.
    private var small: [Int: [Int]] = [:]
    private var large: [Int] = []

    init(_ sections: some Sequence<CrossReferenceSection>) {
        for (index, section) in sections.enumerated() {
            let ranges = section.numberRanges
            let count = ranges.reduce(0) { min($0 + $1.count, Self.maximumEntryCount + 1) }
            guard count <= Self.maximumEntryCount else {
                large.append(index)
                continue
            }
            for range in ranges {
                for number in range where small[number]?.last != index {
                    small[number, default: []].append(index)
                }
            }
        }
    }

    /// The first answer that any of the sections from `first` on gives that may list `number`,
    /// the newest first.
    func firstAnswer<Answer>(
        about number: Int, from first: Int, _ ask: (Int) throws(PDFError) -> Answer?
    ) throws(PDFError) -> Answer? {
        let named = small[number] ?? []
        var next = named.partitioningIndex { $0 >= first }
        var nextLarge = large.partitioningIndex { $0 >= first }
        while next < named.count || nextLarge < large.count {
            let isSmall =
                nextLarge == large.count || next < named.count && named[next] < large[nextLarge]
            if let answer = try ask(isSmall ? named[next] : large[nextLarge]) { return answer }
            if isSmall { next += 1 } else { nextLarge += 1 }
        }
        return nil
    }
}

extension PDFDocument {
    /// The highest number in any section or of a cross-reference stream, which need not list
    /// itself.
    package var highestObjectNumber: Int {
        sections.reduce(0) { max($0, $1.highestNumber, $1.container?.number ?? 0) }
    }

    var knownSectionIndex: SectionIndex? {
        if sectionIndex == nil, sections.count >= SectionIndex.minimumSectionCount {
            sectionIndex = SectionIndex(sections)
        }
        return sectionIndex
    }

    /// Whether any section locates the number, even if a newer one frees it.
    package func wasEverInUse(_ number: Int) throws(PDFError) -> Bool {
        try firstDefinition(of: number) { $0 != .free } != nil
    }

    /// The newest entry for the number that `isWanted` accepts.
    func firstDefinition(
        of number: Int, where isWanted: (ObjectLocation) -> Bool
    ) throws(PDFError) -> Definition? {
        func ask(_ index: Int) throws(PDFError) -> Definition? {
            guard let location = try sections.location(of: number, in: index), isWanted(location)
            else { return nil }
            return Definition(location: location, section: index)
        }
        if let index = knownSectionIndex {
            let newer = sections.newerCount
            return try index.firstAnswer(about: number, from: newer) { (section) throws(PDFError) in
                try ask(section - newer)
            }
        }
        for index in sections.indices { if let found = try ask(index) { return found } }
        return nil
    }
}
