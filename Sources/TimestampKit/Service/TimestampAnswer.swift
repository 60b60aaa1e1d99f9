internal import Base
import CMSKit
import NetworkBridge

/// The response of a server, without HTTP.
struct TimestampAnswer {
    let bytes: [UInt8]
    let reply: TimestampReply
    /// Notes without effect on its use.
    let notes: [String]

    /// The media type of responses (RFC 3161 §3.4).
    static let mediaType = "application/timestamp-reply"

    init(
        _ response: HTTPResponse, from server: HTTPAddress, hadLogin: Bool
    ) throws(TimestampServerFailure) {
        var notes: [String] = []
        if response.wasSentAgain {
            notes.append(
                "the connection that was kept had been closed, so the request was sent again; it "
                    + "may have counted both")
        }
        try Self.checkLogin(response, from: server, hadLogin: hadLogin)
        try Self.checkStatus(response, from: server)
        (bytes, reply) = try Self.parse(response, server)
        if response.contentType != Self.mediaType {
            notes.append("a timestamp, but declared as '\(response.contentType)'")
        }
        self.notes = notes
    }

    private static func checkLogin(
        _ response: HTTPResponse, from server: HTTPAddress, hadLogin: Bool
    ) throws(TimestampServerFailure) {
        guard [401, 403, 407].contains(response.status) else { return }
        throw TimestampServerFailure(
            .loginRefused, server.text,
            hadLogin
                ? "the login was refused (status \(response.status))"
                : "the TSA requires a login (status \(response.status))",
            hint: Sentence(.giveAuthorityLogin))
    }

    private static func checkStatus(
        _ response: HTTPResponse, from server: HTTPAddress
    ) throws(TimestampServerFailure) {
        guard !response.isSuccess else { return }
        throw TimestampServerFailure(
            .unavailable, server.text,
            "answers with status \(response.status)\(response.body.firstWords)",
            hint: Sentence(.checkAuthorityAddressLater))
    }

    /// Parses the response with any declared type, also in base64, as some servers send it.
    private static func parse(
        _ response: HTTPResponse, _ server: HTTPAddress
    ) throws(TimestampServerFailure) -> ([UInt8], TimestampReply) {
        do {
            return (response.body, try TimestampReply(response.body))
        } catch {
            if let bytes = Base64.decode(response.body.withoutWhiteSpace),
                let reply = try? TimestampReply(bytes)
            {
                return (bytes, reply)
            }
            let what: String =
                switch response.body.first {
                case nil: "nothing"
                case ASN1Tag.sequence: "a damaged timestamp (\(error.description))"
                default: "something else than a timestamp\(response.body.firstWords)"
                }
            throw TimestampServerFailure(
                .unavailable, server.text, "answers with \(what)",
                hint: Sentence(.checkAuthorityAddress))
        }
    }
}

extension [UInt8] {
    /// Without line breaks and other white space, for base64.
    var withoutWhiteSpace: [UInt8] { filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) } }

    /// The first words of a text or page: `: 'Please log in'`; empty for other bytes.
    var firstWords: String {
        let beginning = String(decoding: prefix(2048), as: UTF8.self)
        let isText = beginning.unicodeScalars.allSatisfy {
            ($0.value >= 0x20 || $0.properties.isWhitespace) && $0 != "\u{FFFD}"
        }
        guard isText else { return "" }
        var isTag = false
        var text = ""
        for character in beginning {
            switch character {
            case "<": isTag = true
            case ">" where isTag:
                isTag = false
                text.append(" ")
            default: if !isTag { text.append(character) }
            }
        }
        let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return words.isEmpty ? "" : ": '\(words.prefix(80))'"
    }
}
