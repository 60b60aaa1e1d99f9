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

    /// Reports the result for each photo, with equal warnings grouped.
    func tell(about pages: [ConvertedPhotos.Page]) {
        guard !isBatch else {
            for page in pages {
                step("\(page.file): \(page.data.rawValue); \(page.size)")
                warnings(page.warnings, of: page.file)
            }
            return
        }
        var files: [String: [String]] = [:]
        var warnings: [String] = []
        for page in pages {
            step("\(page.file): \(page.data.rawValue); \(page.size)")
            for warning in page.warnings.map(\.text) {
                if files[warning] == nil { warnings.append(warning) }
                files[warning, default: []].append(page.file)
            }
        }
        for text in warnings {
            let named = files[text] ?? []
            let others = named.count > 1 ? " and \(named.count - 1) more" : ""
            warning("\(named.first ?? "")\(others): \(text)")
        }
    }
}
