import SignetKit

/// The answer about one signature in a sentence: of an indeterminate one what is known comes first,
/// then which of the questions is open, and why.
struct SignatureSentence {
    struct Part {
        let text: String
        /// Behind a colon; nil when the text says it all.
        var reason: String?
    }

    var parts: [Part] = []
    /// Messages of the problems that the sentence tells.
    let reasons: Set<String>
    private let verdict: Verdict
    private let isTimestamp: Bool

    init(_ signature: VerifiedSignature) {
        verdict = signature.verdict
        isTimestamp = signature.kind == .timestamp
        switch signature.verdict {
        case .passed: break
        case .failed:
            let problem = signature.problems.first { $0.verdict == .failed }
            parts = [Part(text: "", reason: problem?.message)]
        case .indeterminate: parts = Self.open(signature, isTimestamp: isTimestamp)
        }
        reasons = Set(parts.compactMap(\.reason))
    }

    /// - Parameter who: the name that the certificate gives the signer.
    func text(who: String?) -> String {
        switch verdict {
        case .passed:
            return (isTimestamp ? ", time stamp by " : ", signed by ")
                + (who ?? "an unknown signer")
        case .failed, .indeterminate:
            let texts = parts.map { part in
                [part.text, part.reason ?? ""].filter { !$0.isEmpty }.joined(separator: ": ")
            }
            return ": " + texts.joined(separator: "; ")
        }
    }

    private static func open(_ signature: VerifiedSignature, isTimestamp: Bool) -> [Part] {
        let verb = isTimestamp ? "stamped" : "signed"
        func reason(_ topic: VerifiedSignature.Topic) -> String? {
            signature.problems.first { $0.verdict == .indeterminate && $0.topic == topic }?.message
        }
        let (content, signer) = (reason(.content), reason(.signer))
        var parts: [Part] = []
        if !signature.intact {
            parts.append(
                Part(text: "whether it was changed could not be found out", reason: content))
        } else if let content {
            parts.append(
                Part(text: "the \(verb) bytes are unchanged, with a doubt", reason: content))
        } else {
            let exception =
                switch signature.changes {
                case .formFilling: " but for fields filled in or signed, as is permitted"
                case .annotations: " but for permitted changes of annotations and fields"
                case .none, .archival, .forbidden: ""
                }
            parts.append(Part(text: "unchanged since it was \(verb)" + exception))
        }
        if signer != nil || signature.intact && !signature.trusted && reason(.time) == nil {
            parts.append(Part(text: "who \(verb) it could not be confirmed", reason: signer))
        }
        if let time = reason(.time) {
            parts.append(Part(text: "when it was \(verb) could not be confirmed", reason: time))
        }
        if let demand = reason(.demand) {
            parts.append(Part(text: "it is not what was asked for", reason: demand))
        }
        return parts
    }
}
