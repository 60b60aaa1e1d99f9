import SignetKit
import SystemBridge

/// Processes many files in parallel, reports in the order of the files, and counts the results.
struct Batch {
    /// The verb for successful files in the summary: `signed`.
    let verb: String
    var inputs: [String]
    let options: OutputOptions
    var jobs = 1
    /// Whether files are processed one after the other.
    var isSequential = false
    /// Whether servers are contacted: connections are limited to the number of jobs.
    var asksServer = false
    /// The authorization of the signing key, if any. One authorization may be valid for several
    /// files.
    var consent: SharedConsent?
    /// Word for unchanged files in the summary: `left unchanged`.
    var idleVerb = ""
    /// Maximum number of files whose first pass is done and whose next has not begun; each of them
    /// may keep files open.
    var groupSize = Int.max
    /// Whether the JSON output contains the summary.
    var isSummarized = false
    var skipsExisting = false
    /// Returns why an existing output does not match its input, given the paths of output and
    /// input; nil if it matches.
    var judgesExisting: @Sendable (String, String) -> String? = { _, _ in nil }
    /// Whether outputs may be replaced.
    var replaces = false
    var journal: BatchJournal?

    /// The result for one file.
    enum Outcome<Made: Sendable>: Sendable {
        case made(Made)
        /// Processed in an earlier run, with its status.
        case skipped(ExitStatus, why: String, output: String?, needsAttention: Bool = false)
    }

    init(_ verb: String, _ inputs: [String], _ options: OutputOptions) {
        self.verb = verb
        self.inputs = inputs
        self.options = options
    }

    /// Applies the options.
    ///
    /// - Parameters:
    ///   - command: name of the command in the journal.
    ///   - named: the files and folders on the command line.
    ///   - place: nil for commands without outputs.
    mutating func configure(
        _ options: BatchOptions, command: String, named: [String], _ place: PlaceOptions? = nil,
        makes product: BatchJournal.Product = .outputs
    ) throws {
        jobs = try options.jobCount
        isSummarized = options.isBatch
        skipsExisting = place?.skipExisting ?? false
        if let place { replaces = place.force }
        journal = try options.journal.map {
            try BatchJournal($0, command: command, named: named, product)
        }
    }

    /// Processes all inputs; the worst status is thrown.
    ///
    /// - Parameters:
    ///   - output: the destination of an input; nil without output.
    ///   - status: the status of a result in the journal.
    ///   - work: called on any thread.
    ///   - isIdle: whether nothing had to be changed.
    ///   - report: called in the order of the inputs.
    func run<Made: Sendable>(
        output: @escaping @Sendable (String) throws -> Destination?,
        status: @escaping @Sendable (Made) -> ExitStatus = { _ in .done },
        work: @escaping @Sendable (String, Destination?) throws -> Made,
        isIdle: (Made) -> Bool = { _ in false },
        report: (String, Made, Reporter) throws -> ExitStatus
    ) throws {
        try run(
            output: output, status: status, passes: { .done(try work($0, $1)) }, isIdle: isIdle,
            report: report)
    }

