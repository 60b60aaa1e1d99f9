internal import Base
package import CMSKit
internal import CryptoBridge
package import NetworkBridge

/// The HTTP requests to a signing service and to its authorization server.
package struct ServiceChannel: Sendable {
    /// Base URL of the service, also its name in messages.
    let service: String
    /// The receiver of requests, for messages.
    private var receiver: String
    private var isService = true
    private let http: HTTPClient
    private let allowsUnencrypted: Bool
    let timeLimit: Duration?
    let secrets = SentSecrets()

    private static let usualLimit = Duration.seconds(20)
    private static let answerByteLimit = 1 << 20

    /// - Parameters:
    ///   - allowsUnencrypted: whether secrets may be sent unencrypted to other computers.
    ///   - timeLimit: limit of each request; nil for the default.
    package init(
        _ service: String, settings: TLSSettings, allowsUnencrypted: Bool, timeLimit: Duration?
    ) throws(SigningFailure) {
        self.service = service
        receiver = "the signing service \(service)"
        self.allowsUnencrypted = allowsUnencrypted
        self.timeLimit = timeLimit
        do throws(HTTPError) {
            http = try HTTPClient(settings: settings)
        } catch {
            throw SigningFailure(.unavailable, error.detail)
        }
    }

    /// The same connection, with the authorization server as receiver.
    func toAuthorizationServer(at address: String) -> Self {
        var copy = self
        copy.isService = false
        copy.receiver =
            "the authorization server "
            + ((try? HTTPAddress(address).authority) ?? HTTPAddress.withoutLogin(address))
        return copy
    }

    /// How long a service may delay a response.
    var usualPatience: Duration { timeLimit ?? Self.usualLimit }

    /// Rejects a URL to which secrets must not be sent.
    func check(_ text: String) throws {
        let address: HTTPAddress
        do throws(HTTPError) {
            address = try HTTPAddress(text)
        } catch {
            throw SigningFailure(
                error.code == .libraryMissing ? .unavailable : .usage,
                "\(HTTPAddress.withoutLogin(text)) \(error.detail)")
        }
        guard address.isEncrypted || address.isLoopback || allowsUnencrypted else {
            throw SigningFailure(
                .usage, "\(text): secrets would be sent over unencrypted HTTP",
                hint: Sentence(.useServiceHTTPS))
        }
    }

    /// Sends JSON.
    ///
    /// - Parameters:
    ///   - limit: time limit; nil is ``usualPatience``.
    ///   - once: whether the request must not arrive twice.
    func post(
        _ address: String, _ body: consuming [UInt8], login: HTTPLogin? = nil,
        limit: Duration? = nil, once: Bool = true
    ) throws -> ServiceAnswer {
        var request = try request(address, body, "application/json", limit)
        request.login = login
        request.isSentOnce = once
        return try send(request)
    }

    func postForm(
        _ address: String, _ form: consuming [UInt8], login: HTTPLogin?
    ) throws -> ServiceAnswer {
        var request = try request(address, form, "application/x-www-form-urlencoded", nil)
        request.login = login
        request.isSentOnce = true
        return try send(request)
    }

    func get(_ address: String) throws -> ServiceAnswer {
        try send(request(address, nil, nil, nil))
    }

    private func request(
        _ address: String, _ body: consuming [UInt8]?, _ type: String?, _ limit: Duration?
    ) throws -> HTTPRequest {
        var request = HTTPRequest(
            try HTTPAddress(address), body: body, timeLimit: limit ?? usualPatience,
            answerByteLimit: Self.answerByteLimit)
        request.headers = [("Accept", "application/json")]
        if let type { request.headers.append(("Content-Type", type)) }
        request.followsRedirects = false
        return request
    }

    private func send(_ request: consuming HTTPRequest) throws(SigningFailure) -> ServiceAnswer {
        defer {
            if var body = request.body {
                request.body = nil
                SecretBytes.wipe(&body)
            }
        }
        do {
            return ServiceAnswer(try http.send(request), hiding: secrets)
        } catch {
            throw SigningFailure(
                .unavailable, "\(receiver): \(error.detail)",
                hint: error.code == .timedOut
                    ? Sentence(.waitLonger)
                    : error.code == .untrustedServer
                        ? Sentence(.nameServiceAnchor) : Sentence(.checkNetwork))
        }
    }

    /// Maximum length of a token; servers accept about as much in a header field.
    static let tokenByteLimit = 8192

    /// Whether a text may be a token, and so the value of a header field (RFC 6749 Appendix A.12).
    static func isToken(_ text: some Collection<UInt8>) -> Bool {
        !text.isEmpty && text.count <= tokenByteLimit
            && text.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// The access token in the response to a login.
    ///
    /// - Parameter hint: for a refusal.
    func accessToken(in answer: ServiceAnswer, hint: Sentence) throws -> SecretBytes {
        if (400..<500).contains(answer.status), answer.status != 404, answer.status != 429 {
            throw SigningFailure(
                .refused, "\(receiver) refused the login (\(answer.words))", hint: hint)
        }
        guard answer.status == 200, let token = answer.json?["access_token"]?.text else {
            throw failure(answer, to: "the login")
        }
        guard Self.isToken(token.utf8) else { throw malformed("access token") }
        let secret = SecretBytes(copying: Array(token.utf8))
        secrets.note(secret)
        return secret
    }

    func malformed(_ thing: String) -> SigningFailure {
        SigningFailure(.unavailable, "\(receiver) returned a malformed \(thing)")
    }

    /// The error for an unsuccessful status.
    ///
    /// - Parameter question: description of the request.
    func failure(_ answer: ServiceAnswer, to question: String) -> SigningFailure {
        switch answer.status {
        case 200:
            return SigningFailure(
                .unavailable,
                "\(receiver) returned a malformed response to the request for \(question)",
                hint: isService ? Sentence(.checkAddress) : nil)
        case 300..<400:
            return SigningFailure(
                .unavailable,
                "\(receiver) sent a redirect (\(answer.redirectInWords)): redirects are not followed",
                hint: isService ? Sentence(.giveAddressItself) : nil)
        case 429:
            return SigningFailure(
                .unavailable, "\(receiver) is overloaded (\(answer.words))",
                hint: Sentence(.tryLater))
        case 404:
            return SigningFailure(
                isService ? .missing : .unavailable,
                "\(receiver) does not provide \(question) (\(answer.words))",
                hint: isService ? Sentence(.checkCredential) : nil)
        default:
            return SigningFailure(
                .unavailable, "\(receiver) failed to provide \(question) (\(answer.words))")
        }
    }
}
