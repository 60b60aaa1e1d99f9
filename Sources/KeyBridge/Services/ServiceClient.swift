internal import Base
internal import CMSKit
package import CryptoBridge
package import NetworkBridge
internal import Synchronization

/// The authentication to a service.
package enum ServiceLogin: Sendable {
    case none
    /// A name and a password (CSC API §11.2).
    case basic(user: String, password: @Sendable () throws -> SecretBytes)
    /// OAuth 2.0 client credentials (RFC 6749 §4.4).
    case client(id: String, secret: @Sendable () throws -> SecretBytes)
    /// An existing access token.
    case token(@Sendable () throws -> SecretBytes)

    /// The hint for other credentials.
    fileprivate var hint: Sentence {
        switch self {
        case .none: Sentence(.logInToService)
        case .basic: Sentence(.checkServiceLogin)
        case .client: Sentence(.checkClientLogin)
        case .token: Sentence(.renewAccessToken)
        }
    }
}

/// The response of a service to one request.
struct ServiceAnswer: Sendable {
    let status: Int
    /// Nil if it is not JSON.
    let json: JSONValue?
    let retryAfterSeconds: Int
    let redirect: String
    private let body: [UInt8]
    private let secrets: SentSecrets

    init(_ response: HTTPResponse, hiding secrets: SentSecrets) {
        self.secrets = secrets
        status = response.status
        json = try? JSONValue(parsing: response.body)
        retryAfterSeconds = response.retryAfterSeconds
        redirect = response.redirect
        body = response.body
    }

    /// The status with the service's message, for an error.
    var words: String {
        let quoted = quotation
        if secrets.appear(in: quoted) {
            return "status \(status); the response contains a secret and is not shown"
        }
        let short = quoted.unicodeScalars.prefix(Self.wordLimit)
            .map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }.joined()
        return "status \(status)" + (short.isEmpty ? "" : ", " + short.inQuotes)
    }

    /// The service's message, somewhat longer than displayed: a secret may cross the end.
    private var quotation: String {
        let said = [json?["error"]?.text, json?["error_description"]?.text].compactMap { $0 }
            .joined(separator: ": ")
        let text = said.isEmpty && json == nil ? String(decoding: body, as: UTF8.self) : said
        return String(text.unicodeScalars.prefix(2 * Self.wordLimit))
    }

    /// The redirect's target, for a message.
    var redirectInWords: String {
        secrets.appear(in: redirect)
            ? "a URL with a secret" : HTTPAddress.withoutLogin(redirect)
    }

    private static let wordLimit = 200
}

