import SignetKit

extension Reporter {
    /// Runs `body` with a progress line for photos.
    func showingProgress<Result>(
        _ body: ((_ done: Int, _ of: Int) -> Void) throws -> Result
    ) rethrows -> Result {
        var line = ProgressLine(isOn: !options.quiet && !options.json, noun: "photos")
        defer { line.clear() }
        return try body { done, count in line.show(done, of: count) }
    }

    /// Reports the result for each photo, with equal warnings grouped as in a batch.
    func tell(about pages: [ConvertedPhotos.Page]) {
        let group = isBatch ? self : Reporter(options: options, isBatch: true)
        for page in pages {
            step("\(page.file): \(page.data.rawValue); \(page.size)")
            group.warnings(page.warnings, of: page.file)
        }
        if !isBatch { group.finishBatch() }
    }
}
