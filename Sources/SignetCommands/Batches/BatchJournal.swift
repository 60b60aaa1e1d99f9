import Base
import FoundationEssentials
import SignetKit
import Synchronization
import SystemBridge

/// The results of a batch, one line of JSON per file, so that another run can continue after an
/// interruption.
///
/// A line is written before an output is created. A line with the hash of the output is written
/// before the output gets its final name. The next run therefore recognizes an output whose run was
/// interrupted. Journals of several runs may be concatenated in any order. Paths are absolute, so
/// the current folder has no effect.
final class BatchJournal: Sendable {
    struct Entry: Codable, Sendable {
        enum Outcome: String, Codable { case begun, done, failed }

        var schema = "signet.journal/1"
        let command: String
        /// The absolute path of the input; see `FileSystem.place(_:)`.
        let input: String
        /// SHA-256 of the input, hexadecimal.
        let sha256: String
        /// SHA-256 of the output that replaced the input.
        var replacedBy: String?
        /// The absolute path of the output; nil for reports.
        let output: String?
        /// SHA-256 of the complete output; nil if it replaced the input.
        var outputSHA256: String?
        /// Hash of the options and everything else that the result depends on.
        var basis: String?
        var outcome: Outcome
        /// The exit code for this file.
        var code: Int32
        /// Time of the line (RFC 3339).
        var time: String

        mutating func take(_ hash: String) {
            if output?.isExactly(input) == true { replacedBy = hash } else { outputSHA256 = hash }
        }

        /// Whether this line replaces an earlier successful line. A failed or incomplete output has
        /// not replaced anything.
        func counts(after former: Entry?) -> Bool {
            guard former?.outcome == .done, output != nil else { return true }
            return outcome == .done
                || outcome == .begun && (replacedBy != nil || outputSHA256 != nil)
        }

        var work: Work { Work(input: ExactText(input), output: output.map { ExactText($0) }) }

        /// Whether the paths are absolute. Earlier versions of Signet wrote relative paths.
        var isPlaced: Bool {
            [input, output ?? "-"].allSatisfy { $0 == "-" || FileSystem.isAbsolute($0) }
        }
    }

    /// The command line arguments, including those from the settings.
    private static let words = Mutex<[String]>([])

    /// Seconds for which a verification result is reused: certificates expire and are revoked.
    private static let answerLifetime = 24 * 60 * 60

    /// Commands that may process their own outputs again later, such as to renew timestamps.
    private static let repeatedCommands: Set = ["extend"]

    /// Options without effect on a result, with the number of their values.
    private static let neutralOptions = [
        "--journal": 1, "--jobs": 1, "--shard": 1, "--files-from": 1, "--include": 1,
        "--exclude": 1,
        "--tsa-rate": 1,
        "--recursive": 0, "--json": 0, "--quiet": 0, "-q": 0, "--verbose": 0, "-v": 0, "--force": 0,
        "--skip-existing": 0,
        // Each output is identified by its path.
        "-o": 1, "--output": 1,
    ]

    private let command: String
    private let product: Product
    private let basis: AnswerBasis
    private let file: LogFile
    private let known: [Work: Entry]
    /// Recorded changes of files by any command: for each path, the new hash by the old hash.
    private let successors: [ExactText: [String: String]]
    private let lock = Mutex(())
    /// Hashes of the outputs of this run.
    private let told = Mutex<[Work: String]>([:])

    /// The kind of result of a command.
    enum Product {
        case outputs
        /// Reports, which also depend on the content of files named in options.
        case answers
        /// Reports with network data: no input is skipped.
        case onlineAnswers
    }

    /// Must be called before any command is run.
    static func take(_ arguments: [String]) { words.withLock { $0 = arguments } }

