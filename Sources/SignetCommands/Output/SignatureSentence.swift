import Base
import SignetKit

/// The result for one signature in a sentence, verdict first. For a passed one: the signer and
/// later changes. For an indeterminate one: the known facts, then the open question and its reason.
/// Names are quoted, so that they cannot imitate a verdict.
struct SignatureSentence {
    private(set) var text: StyledText
    /// Messages of the problems in the sentence.
    private(set) var reasons: Set<String> = []
    private let signature: VerifiedSignature

    init(_ signature: VerifiedSignature) {
        self.signature = signature
        let isChanged = signature.verdict == .passed && !signature.contentChanges.isEmpty
        text = StyledText(
            Self.word(signature.verdict), isChanged ? .doubtful : Tone(signature.verdict))
        let kind = signature.kind == .timestamp ? "timestamp" : "signature"
        text.append(": \(kind) \(signature.field.inQuotes)")
        switch signature.verdict {
        case .passed:
            text.append(" by " + (signature.signer?.displayName.inQuotes ?? "an unknown signer"))
            if isChanged {
                text.append("; ")
                appendChanges()
            }
        case .failed:
            text.append(": ")
            tell(
                "",
                signature.problems.first { $0.verdict == .failed }?.message
                    ?? "the document itself has a problem")
        case .indeterminate: appendOpenQuestions()
        }
    }

    static func word(_ verdict: Verdict) -> String {
        switch verdict {
        case .passed: "passed"
        case .indeterminate: "indeterminate"
        case .failed: "FAILED"
        }
    }

    private mutating func tell(_ words: String, _ reason: String?) {
        text.append([words, reason ?? ""].filter { !$0.isEmpty }.joined(separator: ": "))
        if let reason { reasons.insert(reason) }
    }

    private mutating func appendChanges() {
        let changes = signature.contentChanges
        text.append("CHANGED since: ", .doubtful)
        text.append(changes.first ?? "", .doubtful)
        if changes.count > 1 { text.append(", and \(changes.count - 1) more", .doubtful) }
    }

    private func reason(_ topic: VerificationProblem.Topic) -> String? {
        signature.problems.first { $0.verdict == .indeterminate && $0.topic == topic }?.message
    }

    private mutating func appendOpenQuestions() {
        let verb = signature.kind == .timestamp ? "stamped" : "signed"
        let (content, signer, time) = (reason(.content), reason(.signer), reason(.time))
        text.append(": ")
        if !signature.intact {
            tell("whether it was changed could not be found out", content)
        } else if let content {
            tell("the \(verb) bytes are unchanged, with a doubt", content)
        } else if signature.contentChanges.isEmpty {
            text.append("unchanged since it was \(verb)")
        } else {
            text.append("the \(verb) part is unchanged, ")
            appendChanges()
        }
        if signer != nil || signature.intact && !signature.trusted && time == nil {
            tell("; who \(verb) it could not be confirmed", signer)
        }
        if let time { tell("; when it was \(verb) could not be confirmed", time) }
        if let demand = reason(.demand) { tell("; it is not what was asked for", demand) }
        if !signature.problems.contains(where: { $0.verdict == .indeterminate }) {
            text.append("; the document itself has a problem")
        }
    }
}

extension VerificationProblem {
    /// The aspects of a signature.
    fileprivate enum Topic {
        /// Integrity of the content.
        case content
        /// The signer, and trust in the signer.
        case signer
        /// Signing time.
        case time
        /// Requirements of the options.
        case demand
    }

    fileprivate var topic: Topic {
        switch subindication {
        case _
        where [.levelNotReached, .changedSinceSigned, .qualificationNotReached].contains(code):
            .demand
        case .cryptoConstraintsFailureNoPOE? where isAboutCertificate: .signer
        case .noSigningCertificateFound?, .noCertificateChainFound?,
            .certificateChainGeneralFailure?, .chainConstraintsFailure?, .revoked?,
            .revokedNoPOE?, .revokedCANoPOE?, .tryLater?:
            .signer
        case .expired?, .notYetValid?, .outOfBoundsNoPOE?, .timestampOrderFailure?: .time
        default: .content
        }
    }
}
