/// Work in passes: the next pass of a file begins when all files of its group have finished this
/// one. A request between two passes serves the whole group.
package enum Pass<Value: Sendable>: @unchecked Sendable {
    // Sendable: one thread at a time has it, and passes of the same file follow each other.
    case done(Value)
    case next(() throws -> Pass)

    /// Performs the next pass.
    package func advanced() throws -> Pass {
        switch self {
        case .done: self
        case .next(let body): try body()
        }
    }

    /// Performs all remaining passes without waiting for other files.
    package func finish() throws -> Value {
        var pass = self
        while true {
            switch pass {
            case .done(let value): return value
            case .next(let body): pass = try body()
            }
        }
    }

    /// Runs the first pass of `body`; the last result, or the first error, is passed to `end`.
    package static func run<Made: Sendable>(
        _ body: () throws -> Pass<Made>, end: @escaping (Result<Made, any Error>) throws -> Value
    ) throws -> Pass {
        let pass: Pass<Made>
        do {
            pass = try body()
        } catch {
            return .done(try end(.failure(error)))
        }
        switch pass {
        case .done(let value): return .done(try end(.success(value)))
        case .next(let next): return .next { try run(next, end: end) }
        }
    }
}
