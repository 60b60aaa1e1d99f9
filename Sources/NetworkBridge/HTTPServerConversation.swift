import SystemBridge

/// The requests and responses of one connection, one after the other.
struct HTTPServerConversation {
    let connection: Connection
    let limits: HTTPServerLimits
    let isAtLimit: () -> Bool
    let handle: (HTTPServerRequest) -> HTTPServerResponse
    /// Called for invalid requests with the status of the response.
    let refused: (Int, String) -> Void

    /// Longest line with a chunk size, including extensions.
    private static let chunkLineByteCount = 256

    func run() {
        do {
            while try exchange() {}
        } catch {
            // A client that disconnected, or was too slow to start, gets no response.
        }
    }

    /// - Returns: whether another request may follow.
    private func exchange() throws(Connection.Failure) -> Bool {
        try connection.awaitFirstByte(until: .now + limits.idleDuration, isAtLimit: isAtLimit)
        let began = ContinuousClock.Instant.now
        let deadline = began + limits.requestDuration
        connection.isHurried = { isAtLimit() && .now > began + limits.crowdedDuration }
        defer { connection.isHurried = nil }
        let answer: (response: HTTPServerResponse, isKeptAlive: Bool)
        do {
            let head = try readHead(until: deadline)
            let request = HTTPServerRequest(
                method: head.method, target: head.target, fields: head.fields,
                body: try readBody(of: head, until: deadline), peer: connection.peer)
            answer = (handle(request), head.isKeptAlive)
        } catch let refusal as HTTPRefusal {
            answer = (refuse(refusal), false)
        } catch ConnectedSocket.Failure.timeout {
            // While other clients wait, a slow client is disconnected without an error response.
            guard !isAtLimit() else { return false }
            answer = (refuse(HTTPRefusal(408, "the request exceeded the time limit")), false)
        } catch {
            return false
        }
        try connection.write(
            answer.response.encoded(isKeptAlive: answer.isKeptAlive),
            until: .now + limits.writeDuration)
        if !answer.isKeptAlive { connection.finish() }
        return answer.isKeptAlive
    }

    private func refuse(_ refusal: HTTPRefusal) -> HTTPServerResponse {
        refused(refusal.status, refusal.text)
        return HTTPServerResponse(status: refusal.status, text: refusal.text)
    }

    private func readHead(until deadline: ContinuousClock.Instant) throws -> HTTPHead {
        guard let bytes = try connection.readHead(limit: limits.headByteCount, until: deadline)
        else { throw HTTPRefusal(431, "the header is longer than \(limits.headByteCount) bytes") }
        return try HTTPHead(bytes, limits)
    }

    private func readBody(
        of head: HTTPHead, until deadline: ContinuousClock.Instant
    ) throws -> [UInt8] {
        switch head.framing {
        case .none:
            guard head.method != "POST" else {
                throw HTTPRefusal(411, "the length of the body is required")
            }
            return []
        case .length(let count):
            guard count <= limits.bodyByteCount else { throw tooLarge }
            try permit(head, until: deadline)
            return try connection.read(count, until: deadline)
        case .chunked:
            try permit(head, until: deadline)
            return try readChunks(until: deadline)
        }
    }

    private var tooLarge: HTTPRefusal {
        HTTPRefusal(413, "the body is longer than \(limits.bodyByteCount) bytes")
    }

    /// Sends 100 Continue, which clients with larger bodies wait for (RFC 9110 §10.1.1).
    private func permit(_ head: HTTPHead, until deadline: ContinuousClock.Instant) throws {
        guard head.expectsContinue else { return }
        try connection.write(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8), until: deadline)
    }

    /// RFC 9112 §7.1. Extensions and trailers are skipped.
    private func readChunks(until deadline: ContinuousClock.Instant) throws -> [UInt8] {
        func line() throws -> [UInt8] {
            guard
                let line = try connection.readLine(limit: Self.chunkLineByteCount, until: deadline)
            else { throw HTTPRefusal(400, "a chunk's line is too long") }
            return line
        }
        var body: [UInt8] = []
        while true {
            let digits = try line().prefix { $0 != 0x3B }.filter { $0 != 0x20 && $0 != 0x09 }
            guard (1...8).contains(digits.count),
                let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0
            else { throw HTTPRefusal(400, "a chunk without a size") }
            if size == 0 { break }
            guard body.count + size <= limits.bodyByteCount else { throw tooLarge }
            body += try connection.read(size, until: deadline)
            guard try line().isEmpty else { throw HTTPRefusal(400, "a chunk longer than declared") }
        }
        for _ in 0..<limits.fieldCount where try line().isEmpty { return body }
        throw HTTPRefusal(431, "too many trailers")
    }
}
