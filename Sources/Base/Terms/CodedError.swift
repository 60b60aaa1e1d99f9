/// An error with a code for programs. Equality compares only the codes.
package struct CodedError<ErrorCode: Sendable & Equatable>: Error, Equatable, Sendable,
    CustomStringConvertible
{
    package typealias Code = ErrorCode

    package let code: Code
    /// What failed, in one line, in lower case without a full stop.
    package let detail: String
    /// What to try instead.
    package let hint: Sentence?
    /// The underlying error; nil if there is none.
    package let cause: (any Error)?

    package init(_ code: Code, _ detail: String, hint: Sentence? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.detail = detail
        self.hint = hint
        self.cause = cause
    }

    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    package var description: String { detail }
}
