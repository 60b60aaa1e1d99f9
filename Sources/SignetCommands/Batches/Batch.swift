import SignetKit
import SystemBridge

/// Does the same to many files at once, reports in the order of the files, and keeps account.
struct Batch {
    /// What was done when all is well, for the summary: `signed`.
    let verb: String
    var inputs: [String]
    let options: OutputOptions
    var jobs = 1
    /// Whether one file is finished before the next one is begun.
    var isSequential = false
    /// Whether a server is asked: it gets no more connections than there are jobs.
    var asksServer = false
    /// Who signs, if anybody: one consent may be good for several files.
    var consent: SharedConsent?
    /// What became of files that needed nothing, for the summary: `left as they are`.
    var idleVerb = ""
    /// How many files are between two passes at once.
    var groupSize = Int.max
    /// Whether the summary goes into the JSON too.
    var isSummarized = false
    var skipsExisting = false
    /// Why an output that was there before is not what is made of the input, by the paths of both.
    var judgesExisting: @Sendable (String, String) -> String? = { _, _ in nil }
    /// Whether outputs may be replaced.
    var replaces = false
    var journal: BatchJournal?

    /// What became of one file.
    enum Outcome<Made: Sendable>: Sendable {
        case made(Made)
        /// Done before, with the status of then.
        case skipped(ExitStatus, why: String, output: String?, isOdd: Bool = false)
    }

    init(_ verb: String, _ inputs: [String], _ options: OutputOptions) {
        self.verb = verb
        self.inputs = inputs
        self.options = options
    }

    /// Takes what the options say.
    ///
    /// - Parameters:
    ///   - command: of which the journal's lines are.
    ///   - named: the files and folders on the command line.
    ///   - place: nil where there are answers and no outputs.
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

    /// Handles all inputs; the worst status is thrown.
    ///
    /// - Parameters:
    ///   - output: where the output of an input goes; nil where there is none.
    ///   - status: what the journal should say of what was made.
    ///   - work: called on any thread.
    ///   - isIdle: whether nothing was done, because nothing needed to be.
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

