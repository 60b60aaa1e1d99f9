import Base
import CMSKit
import Containers
import CryptoBridge
import TimestampKit
import TrustKit

/// The timestamps of a container (ETSI EN 319 162-1 §4.4.4.2, §4.3.3.2), validated from the newest
/// to the oldest: each proves that the files existed which it covers.
struct ContainerTimestamps {
    struct Found {
        let unit: SignatureContainer.Unit
        /// Nil if it cannot be read.
        let token: TimestampToken?
        /// Why it cannot be read.
        var failure: (any Error)?
        fileprivate(set) var check: TimestampCheck?
        /// The files of its manifest; nil without one.
        fileprivate(set) var covered: CoveredFiles.Finding?
    }

    /// In the order of the container.
    private(set) var found: [Found] = []
    /// Certificates and revocation data of all messages and timestamps in the container.
    let material: ValidationMaterial
    private var signatureStampCount = 0
    private var proofs: [ExactText: MessageJudge.ExistenceProof] = [:]
    /// By the name of a signature, what a timestamp over it must also cover: the manifest, and the
    /// signed files.
    private var parts: [ExactText: Set<ExactText>] = [:]

    /// The earliest trusted timestamp over a file of the container, and over all that belongs to a
    /// signature; nil without one.
    func proof(of name: String) -> MessageJudge.ExistenceProof? { proofs[ExactText(name)] }

    init(
        _ container: SignatureContainer, _ files: CoveredFiles, _ validator: PathValidator,
        at time: CalendarTime, _ pinned: Certificate?
    ) throws {
        for unit in container.units where unit.form == .message || unit.form == .signatureFile {
            let files =
                unit.form == .signatureFile
                ? container.files
                : unit.manifest?.references.compactMap { $0.file.entry(in: container.archive) }
            parts[ExactText(unit.entry.name), default: []].formUnion(
                ((files ?? []) + [unit.signed].compactMap(\.self)).map { ExactText($0.name) })
        }
        var messages: [SignedData] = []
        for unit in container.units where unit.form == .timestamp || unit.form == .message {
            let bytes = try container.archive.bytes(
                of: unit.entry, limit: ContainerLimits.messageByteCount)
            if unit.form == .message {
                if let message = try? MessageFile.parse(bytes, unit.entry.name) {
                    messages.append(message)
                }
                continue
            }
            var token: TimestampToken?
            var failure: (any Error)?
            do {
                token = try TimestampReply(bytes).token
            } catch {
                failure = error
            }
            found.append(Found(unit: unit, token: token, failure: failure))
            if let token { messages.append(token.signedData) }
        }
        material = ValidationMaterial(
            certificates: messages.flatMap(\.carriedCertificates)
                .prefix(Self.certificateLimit).compactMap { try? Certificate(der: $0) },
            evidence: messages.reduce(into: RevocationEvidence()) {
                $0.formUnion(RevocationEvidence(in: $1))
            })
        try countSignatureStamps(messages.reduce(0) { $0 + $1.timestampCount })
        var verifier = TimestampVerifier(validator, time: time)
        verifier.pinned = nil
        verifier.additionalCertificates = validator.intermediates + material.certificates
        verifier.evidence = material.evidence
        let order = found.indices.sorted {
            let (left, right) = (found[$0].token, found[$1].token)
            return (left?.info.genTime.time).map { left in
                (right?.info.genTime.time).map { left > $0 } ?? true
            } ?? false
        }
        for index in order { try judge(index, files, verifier) }
    }

    /// Maximum number of certificates used as candidates.
    private static let certificateLimit = 1000

    /// Adds the timestamps of signatures to those found before.
    ///
    /// - Throws: ``ContainerError`` if there are too many to judge them.
    mutating func countSignatureStamps(_ count: Int) throws(ContainerError) {
        signatureStampCount += count
        guard signatureStampCount <= ContainerLimits.timestampCount else {
            throw ContainerError(
                .limitExceeded,
                "the signatures contain over \(ContainerLimits.timestampCount) timestamps (the limit)"
            )
        }
    }

    private mutating func judge(
        _ index: Int, _ files: CoveredFiles, _ verifier: TimestampVerifier
    ) throws {
        let unit = found[index].unit
        guard let token = found[index].token else { return }
        let proof = proofs[ExactText(unit.entry.name)]
        let moved = verifier.moved(to: proof?.time ?? verifier.time)
        let hash = try unit.signed.flatMap { signed in
            try token.info.messageImprint.digest.map { try files.hash(of: signed, $0) }
        }
        let check = try moved.verify(token, hash: hash).standingAlone(moved)
        let covered = try unit.manifest.map { try files.check($0, at: moved.time) }
        found[index].check = check
        found[index].covered = covered
        guard check.verdict == .passed, let signed = unit.signed,
            covered?.problems.allSatisfy({ $0.verdict == nil }) ?? true
        else { return }
        let new = MessageJudge.ExistenceProof(time: token.info.provenTime, check: check)
        let names = Set(((covered?.covered ?? []) + [signed.name]).map { ExactText($0) })
        for key in names where parts[key]?.isSubset(of: names) ?? true {
            if proofs[key].map({ $0.time <= new.time }) != true { proofs[key] = new }
        }
    }
}
