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

    /// The text of `signet help exit-codes`.
    static var help: String {
        let codes = allCases.map { "  \($0.rawValue)".padding(to: 6) + $0.meaning }
        return """
            Exit codes

            \(codes.joined(separator: "\n"))

            With several inputs the most severe code decides:
            \(precedence.map { String($0.rawValue) }.joined(separator: ", "))
            The summary of --json has the number of files by code.
            """
    }

    private var meaning: String {
        switch self {
        case .done: "success; for verify: all signatures passed"
        case .indeterminate:
            "indeterminate: signature intact, but signer or signing time not confirmed;\n"
                + "      for sign with --level LT or LTA, and extend: a certificate or timestamp is not trusted"
        case .invalid:
            "failed: a signature is invalid, or a trusted timestamp proves that it was made\n"
                + "      after its certificate was revoked"
        case .nothingToVerify: "the file contains no signature"
        case .usage: "usage error"
        case .malformedInput:
            "malformed input, or the document or certificate does not permit the operation"
        case .missingInput: "missing or unreadable input"
        case .serviceUnavailable:
            "service unavailable (TSA, OCSP, CRL, signing service): try again later"
        case .internalFailure: "internal error (a bug)"
        case .outputRefused:
            "output cannot be created (it exists, or its folder is missing)"
        case .inputOutput: "input/output error (such as a full disk)"
        case .credentialRefused:
            "credential refused (passphrase, PIN, password), no terminal to ask,\n"
                + "      or the key, certificate, CSR or signature do not match"
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
