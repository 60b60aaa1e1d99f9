import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// Extends CMS messages: adds validation data and archive timestamps to their signatures (ETSI EN
/// 319 122-1 §5.4, §5.5). Signed bytes do not change.
public struct ExtendMessage: Sendable {
    private var validation: LongTermValidation
    private let goal: ExtendGoal

    /// - Parameter goal: the level, and whether files that have it are renewed.
    public init(_ validation: LongTermValidation, to goal: ExtendGoal) {
        self.validation = validation
        self.validation.isSigning = false
        self.goal = goal
    }

    /// Extends the signatures in `input` and writes the message to `destination`; PEM keeps its
    /// label. If nothing is added, no output or an identical one is written: see
    /// ``ExtendGoal/copiesUnchanged``. After a failure, no output file remains.
    ///
    /// - Parameters:
    ///   - content: content of a detached signature; nil searches next to the message.
    ///   - destination: nil determines and collects the missing data, and writes nothing.
    /// - Throws: ``SignetError`` if the level cannot be reached.
    public func run(
        _ input: InputSource, content: InputSource? = nil, into destination: Destination?
    ) throws -> ExtendedDocument {
        var copy = self
        copy.validation = validation.forFile()
        return try copy.extend(input, content: content, into: destination)
    }

    private func extend(
        _ source: InputSource, content: InputSource?, into destination: Destination?
    ) throws -> ExtendedDocument {
        let input = source.name
        let file = try MessageFile.read(source)
        return try reading(input) {
            let (archived, plan) = try plan(file, source, content)
            var result = ExtendedDocument(input, plan)
            guard let destination else {
                if isDue(plan) { try rehearse(plan, &result, input) }
                return result
            }
            let message = try extended(archived, plan, &result)
            guard message != nil || goal.copiesUnchanged else { return result }
            let original = try source.open(isReplaced: destination.isInPlace)
            let output = try destination.output(from: original)
            try writing(destination.path) {
                if let message {
                    try output.write(file.label.map { PEMWriter.write($0, message) } ?? message)
                } else {
                    try output.copy(from: original, range: 0..<original.byteCount)
                }
                try output.commit()
            }
            (result.output, result.isCopy) = (destination.path, message == nil)
            return result
        }
    }

    private func rehearse(
        _ plan: LongTermValidation.MessagePlan, _ result: inout ExtendedDocument, _ input: String
    ) throws {
        result.level = goal.level
        result.isDue = true
        guard plan.unstamped.isEmpty else { return }
        let material = try validation.gather(plan.needs, plan.held, input)
        result.validationData.evidence = material.items.map(ValidationData.Evidence.init)
        result.warnings += material.warnings
    }

    /// - Returns: the new message; nil if there is nothing to add.
    private func extended(
        _ archived: ArchivedMessage, _ plan: LongTermValidation.MessagePlan,
        _ result: inout ExtendedDocument
    ) throws -> [UInt8]? {
        guard isDue(plan) else { return nil }
        // Without a margin the user asked for this renewal, so it is never skipped.
        let maySkip = goal.renewal.margin != nil && !isBelowLevel(plan)
        if maySkip, validation.vain.covers(LongTermValidation.renewBefore(plan.signers)) {
            result.leave(until: validation.vain.end)
            return nil
        }
        let extended = try validation.extend(
            archived, to: goal.level, plan: plan, renewing: goal.renews)
        if maySkip, extended.data.gained == false {
            validation.vain.note(extended.data)
            result.leave(until: validation.vain.end)
            return nil
        }
        result.adopt(extended.data, goal.level)
        return extended.message
    }

    private func isDue(_ plan: LongTermValidation.MessagePlan) -> Bool {
        guard let margin = goal.renewal.margin, !isBelowLevel(plan) else {
            return goal.renews || !plan.due.isEmpty
        }
        return !LongTermValidation.isProven(plan.signers, at: SystemClock.now().adding(margin))
    }

    private func isBelowLevel(_ plan: LongTermValidation.MessagePlan) -> Bool {
        plan.signers.contains { $0.isBelow(goal.level) }
    }

    private func plan(
        _ file: MessageFile, _ source: InputSource, _ content: InputSource?
    ) throws -> (ArchivedMessage, LongTermValidation.MessagePlan) {
        let input = source.name
        guard !file.message.signers.isEmpty else {
            throw SignetError(.nothingToVerify, file: input, "the file has no signature")
        }
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        if file.message.content == nil {
            let signed = try CompanionFile.content(content, of: source)
            let wanted = file.message.requiredDigests.union(file.message.archiveDigests)
                .union(file.message.contentTimestampDigests)
                .union([LongTermValidation.archiveDigest])
            digests = try reading(signed.name) {
                try HashOptions.digests(wanted, of: signed.open())
            }
        }
        let archived = try ArchivedMessage(file.encoded, path: input, digests: digests)
        let plan = try validation.plan(archived, for: goal.level, renewing: goal.renews)
        try validation.require(goal, from: plan.level, isDue: isDue(plan), input)
        return (archived, plan)
    }
}

extension ExtendedDocument {
    fileprivate init(_ path: String, _ plan: LongTermValidation.MessagePlan) {
        self.init(
            path, plan.signers.map { ($0.name, $0) },
            renewBefore: LongTermValidation.renewBefore(plan.signers))
    }

    /// - Parameter signers: signers with their names in the result.
    init(
        _ path: String, _ signers: [(name: String, LongTermValidation.MessageSigner)],
        renewBefore: CalendarTime?
    ) {
        var data = ValidationData()
        data.renewBefore = renewBefore?.moment
        // A timestamp raises the level even before its TSA's status is known.
        func level(_ signer: LongTermValidation.MessageSigner) -> SignatureLevel {
            signer.level == .b && signer.authority != nil ? .t : signer.level
        }
        let least = signers.map { level($0.1) }.min()
        self.init(
            file: path, output: nil, from: least, level: least,
            signatures: signers.map { name, signer in
                Signature(
                    field: name, from: level(signer), level: level(signer),
                    bestSignatureTime: (signer.found.stamps.provenTime ?? signer.authority?.time)?
                        .moment)
            }, validationData: data, warnings: [], isDocument: false)
    }
}