    /// Processes all inputs in passes.
    ///
    /// - Parameter passes: called on any thread.
    func run<Made: Sendable>(
        output: @escaping @Sendable (String) throws -> Destination?,
        status: @escaping @Sendable (Made) -> ExitStatus = { _ in .done },
        passes: @escaping @Sendable (String, Destination?) throws -> Pass<Made>,
        isIdle: (Made) -> Bool = { _ in false },
        report: (String, Made, Reporter) throws -> ExitStatus
    ) throws {
        let isBatch = inputs.count > 1 || isSummarized
        let reporter = Reporter(options: options, isBatch: isBatch)
        var progress = ProgressLine(isOn: !options.quiet && !options.json, noun: "files")
        var tally = BatchTally(verb: verb, idleVerb: idleVerb)
        consent?.expect(inputs.count)
        let sharedCount = consent?.signaturesAtOnce ?? 1
        try GroupedWork(
            jobs: isSequential ? 1 : jobs,
            waiting: isSequential || asksServer ? 0 : OrderedWork.waitingCount,
            groupSize: sharedCount > 1 ? sharedCount : groupSize
        ).run(count: inputs.count) { index in
            try handle(inputs[index], output, status, passes)
        } consume: { index, result in
            progress.clear()
            tally.count(
                inputs[index],
                reporter.status(of: inputs[index]) {
                    switch try isBatch ? result.mapError(Self.advised).get() : result.get() {
                    case .made(let made):
                        let status = try report(inputs[index], made, reporter)
                        if status == .done, isIdle(made) { tally.idle += 1 }
                        return status
                    case .skipped(let status, let why, let output, let needsAttention):
                        tally.skipped += 1
                        if status == .done { tally.skippedDone += 1 }
                        let line = "\(inputs[index]): skipped, \(why)"
                        // Other skipped files are reported only with --verbose.
                        if needsAttention {
                            reporter.warnings(["skipped, \(why)"], of: inputs[index])
                        } else if output == nil || inputs.count == 1 {
                            reporter.remark(line)
                        } else {
                            reporter.step(line)
                        }
                        try reporter.result(
                            json: Skipped(file: inputs[index], output: output, reason: why))
                        return status
                    }
                })
            progress.show(index + 1, of: inputs.count)
        }
        progress.clear()
        reporter.finishBatch()
        try journal?.close()
        try tally.finish(reporter, isSummarized: isSummarized)
    }

    /// An error with a hint for many outputs: replacing them all would also replace those that are
    /// finished.
    private static func advised(_ error: any Error) -> any Error {
        guard let known = error as? SignetError, known.hint?.code == .forceOrRename else {
            return error
        }
        return SignetError(
            known.code, file: known.file, known.message, hint: Sentence(.skipOrMove))
    }

    private struct Skipped: Encodable {
        let schema = "signet.skipped/1"
        let file: String
        let output: String?
        let reason: String
        /// Always empty, as in every skipped result: a problem with an output is an error.
        let warnings: [String] = []
    }

    /// Processes one file unless an earlier run did. Called on any thread.
    private func handle<Made: Sendable>(
        _ input: String, _ output: (String) throws -> Destination?,
        _ status: @escaping (Made) -> ExitStatus,
        _ passes: (String, Destination?) throws -> Pass<Made>
    ) throws -> Pass<Outcome<Made>> {
        let destination = try output(input)
        let target = destination?.path
        guard let journal else {
            return try handle(input, destination, passes)
        }
        let isThere = target.map(isThere) ?? false
        switch try journal.outcome(of: input, destination, isThere: isThere, replaces) {
        case .answered(let status)?:
            let why = "already verified with the same options, with exit code \(status.rawValue)"
            return .done(.skipped(status, why: why, output: nil))
        case .made?:
            return .done(.skipped(.done, why: "done according to the journal", output: target))
        case .madeOtherwise?:
            let why = "already done with other options; to repeat, add --force"
            return .done(.skipped(.done, why: why, output: target, needsAttention: true))
        case nil: break
        }
        if let target, isThere, !replaces, destination?.isInPlace == false,
            let change = try journal.change(since: input, target)
        {
            throw SignetError(
                .outputRefused, file: target, "the output file already exists, but \(change.text)",
                hint: Sentence(skipsExisting ? .lookOrReplace : .repeatChanged))
        }
        if let target, skipsExisting, isThere, destination?.isInPlace == false {
            return .done(try skipped(input, target))
        }
        let entry = try journal.begin(input, into: destination, isThere: isThere)
        return try .run({
            try passes(input, journal.destination(destination, for: entry))
        }) { result in
            switch result {
            case .success(let made):
                // If writing this line fails, the previous line already describes the output, so
                // the file is not reported as failed.
                try journal.finish(entry, status(made))
                return .made(made)
            case .failure(let error):
                try journal.finish(entry, ExitStatus(SignetError(unforeseen: error).code))
                throw error
            }
        }
    }

    /// Processes one file of a run without a journal. Called on any thread.
    private func handle<Made: Sendable>(
        _ input: String, _ destination: Destination?,
        _ passes: (String, Destination?) throws -> Pass<Made>
    ) throws -> Pass<Outcome<Made>> {
        let target = skipsExisting && destination?.isInPlace == false ? destination?.path : nil
        if let target, isThere(target) { return .done(try skipped(input, target)) }
        return try .run({
            try passes(input, destination)
        }) { (result: Result<Made, any Error>) in
            // Another run may have written the output in the meantime.
            if case .failure(let error) = result, let target, isThere(target),
                SignetError(unforeseen: error).code == .outputRefused
            {
                return try skipped(input, target)
            }
            return .made(try result.get())
        }
    }

