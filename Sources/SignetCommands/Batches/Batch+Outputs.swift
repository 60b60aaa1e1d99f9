import SignetKit
import SystemBridge

extension Batch {
    /// Throws before a key or passphrase is requested if no input is readable or no output can be
    /// created.
    ///
    /// - Parameter output: the destination of an input; nil to check only the input.
    func requireWork(_ output: @escaping @Sendable (String) throws -> Destination?) throws {
        let check: @Sendable (String) throws -> Void = { input in
            // A path that is not a regular file may be readable only once.
            guard input != "-", FileSystem.isRegularFile(input) || !FileSystem.exists(input) else {
                return
            }
            _ = try FileKind.of(.file(input))
            if let output = try output(input), !output.isInPlace { try output.rehearse() }
        }
        guard !inputs.isEmpty, !inputs.contains(where: { (try? check($0)) != nil }) else { return }
        try run { _ in
            nil
        } work: { input, _ in
            try check(input)
        } report: { _, _, _ in
            .done
        }
    }

    /// Processes all inputs with one output each; the worst status is thrown.
    ///
    /// - Parameters:
    ///   - naming: naming of the outputs.
    ///   - work: called on any thread.
    ///   - report: called in the order of the inputs.
    func run<Made: Sendable>(
        naming: @escaping @Sendable (String) throws -> OutputNaming,
        work: @escaping @Sendable (String, Destination) throws -> Made,
        report: (String, Made, Reporter) throws -> ExitStatus
    ) throws {
        try run { input in
            try naming(input).destination(for: input)
        } work: { input, destination in
            guard let destination else {
                throw SignetError(.usage, file: input, "the input has no output")
            }
            return try work(input, destination)
        } report: { input, made, reporter in
            try report(input, made, reporter)
        }
    }
}

extension ExistingOutput {
    /// - Returns: a function of the paths of output and input. It returns the problem of an
    ///   existing output, or nil.
    func words(
        isDocument: @escaping @Sendable (String) throws -> Bool
    ) -> @Sendable (String, String) -> String? {
        { output, input in
            guard let isDocument = try? isDocument(input) else { return nil }
            return doubt(about: output, of: input, isDocument: isDocument)?.text
        }
    }
}

extension ExistingOutput.Doubt {
    /// The problem as a warning text.
    var text: String {
        switch self {
        case .unreadable: "the existing file cannot be read"
        case .otherBeginning: "its beginning differs from the input"
        case .unsigned: "it is not a signed version of the input"
        case .badSignature(let words): "its signature is not valid: \(words)"
        case .addedAfter: "it was changed after signing"
        case .otherDocument(let words): "it is another document: \(words)"
        case .changedAfter(let words): "it was changed after signing: \(words)"
        case .otherSigner(let name): "it is signed with another certificate, of \(name.inQuotes)"
        case .otherContent: "it is not a signature of the input"
        }
    }
}
