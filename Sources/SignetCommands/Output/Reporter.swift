import ArgumentParser
import Base
import FoundationEssentials
import SignetKit
import SystemBridge

/// The only code that prints: results on standard output, everything else on standard error.
///
/// `signet: error: …` describes the failure, `signet: hint: …` the suggested action; lower case, no
/// full stop. Text from files is escaped, so that it cannot control a terminal.
struct Reporter {
    let options: OutputOptions
    /// With several inputs each JSON result is on one line.
    var isBatch = false
    private let memory = Memory()

    func result(_ text: String) throws {
        if !options.quiet && !options.json { try writeOutput(text + "\n") }
    }

    func result(_ text: StyledText, _ style: TextStyle = TextStyle()) throws {
        try result(style.lines(text, hanging: 2))
    }

    /// A line with a label and an escaped value.
    static func fact(_ label: String, _ value: String, indent: Int = 2, width: Int = 13) -> String {
        String(repeating: " ", count: indent) + label.padding(to: width - 1) + " "
            + printable(value)
    }

    /// Prints a line with text from files or users; the text is escaped.
    func line(_ text: String) throws { try result(Self.printable(text)) }

    /// Reports a created output: as text, unless the output is standard output, and as JSON.
    func made(_ output: String, _ text: String, json value: some Encodable) throws {
        if output != "-" { try line("\(output): \(text)") }
        try result(json: value)
    }

    func result(json value: some Encodable) throws {
        guard options.json else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if let key = Sentence.wordsKey {
            encoder.userInfo[key] = { $0.text } as @Sendable (Sentence) -> String
        }
        if !isBatch && Terminal.isInteractive(.output) {
            encoder.outputFormatting.insert(.prettyPrinted)
        }
        let data = try encoder.encode(value)
        try writeOutput(String(decoding: data, as: UTF8.self) + "\n")
    }

    private func writeOutput(_ text: String) throws {
        guard !memory.isOutputLost, !memory.isReaderGone else { return }
        guard !StandardOutput.holdsData else { return Terminal.writeError(text) }
        do {
            try Terminal.writeOutput(text)
        } catch  where error.code == .pipeClosed {
            // The reader has read enough, such as `head`. The exit code remains that of the work.
            memory.isReaderGone = true
        } catch {
            let lost = SignetError(.inputOutput, file: "standard output", error.detail)
            guard isBatch else { throw lost }
            // The other files are processed anyway, with their own status.
            memory.isOutputLost = true
            _ = failure(lost)
        }
    }

    /// The most severe status of the inputs and of their reports.
    func worst(of statuses: [ExitStatus]) -> ExitStatus {
        ExitStatus.worst(of: statuses + (memory.isOutputLost ? [.inputOutput] : []))
    }

    func step(_ text: String) { if options.verbose { Self.step(text) } }

    /// Prints a progress line, from any thread.
    static func step(_ text: String) { Terminal.writeError("signet: \(printable(text))\n") }

    func warning(_ text: String) { if !options.quiet { Self.warn(text) } }

    /// Warnings about a file, with equal kinds grouped.
    func warnings(_ texts: [String], of file: String) {
        for text in Kinds.counted(texts) { remark("warning:", .doubtful, text, of: file) }
    }

    /// Notes about a file for the signer, in one line.
    func note(_ texts: [String], of file: String) {
        guard !texts.isEmpty else { return }
        remark("note:", .faint, Self.printable(texts.joined(separator: "; ")), of: file)
    }

    /// In a batch, equal warnings and notes of several files are printed once at the end.
    private func remark(_ word: String, _ tone: Tone, _ text: String, of file: String) {
        guard !options.quiet else { return }
        guard isBatch else { return Self.say(word, tone, "\(Self.printable(file)): \(text)") }
        memory.keep(Memory.Remark(word: word, tone: tone, text: text, file: file))
    }

    /// Prints the warnings and notes of a batch, and the number of errors that were not printed.
    func finishBatch() {
        for (message, count) in memory.takeErrors(above: Self.equalErrorLimit) {
            Self.say("error:", .bad, "\(count) more \(count == 1 ? "file" : "files"): \(message)")
        }
        for remark in memory.takeRemarks() {
            let others = remark.otherCount
            let more = others == 0 ? "" : " and \(others) more \(others == 1 ? "file" : "files")"
            Self.say(
                remark.word, remark.tone, "\(Self.printable(remark.file))\(more): \(remark.text)")
        }
    }

    /// Maximum number of errors with the same message that a batch prints.
    private static let equalErrorLimit = 10

    func warnings(_ texts: [Sentence], of file: String) { warnings(texts.map(\.text), of: file) }

    /// Prints a suggestion for the next step after a success.
    func hint(_ text: String) { if !options.quiet { Self.say("hint:", .strong, text) } }

