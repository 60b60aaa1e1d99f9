import Base
import CryptoBridge
import PDFCore
import PDFVerification
import SystemBridge
import TrustKit

/// Extends signatures of documents: adds validation data and document timestamps in incremental
/// updates. Existing bytes do not change.
public struct ExtendDocument: Sendable {
    private var validation: LongTermValidation
    private let password: DocumentPassword?
    private let goal: ExtendGoal

    /// - Parameter password: for encrypted documents.
    public init(
        _ validation: LongTermValidation, to goal: ExtendGoal,
        password: DocumentPassword? = nil
    ) {
        self.validation = validation
        self.validation.isSigning = false
        self.goal = goal
        self.password = password
    }

    /// Determines and collects the missing data; writes nothing.
    ///
    /// - Throws: ``SignetError``, as `run` would.
    public func check(_ input: InputSource) throws -> ExtendedDocument {
        try forFile().extend(at: input)
    }

    private func forFile() -> Self {
        var copy = self
        copy.validation = validation.forFile()
        return copy
    }

    private func extend(at source: InputSource) throws -> ExtendedDocument {
        let input = source.name
        return try reading(input) {
            let file = try source.open()
            if let untouched = try untouched(file) { return untouched }
            let plan = try plan(file)
            var result = ExtendedDocument(input, plan)
            guard isDue(plan) || !plan.outdated.isEmpty else {
                result.leave(LongTermValidation.doubts(of: plan.report))
                return result
            }
            // Signatures without a timestamp need newer data after timestamping; data fetched now
            // at least detects revoked certificates.
            let material = try validation.gather(
                plan.needs + plan.expected, plan.held, input, acceptsOlder: plan.needsStampFirst)
            result.warnings += material.warnings
            guard isDue(plan) || plan.isHelped(by: material) else { return result }
            result.level = result.level.map { max($0, goal.level) }
            result.isDue = true
            result.validationData.evidence = material.items.map(ValidationData.Evidence.init)
            return result
        }
    }

    /// Extends the signatures in `input` and writes the result to `destination`. If nothing is
    /// added, no output or an identical one is written: see ``ExtendGoal/copiesUnchanged``. After a
    /// failure, no output file remains.
    ///
    /// - Throws: ``SignetError`` if the level cannot be reached.
    public func run(_ input: InputSource, into destination: Destination) throws -> ExtendedDocument
    {
        try forFile().extend(input, into: destination)
    }

    private func extend(
        _ source: InputSource, into destination: Destination
    ) throws -> ExtendedDocument {
        let input = source.name
        return try reading(input) {
            let file = try source.open(isReplaced: destination.isInPlace)
            var result = try extended(file, input: input, into: destination)
            if result.output == nil, goal.copiesUnchanged {
                let output = try destination.output(from: file)
                try writing(destination.path) {
                    try output.copy(from: file, range: 0..<file.byteCount)
                    try output.commit()
                }
                (result.output, result.isCopy) = (destination.path, true)
            }
            return result
        }
    }

    /// - Returns: a result without output if there is nothing to add.
    private func extended(
        _ file: InputFile, input: String, into destination: Destination
    ) throws -> ExtendedDocument {
        if let untouched = try untouched(file) { return untouched }
        let plan = try plan(file)
        var result = ExtendedDocument(input, plan)
        if !isDue(plan) {
            guard !plan.outdated.isEmpty else {
                result.leave(LongTermValidation.doubts(of: plan.report))
                return result
            }
            let material = try validation.gather(plan.needs, plan.held, input)
            guard plan.isHelped(by: material) else {
                result.leave(LongTermValidation.doubts(of: plan.report) + material.warnings)
                return result
            }
        }
        // An explicit request always renews.
        let isVain = goal.renewal.margin != nil && !isBelowLevel(plan) && plan.outdated.isEmpty
        if isVain, validation.vain.covers(LongTermValidation.renewBefore(plan.report)) {
            result.leave(until: validation.vain.end)
            return result
        }
        let output = try destination.output(from: file)
        try writing(destination.path) { try output.copy(from: file, range: 0..<file.byteCount) }
        let data = try validation.extend(
            output, path: input, to: goal.level, plan: plan, renewing: goal.renews)
        if isVain, data.gained == false {
            validation.vain.note(data)
            result.leave(until: validation.vain.end)
            return result
        }
        result.warnings += try PDFDocument.open(file, path: input, password: password)
            .usageRightsDoubts()
        try writing(destination.path) { try output.commit() }
        result.adopt(data, goal.level)
        result.output = destination.path
        return result
    }

