import Base
import CMSKit
import Containers
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// Verifies containers (ASiC-S and ASiC-E, ETSI EN 319 162-1) against one set of trust anchors.
///
/// A file that no valid signature covers makes the result indeterminate. Timestamps count as
/// signatures only in a container without signatures, and if nothing is required of signatures.
public struct VerifyContainer: Sendable {
    private let trust: TrustSettings
    private let time: CalendarTime?
    private let fetcher: RevocationFetcher?
    private var messages: VerifyMessage
    /// Verifies the archive timestamps of evidence records.
    let timestamps: VerifyTimestamp
    /// Required level: signatures below it are indeterminate. Nil requires none.
    public var requiredLevel: SignatureLevel? {
        get { messages.requiredLevel }
        set { messages.requiredLevel = newValue }
    }
    /// Whether the result explains signature levels.
    public var explainsLevels: Bool {
        get { messages.explainsLevels }
        set { messages.explainsLevels = newValue }
    }
    /// Certificate policies required of signers' paths.
    public var policies: CertificatePolicies {
        get { messages.policies }
        set { messages.policies = newValue }
    }
    /// Whether the result contains the hash of the container, for a report.
    public var keepsHash = false

    /// - Throws: ``SignetError`` if a file in the options cannot be read.
    public init(_ options: VerificationOptions = VerificationOptions()) throws {
        let messages = try VerifyMessage(options)
        self.init(messages, VerifyTimestamp(messages))
    }

    /// Verifies with the trust anchors and requirements of `messages`. The files in its options are
    /// not read again.
    package init(_ messages: VerifyMessage, _ timestamps: VerifyTimestamp) {
        trust = messages.trust
        time = messages.time
        fetcher = messages.fetcher
        keepsHash = messages.keepsHash
        self.messages = messages
        self.timestamps = timestamps
    }

    /// Verifies all signatures and timestamps of a container. An invalid signature is a result.
    ///
    /// - Throws: ``SignetError`` for a file that is not a container, or that programs may read in
    ///   different ways.
    public func run(_ source: InputSource) throws -> VerifiedDocument {
        try opened(source).document
    }

    func opened(
        _ source: InputSource
    ) throws -> (file: InputFile, container: SignatureContainer, document: VerifiedDocument) {
        fetcher?.beginFile()
        trust.beginFile()
        let input = source.name
        return try reading(input) {
            let file = try source.open()
            let container = try SignatureContainer(file, name: input)
            var document = try verify(container, input)
            if keepsHash {
                document.content = (try FileHash.sha256(of: file), file.byteCount)
            }
            return (file, container, try trust.described(document, isReported: keepsHash))
        }
    }

    func verify(
        _ container: SignatureContainer, _ input: String
    ) throws -> VerifiedDocument {
        let files = CoveredFiles(container)
        var problems = container.problems
        var timestamps = try ContainerTimestamps(
            container, files, try validator, at: now, trust.pinned)
        var signatures: [VerifiedSignature] = []
        var certificates = timestamps.material.certificates.map(\.der)
        for unit in container.units {
            switch unit.form {
            case .timestamp: break
            case .message:
                signatures += try message(unit, container, files, timestamps, input)
            case .signatureFile:
                let found = try signatureFile(unit, container, files, &timestamps, input)
                signatures += found.signatures
                problems += found.problems
                certificates += found.certificates
            case .evidenceRecord:
                let found = try evidenceRecord(unit, container, files)
                signatures += found.signatures
                problems += found.problems
                certificates += found.certificates
            }
        }
        signatures += try timestamps.found.map { try result(of: $0) }
        let unmet = signatures.contains { $0.kind == .signature } ? [] : demands
        problems += unmet
        let described = VerifiedContainer(
            container, signatures, demandsSignature: !unmet.isEmpty)
        problems += coverage(described, &signatures)
        var document = VerifiedDocument(
            file: input, verdict: Self.verdict(signatures, problems, container),
            signatures: signatures, problems: problems, warnings: trust.warnings)
        document.container = described
        document.certificates = certificates
        return document
    }

    /// What is required of signatures, as problems of a container without one. Anybody can obtain a
    /// timestamp, so it does not replace a signature.
    private var demands: [VerificationProblem] {
        var problems: [VerificationProblem] = []
        if trust.pinned != nil {
            problems.append(
                .failure(
                    .signerNotPinned, "the container has no signature of the required signer",
                    .noSigningCertificateFound))
        }
        if let requiredLevel {
            problems.append(
                .doubt(
                    .levelNotReached,
                    "\(requiredLevel.rawValue) is required; the container has no signature"))
        }
        if trust.policyDocument != nil {
            problems.append(
                .doubt(
                    .signaturePolicyMismatch,
                    "a signature policy is required; the container has no signature",
                    .signatureConstraintsFailure))
        }
        if policies.areRequired {
            problems.append(
                .doubt(
                    .certificateNotTrusted,
                    "a certificate policy is required; the container has no signature",
                    .chainConstraintsFailure))
        }
        return problems
    }

