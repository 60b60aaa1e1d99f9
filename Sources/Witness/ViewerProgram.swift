package import SystemBridge

/// An installed program that reads PDF or SVG files. It runs in a separate process without secrets,
/// with limits of time, memory and output, because the files are untrusted.
package struct ViewerProgram: Sendable {
    package let name: String
    package let package: String
    /// Arguments for a file on standard input.
    package let arguments: [String]
    package let limits: ChildProcess.Limits

    /// Maximum length of an error message that is shown, in bytes.
    private static let messageLimit = 400

    package init(
        _ name: String, package: String, _ arguments: [String], _ limits: ChildProcess.Limits
    ) {
        self.name = name
        self.package = package
        self.arguments = arguments
        self.limits = limits
    }

    /// The path of an installed program. Nil if it is missing, or if other users can replace it.
    package static func path(of name: String) -> String? {
        FileSystem.program(name).flatMap { FileSystem.changeablePlace(of: $0) == nil ? $0 : nil }
    }

    /// What a program prints about its version; empty if it prints nothing.
    package static func versionText(of path: String) -> String {
        let outcome = try? ChildProcess.run(
            path, ["-v"], environment: [:], input: [], limit: versionByteLimit,
            seconds: versionSeconds)
        return outcome.map { String(decoding: $0.output + $0.errors, as: UTF8.self) } ?? ""
    }

    private static let (versionByteLimit, versionSeconds) = (64 << 10, 5.0)

    package func output(for file: InputFile) throws(WitnessError) -> [UInt8] {
        guard let path = Self.path(of: name) else {
            throw WitnessError(.notInstalled, name, package: self.package)
        }
        let outcome: ChildProcess.Outcome
        do throws(ChildProcess.Failure) {
            outcome = try ChildProcess.run(path, arguments, input: file, limits)
        } catch {
            let reason =
                switch error {
                case .notStarted(let number): "cannot be started (error \(number))"
                case .timeout: "took longer than \(Int(limits.seconds)) seconds"
                case .tooMuchOutput: "wrote more than \(limits.outputByteCount >> 20) MB"
                }
            throw WitnessError(.failed, "\(name) cannot read the file: it \(reason)")
        }
        guard outcome.status == 0, !outcome.output.isEmpty else {
            let words =
                String(decoding: outcome.errors.prefix(Self.messageLimit), as: UTF8.self)
                .split(whereSeparator: \.isNewline).first.map { ": \($0)" } ?? ""
            let end =
                outcome.status.map { "failed with exit code \($0)" } ?? "was terminated by a signal"
            throw WitnessError(.failed, "\(name) cannot read the file: it \(end)\(words)")
        }
        return outcome.output
    }
}

package struct WitnessError: Error, Sendable {
    package enum Kind: Sendable {
        /// No suitable program is installed; ``package`` contains one.
        case notInstalled
        /// The program could not read the document, or exceeded its limits.
        case failed
    }

    package let kind: Kind
    /// The program's name, or a clause that begins with it.
    package let detail: String
    /// The Debian package to install.
    package let package: String?

    init(_ kind: Kind, _ detail: String, package: String? = nil) {
        self.kind = kind
        self.detail = detail
        self.package = package
    }
}
