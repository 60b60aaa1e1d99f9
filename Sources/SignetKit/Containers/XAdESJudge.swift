import Base
import CMSKit
import Containers
import CryptoBridge
import TimestampKit
import TrustKit

/// Validates XML signatures: archive timestamps from the newest to the oldest, then the signature
/// (ETSI EN 319 132-1 §6, EN 319 102-1 §5.6).
struct XAdESJudge {
    private let validator: PathValidator
    private let time: CalendarTime
    var explainsLevels = false
    /// Document of the required signature policy; nil for any.
    var policyDocument: [UInt8]?
    /// A timestamp over the whole file; nil for none.
    var outerProof: MessageJudge.ExistenceProof?

    init(_ validator: PathValidator, at time: CalendarTime) {
        self.validator = validator
        self.time = time
    }

    /// - Parameters:
    ///   - pinned: the required signing certificate; nil for any.
    ///   - messages: forms the result as for CAdES.
    ///   - input: the name of the container.
    func result(
        of signature: XAdESSignature, _ pinned: Certificate?, _ messages: VerifyMessage,
        _ input: String
    ) throws -> VerifiedSignature {
        let check = signature.check
        var judge = MessageJudge(signature.material, validator, at: time)
        judge.explainsLevels = explainsLevels
        judge.policyDocument = policyDocument
        judge.outerProof = outerProof
        var problems = check.problems + signature.problems
        for stamp in signature.archiveStamps.reversed() {
            let proof = try archiveProof(stamp, judge, &problems)
            judge.outerProof = proof ?? judge.outerProof
        }
        if let pinned, check.signer != pinned {
            problems.insert(
                .failure(
                    .signerNotPinned,
                    "the signature was not made with the required certificate",
                    .noSigningCertificateFound), at: 0)
        }
        let found = try judge.judge(
            check, signature.signatureStamps.map { SignatureStamp(token: $0.token, hash: $0.hash) })
        problems += found.problems
        var result = try messages.result(
            check, found, problems, isIntact: check.isIntact, input)
        result.isXML = true
        if result.level == .cms {
            result.level = nil
            result.formatLevel = nil
        }
        return result
    }

    /// The proof of a trusted archive timestamp, at the time that a newer one proves.
    private func archiveProof(
        _ stamp: XAdESSignature.Stamp, _ judge: MessageJudge,
        _ problems: inout [VerificationProblem]
    ) throws -> MessageJudge.ExistenceProof? {
        guard let token = stamp.token else { return nil }
        var verifier = judge.timestampVerifier.moved(to: judge.outerProof?.time ?? time)
        // The revocation data of the newest timestamp is often as old as the timestamp itself, and
        // newer data is not yet available.
        verifier.demandsPresentEvidence = judge.outerProof != nil
        let check = try verifier.verify(token, hash: stamp.hash)
        if let problem = verifier.problem(with: check, "the archive timestamp") {
            problems.append(problem)
            return nil
        }
        return .init(time: token.info.provenTime, check: check)
    }
}