    /// Handles all inputs in passes.
    ///
    /// - Parameter passes: called on any thread.
    func run<Made: Sendable>(
        output: @escaping @Sendable (String) throws -> Destination?,
        status: @escaping @Sendable (Made) -> ExitStatus = { _ in .done },
        passes: @escaping @Sendable (String, Destination?) throws -> Pass<Made>,
        isIdle: (Made) -> Bool = { _ in false },
        report: (String, Made, Reporter) throws -> ExitStatus
    ) throws {
        let reporter = Reporter(options: options, isBatch: inputs.count > 1 || isSummarized)
        var progress = ProgressLine(isOn: !options.quiet && !options.json, noun: "files")
        var tally = BatchTally(verb: verb, idleVerb: idleVerb)
        let (inputs, handler) = (inputs, handler)
        consent?.expect(inputs.count)
        let sharedCount = consent?.signaturesAtOnce ?? 1
        try GroupedWork(
            jobs: isSequential ? 1 : jobs,
            waiting: isSequential || asksServer ? 0 : OrderedWork.waitingCount,
            groupSize: sharedCount > 1 ? sharedCount : groupSize
        ).run(count: inputs.count) { index in
            try handler.handle(inputs[index], output, status, passes)
        } consume: { index, result in
            progress.clear()
            tally.count(
                inputs[index],
                reporter.status(of: inputs[index]) {
                    switch try result.get() {
                    case .made(let made):
                        let status = try report(inputs[index], made, reporter)
                        if status == .done, isIdle(made) { tally.idle += 1 }
                        return status
                    case .skipped(let status, let why, let output, let isOdd):
                        tally.skipped += 1
                        let line = "\(inputs[index]): skipped, \(why)"
                        // Where an answer was asked for, it is given.
                        if output == nil || isOdd || inputs.count == 1 {
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
        try journal?.close()
        try tally.finish(reporter, isSummarized: isSummarized)
    }

    private struct Skipped: Encodable {
        let schema = "signet.skipped/1"
        let file: String
        let output: String?
        let reason: String
        /// As every answer has them: what is odd about an output is an error.
        let warnings: [String] = []
    }

    private var handler: Handler {
        Handler(
            skipsExisting: skipsExisting, judgesExisting: judgesExisting, replaces: replaces,
            journal: journal)
    }
}

/// Does the work on one file, unless it was done before. Called on any thread.
private struct Handler: Sendable {
    let skipsExisting: Bool
    let judgesExisting: @Sendable (String, String) -> String?
    let replaces: Bool
    let journal: BatchJournal?

    func handle<Made: Sendable>(
        _ input: String, _ output: (String) throws -> Destination?,
        _ status: @escaping (Made) -> ExitStatus,
        _ passes: (String, Destination?) throws -> Pass<Made>
    ) throws -> Pass<Batch.Outcome<Made>> {
        let destination = try output(input)
        let target = destination?.path
        let isThere = target.map { $0 != "-" && FileSystem.exists($0) } ?? false
        guard let journal else {
            if let target, skipsExisting, isThere, destination?.isInPlace == false {
                return .done(try skipped(input, target))
            }
            return try .run({ try passes(input, destination) }) { .made(try $0.get()) }
        }
        switch try journal.outcome(of: input, destination, isThere: isThere, replaces) {
        case .answered(let status)?:
            let why = "judged before by the same rules, with exit code \(status.rawValue)"
            return .done(.skipped(status, why: why, output: nil))
        case .made?:
            return .done(.skipped(.done, why: "the journal says that it is done", output: target))
        case .madeOtherwise?:
            let why = "done before with other options (--force does it again)"
            return .done(.skipped(.done, why: why, output: target, isOdd: true))
        case nil: break
        }
        if let target, skipsExisting, isThere, destination?.isInPlace == false {
            return .done(try skipped(input, target))
        }
        let entry = try journal.begin(input, destination, isThere: isThere)
        return try .run({
            try passes(input, journal.destination(destination, for: entry))
        }) { result in
            switch result {
            case .success(let made):
                // Where that cannot be written, the line before says what was made: it did not fail.
                try journal.finish(entry, status(made))
                return .made(made)
            case .failure(let error):
                try journal.finish(entry, Reporter.status(of: error))
                throw error
            }
        }
    }

    /// - Throws: where something else lies there: nobody shall take the input for done.
    private func skipped<Made: Sendable>(
        _ input: String, _ target: String
    ) throws -> Batch.Outcome<Made> {
        if let doubt = judgesExisting(target, input) {
            throw SignetError(
                .outputRefused, file: target, "exists already: \(doubt)",
                hint: Sentence(.lookOrReplace))
        }
        return .skipped(.done, why: "its output exists", output: target)
    }
}

/// How many files ended how.
struct BatchTally {
    let verb: String
    let idleVerb: String
    var skipped = 0
    var idle = 0
    private var statuses: [ExitStatus: Int] = [:]
    /// The first of those that need to be looked at, by the word for them.
    private var troubled: [(word: String, files: [String], count: Int)] = []

    /// So many files are named again. Of fewer ones all that was said is still to be seen.
    private static let namedCount = 10

    init(verb: String, idleVerb: String = "") {
        self.verb = verb
        self.idleVerb = idleVerb
    }

    mutating func count(_ file: String, _ status: ExitStatus) {
        statuses[status, default: 0] += 1
        guard let word = trouble(status) else { return }
        let index = troubled.firstIndex { $0.word == word } ?? troubled.endIndex
        if index == troubled.endIndex { troubled.append((word, [], 0)) }
        troubled[index].count += 1
        if troubled[index].count <= Self.namedCount { troubled[index].files.append(file) }
    }

    private func trouble(_ status: ExitStatus) -> String? {
        switch status {
        case .done, .indeterminate, .nothingToVerify: nil
        case .invalid: "invalid"
        default: isJudging ? "not checked" : "failed"
        }
    }

    /// Says how it went, and throws the worst status.
    func finish(_ reporter: Reporter, isSummarized: Bool) throws {
        let total = statuses.values.reduce(0, +)
        let worst = reporter.worst(of: Array(statuses.keys))
        if total > Self.namedCount {
            for (word, files, count) in troubled {
                let rest = count > files.count ? ", and \(count - files.count) more" : ""
                reporter.remark("\(word): " + files.joined(separator: ", ") + rest)
            }
        }
        if total > 1 { reporter.remark(text) }
        if isSummarized {
            try reporter.result(
                json: Summary(
                    inputs: total, done: number(.done) - doneBefore, skipped: skipped,
                    indeterminate: number(.indeterminate), invalid: number(.invalid),
                    unsigned: number(.nothingToVerify), failed: failed, code: worst.rawValue))
        }
        if worst != .done { throw worst }
    }

    private func number(_ status: ExitStatus) -> Int { statuses[status] ?? 0 }

    /// Signatures fail; files that could not be judged are something else.
    private var isJudging: Bool { verb == "passed" }

    /// Skipped ones whose status is not that of a verification.
    private var doneBefore: Int { min(skipped, number(.done)) }

    private var failed: Int {
        statuses.filter {
            ![.done, .indeterminate, .invalid, .nothingToVerify].contains($0.key)
        }.values.reduce(0, +)
    }

    /// `148 signed, 2 failed: see above`
    private var text: String {
        let counts = [
            (number(.done) - doneBefore - idle, verb), (idle, idleVerb), (skipped, "skipped"),
            (number(.indeterminate), "indeterminate"), (number(.invalid), "invalid"),
            (number(.nothingToVerify), "without signature"),
            (failed, trouble(.malformedInput) ?? ""),
        ]
        let words = counts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
        return words.joined(separator: ", ") + (failed > 0 ? ": see above" : "")
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
    }
}
