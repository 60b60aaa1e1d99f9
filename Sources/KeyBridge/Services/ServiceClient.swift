internal import Base
internal import CMSKit
package import CryptoBridge
internal import NetworkBridge
internal import Synchronization

package enum ServiceLogin: Sendable {
    case none
    /// A name and a password (CSC API §11.2).
    case basic(user: String, password: @Sendable () throws -> SecretBytes)
    /// The application of the user, with OAuth 2.0.
    case application
    /// An existing access token.
    case token(@Sendable () throws -> SecretBytes)

    fileprivate var hint: Sentence {
        switch self {
        case .none: Sentence(.logInToService)
        case .basic: Sentence(.checkServiceLogin)
        case .application: Sentence(.authorizeAgain)
        case .token: Sentence(.renewAccessToken)
        }
    }
}

/// The response of a service to one request.
struct ServiceAnswer: Sendable {
    let status: Int
    let json: JSONValue?
    /// Whether the response is JSON by its media type or content.
    let isJSON: Bool
    let retryAfterSeconds: Int
    let redirect: String
    private let body: [UInt8]
    private let secrets: SentSecrets

    init(_ response: HTTPResponse, hiding secrets: SentSecrets) {
        self.secrets = secrets
        status = response.status
        json = try? JSONValue(parsing: response.body)
        isJSON = json != nil || response.contentType.lowercased().contains("json")
        retryAfterSeconds = response.retryAfterSeconds
        redirect = response.redirect
        body = response.body
    }

    /// Whether the access token is not accepted (RFC 6750 §3.1).
    var refusesToken: Bool {
        let error = json?["error"]?.text
        return [401, 403].contains(status)
            || status == 400 && ["invalid_token", "insufficient_scope"].contains(error)
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
    private let channel: ServiceChannel
    private let login: ServiceLogin
    private let authorization: ServiceAuthorization?
    private let root: String
    private let access = Mutex<(token: SecretBytes, hasExpired: @Sendable () -> Bool)?>(nil)

    /// The service may ask the user to confirm on a phone.
    private static let authorizationLimit = Duration.seconds(120)

    /// Determines the version of the API; no secrets are sent.
    ///
    /// - Parameter application: also for authorizations in a browser with another login.
    /// - Throws: ``SigningFailure``.
    package init(
        _ uri: ServiceURI, _ channel: ServiceChannel, login: ServiceLogin,
        application: ServiceApplication? = nil
    ) throws {
        self.uri = uri
        self.login = login
        self.channel = channel
        try channel.check(uri.base)
        let (root, answer) = try Self.info(uri, through: channel)
        guard answer.status == 200, let json = answer.json, case .object = json else {
            throw channel.failure(answer, to: "its properties (method info)")
        }
        let isOld = json["specs"]?.text?.hasPrefix("1.") ?? false
        version = uri.version ?? (isOld || root.hasSuffix("/v1") ? .v1 : .v2)
        self.root = root
        authorization = application.map {
            ServiceAuthorization($0, channel, info: json, root: root)
        }
    }

    /// Requests the service's properties (CSC API §11.1), and determines the URL of its methods.
    private static func info(
        _ uri: ServiceURI, through channel: ServiceChannel
    ) throws -> (root: String, answer: ServiceAnswer) {
        let folder = uri.base.hasSuffix("/csc") ? uri.base : uri.base + "/csc"
        let roots = uri.version == nil ? [folder + "/v2", folder + "/v1"] : [uri.base]
        var last: (String, ServiceAnswer)?
        for root in roots {
            let answer = try channel.post(root + "/info", Array("{}".utf8), once: false)
            last = (root, answer)
            if answer.status != 404 { break }
        }
        guard let last else { throw SigningFailure(.usage, "the URL is missing") }
        return last
    }

    // MARK: Requests

    /// Sends an idempotent request, with a new access token if the old one has expired, and after a
    /// new login if the service refuses a stored one.
    func ask(_ method: String, _ body: () -> [UInt8]) throws -> ServiceAnswer {
        var answer = try request(method, body(), limit: usualPatience, once: false)
        guard case .application = login, let authorization else { return answer }
        if answer.status == 401, authorization.canRenew {
            access.withLock { $0 = nil }
            answer = try request(method, body(), limit: usualPatience, once: false)
        }
        if answer.refusesToken, try authorization.forgetStored() {
            access.withLock { $0 = nil }
            answer = try request(method, body(), limit: usualPatience, once: false)
        }
        return answer
    }

    /// Sends a request that must not arrive twice.
    ///
    /// - Parameter asksPerson: whether the user may have to confirm it.
    func sendOnce(
        _ method: String, _ body: consuming [UInt8], asksPerson: Bool
    ) throws -> ServiceAnswer {
        let answer = try request(
            method, body, limit: asksPerson ? patience : usualPatience, once: true)
        // The next run begins with a new login.
        if answer.refusesToken { _ = try authorization?.forgetStored() }
        return answer
    }

    /// How long a service may delay a response.
    var usualPatience: Duration { channel.usualPatience }

    /// How long the user may take to confirm.
    var patience: Duration { channel.timeLimit ?? Self.authorizationLimit }

    private func request(
        _ method: String, _ body: consuming [UInt8], limit: Duration, once: Bool
    ) throws -> ServiceAnswer {
        let token = try accessToken()
        if let token { note(token) }
        return try channel.post(
            root + "/" + method, body, login: token.map { .bearer($0) }, limit: limit, once: once)
    }

    /// Must be called for each secret in a request.
    func note(_ secret: SecretBytes) { channel.secrets.note(secret) }

    // MARK: Login

    private func accessToken() throws -> SecretBytes? {
        if case .none = login { return nil }
        return try access.withLock { known in
            if let known, !known.hasExpired() || authorization?.canRenew != true {
                return known.token
            }
            if case .application = login {
                let grant = try browser().serviceToken()
                known = (grant.access, { grant.hasExpired })
                return grant.access
            }
            let token = try obtainToken()
            known = (token, { false })
            return token
        }
    }

    private func obtainToken() throws -> SecretBytes {
        switch login {
        case .none, .application: return SecretBytes(copying: [])
        case .token(let read): return try read()
        case .basic(let user, let password):
            let secret = try password()
            note(secret)
            let answer = try channel.post(
                root + "/auth/login", Array("{}".utf8), login: .basic(user: user, password: secret))
            return try channel.accessToken(in: answer, hint: login.hint)
        }
    }

    /// The authorization of the user in a browser for signatures with a credential.
    func authorize(
        credential: String, hashes: [[UInt8]], algorithm: String
    ) throws -> ServiceAuthorization.Grant {
        try browser().authorize(
            credential: credential, hashes: hashes, algorithm: algorithm, version: version)
    }

    private func browser() throws(SigningFailure) -> ServiceAuthorization {
        guard let authorization else {
            throw SigningFailure(
                .usage, "the signing service \(uri.base) requires an authorization in a browser",
                hint: Sentence(.giveClientID))
        }
        return authorization
    }

    // MARK: Failures

    /// The error for an unsuccessful status.
    ///
    /// - Parameter question: description of the request.
    func failure(_ answer: ServiceAnswer, _ question: String) -> SigningFailure {
        guard [401, 403].contains(answer.status) else {
            return channel.failure(answer, to: question)
        }
        let hint =
            if case .application = login, authorization?.usesBrowser == false {
                Sentence(.checkClientLogin)
            } else {
                login.hint
            }
        return SigningFailure(
            .refused, "the signing service \(uri.base) refused \(question) (\(answer.words))",
            hint: hint)
    }
}
