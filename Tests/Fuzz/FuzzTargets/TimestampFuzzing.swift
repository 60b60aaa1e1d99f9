import Base
import CryptoBridge
import TrustKit

@testable import TimestampKit

/// Parses arbitrary bytes as a timestamp request and as a response. It must return for all bytes.
enum TimestampFuzzing {
    /// - Returns: the failure; nil if the result is correct.
    static func failure(of bytes: [UInt8]) -> String? {
        if let request = try? TimestampRequest(bytes), request.extensions.isEmpty {
            guard let again = try? TimestampRequest(request.encoded), again == request else {
                return "a request that is written differently"
            }
        }
        guard let reply = try? TimestampReply(bytes) else { return nil }
        if let response = reply.response, response.token == nil {
            guard let again = try? TimestampReply(response.encoded()).response,
                again.status == response.status, again.failureBits == response.failureBits,
                again.statusTexts == response.statusTexts
            else { return "a response that is written differently" }
        }
        if let info = reply.token?.info, info.extensions.isEmpty {
            guard let again = try? TSTInfo(info.encoded), again == info else {
                return "a TSTInfo that is written differently"
            }
            _ = (info.latestTime, info.tsaText, info.accuracy?.description)
        }
        let hash = reply.token?.info.messageImprint.hashedMessage
        let verifier = TimestampVerifier(
            anchors: .certificates([]), time: CalendarTime(secondsSinceEpoch: 1_780_000_000))
        let check = try? verifier.verify(reply, hash: hash)
        // There are no trust anchors, so no timestamp may pass.
        return check?.verdict == .passed ? "passed without an anchor" : nil
    }
}
