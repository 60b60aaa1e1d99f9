import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TimestampKit
import TrustKit

/// Verifies CMS messages (RFC 5652), attached and detached, against one set of trust anchors.
public struct VerifyMessage: Sendable {
    var trust: TrustSettings
    let time: CalendarTime?
    var fetcher: RevocationFetcher?
    /// Certificate policies required of signers' paths.
    public var policies = CertificatePolicies()
    /// Whether one valid signer is sufficient; otherwise all must be valid.
    public var anySigner = false
    /// Required level: signatures below it are indeterminate. Nil requires none.
    public var requiredLevel: SignatureLevel?
    /// Whether the result explains signature levels.
    public var explainsLevels = false
    /// Whether a message without signed attributes is accepted if the signer is pinned.
    public var allowsMissingAttributes = false
    /// Whether the result contains the hashes of message and content, for a report.
    public var keepsHash = false

    private var pinned: Certificate? { trust.pinned }

    /// - Throws: ``SignetError`` if a file in the options cannot be read.
    public init(_ options: VerificationOptions = VerificationOptions()) throws {
        trust = try TrustSettings(options)
        time = options.time?.time
        fetcher = options.fetcher
    }

    /// Verifies with the trust settings and requirements of `documents`, whose files are not read
    /// again.
    package init(_ documents: VerifyDocument) {
        (trust, time, fetcher) = (documents.trust, documents.time, documents.fetcher)
        (policies, requiredLevel) = (documents.policies, documents.requiredLevel)
        (explainsLevels, keepsHash) = (documents.explainsLevels, documents.keepsHash)
    }

    /// Verifies the signatures of a message. An invalid signature is a result.
    ///
    /// - Parameters:
    ///   - content: content of a detached signature; nil uses the file next to the message with its
    ///     name without the suffix.
    ///   - destination: receives the content, only if verification passed.
    /// - Throws: ``SignetError`` for unreadable input, and if detached content is missing.
    public func run(
        _ source: InputSource, content: InputSource? = nil, into destination: Destination? = nil
    ) throws -> VerifiedDocument {
        let input = source.name
        fetcher?.beginFile()
        trust.beginFile()
        let opened = try MessageFile.read(source)
        let message = opened.message
        // Without signers, such as in a file with only certificates, there is nothing to verify.
        guard !message.signers.isEmpty else {
            return VerifiedDocument(
                file: input, verdict: .unsigned, signatures: [], warnings: trust.warnings,
                certificates: message.carriedCertificates)
        }
        let output = try destination.map { try $0.output(madeOf: [source.path].compactMap(\.self)) }
        let file = try content ?? source.path.flatMap(CompanionFile.path).map(InputSource.file)
        let records = EmbeddedEvidenceRecords(in: message, opened.encoded)
        var evidence = try evidence(
            for: message, of: input, beside: file, into: output, records.contentDigests)
        evidence.hasTextOutside = message.content != nil && opened.hasTextOutside
        let signatures = try reading(input) { try judge(message, evidence, input) }
        let recorded = try reading(input) {
            try verify(records, of: signatures, VerifyTimestamp(self)) { digest in
                try evidence.hash(digest, of: message)
            }
        }
        let verdict = VerifiedDocument.Verdict(max(overall(signatures), recorded.verdict))
        if let output, let destination, verdict == .passed {
            try writing(destination.path) {
                if let content = message.content { try output.write(content) }
                try output.commit()
            }
        }
        var document = VerifiedDocument(
            file: input, verdict: verdict,
            signatures: signatures.map(\.result) + recorded.signatures,
            warnings: trust.warnings)
        document = try trust.described(document, isReported: keepsHash)
        document.certificates = message.carriedCertificates
        if keepsHash {
            let hash = try DigestAlgorithm.sha256.hash(opened.bytes)
            document.content = (Hex.encode(hash), opened.bytes.count)
            document.signedContent = evidence.digests[.sha256].flatMap { hash in
                evidence.byteCount.map { (Hex.encode(hash), $0) }
            }
        }
        return document
    }