/// A client of one service, for any number of threads.
package final class ServiceClient: Sendable {
    package let uri: ServiceURI
    let version: ServiceURI.Version
    private let http: HTTPClient
    private let login: ServiceLogin
    /// Time limit of each request; nil is ``usualLimit``, or ``authorizationLimit`` if the user
    /// must confirm.
    private let timeLimit: Duration?
    private let root: String
    private let tokenAddress: String?
    private let access = Mutex<SecretBytes?>(nil)
    private let secrets = SentSecrets()

    private static let usualLimit = Duration.seconds(20)
    /// The service may ask the user to confirm on a phone.
    private static let authorizationLimit = Duration.seconds(120)
    private static let answerByteLimit = 1 << 20

    /// Determines the version of the API; no secrets are sent.
    ///
    /// - Parameters:
    ///   - allowsUnencrypted: whether secrets may be sent unencrypted to other computers.
    ///   - timeLimit: limit of each request; nil for the default.
    /// - Throws: ``SigningFailure``.
    package init(
        _ uri: ServiceURI, settings: TLSSettings, login: ServiceLogin, allowsUnencrypted: Bool,
        timeLimit: Duration? = nil
    ) throws {
        self.uri = uri
        self.login = login
        self.timeLimit = timeLimit
        do throws(HTTPError) {
            http = try HTTPClient(settings: settings)
        } catch {
            throw SigningFailure(.unavailable, error.detail)
        }
        try Self.check(uri.base, allowsUnencrypted: allowsUnencrypted)
        let (root, answer) = try Self.info(uri, through: http, limit: timeLimit ?? Self.usualLimit)
        guard answer.status == 200, let json = answer.json, case .object = json else {
            throw Self.failure(answer, to: "what it is", service: uri.base)
        }
        let isOld = json["specs"]?.text?.hasPrefix("1.") ?? false
        version = uri.version ?? (isOld || root.hasSuffix("/v1") ? .v1 : .v2)
        self.root = root
        tokenAddress = try json["oauth2"]?.text.map { text in
            let address = (text.hasSuffix("/") ? text : text + "/") + "oauth2/token"
            try Self.check(address, allowsUnencrypted: allowsUnencrypted)
            return address
        }
    }

    /// Requests the service's properties (CSC API §11.1), and determines the URL of its methods.
    private static func info(
        _ uri: ServiceURI, through http: HTTPClient, limit: Duration
    ) throws -> (root: String, answer: ServiceAnswer) {
        let folder = uri.base.hasSuffix("/csc") ? uri.base : uri.base + "/csc"
        let roots = uri.version == nil ? [folder + "/v2", folder + "/v1"] : [uri.base]
        var last: (String, ServiceAnswer)?
        for root in roots {
            let request = post(try HTTPAddress(root + "/info"), Array("{}".utf8), limit: limit)
            let answer = try send(request, http, uri.base, SentSecrets())
            last = (root, answer)
            if answer.status != 404 { break }
        }
        guard let last else { throw SigningFailure(.usage, "the URL is missing") }
        return last
    }

    /// Rejects a URL to which secrets must not be sent.
    private static func check(_ text: String, allowsUnencrypted: Bool) throws {
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

    // MARK: Requests

    /// Sends an idempotent request, with a new access token if the old one has expired.
    func ask(_ method: String, _ body: () -> [UInt8]) throws -> ServiceAnswer {
        let answer = try request(method, body(), limit: usualPatience)
        guard answer.status == 401, case .client = login else { return answer }
        access.withLock { $0 = nil }
        return try request(method, body(), limit: usualPatience)
    }

    /// Sends a request that must not arrive twice.
    ///
    /// - Parameter asksPerson: whether the user may have to confirm it.
    func sendOnce(
        _ method: String, _ body: consuming [UInt8], asksPerson: Bool
    ) throws -> ServiceAnswer {
        let usual = asksPerson ? Self.authorizationLimit : Self.usualLimit
        return try request(method, body, limit: timeLimit ?? usual, once: true)
    }

    /// How long a service may delay a response.
    var usualPatience: Duration { timeLimit ?? Self.usualLimit }

    /// How long the user may take to confirm.
    var patience: Duration { timeLimit ?? Self.authorizationLimit }

    private func request(
        _ method: String, _ body: consuming [UInt8], limit: Duration, once: Bool = false
    ) throws -> ServiceAnswer {
        var request = Self.post(try HTTPAddress(root + "/" + method), body, limit: limit)
        if let token = try accessToken() {
            note(token)
            request.login = .bearer(token)
        }
        request.isSentOnce = once
        return try Self.send(request, http, uri.base, secrets)
    }

    /// Must be called for each secret in a request.
    func note(_ secret: SecretBytes) { secrets.note(secret) }

    private static func post(
        _ address: HTTPAddress, _ body: consuming [UInt8], limit: Duration
    ) -> HTTPRequest {
        var request = HTTPRequest(
            address, body: body, timeLimit: limit, answerByteLimit: answerByteLimit)
        request.headers = [
            ("Content-Type", "application/json"), ("Accept", "application/json"),
        ]
        request.followsRedirects = false
        return request
    }

    private static func send(
        _ request: consuming HTTPRequest, _ http: HTTPClient, _ name: String, _ secrets: SentSecrets
    ) throws(SigningFailure) -> ServiceAnswer {
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
                .unavailable, "the signing service \(name): \(error.detail)",
                hint: error.code == .timedOut
                    ? Sentence(.waitLonger)
                    : error.code == .untrustedServer
                        ? Sentence(.nameServiceAnchor) : Sentence(.checkNetwork))
        }
    }

    // MARK: Login

    private func accessToken() throws -> SecretBytes? {
        if case .none = login { return nil }
        return try access.withLock { known in
            if let known { return known }
            let token = try obtainToken()
            known = token
            return token
        }
    }

    private func obtainToken() throws -> SecretBytes {
        var request: HTTPRequest
        switch login {
        case .none: return SecretBytes(copying: [])
        case .token(let read): return try read()
        case .basic(let user, let password):
            request = Self.post(
                try HTTPAddress(root + "/auth/login"), Array("{}".utf8), limit: usualPatience)
            let secret = try password()
            note(secret)
            request.login = .basic(user: user, password: secret)
        case .client(let id, let read):
            let secret = try read()
            note(secret)
            let address = tokenAddress ?? root + "/oauth2/token"
            request = Self.post(
                try HTTPAddress(address), Array("grant_type=client_credentials&scope=service".utf8),
                limit: usualPatience)
            request.headers[0] = ("Content-Type", "application/x-www-form-urlencoded")
            request.login = .basic(user: id, password: secret)
        }
        request.isSentOnce = true
        let answer = try Self.send(request, http, uri.base, secrets)
        if (400..<500).contains(answer.status), answer.status != 404, answer.status != 429 {
            throw SigningFailure(
                .refused, "the signing service \(uri.base) refused the login (\(answer.words))",
                hint: login.hint)
        }
        guard answer.status == 200, let token = answer.json?["access_token"]?.text else {
            throw failure(answer, "the login")
        }
        return SecretBytes(copying: Array(token.utf8))
    }

    // MARK: Failures

    /// The error for an unsuccessful status.
    ///
    /// - Parameter question: description of the request.
    func failure(_ answer: ServiceAnswer, _ question: String) -> SigningFailure {
        if [401, 403].contains(answer.status) {
            return SigningFailure(
                .refused, "the signing service \(uri.base) refused \(question) (\(answer.words))",
                hint: login.hint)
        }
        return Self.failure(answer, to: question, service: uri.base)
    }

    private static func failure(
        _ answer: ServiceAnswer, to question: String, service name: String
    ) -> SigningFailure {
        let service = "the signing service \(name)"
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
