import Base

/// What a document demands of its signature, which a person can say too.
///
/// Nobody is made to say what a document has put into their mouth: see ``isAgreed``.
package struct SigningDemand: Equatable, Sendable {
    package enum Code: String, Sendable {
        case reason, certification, lock
        case lockLevel = "lock-level"
        case subfilter, digest
    }

    package let code: Code
    /// As a person would give it; empty where there is a choice.
    package let value: String
    /// Of which one is demanded, and the person has to say which.
    package let choices: [String]
    /// Whether the person has said it too.
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

    /// For people.
    package var description: String {
        switch code {
        case .reason where !choices.isEmpty:
            "one of the reasons " + choices.map(\.inQuotes).joined(separator: ", ")
        case .reason: "the reason \(value.inQuotes)"
        case .certification: "a certification that permits \(value)"
        case .lock: "a lock of the form's fields (\(value))"
        case .lockLevel: "a lock of the document that permits \(value)"
        case .subfilter: "the signature format \(value)"
        case .digest: "the hash algorithm \(value)"
        }
    }
}
