extension PDFDocument {
    /// Number of object numbers that should be available to an update.
    private static let wantedNewNumberCount = 10_000

    /// Numbers for new objects, above those in all sections. Freed numbers are not reused, because
    /// they would need another generation.
    ///
    /// If a stray number near the limit leaves too few above it: the widest gap below.
    func findNewNumbers() -> Range<Int> {
        let end = PDFLimits.objectNumber + 1
        let lowest = max(1, size, highestObjectNumber + 1)
        if lowest + Self.wantedNewNumberCount <= end { return lowest..<end }
        let containers = sections.compactMap(\.container?.number).map { $0..<($0 + 1) }
        let taken = sections.flatMap(\.numberRanges) + containers + [end..<end]
        var widest = 0..<0
        var next = 1
        for range in taken.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound - next > widest.count { widest = next..<range.lowerBound }
            next = max(next, range.upperBound)
        }
        return widest
    }
}