    private static func verdict(
        _ signatures: [VerifiedSignature], _ problems: [VerificationProblem],
        _ container: SignatureContainer
    ) -> VerifiedDocument.Verdict {
        // Without anything to verify, an unsigned container is not an error.
        if container.units.isEmpty { return .unsigned }
        let worst = problems.compactMap(\.verdict) + signatures.map(\.verdict)
        let verdict = worst.max() ?? .indeterminate
        return .init(signatures.isEmpty ? max(verdict, .indeterminate) : verdict)
    }

    /// Files that no signature covers, and notes about files that single signatures do not cover.
    private func coverage(
        _ container: VerifiedContainer, _ signatures: inout [VerifiedSignature]
    ) -> [VerificationProblem] {
        let uncovered = container.files.filter(\.coveredBy.isEmpty).map(\.name)
        for index in signatures.indices {
            let covered = Set((signatures[index].files ?? []).map { ExactText($0) })
            let others = container.files.map(\.name).filter {
                !covered.contains(ExactText($0))
            }
            signatures[index].coverage = others.isEmpty ? .wholeFile : .partial
            guard !others.isEmpty, others != uncovered else { continue }
            signatures[index].problems.append(
                .remark(.fileNotCovered, "does not cover \(Self.list(others))"))
        }
        guard !uncovered.isEmpty else { return [] }
        return [
            .doubt(
                .fileNotCovered,
                "no valid signature covers \(Self.list(uncovered))", .signatureConstraintsFailure)
        ]
    }

    /// Maximum number of file names in a message.
    private static let nameLimit = 20

    private static func list(_ names: [String]) -> String {
        let rest = names.count - nameLimit
        return names.prefix(nameLimit).map(\.inQuotes).joined(separator: ", ")
            + (rest > 0 ? " and \(rest) more files" : "")
    }

    // MARK: CAdES

    private func message(
        _ unit: SignatureContainer.Unit, _ container: SignatureContainer, _ files: CoveredFiles,
        _ timestamps: ContainerTimestamps, _ input: String
    ) throws -> [VerifiedSignature] {
        let name = unit.entry.name
        guard let signed = unit.signed else {
            return [
                Self.unreadable(
                    name, "no file of the container is known to be signed by it",
                    container.unsupportedManifest)
            ]
        }
        let message: SignedData
        switch try read(unit, container) {
        case .success(let found): message = found
        case .failure(let unreadable): return [unreadable.result]
        }
        var evidence = VerifyMessage.Evidence(file: signed.name, requiresCAdES: true)
        if let content = message.content {
            evidence.isOtherContent =
                try signed.byteCount != content.count
                || container.archive.bytes(of: signed, limit: content.count) != content
        }
        let digests = message.requiredDigests.union(message.archiveDigests)
            .union(message.contentTimestampDigests)
        for digest in digests {
            evidence.digests[digest] = try files.hash(of: signed, digest)
        }
        evidence.byteCount = signed.byteCount
        if signed.byteCount <= VerifyMessage.attributesByteLimit {
            let bytes = try container.archive.bytes(
                of: signed, limit: VerifyMessage.attributesByteLimit)
            evidence.bytes = bytes
            evidence.isAmbiguous = CMSAttribute.areEncoded(in: bytes)
        }
        evidence.outerProof = timestamps.proof(of: name)
        let covered = try unit.manifest.map {
            try files.check($0, at: evidence.outerProof?.time ?? now)
        }
        return try messages.judge(message, evidence, input).enumerated().map { index, answer in
            var result = answer.result
            let isOnly = message.signers.count == 1
            result.field = isOnly ? name : "\(name), signer \(index + 1)"
            result.adopt(covered, of: signed)
            if message.signers.indices.contains(index) {
                result.problems += Self.unknownAttributes(of: message.signers[index])
            }
            return result
        }
    }

    /// The result for a message that cannot be read.
    private struct Unreadable: Error {
        let result: VerifiedSignature
    }

    private func read(
        _ unit: SignatureContainer.Unit, _ container: SignatureContainer
    ) throws -> Result<SignedData, Unreadable> {
        let name = unit.entry.name
        func unreadable(
            _ reason: String, _ error: (any Error)? = nil
        ) -> Result<SignedData, Unreadable> {
            .failure(Unreadable(result: Self.unreadable(name, reason, error)))
        }
        let bytes = try container.archive.bytes(
            of: unit.entry, limit: ContainerLimits.messageByteCount)
        do {
            let message = try MessageFile.parse(bytes, name)
            return message.signers.isEmpty
                ? unreadable("the signature has no signer") : .success(message)
        } catch let error as CMSError where error.code == .limitExceeded {
            throw ContainerError(.limitExceeded, "\(name): \(error.detail) (the limit)")
        } catch  where !error.isOfMachine {
            return unreadable("the signature cannot be read: \(error)", error)
        }
    }