    /// The available data about the content.
    struct Evidence {
        /// The file with the content; nil if the content is only attached.
        var file: String?
        /// Hashes of detached content.
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        /// Length of the detached content in bytes.
        var byteCount: Int?
        /// Detached content, if a signature is over the content itself and the content is short.
        var bytes: [UInt8]?
        /// Whether the file differs from the attached content.
        var isOtherContent = false
        /// Whether unsigned text surrounds the attached content.
        var hasTextOutside = false
        /// Whether the content could be the signed attributes of another message.
        var isAmbiguous = false
        /// Whether the signed attributes must name the signing certificate (ETSI EN 319 122-1
        /// §5.2.2).
        var requiresCAdES = false
        /// A timestamp over the whole message; nil for none.
        var outerProof: MessageJudge.ExistenceProof?

        /// A hash of the content; nil if it is not available.
        func hash(_ digest: DigestAlgorithm, of message: SignedData) throws -> [UInt8]? {
            try message.content.map { try digest.hash($0) } ?? digests[digest]
        }
    }

    /// Maximum size in bytes of content that is checked for being an encoding of signed attributes,
    /// which would make the signature ambiguous. Signed attributes are much shorter.
    static let attributesByteLimit = 1_048_576
    /// Maximum size in bytes of detached content that Ed25519 and Ed448 sign as a whole.
    static let wholeByteLimit = 256 << 20

    private func evidence(
        for message: SignedData, of input: String, beside path: InputSource?,
        into output: AtomicOutput?, _ digests: Set<DigestAlgorithm>
    ) throws -> Evidence {
        if let content = message.content {
            return Evidence(
                file: path?.name,
                isOtherContent: try path.map { try !Self.holds($0, content: content) } ?? false,
                isAmbiguous: CMSAttribute.areEncoded(in: content))
        }
        guard let path else { throw CompanionFile.missingContent(of: input) }
        return try evidence(in: path, for: message, into: output, digests)
    }

    /// Whether the file contains exactly these bytes.
    private static func holds(_ source: InputSource, content: [UInt8]) throws -> Bool {
        try reading(source.name) {
            let file = try source.open()
            guard file.byteCount == content.count else { return false }
            var (position, isSame) = (0, true)
            try file.stream(range: 0..<file.byteCount) { part in
                for index in part.indices where isSame {
                    isSame = part[index] == content[position + index]
                }
                position += part.count
            }
            return isSame
        }
    }

    /// Hashes the content in one pass and copies it if requested, so that exactly the verified
    /// bytes are written. Without a known digest the content need not be read.
    private func evidence(
        in source: InputSource, for message: SignedData, into output: AtomicOutput?,
        _ digests: Set<DigestAlgorithm>
    ) throws -> Evidence {
        try reading(source.name) {
            let file = try source.open()
            let algorithms = message.requiredDigests.union(message.archiveDigests)
                .union(message.contentTimestampDigests).union(digests).union(
                    keepsHash ? [.sha256] : [])
            let digests = try HashOptions.digests(algorithms, of: file) { try output?.write($0) }
            let isShort = file.byteCount <= Self.attributesByteLimit
            let needsBytes =
                file.byteCount <= Self.wholeByteLimit
                && message.signers.contains { $0.signedAttributesRaw == nil }
            return Evidence(
                file: source.name, digests: digests, byteCount: file.byteCount,
                bytes: needsBytes ? try file.bytes(at: 0, count: file.byteCount) : nil,
                isAmbiguous: try isShort
                    && CMSAttribute.areEncoded(in: file.bytes(at: 0, count: file.byteCount)))
        }
    }

    // MARK: Validation

    /// The result for one signer, and whether it is the pinned one.
    struct Answer {
        let result: VerifiedSignature
        let verdict: Verdict
        let isPinned: Bool
        /// Time before which the signature did not exist: its certificate begins, or it contains a
        /// trusted timestamp. Nil if unknown.
        let notBefore: CalendarTime?
    }

    /// The requirements for each signer.
    private struct Question {
        let message: SignedData
        let evidence: Evidence
        let input: String
        /// Whether no signer is the pinned one.
        var isPinnedMissing = false
    }

