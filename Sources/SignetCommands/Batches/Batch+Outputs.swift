import SignetKit
import SystemBridge

extension Batch {
    /// Where nothing can be done at all, since no input is to be had or no output can be made, that is
    /// said now: before a key is looked for that may ask for its secret.
    ///
    /// - Parameter output: where the output of an input goes; nil where that does not matter yet.
    func requireWork(_ output: @escaping @Sendable (String) throws -> Destination?) throws {
        let check: @Sendable (String) throws -> Void = { input in
            // What is no file may be read once only.
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

    /// Handles all inputs, each of which gets an output; the worst status is thrown.
    ///
    /// - Parameters:
    ///   - naming: how the output of an input is called.
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
            guard let destination else { throw SignetError(.usage, file: input, "has no output") }
            return try work(input, destination)
        } report: { input, made, reporter in
            try report(input, made, reporter)
        }
    }
}

extension ExistingOutput {
    /// What is wrong with an output, by the paths of it and its input; nil for nothing.
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
    /// What a warning says of the output.
    var text: String {
        switch self {
        case .unreadable: "it cannot be read"
        case .otherBeginning: "it does not begin with the input"
        case .unsigned: "it is no signed version of the input"
        case .badSignature(let words): "its signature is not good: \(words)"
        case .addedAfter: "something was added after its signature"
        case .otherDocument(let words): "it is another document: \(words)"
        case .changedAfter(let words): "it was changed after its signature: \(words)"
        case .otherSigner(let name): "it is signed by another certificate, of \(name.inQuotes)"
        case .otherContent: "it is no signature of the input"
        }
    }
}
