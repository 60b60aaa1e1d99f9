/// Finds the best quality for a size limit in few attempts.
///
/// The size of a JPEG depends almost linearly on quality between two attempts, so the next one is
/// interpolated. Below a readable quality the picture is scaled down instead.
struct SizeSearch {
    struct Setting: Equatable, Sendable {
        var quality: Int
        var eighths: Int
    }

    /// Range of JPEG qualities tried.
    private static let qualities = 40...95
    private static let tryLimit = 8
    private static let firstQuality = 75

    let limit: Int
    /// Whether pictures may be scaled down; false if the user gave a scale.
    let mayScale: Bool

    /// Searches for the best setting.
    ///
    /// - Parameters:
    ///   - mayGoOn: whether there is time for another attempt.
    ///   - size: the size in bytes of the whole document with a setting.
    /// - Returns: the best setting that fits, nil if none does, and the smallest size found.
    func run(
        while mayGoOn: () -> Bool = { true }, size: (Setting) throws -> Int
    ) rethrows -> (setting: Setting?, smallest: Int) {
        var setting = Setting(quality: Self.firstQuality, eighths: 8)
        var fits: (setting: Setting, size: Int)?
        var fails: (setting: Setting, size: Int)?
        var smallest = Int.max
        var tries = 0
        while tries == 0 || mayGoOn(),
            tries < Self.tryLimit || (fits == nil && setting.eighths >= 1 && tries < 24)
        {
            let count = try size(setting)
            tries += 1
            smallest = min(smallest, count)
            if count <= limit {
                fits = (setting, count)
                // Close enough: a difference would not be visible.
                if count > limit / 100 * 96 || setting.quality == Self.qualities.upperBound {
                    break
                }
            } else {
                fails = (setting, count)
            }
            guard let next = next(after: setting, count, fits: fits, fails: fails) else { break }
            setting = next
        }
        return (fits?.setting, smallest)
    }

    private func next(
        after setting: Setting, _ count: Int, fits: (setting: Setting, size: Int)?,
        fails: (setting: Setting, size: Int)?
    ) -> Setting? {
        let lowest = Self.qualities.lowerBound
        if fits == nil {
            if setting.quality > lowest, Double(count) < 2.5 * Double(limit) {
                let guess = Double(setting.quality) * Double(limit) / Double(count) * 0.95
                return Setting(
                    quality: max(lowest, min(setting.quality - 1, Int(guess))),
                    eighths: setting.eighths)
            }
            if setting.quality > lowest, !mayScale || setting.eighths == 1 {
                return Setting(quality: lowest, eighths: setting.eighths)
            }
            guard mayScale else {
                // The scale is given, so the quality may become very low.
                return setting.quality > 1
                    ? Setting(quality: max(1, setting.quality / 2), eighths: setting.eighths) : nil
            }
            guard setting.eighths > 1 else {
                return setting.quality > 5
                    ? Setting(quality: setting.quality / 2, eighths: 1) : nil
            }
            let guess = Double(setting.eighths) * (Double(limit) / Double(count)).squareRoot()
            return Setting(
                quality: Self.firstQuality,
                eighths: max(1, min(setting.eighths - 1, Int(guess.rounded(.up)))))
        }
        guard let fits else { return nil }
        let low = fits.setting.quality
        let high: Int
        let guess: Double
        if let fails, fails.setting.eighths == setting.eighths, fails.setting.quality > low {
            high = fails.setting.quality
            let share = Double(limit - fits.size) / Double(max(1, fails.size - fits.size))
            guess = Double(low) + share * Double(high - low)
        } else {
            high = Self.qualities.upperBound + 1
            guess = Double(low) + max(4, Double(low) * (Double(limit) / Double(fits.size) - 1) / 2)
        }
        guard high - low > 1 else { return nil }
        return Setting(
            quality: max(low + 1, min(high - 1, Int(min(guess, 100)))), eighths: setting.eighths)
    }
}
