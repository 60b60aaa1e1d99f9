import ByteKit
import CMSKit
import CryptoBridge
import NetworkBridge
import TimestampKit
import TrustKit

/// An answer that was judged by everything that the request says about it (RFC 3161 §2.4.2).
///
/// Whether the authority is to be believed is another question, which verification asks.
struct ReceivedTimestamp {
    let reply: [UInt8]
    let token: TimestampToken
    /// Oddities that do not spoil it.
    let notes: [String]

    /// Clocks that differ by more are worth a word.
    private static let clockToleranceSeconds = 300

    init(
        _ answer: TimestampAnswer, from server: HTTPAddress, request: TimestampRequest,
        now: CalendarTime
    ) throws(TimestampServerFailure) {
        if let response = answer.reply.response, !response.status.isGranted {
            throw TimestampServerFailure(
                .unavailable, server.text,
                "the authority did not stamp: " + response.statusDescription)
        }
        let check: TimestampCheck
        do {
            check = try TimestampVerifier(anchors: .certificates([]), time: now)
                .verify(answer.reply, request: request)
        } catch {
            throw TimestampServerFailure(
                .wrongAnswer, server.text, "the time stamp cannot be verified (\(error.detail))")
        }
        if let problem = check.problems.first(where: { $0.verdict == .failed }) {
            throw Self.lie(server, problem.message)
        }
        guard let token = answer.reply.token else { throw Self.lie(server, "there is no token") }
        guard check.isIntact || (!request.certReq && check.signer == nil) else {
            throw Self.lie(server, "its signature cannot be verified: no certificate came along")
        }
        // Gateways leave out what is around the token; other programs want to read it.
        let granted = TimestampResponse(status: .granted, token: token)
        reply = answer.reply.response == nil ? granted.encoded() : answer.bytes
        self.token = token
        // Trust was not asked for here; what else is in doubt should be known.
        notes =
            answer.notes + Self.clockNotes(token.info, now)
            + check.problems.filter { $0.subIndication != .noCertificateChainFound }
            .map(\.message)
    }

    private static func clockNotes(_ info: TSTInfo, _ now: CalendarTime) -> [String] {
        let time = info.genTime.time
        guard time.adding(seconds: clockToleranceSeconds) < now else { return [] }
        return ["stamped at \(time.rfc3339), but this computer's clock says \(now.rfc3339)"]
    }

    private static func lie(_ server: HTTPAddress, _ detail: String) -> TimestampServerFailure {
        TimestampServerFailure(
            .wrongAnswer, server.text, "the time stamp is not what was asked for: \(detail)",
            hint: "do not rely on this authority; use another --tsa URL")
    }
}