    /// - Parameters:
    ///   - named: the files and folders on the command line.
    /// - Throws: ``SignetError``; 65 if the file is not a journal.
    init(_ path: String, command: String, named: [String], _ product: Product) throws {
        self.command = command
        self.product = product
        basis = try AnswerBasis(
            of: Self.words.withLock { $0 }, inputs: named, countsFiles: product != .outputs,
            neutral: Self.neutralOptions)
        var known: [Work: Entry] = [:]
        var successors: [ExactText: [String: String]] = [:]
        var (hasEntries, isOther, unplacedCount) = (false, false, 0)
        do {
            file = try LogFile(path)
            try file.readLines { line in
                guard !line.isEmpty else { return }
                guard let entry = Self.entry(line) else {
                    isOther = isOther || !Self.isPartOfLine(line)
                    return
                }
                hasEntries = true
                guard entry.isPlaced else {
                    unplacedCount += 1
                    return
                }
                let work = entry.work
                if let made = entry.replacedBy {
                    successors[work.input, default: [:]][entry.sha256] = made
                }
                guard entry.command == command, entry.counts(after: known[work]) else { return }
                known[work] = entry
            }
        } catch let error as FileError {
            throw SignetError(error)
        }
        guard hasEntries || !isOther else {
            throw SignetError(
                .malformedInput, file: path, "the file is not a journal and was left unchanged",
                hint: "use another file for --journal")
        }
        if unplacedCount > 0 { Notices.say(.entriesWithoutPlace, path, "\(unplacedCount)") }
        self.known = known
        self.successors = successors
    }

    /// Whether recorded changes by other commands turn the file with the hash `made` into the file
    /// with `hash`.
    private func isMade(_ hash: String, from made: String, at path: String) -> Bool {
        var current = made
        let successors = successors[ExactText(FileSystem.place(path))] ?? [:]
        for _ in 0..<successors.count {
            guard current != hash, let next = successors[current] else { break }
            current = next
        }
        return current == hash
    }

    /// A unit of work: one input may have several outputs.
    struct Work: Hashable {
        let input: ExactText
        /// Nil for reports.
        let output: ExactText?
    }

    /// The beginning of each line, whose keys are sorted.
    private static let lineBeginning = Array("{\"basis\":\"".utf8)

    /// Whether a line is incomplete after a power failure or interruption.
    private static func isPartOfLine(_ line: [UInt8]) -> Bool {
        line.starts(with: lineBeginning.prefix(line.count)) && line.last != UInt8(ascii: "}")
    }

    private static func entry(_ line: [UInt8]) -> Entry? {
        func decoded(_ bytes: some Sequence<UInt8>) -> Entry? {
            let entry = try? JSONDecoder().decode(Entry.self, from: Data(bytes))
            return entry?.schema == "signet.journal/1" ? entry : nil
        }
        if let entry = decoded(line) { return entry }
        // A complete line may follow an incomplete one, after a full disk or concatenation. Inside
        // a line a brace is never followed by a quotation mark.
        let start = line.indices.dropFirst().dropLast().last {
            line[$0] == UInt8(ascii: "{") && line[$0 + 1] == UInt8(ascii: "\"")
        }
        guard line.first == UInt8(ascii: "{"), let start else { return nil }
        return decoded(line[start...])
    }

    /// The result of an earlier run.
    enum Known {
        case answered(ExitStatus)
        /// The output exists.
        case made
        /// The output exists, but was created with other options.
        case madeOtherwise
    }

    /// The result of an earlier run for an input; nil if it must be processed.
    ///
    /// - Parameter isThere: whether an output exists.
    /// - Throws: ``SignetError`` if it cannot be determined.
    func outcome(
        of input: String, _ destination: Destination?, isThere: Bool, _ replaces: Bool
    ) throws -> Known? {
        let work = Work(
            input: ExactText(FileSystem.place(input)),
            output: (destination?.path).map { ExactText(FileSystem.place($0)) })
        guard let entry = known[work],
            entry.outcome != .failed, input != "-", product != .onlineAnswers
        else { return nil }
        if destination == nil, try !isFresh(entry) { return nil }
        let hash = try FileHash.sha256(of: input)
        if destination?.isInPlace == true {
            if hash == entry.sha256 { return nil }
            if let made = entry.replacedBy {
                if entry.outcome == .begun, hash == made { try finish(entry, .done) }
                let isDue = try Self.repeatedCommands.contains(command) && !isFresh(entry)
                return isMade(hash, from: made, at: input) && !isDue ? .made : nil
            }
            throw SignetError(
                .outputRefused, file: input,
                "the output file was changed when an earlier run was interrupted",
                hint: "check the file with 'signet verify', then run the command without --journal")
        }
        guard hash == entry.sha256, destination == nil || isThere else { return nil }
        guard let output = destination?.path else {
            return entry.outcome == .done
                ? ExitStatus(rawValue: entry.code).map(Known.answered) : nil
        }
        // Another program may have written a file to the same path.
        guard let made = entry.outputSHA256,
            try isMade(FileHash.sha256(ofOutput: output), from: made, at: output)
        else { return nil }
        if entry.outcome == .begun { try finish(entry, .done) }
        let isSame = try entry.basis == basis.sha256(for: input)
        return isSame ? .made : replaces ? nil : .madeOtherwise
    }

