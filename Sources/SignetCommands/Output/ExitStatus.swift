import SignetKit

/// The exit codes. 1 is never chosen.
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
            }
    }

    /// From what outweighs all others to what any other outweighs.
    private static let precedence: [ExitStatus] = [
        .internalFailure, .inputOutput, .outputRefused, .credentialRefused,
        .serviceUnavailable, .missingInput, .malformedInput, .usage, .invalid, .indeterminate,
        .nothingToVerify, .done,
    ]

    /// Of several inputs the worst one decides.
    static func worst(of statuses: [ExitStatus]) -> ExitStatus {
        precedence.first(where: statuses.contains) ?? .done
    }
}