    /// Validates all signers of a message.
    ///
    /// - Parameter input: the name of the file, for explanations.
    func judge(
        _ message: SignedData, _ evidence: Evidence, _ input: String
    ) throws -> [Answer] {
        var verifier = SignedDataVerifier(
            profile: message.content == nil ? .detached : .attached)
        verifier.pinned = pinned
        verifier.additionalCertificates = try validator.intermediates
        verifier.detachedContent = evidence.bytes
        verifier.profile.requiresSignedAttributes =
            evidence.isAmbiguous || evidence.requiresCAdES
            || pinned != nil && !allowsMissingAttributes
        verifier.profile.requiresSigningCertificateReference = evidence.requiresCAdES
        let checks = try verifier.verify(message, contentDigests: evidence.digests)
        var question = Question(message: message, evidence: evidence, input: input)
        guard let pinned else {
            return try checks.enumerated().map { try answer($1, $0, to: question) }
        }
        let isPinned = checks.map { check in
            check.signer == pinned && !check.problems.contains { $0.code == .signerNotPinned }
        }
        // Other signers are permitted if the pinned one signed.
        var others = checks
        if isPinned.contains(true), checks.count > 1 {
            verifier.pinned = nil
            others = try verifier.verify(message, contentDigests: evidence.digests)
        }
        question.isPinnedMissing = !message.signers.isEmpty && !isPinned.contains(true)
        return try checks.indices.map { index in
            try answer(
                isPinned[index] ? checks[index] : others[index], index, to: question,
                isPinned: isPinned[index])
        }
    }

    private func answer(
        _ check: SignatureCheck, _ index: Int, to question: Question, isPinned: Bool = false
    ) throws -> Answer {
        var problems = Self.problems(
            with: check, question.evidence, isPinnedMissing: question.isPinnedMissing)
        let now = time ?? SystemClock.now()
        var judge = MessageJudge(question.message, try validator, at: now) {
            try question.evidence.hash($0, of: question.message)
        }
        judge.explainsLevels = explainsLevels
        judge.policyDocument = trust.policyDocument
        judge.outerProof = question.evidence.outerProof
        let found = try judge.judge(check, index: index)
        // If the required signer is missing, trust in the other signers is irrelevant.
        problems += found.problems.filter {
            !question.isPinnedMissing || !$0.isAboutCertificate || $0.verdict != .indeterminate
        }
        var result = try result(
            check, found, problems, isIntact: check.isIntact && !question.evidence.isOtherContent,
            question.input)
        result.field = "signer \(index + 1)"
        result.contentFile = question.evidence.file
        result.record.contentDigest = try check.digest.flatMap {
            try question.evidence.hash($0, of: question.message)
        }
        result.record.signedAttributes =
            question.message.signers.indices.contains(index)
            ? question.message.signers[index].signedBytes.first : nil
        let stamped = found.stamps.own.proofs.compactMap { $0.info?.genTime.time }
        return Answer(
            result: result, verdict: result.verdict, isPinned: isPinned,
            notBefore: ([check.signer?.notBefore].compactMap(\.self) + stamped).max())
    }

    /// The result for a signature, also for one in XML.
    ///
    /// - Parameters:
    ///   - problems: all problems except a level that was not reached.
    ///   - input: the name of the file, for explanations.
    func result(
        _ check: SignatureCheck, _ found: MessageJudge.Finding, _ problems: [VerificationProblem],
        isIntact: Bool, _ input: String
    ) throws -> VerifiedSignature {
        var problems = problems
        if let requiredLevel, found.level ?? .cms < requiredLevel {
            problems.append(
                .levelNotReached(found.level, found.stamps.state, required: requiredLevel))
        }
        let isProven = check.isVerified && check.isIntact && found.signer.isTrusted
        let verdict = problems.verdict(isProven: isProven)
        let stamp = found.stamps.own.check
        let qualified = trust.trustLists?.finding(
            about: .init(
                kind: .signature, verdict: verdict, signer: check.signer, authority: stamp?.signer,
                stampedTime: stamp?.info?.genTime.time, provenTime: found.stamps.provenTime,
                now: time ?? SystemClock.now()))
        var result = VerifiedSignature(
            field: "", kind: .signature, verdict: verdict,
            subindication: problems.subIndication(of: verdict),
            coverage: .wholeFile, intact: isIntact,
            level: found.level, digest: check.digest?.rawValue, algorithm: check.scheme?.name,
            claimedTime: check.claimedTime?.moment,
            timestamp: found.stamps.timestamp(qualified?.timestamp),
            provenTime: found.stamps.provenTime?.moment, problems: problems)
        result.noteFormat()
        result.statements = VerifiedStatements(
            check.statements, found.contentTimestamps, policyMatches: found.policyMatches)
        let place = check.statements.location.joined(separator: ", ")
        if !place.isEmpty { result.location = place }
        try result.adopt(
            check.signer, isTrusted: found.signer.isTrusted, found.signer.end,
            found.signer.revocation)
        result.record = Self.record(of: check, found)
        result.levelExplained = found.explanation.map {
            ExplainedLevel(
                $0, level: found.level, found.stamps.state, paths: found.signer.paths, file: input)
        }
        result.qualification = qualified?.signature
        var plain = self
        (plain.requiredLevel, plain.explainsLevels) = (nil, false)
        let inner = try found.countersignatures.enumerated().map { index, one in
            var inner = try plain.result(
                one.check, one.finding, one.check.problems + one.finding.problems,
                isIntact: one.check.isIntact, input)
            inner.field = "countersignature \(index + 1)"
            return inner
        }
        result.countersignatures = inner.isEmpty ? nil : inner
        return result
    }

