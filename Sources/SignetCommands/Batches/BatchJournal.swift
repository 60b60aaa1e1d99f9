import Base
import FoundationEssentials
import SignetKit
import Synchronization
import SystemBridge

/// What became of each file of a batch, a line of JSON each, so that another run can go on where one
/// was ended.
///
/// Before an output is made its line says so, and before it is there another line says what it is:
/// should the run be killed between the output and its last line, the next one knows whose it is.
/// Journals of several runs may be put together in any order that keeps each one's lines. Files are
/// named from the root on, so that it does not matter in which folder a run is started.
final class BatchJournal: Sendable {
    struct Entry: Codable, Sendable {
        enum Outcome: String, Codable { case begun, done, failed }

        var schema = "signet.journal/1"
        let command: String
        /// Its place: see `FileSystem.place(_:)`.
        let input: String
        /// Of the input, hexadecimal.
        let sha256: String
        /// Of what took the input's place.
        var replacedBy: String?
        /// Its place.
        let output: String?
        /// Of the output, when it was whole; nil where it took the input's place.
        var outputSHA256: String?
        /// Of what was asked, and of what an answer depends on besides the input.
        var basis: String?
        var outcome: Outcome
        /// The exit code that this file alone would have led to.
        var code: Int32
        /// RFC 3339.
        var time: String

        /// Takes the hash of the output.
        mutating func take(_ hash: String) {
            if output?.isExactly(input) == true { replacedBy = hash } else { outputSHA256 = hash }
        }

        /// Whether it says what became of an input after another line said that the work was done. An
        /// output that could not be made, or was not whole yet, has replaced nothing.
        func counts(after former: Entry?) -> Bool {
            guard former?.outcome == .done, output != nil else { return true }
            return outcome == .done
                || outcome == .begun && (replacedBy != nil || outputSHA256 != nil)
        }

        var work: Work { Work(input: ExactText(input), output: output.map { ExactText($0) }) }

        /// Whether it says where its files are; earlier versions did not.
        var isPlaced: Bool {
            [input, output ?? "-"].allSatisfy { $0 == "-" || FileSystem.isAbsolute($0) }
        }
    }

    /// The words of the command line, with those of the settings.
    private static let words = Mutex<[String]>([])

    /// How long an answer is believed without asking again, in seconds: certificates end, and are
    /// revoked.
    private static let answerLifetime = 24 * 60 * 60

    /// Commands that are to do more to their own outputs as time goes by, such as to renew their
    /// proof, and nothing where nothing is to be done.
    private static let repeatedCommands: Set = ["extend"]

    /// Options that change nothing about an answer, with how many words follow each.
    private static let neutralOptions = [
        "--journal": 1, "--jobs": 1, "--shard": 1, "--files-from": 1, "--include": 1,
        "--recursive": 0, "--json": 0, "--quiet": 0, "-q": 0, "--verbose": 0, "-v": 0, "--force": 0,
        "--skip-existing": 0,
        // Each output is known by its place.
        "-o": 1, "--output": 1,
    ]

    private let command: String
    private let product: Product
    private let basis: AnswerBasis
    private let file: LogFile
    private let known: [Work: Entry]
    /// What any command made of files in their places: by path, from hash to hash.
    private let successors: [ExactText: [String: String]]
    private let lock = Mutex(())
    /// What outputs are that this run has made.
    private let told = Mutex<[Work: String]>([:])

    /// What a command makes of its inputs.
    enum Product {
        case outputs
        /// These depend on the files that the options name too.
        case answers
        /// Servers may give others the next time: no input is skipped.
        case onlineAnswers
    }

    /// To be called before any command is run.
    static func take(_ arguments: [String]) { words.withLock { $0 = arguments } }