    private func isThere(_ target: String) -> Bool { target != "-" && FileSystem.exists(target) }

    /// - Throws: an error if the existing output does not match the input. The input must then not
    ///   be reported as done.
    private func skipped<Made: Sendable>(
        _ input: String, _ target: String
    ) throws -> Outcome<Made> {
        if let doubt = judgesExisting(target, input) {
            throw SignetError(
                .outputRefused, file: target, "the output file already exists: \(doubt)",
                hint: Sentence(.lookOrReplace))
        }
        return .skipped(.done, why: "output file exists", output: target)
    }
}

/// Counts files by result.
struct BatchTally {
    let verb: String
    let idleVerb: String
    var skipped = 0
    /// Skipped files that count as done.
    var skippedDone = 0
    var idle = 0
    private var statuses: [ExitStatus: Int] = [:]
    /// The first problematic files, by result.
    private var troubled: [(word: String, files: [String], count: Int)] = []

    /// Maximum number of files listed again. In a batch of at most this many files, all messages
    /// are still visible.
    private static let namedCount = 10

    init(verb: String, idleVerb: String = "") {
        self.verb = verb
        self.idleVerb = idleVerb
    }

    /// - Parameter times: number of files; more than one only for those that are done.
    mutating func count(_ file: String, _ status: ExitStatus, times: Int = 1) {
        statuses[status, default: 0] += times
        guard let word = trouble(status) else { return }
        let index = troubled.firstIndex { $0.word == word } ?? troubled.endIndex
        if index == troubled.endIndex { troubled.append((word, [], 0)) }
        troubled[index].count += 1
        if troubled[index].count <= Self.namedCount { troubled[index].files.append(file) }
    }

    private func trouble(_ status: ExitStatus) -> String? {
        switch status {
        case .done, .indeterminate, .nothingToVerify: nil
        case .invalid: "failed"
        default: "errors"
        }
    }

    /// Prints the summary, and throws the worst status.
    func finish(_ reporter: Reporter, isSummarized: Bool) throws {
        let total = statuses.values.reduce(0, +)
        let worst = reporter.worst(of: Array(statuses.keys))
        if total > Self.namedCount {
            for (word, files, count) in troubled {
                let rest = count > files.count ? ", and \(count - files.count) more" : ""
                reporter.remark("\(word): " + files.joined(separator: ", ") + rest)
            }
        }
        if total > 1 { reporter.remark(text(total)) }
        if isSummarized {
            try reporter.result(
                json: Summary(
                    inputs: total, done: number(.done) - skippedDone, skipped: skipped,
                    indeterminate: number(.indeterminate), invalid: number(.invalid),
                    unsigned: number(.nothingToVerify), failed: failed, code: worst.rawValue,
                    codes: Dictionary(
                        uniqueKeysWithValues: statuses.map { ("\($0.rawValue)", $1) })))
        }
        if worst != .done { throw worst }
    }

    private func number(_ status: ExitStatus) -> Int { statuses[status] ?? 0 }

    private var failed: Int {
        statuses.filter {
            ![.done, .indeterminate, .invalid, .nothingToVerify].contains($0.key)
        }.values.reduce(0, +)
    }

    /// `150 files: 148 signed, 2 errors`
    private func text(_ total: Int) -> String {
        let counts = [
            (number(.done) - skippedDone - idle, verb), (idle, idleVerb), (skipped, "skipped"),
            (number(.indeterminate), "indeterminate"), (number(.invalid), "failed"),
            (number(.nothingToVerify), "without signature"),
            (failed, failed == 1 ? "error" : "errors"),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return "\(total) files: " + words.joined(separator: ", ")
    }

    private struct Summary: Encodable {
        let schema = "signet.summary/1"
        let inputs: Int
        let done: Int
        let skipped: Int
        let indeterminate: Int
        let invalid: Int
        let unsigned: Int
        let failed: Int
        let code: Int32
        /// Number of files by exit code.
        let codes: [String: Int]
    }
}