    /// Problems with one signature, its content and the required signer; ``MessageJudge`` finds
    /// the others.
    private static func problems(
        with check: SignatureCheck, _ evidence: Evidence, isPinnedMissing: Bool
    ) -> [VerificationProblem] {
        var problems = check.problems
        if let file = evidence.file, evidence.isOtherContent {
            problems.append(
                .failure(
                    .contentEmbedded,
                    "the signature file contains its own content: it is not a signature of \(file)",
                    .hashFailure))
        }
        if evidence.hasTextOutside {
            problems.append(
                .doubt(
                    .contentEmbedded,
                    "the file has unsigned text outside of the PEM block"))
        }
        if isPinnedMissing {
            let known = problems.first { $0.code == .signerNotPinned }
            problems.removeAll { $0.code == .signerNotPinned }
            problems.insert(
                .failure(
                    .signerNotPinned,
                    known?.message ?? "the signature was not made with the required certificate",
                    .noSigningCertificateFound), at: 0)
        }
        return problems
    }

    private static func record(
        of check: SignatureCheck, _ found: MessageJudge.Finding
    ) -> SignatureRecord {
        var record = SignatureRecord()
        record.value = check.signature
        record.noteStatements(of: check.signer)
        record.token = found.stamps.own.token
        record.provenBy = found.stamps.proof?.signer?.displayName
        record.provenAnchor =
            found.signer.paths.first { $0.leaf == found.stamps.proof?.signer }?.chain.last?.der
        if let earliest = found.stamps.own.earliest, earliest == found.stamps.provenTime {
            record.proof = found.stamps.own.token
        }
        record.adopt(
            found.signer.paths.first { $0.role == .signer }?.chain, of: check.signer,
            found.signer.revocation)
        return record
    }

    private var validator: PathValidator {
        get throws(SignetError) { try trust.validator(at: time, policies) }
    }

    /// The overall verdict: all signers must be valid. With ``anySigner`` one is sufficient, which
    /// must be the pinned one if it signed.
    private func overall(_ answers: [Answer]) -> Verdict {
        var counted = answers
        if anySigner {
            if pinned != nil, answers.contains(where: \.isPinned) {
                counted = answers.filter(\.isPinned)
            }
            return counted.map(\.verdict).min() ?? .failed
        }
        return counted.map(\.verdict).max() ?? .failed
    }
}

extension MessageJudge.Stamps {
    /// - Parameter qualification: nil if no trusted lists were used.
    fileprivate func timestamp(
        _ qualification: VerifiedTimestampQualification?
    ) -> VerifiedSignature.Timestamp? {
        guard let stamp = own.check, let info = stamp.info else { return nil }
        return VerifiedSignature.Timestamp(
            info, authority: stamp.signer, isTrusted: !own.proofs.isEmpty, qualification)
    }
}

extension VerifiedSignature.Signer {
    init(_ certificate: Certificate) throws {
        self.init(
            subject: certificate.subject.description, issuer: certificate.issuer.description,
            serial: certificate.serialHex, sha256: Hex.encode(try certificate.sha256),
            notBefore: certificate.notBefore.moment, notAfter: certificate.notAfter.moment,
            displayName: certificate.displayName, issuerName: certificate.issuer.shortText,
            der: certificate.der)
    }
}
