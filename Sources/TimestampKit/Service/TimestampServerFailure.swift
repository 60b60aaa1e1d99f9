package import Base

/// The reason why one TSA gave no usable timestamp.
package struct TimestampServerFailure: Error, Equatable, Sendable {
    package enum Code: Int, Sendable, Comparable {
        /// The response does not match the request (hash, nonce or certificate), or its signature
        /// does not verify.
        case wrongAnswer
        /// No response, not a timestamp response, or a rejection.
        case unavailable
        /// The server requires another login or client certificate.
        case loginRefused

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    package let code: Code
    /// The address of the TSA.
    package let server: String
    /// What failed, in lower case without a full stop.
    package let detail: String
    package let hint: Sentence?

    package init(_ code: Code, _ server: String, _ detail: String, hint: Sentence? = nil) {
        self.code = code
        self.server = server
        self.detail = detail
        self.hint = hint
    }
}

/// The reason why no TSA gave a timestamp. The most important failure determines the kind: the user
/// can correct a login.
package struct TimestampServiceError: Error, Sendable {
    /// One for each TSA, in the order of the attempts; never empty.
    package let failures: [TimestampServerFailure]

    package var worst: TimestampServerFailure? { failures.max { $0.code < $1.code } }
}
