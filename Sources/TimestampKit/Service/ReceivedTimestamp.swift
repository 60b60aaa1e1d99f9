import Base
import CMSKit
package import CryptoBridge
import NetworkBridge
package import TrustKit

/// Trust settings for TSAs.
package struct TimestampTrust: Sendable {
    package var anchors = TrustAnchors.certificates([])
    /// Whether an untrusted timestamp is an error instead of a warning.
    package var isDemanded = false
    /// Intermediate CA certificates for TSA certificates: most tokens contain only the TSA's own.
    package var intermediates: [Certificate] = []
    /// Source for such certificates; nil for none.
    package var issuers: (any RevocationSource)?

    package init() {}

    package init(anchors: TrustAnchors, isDemanded: Bool, intermediates: [Certificate] = []) {
        self.anchors = anchors
        self.isDemanded = isDemanded
        self.intermediates = intermediates
    }

    /// Verifies a response; missing issuers of the TSA certificate are fetched if possible.
    fileprivate func verify(
        _ reply: TimestampReply, _ request: TimestampRequest, _ now: CalendarTime
    ) throws(CryptoError) -> (TimestampVerifier, TimestampCheck) {
        var validator = PathValidator(anchors: anchors, now: now)
        var verifier = TimestampVerifier(validator, time: now)
        verifier.additionalCertificates = intermediates
        let check = try verifier.verify(reply, request: request)
        guard isDemanded, check.chain.isEmpty, let issuers, let signer = check.signer,
            let signature = check.signature, let time = check.info?.genTime.time
        else { return (verifier, check) }
        validator.source = issuers
        validator.policy = SignerPolicy(purpose: .timestamps)
        let path = try validator.validate(
            PathValidator.Question(
                leaf: signer, candidates: signature.certificates + intermediates, at: time))
        guard !path.chain.isEmpty else { return (verifier, check) }
        verifier.additionalCertificates += path.chain
        return (verifier, try verifier.verify(reply, request: request))
    }
}

/// A response that was checked against its request (RFC 3161 §2.4.2) and validated like any
/// timestamp.
struct ReceivedTimestamp {
    let reply: [UInt8]
    let token: TimestampToken
    let isTrusted: Bool
    /// Notes without effect on its use.
    let notes: [String]
    /// The note that explains why it is not trusted.
    let trustNote: String?
    /// Whether the TSA has no trusted certificate chain.
    let lacksAnchor: Bool
    /// Whether only revocation data is missing.
    let lacksStatus: Bool

    /// If the clocks differ by more, the timestamp is rejected.
    private static let clockLimitSeconds = 86_400

    init(
        _ answer: TimestampAnswer, from server: HTTPAddress, request: TimestampRequest,
        trust: TimestampTrust, now: CalendarTime
    ) throws(TimestampServerFailure) {
        if let response = answer.reply.response, !response.status.isGranted {
            throw TimestampServerFailure(
                .unavailable, server.text,
                "the authority did not stamp: " + response.statusDescription)
        }
        let verifier: TimestampVerifier
        let check: TimestampCheck
        do {
            (verifier, check) = try trust.verify(answer.reply, request, now)
        } catch {
            throw TimestampServerFailure(
                .wrongAnswer, server.text, "the timestamp cannot be verified (\(error.detail))")
        }
        if let problem = check.problems.first(where: { $0.verdict == .failed }) {
            throw Self.lie(server, detail: problem.message)
        }
        guard let token = answer.reply.token else {
            throw Self.lie(server, detail: "there is no token")
        }
        guard check.isIntact || (!request.certReq && check.signer == nil) else {
            throw Self.lie(
                server, detail: "its signature cannot be verified: no certificate came along")
        }
        try Self.checkClock(token.info, now, server)
        lacksAnchor = check.chain.isEmpty
        isTrusted = verifier.verdict(of: check) == .passed
        let problems = verifier.problems(of: check).filter { $0.verdict != nil }
        let doubt = isTrusted ? nil : Self.doubt(check, problems)
        // Revocation is checked afterwards, and again at each verification.
        lacksStatus =
            !isTrusted && check.signer != nil
            && problems.allSatisfy { $0.subindication == .tryLater }
        if let doubt, trust.isDemanded, !lacksStatus {
            throw TimestampServerFailure(
                .unavailable, server.text, doubt,
                hint: Self.missingIssuer(problems).map {
                    Sentence(.nameAuthorityIssuer, $0.inQuotes)
                } ?? Sentence(.nameAuthorityAnchor))
        }
        // Some TSAs omit the TimeStampResp around the token, which other programs expect.
        let granted = TimestampResponse(status: .granted, token: token)
        reply = answer.reply.response == nil ? granted.encoded() : answer.bytes
        self.token = token
        trustNote = doubt.map {
            "\($0), so the timestamp is ignored in verification"
        }
        notes =
            answer.notes + Self.clockNotes(token.info, at: now)
            + check.problems.filter { $0.verdict == nil }.map(\.message)
            + [trustNote].compactMap(\.self)
    }

    private static func clockNotes(_ info: TSTInfo, at now: CalendarTime) -> [String] {
        let time = info.genTime.time
        guard time.adding(CalendarTime.clockTolerance) < now else { return [] }
        return [
            "the timestamp has the time \(time.text), but this computer's clock shows \(now.text)"
        ]
    }

    /// The reason why validators would not trust the timestamp.
    private static func doubt(
        _ check: TimestampCheck, _ problems: [VerificationProblem]
    ) -> String {
        guard let signer = check.signer else {
            return "the timestamp contains no TSA certificate"
        }
        let name = signer.displayName
        guard let problem = problems.first, problem.subindication != .noCertificateChainFound else {
            let missing = missingIssuer(problems)
            return "the TSA \(name.inQuotes) is not trusted"
                + (missing.map { ": the issuer certificate \($0.inQuotes) was not found" } ?? "")
        }
        return "the timestamp by \(name) is indeterminate: \(problem.message)"
    }

    /// The issuer whose certificate is missing in the TSA's chain; nil if none is.
    private static func missingIssuer(_ problems: [VerificationProblem]) -> String? {
        problems.lazy.compactMap { problem in
            if case .unknownIssuer(let name)? = problem.missing { name } else { nil }
        }.first
    }

    private static func checkClock(
        _ info: TSTInfo, _ now: CalendarTime, _ server: HTTPAddress
    ) throws(TimestampServerFailure) {
        let time = info.genTime.time
        guard
            time.adding(seconds: clockLimitSeconds) < now
                || now.adding(seconds: clockLimitSeconds) < time
        else { return }
        throw TimestampServerFailure(
            .unavailable, server.text,
            "the timestamp has the time \(time.text), but this computer's clock shows \(now.text)",
            hint: Sentence(.setClock))
    }

    private static func lie(_ server: HTTPAddress, detail: String) -> TimestampServerFailure {
        TimestampServerFailure(
            .wrongAnswer, server.text, "the timestamp does not match the request: \(detail)",
            hint: Sentence(.distrustAuthority))
    }
}
