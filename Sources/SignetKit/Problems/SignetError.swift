/// An error of a task: the cause, the file, and a hint.
public struct SignetError: Error, Equatable, Sendable {
    /// The kind of error. Each has one exit code on the command line.
    public enum Code: String, Sendable, CaseIterable {
        /// The options contradict each other or the document: an unknown page, an ambiguous field.
        case usage
        /// The input is malformed, or does not permit the operation.
        case malformedInput = "malformed-input"
        /// The input is missing or unreadable.
        case missingInput = "missing-input"
        /// A bug in Signet.
        case internalFailure = "internal"
        /// The output exists or cannot be created.
        case outputRefused = "output-refused"
        /// A server gave no usable response.
        case serviceUnavailable = "service-unavailable"
        /// A server's response does not match the request, and must not be used.
        case wrongAnswer = "wrong-answer"
        /// An I/O error while reading or writing.
        case inputOutput = "input-output"
        /// A passphrase, key or certificate was rejected.
        case credentialRefused = "credential-refused"
        /// A certificate or timestamp is not trusted.
        case untrusted
        /// A signature in the input is invalid.
        case invalidSignature = "invalid-signature"
        /// There is no signature in the input.
        case nothingToVerify = "nothing-to-verify"
        /// The signing certificate was revoked or on hold.
        case signerRevoked = "signer-revoked"
    }

    /// The kind of error, stable for programs.
    public let code: Code
    /// Path of the file that caused the error; nil for the task as a whole.
    public let file: String?
    /// Message for people: one line, lower case, without a full stop.
    public let message: String
    /// Suggested action.
    public let hint: Sentence?

    /// - Parameters:
    ///   - file: the file concerned; nil for the task as a whole.
    ///   - message: the failure, as a fact.
    ///   - hint: suggested action.
    public init(_ code: Code, file: String? = nil, _ message: String, hint: Sentence? = nil) {
        self.code = code
        self.file = file
        self.message = message
        self.hint = hint
    }

    /// Equality compares only the code, so that tests do not depend on messages.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
