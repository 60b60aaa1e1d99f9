/// Why a task could not be done: what failed, where, and what to do instead.
public struct SignetError: Error, Equatable, Sendable {
    /// What kind of failure it is. Each has one exit code on the command line.
    public enum Code: String, Sendable, CaseIterable {
        /// The request contradicts itself or the document: an unknown page, an ambiguous field.
        case usage
        /// The input is not what it should be, or forbids what is asked.
        case malformedInput = "malformed-input"
        /// The input is missing or unreadable.
        case missingInput = "missing-input"
        /// A bug in Signet.
        case internalFailure = "internal"
        /// The output exists or cannot be created.
        case outputRefused = "output-refused"
        /// A server gave no answer, or none that can be used.
        case serviceUnavailable = "service-unavailable"
        /// A server's answer is not what was asked for: it must not be relied on.
        case wrongAnswer = "wrong-answer"
        /// Reading or writing failed midway.
        case inputOutput = "input-output"
        /// A passphrase, key or certificate was refused.
        case credentialRefused = "credential-refused"
        /// A certificate or time stamp cannot be relied on.
        case untrusted
        /// A signature of the input does not stand.
        case invalidSignature = "invalid-signature"
        /// There is no signature in the input.
        case nothingToVerify = "nothing-to-verify"
        /// The signer's certificate was revoked or put on hold.
        case signerRevoked = "signer-revoked"
    }

    /// The kind of failure, stable for programs.
    public let code: Code
    /// The file at fault.
    public let file: String?
    /// One line, lower case, no full stop.
    public let message: String
    /// What to try instead.
    public let hint: Sentence?

    /// - Parameters:
    ///   - file: what it is about; nil for the task as a whole.
    ///   - message: what failed, as a fact.
    ///   - hint: what to do about it.
    public init(_ code: Code, file: String? = nil, _ message: String, hint: Sentence? = nil) {
        self.code = code
        self.file = file
        self.message = message
        self.hint = hint
    }

    /// Equality compares the code alone, so that tests do not hang on prose.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