    /// Notes about unsigned attributes that neither PKCS #9, S/MIME nor ETSI defines.
    private static func unknownAttributes(of signer: SignerInfo) -> [VerificationProblem] {
        let arcs = ["1.2.840.113549.1.9.", "0.4.0.1733.2.", "0.4.0.19122.1."]
        let unknown = signer.unsignedAttributes.map(\.oid.description).filter { oid in
            !arcs.contains { oid.hasPrefix($0) }
        }
        return unknown.isEmpty
            ? []
            : [.remark(.fileNotCovered, "not signed: the unknown attributes \(list(unknown))")]
    }

    /// - Parameter error: the reason, if it may only be a limit of this program.
    static func unreadable(
        _ name: String, _ reason: String, _ error: (any Error)? = nil
    ) -> VerifiedSignature {
        error?.isOfSupport == true
            ? VerifiedSignature(
                field: name, verdict: .indeterminate,
                problems: [.doubt(.signatureUnreadable, reason)], files: [])
            : VerifiedSignature(
                field: name, verdict: .failed, subindication: .formatFailure,
                problems: [.failure(.signatureUnreadable, reason)], files: [])
    }

    // MARK: XAdES

    private struct SignatureFile {
        var signatures: [VerifiedSignature] = []
        var problems: [VerificationProblem] = []
        /// DER of the certificates.
        var certificates: [[UInt8]] = []
    }

    private func signatureFile(
        _ unit: SignatureContainer.Unit, _ container: SignatureContainer, _ files: CoveredFiles,
        _ timestamps: inout ContainerTimestamps, _ input: String
    ) throws -> SignatureFile {
        let name = unit.entry.name
        let bytes = try container.archive.bytes(
            of: unit.entry, limit: ContainerLimits.signatureFileByteCount)
        let file: XAdESFile
        do {
            file = try XAdESFile(bytes)
        } catch  where !error.isOfMachine {
            return SignatureFile(
                signatures: [
                    Self.unreadable(name, "the signatures cannot be read: \(error)", error)
                ])
        }
        let found = try file.signatures(
            files, in: container.archive, timestamps.material.certificates + validator.intermediates
        )
        try timestamps.countSignatureStamps(
            found.reduce(0) { $0 + $1.signatureStamps.count + $1.archiveStamps.count })
        var certificates: [[UInt8]] = []
        let signatures = try found.enumerated().map { index, signature in
            var judge = XAdESJudge(try validator, at: now)
            judge.explainsLevels = explainsLevels
            judge.policyDocument = trust.policyDocument
            judge.outerProof = timestamps.proof(of: name)
            var result = try judge.result(of: signature, trust.pinned, messages, input)
            result.field = found.count == 1 ? name : "\(name), signature \(index + 1)"
            certificates += signature.check.certificates.map(\.der)
            result.adopt(signature.covered, of: unit.entry)
            return result
        }
        return SignatureFile(
            signatures: signatures, problems: file.problems, certificates: certificates)
    }

    // MARK: Timestamps

    private func result(of found: ContainerTimestamps.Found) throws -> VerifiedSignature {
        let name = found.unit.entry.name
        guard let check = found.check else {
            var result = Self.unreadable(name, "the timestamp cannot be read", found.failure)
            result.kind = .timestamp
            return result
        }
        var result = try trust.result(
            for: check, at: now, named: name, contentFile: found.unit.signed?.name)
        result.record.value = check.signature?.signature ?? []
        result.record.token = found.token?.encoded
        result.record.adopt(check.chain, of: check.signer, check.revocation)
        if let signed = found.unit.signed { result.adopt(found.covered, of: signed) }
        return result
    }

    var now: CalendarTime { time ?? SystemClock.now() }

    private var validator: PathValidator {
        get throws(SignetError) { try trust.validator(at: time, policies) }
    }
}

extension VerifiedSignature {
    /// Adds the files that a signature covers, and its verdict if it covers none or a modified one.
    ///
    /// - Parameter covered: nil without a manifest, which alone contains names.
    mutating func adopt(_ covered: CoveredFiles.Finding?, of signed: ZIPEntry) {
        files = covered?.covered ?? (intact ? [signed.name] : [])
        guard var covered else {
            if intact {
                problems.append(
                    .remark(
                        .fileNotCovered,
                        "covers the content of \(signed.name.inQuotes), not its name"))
            }
            return
        }
        if !covered.refersToFiles {
            covered.problems = [
                .doubt(
                    .fileNotCovered, "the signature covers no file of the container",
                    .signedDataNotFound)
            ]
        }
        problems += covered.problems
        let worst = max(verdict, covered.problems.compactMap(\.verdict).max() ?? .passed)
        if worst != verdict {
            verdict = worst
            subindication = problems.subIndication(of: worst)
        }
        if covered.problems.contains(where: { $0.code == .digestMismatch }) { intact = false }
        intact = intact && !covered.covered.isEmpty
        if !intact { files = [] }
    }
}