    private func isDue(_ plan: LongTermValidation.Plan) -> Bool {
        guard let margin = goal.renewal.margin, !isBelowLevel(plan) else {
            return goal.renews || isBelowLevel(plan)
        }
        return !LongTermValidation.isProven(plan.report, at: SystemClock.now().adding(margin))
    }

    private func isBelowLevel(_ plan: LongTermValidation.Plan) -> Bool {
        guard let known = plan.level else {
            // In a document with only timestamps, the newest one needs validation data.
            let newest = LongTermValidation.newestStamp(plan.report)
            return newest?.isSettled != true || newest?.hasValidationData != true
        }
        return known < goal.level || plan.signatures.contains { !$0.isSettled }
    }

    private func plan(_ file: InputFile) throws -> LongTermValidation.Plan {
        let plan = try validation.plan(file, for: goal.level, renewing: goal.renews)
        try validation.require(goal, from: plan.level, isDue: isDue(plan), file.path)
        return plan
    }

    /// The result for a document that need not be renewed yet; else nil. Only the newest timestamp
    /// is read and verified.
    private func untouched(_ file: InputFile) throws -> ExtendedDocument? {
        // A copied output requires the complete check, so that a modified document is not copied as
        // valid.
        guard let margin = goal.renewal.margin, !goal.copiesUnchanged else { return nil }
        let document = try PDFDocument.open(file, path: file.path, password: password)
        guard let newest = try NewestTimestamp(of: document) else { return nil }
        let least = SystemClock.now().adding(margin)
        guard newest.end > least,
            let end = try validation.end(ofProof: newest, of: document, in: file), end > least
        else { return nil }
        var data = ValidationData()
        data.renewBefore = end.moment
        return ExtendedDocument(
            file: file.path, output: nil, from: nil, level: nil, signatures: [],
            validationData: data, warnings: [])
    }
}

extension ExtendedDocument {
    fileprivate init(_ path: String, _ plan: LongTermValidation.Plan) {
        var data = ValidationData()
        data.renewBefore = LongTermValidation.renewBefore(plan.report)?.moment
        // A timestamp raises the level even before its TSA's status is known.
        func level(_ signature: SignatureReport) -> SignatureLevel {
            let known = signature.level ?? .cms
            return known == .b && plan.stampedTime(of: signature) != nil ? .t : known
        }
        let least = plan.signatures.map(level).min()
        self.init(
            file: path, output: nil, from: least, level: least,
            signatures: plan.signatures.map {
                Signature(
                    field: $0.field, from: level($0), level: level($0),
                    bestSignatureTime: plan.stampedTime(of: $0)?.moment)
            }, validationData: data, warnings: plan.warnings)
    }
}

extension LongTermValidation.Plan {
    /// Whether the collected data is newer than a signature that has only older data.
    fileprivate func isHelped(by material: LongTermValidation.Material) -> Bool {
        material.items.contains { $0.isFresh && outdated.contains($0.certificate) }
    }

    /// Warning about viewers that reject validation data in a certified document without permitted
    /// changes.
    fileprivate var warnings: [String] {
        guard
            report.signatures.contains(where: { $0.findings?.revision.certification == .noChanges })
        else { return [] }
        return [Self.certifiedWarning]
    }

    static let certifiedWarning =
        "the document is certified and permits no changes: validation data is permitted (ISO 32000-2 "
        + "§12.8.2.2), but some viewers report it as a change"
}
