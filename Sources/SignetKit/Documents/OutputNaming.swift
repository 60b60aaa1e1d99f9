import Base
import SystemBridge

/// Derives output paths from input paths.
public struct OutputNaming: Sendable {
    private let output: String?
    private var inPlace = false
    private var replace = false
    private let suffix: String
    private let dropped: [String]
    private let isBatch: Bool
    /// Subfolders of the output folder, for inputs found in folders.
    private let subfolders: [ExactText: String]

    /// - Parameters:
    ///   - output: a file, or a folder, which is created if it ends in a slash; nil writes next to
    ///     the input.
    ///   - suffix: ending of the output's name.
    ///   - dropped: extensions that the suffix replaces. It is appended to other extensions.
    ///   - inputs: outputs of files found in folders are written to the same subfolders of the
    ///     output folder.
    ///   - isBatch: whether `output` must be a folder, as for several inputs.
    public init(
        output: String?, suffix: String, dropping dropped: [String] = ["pdf"],
        for inputs: [BatchSelection.Input] = [], isBatch: Bool = false
    ) {
        self.output = output
        self.suffix = suffix
        self.dropped = dropped
        self.isBatch = isBatch || inputs.count > 1
        subfolders = Dictionary(
            inputs.filter { !$0.subfolder.isEmpty }.map { (ExactText($0.path), $0.subfolder) },
            uniquingKeysWith: { first, _ in first })
    }

    /// A copy for outputs that may replace files.
    ///
    /// - Parameters:
    ///   - isPermitted: whether existing files may be replaced.
    ///   - inPlace: whether each output replaces its input.
    public func replacing(_ isPermitted: Bool, inPlace: Bool = false) -> OutputNaming {
        var names = self
        (names.replace, names.inPlace) = (isPermitted, inPlace)
        return names
    }

    /// Checks, before anything is written, that all outputs are different and none replaces an
    /// input.
    ///
    /// - Parameter naming: returns the naming of an input; several kinds of outputs have one each.
    /// - Throws: ``SignetError``.
    package static func plan(_ inputs: [String], naming: (String) throws -> OutputNaming) throws {
        guard inputs.count > 1, let run = RunFiles.current else { return }
        try requireFolder(inputs, naming: naming)
        var outputs: [String] = []
        var isInPlace = false
        for input in inputs {
            // Errors are reported later, for each input.
            guard let one = try? naming(input), let output = try? one.destination(for: input)
            else { continue }
            outputs.append(output.path)
            isInPlace = output.isInPlace
        }
        do {
            try run.plan(outputs: outputs, inputs: inputs, isInPlace: isInPlace)
        } catch {
            throw SignetError(error)
        }
    }

    /// Checks that outputs of several kinds are different, before any is written.
    package static func requireDistinct(_ outputs: [String]) throws {
        do {
            try RunFiles.current?.plan(outputs: outputs, inputs: [], isInPlace: false)
        } catch {
            throw SignetError(error)
        }
    }

    /// Throws once for all inputs if several outputs have one file as destination.
    package static func requireFolder(
        _ inputs: [String], naming: (String) throws -> OutputNaming
    ) throws {
        guard let first = inputs.first, let names = try? naming(first), names.lacksFolder else {
            return
        }
        _ = try names.destination(for: first)
    }

    /// The inputs except outputs of an earlier run, which patterns such as `*.pdf` match too.
    package static func withoutOutputs(
        _ inputs: [BatchSelection.Input], naming: (String) throws -> OutputNaming
    ) -> [BatchSelection.Input] {
        let outputs = Set(
            inputs.compactMap { try? naming($0.path).destination(for: $0.path).path }
                .filter { FileSystem.isRegularFile($0) }
                .map { ExactText(FileSystem.resolved($0)) })
        guard !outputs.isEmpty else { return inputs }
        return inputs.filter { !outputs.contains(ExactText(FileSystem.resolved($0.path))) }
    }

    /// Whether one file is the destination of several outputs.
    private var lacksFolder: Bool {
        guard let output, output != "-", isBatch, !inPlace else { return false }
        return !FileSystem.isDirectory(output)
            && (FileSystem.exists(output) || !FileSystem.endsInSlash(output))
    }

    /// The destination for an input.
    ///
    /// - Throws: ``SignetError`` if it would replace a file without permission.
    public func destination(for input: String) throws(SignetError) -> Destination {
        if inPlace { return Destination(path: input, replacesExisting: true, isInPlace: true) }
        if let output, output != "-" {
            // Asked once: another file of the batch may create the folder at the same time.
            let isDirectory = FileSystem.isDirectoryIfThere(output)
            let isNew = isDirectory == nil && FileSystem.endsInSlash(output)
            let isFolder = isDirectory ?? isNew
            guard isFolder || !isBatch else {
                throw SignetError(
                    .outputRefused, file: output,
                    "several input files, a folder, a list or a journal require a folder as output",
                    hint: Sentence(.makeFolder, output))
            }
            guard isFolder else {
                let destination = try checked(output, input: input)
                if suffix.hasSuffix(".pdf") { try Self.requirePDFName(output) }
                return destination
            }
            let subfolder = subfolders[ExactText(input)] ?? ""
            let folder = subfolder.isEmpty ? output : FileSystem.joined(output, subfolder)
            return try checked(
                FileSystem.joined(folder, derivedName(input)), input: input,
                makesFolder: isNew || !subfolder.isEmpty)
        }
        if output == "-" || input == "-" {
            guard !isBatch else {
                throw SignetError(
                    .usage, "several outputs cannot be written to standard output",
                    hint: Sentence(.giveOutputFolder))
            }
            return Destination(path: "-")
        }
        let folder = input.utf8.contains(UInt8(ascii: "/")) ? FileSystem.folder(of: input) : ""
        return try checked(FileSystem.joined(folder, derivedName(input)), input: input)
    }

    /// Throws if the name of a PDF to be written is that of another file type, which would mislead
    /// its readers.
    package static func requirePDFName(_ output: String) throws(SignetError) {
        guard otherEndings.contains(where: { FileSystem.without(ending: "." + $0, output) != nil })
        else { return }
        throw SignetError(
            .usage, file: output,
            "the output would be a PDF, but its name is that of another file type",
            hint: Sentence(.useNameOfPDF))
    }

    private static let otherEndings =
        PictureFormats.nameExtensions + [
            "asice", "asics", "doc", "docx", "ers", "html", "json", "odt", "p7m", "p7s",
            "txt", "tsr", "xml", "zip",
        ]

    /// Throws if the output is the input, unless in-place output was requested.
    private func checked(
        _ path: String, input: String, makesFolder: Bool = false
    ) throws(SignetError) -> Destination {
        guard path == "-" || input == "-" || !FileSystem.isSameFile(path, input) else {
            throw SignetError(
                .outputRefused, file: path, "the output file is the input file",
                hint: Sentence(.replaceInput))
        }
        return Destination(path: path, replacesExisting: replace, makesFolder: makesFolder)
    }

    private func derivedName(_ input: String) -> String {
        let name = FileSystem.name(of: FileSystem.withoutEndingSlashes(input))
        if name == "-" { return "stdin" + suffix }
        let stem = dropped.lazy.compactMap { FileSystem.without(ending: "." + $0, name) }.first
        return (stem ?? name) + suffix
    }
}