    /// What was changed after an output was created.
    enum Change {
        case input, output, both

        var text: String {
            switch self {
            case .input: "the input was changed after the run (according to the journal)"
            case .output: "the output was changed after the run (according to the journal)"
            case .both:
                "the input and the output were changed after the run (according to the journal)"
            }
        }
    }

    /// What was changed after an earlier run created an output; nil if nothing was, or the journal
    /// does not contain it.
    ///
    /// - Throws: ``SignetError`` if a file cannot be read.
    func change(since input: String, _ output: String) throws -> Change? {
        let work = Work(
            input: ExactText(FileSystem.place(input)), output: ExactText(FileSystem.place(output)))
        guard let entry = known[work], entry.outcome == .done, input != "-",
            let made = entry.outputSHA256
        else { return nil }
        let isSameInput = try FileHash.sha256(of: input) == entry.sha256
        let isSameOutput = try isMade(FileHash.sha256(ofOutput: output), from: made, at: output)
        switch (isSameInput, isSameOutput) {
        case (true, true): return nil
        case (false, true): return .input
        case (true, false): return .output
        case (false, false): return .both
        }
    }

    /// Whether a report was created with the same options and is not too old.
    private func isFresh(_ entry: Entry) throws -> Bool {
        guard let time = Moment(rfc3339: entry.time)?.time else { return false }
        let now = SystemClock.now()
        return try (now.adding(seconds: -Self.answerLifetime)...now).contains(time)
            && entry.basis == basis.sha256(for: entry.input)
    }

    /// Records that an output will be created.
    func begin(_ input: String, into destination: Destination?, isThere: Bool) throws -> Entry {
        let entry = Entry(
            command: command, input: FileSystem.place(input),
            sha256: input == "-" ? "" : (try? FileHash.sha256(of: input)) ?? "",
            output: (destination?.path).map(FileSystem.place),
            basis: try basis.sha256(for: input), outcome: .begun, code: 0,
            time: SystemClock.now().rfc3339)
        // The line is written only for an output that this run creates: a new one, or a replaced
        // input.
        if destination != nil, !isThere || destination?.isInPlace == true { try write(entry) }
        return entry
    }

    /// The destination of an output, with a callback that records the hash of the output before it
    /// gets its final name.
    func destination(_ destination: Destination?, for entry: Entry) -> Destination? {
        destination?.telling { hash in
            var entry = entry
            entry.take(hash)
            entry.time = SystemClock.now().rfc3339
            self.told.withLock { $0[entry.work] = hash }
            try self.write(entry)
        }
    }

    /// The exit codes of completed work.
    private static let judgements: [ExitStatus] = [
        .done, .indeterminate, .invalid, .nothingToVerify,
    ]

    func finish(_ entry: Entry, _ status: ExitStatus) throws {
        var entry = entry
        entry.outcome = Self.judgements.contains(status) ? .done : .failed
        entry.code = status.rawValue
        entry.time = SystemClock.now().rfc3339
        if let output = entry.output, output != "-", entry.outcome == .done {
            let hash = told.withLock { $0.removeValue(forKey: entry.work) }
            entry.take(try hash ?? FileHash.sha256(ofOutput: output))
        }
        try write(entry)
    }

    private func write(_ entry: Entry) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line = try encoder.encode(entry)
        do {
            try lock.withLock { _ in try file.append(Array(line)) }
        } catch let error as FileError {
            throw SignetError(error)
        }
    }

    /// Writes all lines to disk.
    func close() throws {
        do {
            try file.sync()
        } catch {
            throw SignetError(error)
        }
    }
}
