import ArgumentParser

/// A command that reports its errors according to its output options.
protocol ReportingCommand: ParsableCommand {
    var messages: OutputOptions { get }

    func run(_ reporter: Reporter) throws
}

extension ReportingCommand {
    func run() throws {
        let reporter = Reporter(options: messages)
        do {
            try run(reporter)
        } catch let status as ExitStatus {
            throw status
        } catch let mistake as ValidationError {
            throw mistake
        } catch {
            throw reporter.failure(error)
        }
    }
}