    static func warn(_ text: String) { say("warning:", .doubtful, text) }

    /// Prints an error in one line, even with --quiet.
    static func complain(_ text: String) { say("error:", .bad, printable(text)) }

    /// Prints a message on standard error.
    private static func say(_ word: String, _ tone: Tone, _ text: String) {
        var message = StyledText("signet: ")
        message.append(word, tone)
        message.append(" ")
        message.append(StyledText(hint: text))
        let style = TextStyle(.error)
        Terminal.writeError(style.lines(message, hanging: messageIndent) + "\n")
    }

    /// Indentation of continuation lines.
    private static let messageIndent = 8

    /// Prints a batch summary, which is neither a result nor a warning.
    func remark(_ text: String) { if !options.quiet { Self.step(text) } }

    /// Reports `error` and returns its exit status.
    ///
    /// - Parameter input: the processed input, if there are several.
    func failure(_ error: any Error, input: String? = nil) -> ExitStatus {
        let known = SignetError(unforeseen: error)
        let isBug = known.code == .internalFailure && !(error is SignetError)
        let hint: Sentence? =
            isBug
            ? "this is a bug in Signet; please report it with the command"
            : known.hint
        let status = ExitStatus(known.code)
        if options.json {
            let isPrinted = input.map {
                !$0.isExactly(known.file ?? "") && FileSystem.isPlausible($0)
            }
            let document = ErrorDocument(
                file: known.file, input: isPrinted == true ? input : nil, code: status.rawValue,
                message: known.message, hint: hint)
            try? result(json: document)
        }
        let complaint = (known.file.map { "\($0): " } ?? "") + known.message
        let isPrinted =
            !isBatch || known.file == nil || options.verbose
            || memory.count(error: known.message) <= Self.equalErrorLimit
        if isPrinted, memory.isNew(error: complaint) { Self.say("error:", .bad, complaint) }
        if let hint = hint?.text, !options.quiet, memory.isNew(hint: hint) {
            Self.say("hint:", .strong, hint)
        }
        return status
    }

    /// Messages already printed in this run. A hint that applies to many files is printed once. A
    /// problem independent of files, such as a wrong passphrase, is reported once.
    private final class Memory {
        private var errors: Set<String> = []
        private var hints: Set<String> = []
        /// Whether results cannot be written, such as to a closed pipe.
        var isOutputLost = false
        /// Whether the reader of standard output has closed the pipe.
        var isReaderGone = false
        /// Warnings and notes of a batch, printed once at the end.
        private var remarks: [Remark] = []
        private var remarkIndices: [String: Int] = [:]
        private var errorCounts: [String: Int] = [:]

        struct Remark {
            let word: String
            let tone: Tone
            let text: String
            let file: String
            var otherCount = 0
        }

        func keep(_ remark: Remark) {
            let kind = remark.word + Kinds.kind(of: remark.text)
            if let index = remarkIndices[kind] {
                remarks[index].otherCount += 1
            } else {
                remarkIndices[kind] = remarks.count
                remarks.append(remark)
            }
        }

        func takeRemarks() -> [Remark] {
            defer { (remarks, remarkIndices) = ([], [:]) }
            return remarks
        }

        /// The number of errors with this message so far, including this one.
        func count(error message: String) -> Int {
            errorCounts[message, default: 0] += 1
            return errorCounts[message] ?? 0
        }

        /// Messages of more errors than were printed, with the number of the others.
        func takeErrors(above limit: Int) -> [(message: String, count: Int)] {
            defer { errorCounts = [:] }
            return errorCounts.filter { $0.value > limit }.map { ($0.key, $0.value - limit) }
                .sorted { $0.message < $1.message }
        }

        func isNew(error: String) -> Bool { errors.insert(error).inserted }
        func isNew(hint: String) -> Bool { hints.insert(hint).inserted }
    }

    private struct ErrorDocument: Encodable {
        let schema = "signet.error/1"
        let file: String?
        /// The processed input if the error names another file: an output, a key.
        let input: String?
        let code: Int32
        let message: String
        let hint: Sentence?
    }

    /// Runs `body` for each input. All inputs are processed; the most severe status is thrown.
    static func handleAll(
        _ inputs: [String], _ options: OutputOptions,
        _ body: (String, Reporter) throws -> ExitStatus
    ) throws {
        let reporter = Reporter(options: options, isBatch: inputs.count > 1)
        let statuses = inputs.map { input in
            reporter.status(of: input) { try body(input, reporter) }
        }
        reporter.finishBatch()
        let worst = reporter.worst(of: statuses)
        if worst != .done { throw worst }
    }

    func status(of input: String? = nil, _ body: () throws -> ExitStatus) -> ExitStatus {
        do {
            return try body()
        } catch {
            return failure(error, input: input)
        }
    }
}