    /// - Parameters:
    ///   - named: the files and folders that were named.
    /// - Throws: ``SignetError``; 65 when the file is something else.
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
                .malformedInput, file: path, "is no journal of signet, and was left as it is",
                hint: "name another file with --journal")
        }
        if unplacedCount > 0 { Notices.say(.entriesWithoutPlace, path, "\(unplacedCount)") }
        self.known = known
        self.successors = successors
    }

    /// Whether what has one hash now is what had another one, with what other commands added since.
    private func isMade(_ hash: String, from made: String, at path: String) -> Bool {
        var current = made
        let successors = successors[ExactText(FileSystem.place(path))] ?? [:]
        for _ in 0..<successors.count {
            guard current != hash, let next = successors[current] else { break }
            current = next
        }
        return current == hash
    }

    /// What is done once: one input may have several outputs.
    struct Work: Hashable {
        let input: ExactText
        /// Nil for answers.
        let output: ExactText?
    }

    /// How each line begins: its keys are sorted.
    private static let lineBeginning = Array("{\"basis\":\"".utf8)

    /// What a power failure, or whoever ended a run, may have left of a line.
    private static func isPartOfLine(_ line: [UInt8]) -> Bool {
        line.starts(with: lineBeginning.prefix(line.count)) && line.last != UInt8(ascii: "}")
    }

    /// - Returns: nil where the line is none of a journal's.
    private static func entry(_ line: [UInt8]) -> Entry? {
        func decoded(_ bytes: some Sequence<UInt8>) -> Entry? {
            let entry = try? JSONDecoder().decode(Entry.self, from: Data(bytes))
            return entry?.schema == "signet.journal/1" ? entry : nil
        }
        if let entry = decoded(line) { return entry }
        // A whole line behind a part of one: the disk was full, or files were put together. Inside a
        // line no quotation mark follows a brace.
        let start = line.indices.dropFirst().dropLast().last {
            line[$0] == UInt8(ascii: "{") && line[$0 + 1] == UInt8(ascii: "\"")
        }
        guard line.first == UInt8(ascii: "{"), let start else { return nil }
        return decoded(line[start...])
    }

    /// What an earlier run has done.
    enum Known {
        case answered(ExitStatus)
        /// The output is there.
        case made
        /// The output is there, and was made by other options.
        case madeOtherwise
    }

    /// What an earlier run has done with an input; nil when there is something to do.
    ///
    /// - Parameter isThere: whether there is an output.
    /// - Throws: ``SignetError`` when it cannot be told.
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
                "is not what it was when an earlier run was ended, which may have replaced it",
                hint: "look at it: signet verify; then run it without the journal")
        }
        guard hash == entry.sha256, destination == nil || isThere else { return nil }
        guard let output = destination?.path else {
            return entry.outcome == .done
                ? ExitStatus(rawValue: entry.code).map(Known.answered) : nil
        }
        // Somebody may have put another file there.
        guard let made = entry.outputSHA256,
            try isMade(FileHash.sha256(ofOutput: output), from: made, at: output)
        else { return nil }
        if entry.outcome == .begun { try finish(entry, .done) }
        let isSame = try entry.basis == basis.sha256(for: input)
        return isSame ? .made : replaces ? nil : .madeOtherwise
    }

    /// Whether an answer is to the same question, and not too old.
    private func isFresh(_ entry: Entry) throws -> Bool {
        guard let time = Moment(rfc3339: entry.time)?.time else { return false }
        let now = SystemClock.now()
        return try (now.adding(seconds: -Self.answerLifetime)...now).contains(time)
            && entry.basis == basis.sha256(for: entry.input)
    }

    /// Notes that an output is about to be made.
    func begin(_ input: String, _ destination: Destination?, isThere: Bool) throws -> Entry {
        let entry = Entry(
            command: command, input: FileSystem.place(input),
            sha256: input == "-" ? "" : (try? FileHash.sha256(of: input)) ?? "",
            output: (destination?.path).map(FileSystem.place),
            basis: try basis.sha256(for: input), outcome: .begun, code: 0,
            time: SystemClock.now().rfc3339)
        // An output that is there already is somebody else's.
        if destination != nil, !isThere || destination?.isInPlace == true { try write(entry) }
        return entry
    }

    /// Where an output goes, of which a line says what it is before it is there.
    func destination(_ destination: Destination?, for entry: Entry) -> Destination? {
        destination?.telling { hash in
            var entry = entry
            entry.take(hash)
            entry.time = SystemClock.now().rfc3339
            self.told.withLock { $0[entry.work] = hash }
            try self.write(entry)
        }
    }

    /// How the work on an input may end, if it was done.
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

    /// Brings all lines to the disk.
    func close() throws {
        do {
            try file.sync()
        } catch {
            throw SignetError(error)
        }
    }
}
