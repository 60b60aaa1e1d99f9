internal import Base
package import CMSKit
internal import CryptoBridge
package import NetworkBridge

/// The HTTP requests to a signing service and to its authorization server.
package struct ServiceChannel: Sendable {
    /// Base URL of the service, also its name in messages.
    let service: String
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
        self.allowsUnencrypted = allowsUnencrypted
        self.timeLimit = timeLimit
        do throws(HTTPError) {
            http = try HTTPClient(settings: settings)
        } catch {
            throw SigningFailure(.unavailable, error.detail)
        }
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
                .unavailable, "the signing service \(service): \(error.detail)",
                hint: error.code == .timedOut
                    ? Sentence(.waitLonger)
                    : error.code == .untrustedServer
                        ? Sentence(.nameServiceAnchor) : Sentence(.checkNetwork))
        }
    }

    /// Maximum length of an access token; servers accept about as much in a header field.
    private static let tokenByteLimit = 8192

    /// The access token in the response to a login.
    ///
    /// - Parameter hint: for a refusal.
    func accessToken(in answer: ServiceAnswer, hint: Sentence) throws -> SecretBytes {
        if (400..<500).contains(answer.status), answer.status != 404, answer.status != 429 {
            throw SigningFailure(
                .refused, "the signing service \(service) refused the login (\(answer.words))",
                hint: hint)
        }
        guard answer.status == 200, let token = answer.json?["access_token"]?.text else {
            throw failure(answer, to: "the login")
        }
        // It becomes the value of a header field.
        guard token.utf8.count <= Self.tokenByteLimit,
            token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !token.isEmpty
        else {
            throw SigningFailure(
                .unavailable, "the signing service \(service) returned a malformed access token")
        }
        let secret = SecretBytes(copying: Array(token.utf8))
        secrets.note(secret)
        return secret
    }

    /// The error for an unsuccessful status.
    ///
    /// - Parameter question: description of the request.
    func failure(_ answer: ServiceAnswer, to question: String) -> SigningFailure {
        let service = "the signing service \(self.service)"
        switch answer.status {
        case 200:
            return SigningFailure(
                .unavailable,
                "\(service) returned a malformed response to the request for \(question)",
                hint: Sentence(.checkAddress))
        case 300..<400:
            return SigningFailure(
                .unavailable,
                "\(service) sent a redirect (\(answer.redirectInWords)): redirects are not followed",
                hint: Sentence(.giveAddressItself))
        case 429:
            return SigningFailure(
                .unavailable, "\(service) is overloaded (\(answer.words))",
                hint: Sentence(.tryLater))
        case 404:
            return SigningFailure(
                .missing, "\(service) does not provide \(question) (\(answer.words))",
                hint: Sentence(.checkCredential))
        default:
            return SigningFailure(
                .unavailable, "\(service) failed to provide \(question) (\(answer.words))")
        }
    }
}
