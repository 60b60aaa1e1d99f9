import SystemBridge

/// Shows `12 of 200 files` on a terminal if the work takes more than a second.
struct ProgressLine {
    private let isOn: Bool
    private let noun: String
    private let begun = ContinuousClock.now
    private var shown: ContinuousClock.Instant?

    /// - Parameter noun: plural noun for the count: `files`.
    init(isOn: Bool, noun: String) {
        self.noun = noun
        self.isOn = isOn && Terminal.isInteractive(.error)
    }

    mutating func show(_ done: Int, of count: Int) {
        guard isOn, count > 1 else { return }
        let now = ContinuousClock.now
        guard now - begun > .seconds(1), now - (shown ?? begun) > .milliseconds(100) else { return }
        shown = now
        Terminal.writeError("\r\(done) of \(count) \(noun)")
    }

    mutating func clear() {
        guard shown != nil else { return }
        shown = nil
        Terminal.writeError("\r\u{1B}[K")
    }
}
