import Base

/// A property that the document requires of its signature and that the signer can request as well.
///
/// The signer must accept it explicitly: see ``isAgreed``.
package struct SigningDemand: Equatable, Sendable {
    package enum Code: String, Sendable {
        case reason, certification, lock
        case lockLevel = "lock-level"
        case subfilter, digest
    }

    package let code: Code
    /// The required value; empty if there are several ``choices``.
    package let value: String
    /// The permitted values, one of which the signer must choose.
    package let choices: [String]
    /// Whether the signer requested the same value.
    package let isAgreed: Bool

    package init(_ code: Code, _ value: String, isAgreed: Bool) {
        self.code = code
        self.value = value
        choices = []
        self.isAgreed = isAgreed
    }

    package init(_ code: Code, oneOf choices: [String]) {
        self.code = code
        value = ""
        self.choices = choices
        isAgreed = false
    }

    /// The text for messages.
    package var description: String {
        switch code {
        case .reason where !choices.isEmpty:
            "one of the reasons " + choices.map(\.inQuotes).joined(separator: ", ")
        case .reason: "the reason \(value.inQuotes)"
        case .certification: "the certification \(value.inQuotes)"
        case .lock: "a lock of form fields (\(value))"
        case .lockLevel: "a lock of the document that permits \(value)"
        case .subfilter: "the signature format \(value)"
        case .digest: "the hash algorithm \(value)"
        }
    }
}
