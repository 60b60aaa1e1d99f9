package import Base

/// Why one authority gave no usable timestamp.
package struct TimestampServerFailure: Error, Equatable, Sendable {
    package enum Code: Int, Sendable, Comparable {
        /// It answered, but not what was asked: another hash, nonce or certificate, a signature
        /// that does not verify.
        case wrongAnswer
        /// No answer, or none that is a timestamp; or it refused to stamp.
        case unavailable
        /// It wants another login or client certificate.
        case loginRefused

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    package let code: Code
    /// The authority's address.
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

/// Why none of the authorities gave a timestamp. What weighs most decides its kind: a login can be
/// mended.
package struct TimestampServiceError: Error, Sendable {
    /// One for each authority, in the order they were tried; never empty.
    package let failures: [TimestampServerFailure]

    package var worst: TimestampServerFailure? {
        failures.max { $0.code < $1.code }
    }
}
