import SignetKit

extension Batch {
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
