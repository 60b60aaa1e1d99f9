import FileBridge
import PDFCore

/// An installed program that reads PDF files: in a process of its own, which holds no secret, and
/// with limits, since the files may be anybody's.
struct OutsideProgram {
    let name: String
    /// With the file as standard input.
    let arguments: [String]
    let outputLimit: Int
    /// How long it may take.
    var seconds = 60.0

    private static let memoryLimit = 2 << 30

    /// What the first of some programs that is installed writes.
    ///
    /// - Parameters:
    ///   - task: for messages: `to search text`.
    ///   - package: has the first one.
    /// - Throws: ``SignetError``: `missingInput` where none is installed.
    static func output(
        of programs: [OutsideProgram], for file: InputFile, _ task: String, package: String
    ) throws -> [UInt8] {
        let (program, path) = try installed(of: programs, task, package: package)
        return try program.run(path, file, task)
    }

    /// - Throws: ``SignetError`` for documents that programs take for empty ones: they do not know how
    ///   these are encrypted, and fail at nothing.
    static func requireReadable(_ document: PDFDocument) throws {
        guard document.encryption?.isMistakenByPrograms == true else { return }
        throw SignetError(
            .malformedInput,
            "the document is encrypted in a way that installed programs cannot read (ISO/TS 32003): "
                + "they show empty pages", advice: .place(.sayPlaceOfProtected))
    }

    private static func installed(
        of programs: [OutsideProgram], _ task: String, package: String
    ) throws -> (OutsideProgram, path: String) {
        for program in programs {
            if let path = FileSystem.program(program.name) { return (program, path) }
        }
        let names = programs.map(\.name).joined(separator: " or ")
        throw SignetError(
            .missingInput, "\(task) the program \(names) is needed, which is not installed",
            advice: .general(.installPackage(package)))
    }

    private func run(_ path: String, _ file: InputFile, _ task: String) throws -> [UInt8] {
        let limits = ChildProcess.Limits(
            memoryByteCount: Self.memoryLimit, outputByteCount: outputLimit, seconds: seconds)
        let outcome: ChildProcess.Outcome
        do throws(ChildProcess.Failure) {
            outcome = try ChildProcess.run(path, arguments, input: file, limits)
        } catch {
            let reason =
                switch error {
                case .notStarted(let number): "could not be started (error \(number))"
                case .timeout: "took longer than \(Int(seconds)) seconds"
                case .tooMuchOutput: "found more than \(outputLimit >> 20) MB"
                }
            throw failure(path, reason)
        }
        guard outcome.status == 0, !outcome.output.isEmpty else {
            let words =
                String(decoding: outcome.errors.prefix(Self.toldByteCount), as: UTF8.self)
                .split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
            throw failure(
                path,
                (outcome.status.map { "failed with \($0)" } ?? "was ended by a signal") + words)
        }
        return outcome.output
    }

    private static let toldByteCount = 400

    private func failure(_ path: String, _ reason: String) -> SignetError {
        SignetError(
            .malformedInput, "\(path) cannot read the document: it \(reason)",
            advice: .place(.sayPlaceOfProtected))
    }
}

// Pictures of pages.
extension OutsideProgram {
    private static let pictureByteLimit = 64 << 20
    private static let drawing = (task: "to draw pages", package: "poppler-utils")

    /// - Parameter side: the longest one of the picture, in pixels.
    private static func drawers(of page: Int, side: Int, seconds: Double) -> [OutsideProgram] {
        [
            OutsideProgram(
                name: "pdftoppm",
                arguments: [
                    "-q", "-png", "-singlefile", "-cropbox", "-scale-to", "\(side)", "-f",
                    "\(page)", "-l", "\(page)", "/dev/stdin",
                ], outputLimit: pictureByteLimit, seconds: seconds),
            OutsideProgram(
                name: "mutool",
                arguments: [
                    "draw", "-q", "-F", "png", "-w", "\(side)", "-h", "\(side)", "-o", "-",
                    "/dev/stdin", "\(page)",
                ], outputLimit: pictureByteLimit, seconds: seconds),
        ]
    }

    /// The program that ``picture(of:in:side:seconds:)`` has draw.
    static func nameOfDrawer() throws -> String {
        try installed(
            of: drawers(of: 1, side: 1, seconds: 1), drawing.task, package: drawing.package
        ).0.name
    }

    /// A page as PNG.
    static func picture(
        of page: Int, in file: InputFile, side: Int, seconds: Double = 60
    ) throws -> [UInt8] {
        try output(
            of: drawers(of: page, side: side, seconds: seconds), for: file, drawing.task,
            package: drawing.package)
    }
}
