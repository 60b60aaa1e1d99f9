package import Base
package import CryptoBridge
package import NetworkBridge

/// A timestamp from a TSA, checked against the request.
package struct ObtainedTimestamp: Sendable {
    /// A TimeStampResp: the response as received, or created around a bare token.
    package let reply: [UInt8]
    package let token: TimestampToken
    /// The address of the TSA.
    package let server: String
    /// Whether verification would trust it with the same trust anchors.
    package let isTrusted: Bool
    /// Notes that do not affect the use of the timestamp, and failures of the TSAs tried before.
    package let notes: [String]
    /// The note that explains why it is not trusted.
    package let trustNote: String?
    /// Whether adding a trust anchor for the TSA would help.
    package let lacksAnchor: Bool
    /// Whether it is not trusted only because revocation data is missing.
    package let lacksStatus: Bool
}

/// Time-stamping authorities, tried one by one until one returns a usable timestamp (RFC 3161 §3.4).
package struct TimestampService: Sendable {
    /// Longest response: some contain certificates and CRLs.
    package static let answerByteLimit = TimestampLimits.replyByteCount
    /// Longest time for one request that TSAs may ask to wait.
    package static let waitLimit = Duration.seconds(120)

    private let servers: [HTTPAddress]
    private let client: HTTPClient
    private let clock: @Sendable () -> CalendarTime
    package var login: HTTPLogin?
    /// Limit for each attempt, from the DNS lookup to the last byte.
    package var timeLimit: Duration = .seconds(20)
    package var policy: OID?
    package var trust = TimestampTrust()
    /// Time between two requests to the same TSA.
    package var interval = Duration.zero
    /// Sleeps.
    package var pause: @Sendable (Duration) -> Void = { _ in }
    /// Called when a TSA asks to wait, with its address.
    package var announcesWait: @Sendable (String, Duration) -> Void = { _, _ in }
    private let pace = AuthorityPace()

    /// - Parameter clock: the current time, with which timestamps are compared.
    package init(
        servers: [HTTPAddress], client: HTTPClient, clock: @escaping @Sendable () -> CalendarTime
    ) {
        self.servers = servers
        self.client = client
        self.clock = clock
    }

    /// A timestamp over a hash of `digest`.
    package func stamp(hash: [UInt8], digest: DigestAlgorithm) throws -> ObtainedTimestamp {
        try stamp(
            TimestampRequest(
                messageImprint: MessageImprint(digest: digest, hash: hash), policy: policy,
                nonce: try TimestampRequest.randomNonce()))
    }

    /// Sends a request to one TSA after the other, once to each. If a TSA asks to wait, the next
    /// one is tried; the last one gets the request again.
    ///
    /// - Throws: ``TimestampServiceError`` with all failures.
    package func stamp(_ request: TimestampRequest) throws -> ObtainedTimestamp {
        let query = request.encoded
        var failures: [TimestampServerFailure] = []
        for server in servers {
            switch attempt(server, query, request, isLast: failures.count + 1 == servers.count) {
            case .success(let stamp):
                let earlier = failures.map { "\($0.server): \($0.detail)" }
                return ObtainedTimestamp(
                    reply: stamp.reply, token: stamp.token, server: server.text,
                    isTrusted: stamp.isTrusted,
                    notes: earlier + stamp.notes.map { "\(server.text): \($0)" },
                    trustNote: stamp.trustNote.map { "\(server.text): \($0)" },
                    lacksAnchor: stamp.lacksAnchor, lacksStatus: stamp.lacksStatus)
            case .failure(let failure): failures.append(failure)
            }
        }
        throw TimestampServiceError(failures: failures)
    }

    private func attempt(
        _ server: HTTPAddress, _ query: [UInt8], _ request: TimestampRequest, isLast: Bool
    ) -> Result<ReceivedTimestamp, TimestampServerFailure> {
        do {
            let answer = try TimestampAnswer(
                try send(query, to: server, mayWait: isLast), from: server, hadLogin: login != nil)
            return .success(
                try ReceivedTimestamp(
                    answer, from: server, request: request, trust: trust, now: clock()))
        } catch {
            return .failure(error)
        }
    }

    private func send(
        _ query: [UInt8], to server: HTTPAddress, mayWait: Bool
    ) throws(TimestampServerFailure) -> HTTPResponse {
        var waited = Duration.zero
        while true {
            let rest = pace.rest(of: server.text)
            guard rest > .zero else {
                if interval > .zero { pause(pace.turn(at: server.text, every: interval)) }
                let response = try sendNow(query, to: server)
                guard let delay = response.retryDelay else { return response }
                let isNew = pace.hold(server.text, for: delay)
                if isNew, mayWait, waited + delay <= Self.waitLimit {
                    announcesWait(server.text, delay)
                }
                continue
            }
            waited += rest
            guard mayWait, waited <= Self.waitLimit else {
                throw TimestampServerFailure(
                    .unavailable, server.text,
                    "the TSA limits requests and asks to wait \(rest.seconds) s"
                        + (mayWait ? "; the limit is \(Self.waitLimit.seconds) s" : ""),
                    hint: Sentence(.sendFewerRequests))
            }
            pause(rest)
        }
    }

    private func sendNow(
        _ query: [UInt8], to server: HTTPAddress
    ) throws(TimestampServerFailure) -> HTTPResponse {
        var message = HTTPRequest(
            server, body: query, timeLimit: timeLimit, answerByteLimit: Self.answerByteLimit)
        message.headers = [
            ("Content-Type", "application/timestamp-query"), ("Accept", TimestampAnswer.mediaType),
        ]
        message.login = login
        do {
            return try client.send(message)
        } catch {
            throw TimestampServerFailure(server.text, error)
        }
    }
}

extension Duration {
    /// Whole seconds, rounded up.
    fileprivate var seconds: Int {
        let (seconds, fraction) = components
        return Int(seconds) + (fraction > 0 ? 1 : 0)
    }
}

extension TimestampServerFailure {
    fileprivate init(_ server: String, _ error: HTTPError) {
        let detail = error.detail + (error.wasSent ? "; it may have counted the request" : "")
        switch error.code {
        case .clientCertificateRefused:
            self.init(.loginRefused, server, detail, hint: Sentence(.giveClientCertificate))
        case .untrustedServer:
            self.init(.unavailable, server, detail, hint: Sentence(.nameAuthorityServerAnchor))
        case .libraryMissing, .unsupported: self.init(.unavailable, server, detail)
        case _ where error.isOfHandshake:
            self.init(.unavailable, server, detail, hint: Sentence(.useAuthorityWithoutTLS))
        case .timedOut:
            self.init(.unavailable, server, detail, hint: Sentence(.waitLongerForAuthority))
        default: self.init(.unavailable, server, detail, hint: Sentence(.addAuthority))
        }
    }
}
