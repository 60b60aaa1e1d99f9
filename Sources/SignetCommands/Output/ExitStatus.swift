import SignetKit

/// The exit codes. 1 is never used.
enum ExitStatus: Int32, Error, CaseIterable {
    case done = 0
    case indeterminate = 3
    case invalid = 4
    case nothingToVerify = 5
    case usage = 64
    case malformedInput = 65
    case missingInput = 66
    case serviceUnavailable = 69
    case internalFailure = 70
    case outputRefused = 73
    case inputOutput = 74
    case credentialRefused = 77

    init(_ code: SignetError.Code) {
        self =
            switch code {
            case .usage: .usage
            case .malformedInput: .malformedInput
            case .missingInput: .missingInput
            case .serviceUnavailable: .serviceUnavailable
            case .wrongAnswer: .invalid
            case .internalFailure: .internalFailure
            case .outputRefused: .outputRefused
            case .inputOutput: .inputOutput
            case .credentialRefused: .credentialRefused
            case .untrusted: .indeterminate
            case .invalidSignature, .signerRevoked: .invalid
            case .nothingToVerify: .nothingToVerify
            }
    }

    /// The possible exit codes of a command.
    enum Range {
        /// Creates files.
        case making
        /// Creates files and contacts servers.
        case asking
        /// Creates files that reach a level, or none.
        case reaching
        /// Extends existing signatures.
        case extending
        /// Verifies signatures.
        case checking
        /// Verifies without contacting servers.
        case proving
    }

    /// The codes for the end of a command's help.
    static func help(_ range: Range) -> String {
        let codes = allCases.filter { code in
            switch code {
            case .indeterminate: [.checking, .reaching, .extending].contains(range)
            case .nothingToVerify: range == .checking || range == .extending
            case .invalid: [.checking, .reaching, .extending, .proving].contains(range)
            default: true
            }
        }
        return codes.reduce("\n\nExit codes:") { text, code in
            text + "\n" + "  \(code.rawValue)".padding(to: 6) + code.meaning(range)
        }
    }

    private func meaning(_ range: Range) -> String {
        switch self {
        case .done: range == .checking ? "done; for verify: every signature passed" : "done"
        case .indeterminate:
            range == .checking
                ? "indeterminate: intact, but trust or time could not be established"
                : "the level cannot be reached: trust or evidence is missing"
        case .invalid:
            switch range {
            case .checking: "invalid: at least one signature failed"
            case .reaching, .extending:
                "a signature that is there is invalid, or its certificate was revoked"
            default: "invalid: it does not fit"
            }
        case .nothingToVerify: "nothing to verify: no signature in the file"
        case .usage: "usage"
        case .malformedInput: "input malformed"
        case .missingInput: "input missing or unreadable"
        case .serviceUnavailable: "service unavailable (timestamp, revocation)"
        case .internalFailure: "internal error (a bug)"
        case .outputRefused: "output cannot be created (exists without --force, folder missing)"
        case .inputOutput: "input/output error (disk full)"
        case .credentialRefused:
            "credential refused (passphrase, PDF password, key; no terminal to ask on)"
        }
    }

    /// From the most to the least severe status.
    private static let precedence: [ExitStatus] = [
        .internalFailure, .inputOutput, .outputRefused, .credentialRefused,
        .serviceUnavailable, .missingInput, .malformedInput, .usage, .invalid, .indeterminate,
        .nothingToVerify, .done,
    ]

    /// The most severe status of several inputs.
    static func worst(of statuses: [ExitStatus]) -> ExitStatus {
        precedence.first(where: statuses.contains) ?? .done
    }
}

extension String {
    func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
