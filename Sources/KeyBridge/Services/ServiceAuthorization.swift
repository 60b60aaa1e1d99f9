package import Base
internal import CMSKit
package import CryptoBridge
internal import NetworkBridge
internal import Synchronization
internal import SystemBridge

/// An application that is registered at a service (OAuth 2.0 client, RFC 6749 §2).
package struct ServiceApplication: Sendable {
    let id: String
    let secret: @Sendable () throws -> SecretBytes
    /// Whether the user named a secret. Otherwise, the application authorizes in a browser as a
    /// public client.
    package var hasSecret = false
    /// The registered redirect URI; nil is an address on this computer.
    package var redirect: String?
    /// Prompts for the redirected URL instead of opening a browser.
    package var answer: (@Sendable (SecretQuestion) throws -> SecretBytes)?
    /// Base URI or issuer of the authorization server, if the user named it.
    package var server: String?
    /// The folder of stored refresh tokens; nil stores none.
    package var folder: String?

    package init(id: String, secret: @escaping @Sendable () throws -> SecretBytes) {
        (self.id, self.secret) = (id, secret)
    }
}

/// OAuth 2.0 access to a signing service: client credentials, or an authorization by the user in a
/// browser (CSC API §8.3).
final class ServiceAuthorization: Sendable {
    /// A successful response of the token endpoint (RFC 6749 §5.1).
    struct Grant: Sendable {
        let access: SecretBytes
        let json: JSONValue
        private let start = ContinuousClock.now

        init(access: SecretBytes, json: JSONValue) { (self.access, self.json) = (access, json) }

        /// Whether the token has expired, if the server named its lifetime.
        var hasExpired: Bool {
            guard let seconds = json["expires_in"]?.integer, seconds > 0, seconds < 1 << 30 else {
                return false
            }
            return .now > start + .seconds(seconds)
        }
    }

    private let application: ServiceApplication
    private let channel: ServiceChannel
    /// Base URI of the authorization server; nil if the service does not name it.
    private let base: String
    private let isIssuer: Bool
    /// Whether the login uses a browser, not client credentials.
    let usesBrowser: Bool
    private let found = Mutex<AuthorizationServer?>(nil)
    private let refreshToken = Mutex<SecretBytes?>(nil)
    /// Whether the login comes from a file.
    private let isStored = Mutex(false)

    /// The user may have to log in and to confirm on another device.
    private static let browserLimit = Duration.seconds(300)

    /// - Parameters:
    ///   - info: properties of the service (CSC API §11.1).
    ///   - root: URL of its methods.
    init(
        _ application: ServiceApplication, _ channel: ServiceChannel, info: JSONValue, root: String
    ) {
        SecretBytes.protectProcess()
        self.application = application
        self.channel = channel
        let issuer = info["oauth2Issuer"]?.text
        isIssuer = application.server == nil && issuer != nil
        base = application.server ?? issuer ?? info["oauth2"]?.text ?? root
        let kinds = info["authType"]?.texts ?? []
        usesBrowser =
            kinds.contains("oauth2code")
            && (!kinds.contains("oauth2client") || !application.hasSecret
                || application.redirect != nil || application.answer != nil)
    }

    /// Whether an expired access token can be replaced without the user.
    var canRenew: Bool { !usesBrowser || refreshToken.withLock { $0 != nil } }

    // MARK: Server

    /// The authorization server.
    ///
    /// The service names its base URI. On another server, it counts only if the metadata of that
    /// issuer confirm it (RFC 8414 §3.3), or if the user named it: the token endpoint receives the
    /// client secret and the codes.
    private func server() throws -> AuthorizationServer {
        try found.withLock { known in
            if let known { return known }
            let server = try findServer()
            for endpoint in [server.authorization, server.token] {
                try check(endpoint, namedBy: "the authorization server \(base)")
            }
            known = server
            return server
        }
    }

    /// Checks the URL of an endpoint. Unencrypted ones on this computer are accepted only if the
    /// user gave one.
    private func check(_ address: String, namedBy sender: String) throws {
        guard address != application.server else { return try channel.check(address) }
        do {
            try channel.check(address)
        } catch let failure as SigningFailure where failure.code == .usage {
            throw SigningFailure(
                .unavailable, "\(sender) names an unusable address: \(failure.detail)",
                hint: failure.hint)
        }
        let isEncrypted = try HTTPAddress(application.server ?? channel.service).isEncrypted
        guard try !isEncrypted || HTTPAddress(address).isEncrypted else {
            throw SigningFailure(
                .unavailable, "\(sender) names the unencrypted address \(address.inQuotes)")
        }
    }

    private func findServer() throws -> AuthorizationServer {
        try check(base, namedBy: "the signing service \(channel.service)")
        if let metadata = try metadata() { return try AuthorizationServer(metadata, issuer: base) }
        let isHere = try HTTPAddress(channel.service).sharesCredentials(with: HTTPAddress(base))
        guard application.server != nil || isHere && !isIssuer else {
            throw SigningFailure(
                .refused,
                "the authorization server \(HTTPAddress.withoutLogin(base)) is on another host than "
                    + "the signing service, and no metadata (RFC 8414) confirms this server",
                hint: Sentence(.nameAuthorizationServer))
        }
        return AuthorizationServer(base: base)
    }

    /// The metadata (RFC 8414 §3.2, OpenID Connect Discovery 1.0 §4); nil if the server has none.
    private func metadata() throws -> JSONValue? {
        for address in AuthorizationServer.metadataAddresses(of: base) {
            if let json = try metadata(at: address) { return json }
        }
        return nil
    }

    /// Services without metadata answer this path as every unknown one: with an error, a redirect to
    /// a login page, or a page.
    private func metadata(at text: String) throws -> JSONValue? {
        let channel = channel.toAuthorizationServer(at: base)
        let answer = try channel.get(text)
        if (300..<500).contains(answer.status), answer.status != 429 { return nil }
        if answer.status == 204 || answer.status == 200 && !answer.isJSON { return nil }
        guard answer.status == 200, let json = answer.json, case .object = json else {
            throw channel.failure(answer, to: "its metadata (RFC 8414)")
        }
        return json["issuer"] == nil ? nil : json
    }

    // MARK: Login

    func serviceToken() throws -> Grant {
        guard usesBrowser else {
            var form = ServiceForm("client_credentials")
            form.add("scope", "service")
            return try token(form, secret: application.secret(), hint: .checkClientLogin)
        }
        if let grant = try withStoredLogin({ try refreshed() }) { return grant }
        let grant = try authorize([("scope", "service")])
        isStored.withLock { $0 = false }
        try keep(grant.json["refresh_token"]?.text)
        return grant
    }

    /// Forgets a login from a file, which the service refuses.
    ///
    /// - Returns: whether there was one.
    func forgetStored() throws -> Bool {
        let wasStored = isStored.withLock { known in
            defer { known = false }
            return known
        }
        if wasStored { try keep(nil) }
        return wasStored
    }

    /// Lets no other process use the stored login before it is replaced: servers revoke a login if
    /// a refresh token is used twice (RFC 9700 §4.14.2).
    private func withStoredLogin<Result>(_ body: () throws -> Result) throws -> Result {
        guard let file = try file(), FileSystem.exists(file) else { return try body() }
        let lock = try Self.storing { try FolderLock(file + ".lock", isShared: false) }
        return try withExtendedLifetime(lock) { try body() }
    }

    /// An access token for a refresh token (RFC 6749 §6); nil if there is none, or it has expired.
    private func refreshed() throws -> Grant? {
        guard let refresh = try refreshToken.withLock({ $0 }) ?? stored() else { return nil }
        channel.secrets.note(refresh)
        var form = ServiceForm("refresh_token")
        form.add("refresh_token", refresh)
        form.add("client_id", application.id)
        do {
            let grant = try token(form, secret: browserSecret(), hint: .authorizeAgain)
            refreshToken.withLock { $0 = refresh }
            if let next = grant.json["refresh_token"]?.text { try keep(next) }
            return grant
        } catch let failure as SigningFailure where failure.code == .refused {
            try keep(nil)
            return nil
        }
    }

    /// The first lines of a stored login: whom its token may be sent to, and for whom.
    private func binding() throws -> [UInt8] {
        Array(
            [channel.service, base, try server().token, application.id, ""]
                .joined(separator: "\n").utf8)
    }

    /// The file with the refresh token for this service, server and application.
    private func file() throws -> String? {
        guard let folder = application.folder else { return nil }
        return folder + "/" + Hex.encode(try DigestAlgorithm.sha256.hash(binding()))
    }

    /// The refresh token of a stored login; nil if there is none, or the file is malformed or of
    /// another service.
    private func stored() throws -> SecretBytes? {
        let binding = try binding()
        let limit = ServiceChannel.tokenByteLimit + binding.count
        guard let file = try file(),
            var bytes = try Self.storing({ try FileSystem.kept(file, limit: limit) })
        else { return nil }
        defer { SecretBytes.wipe(&bytes) }
        if let place = FileSystem.changeablePlace(of: file) {
            throw SigningFailure(
                .refused, "the stored login \(file) is not used: other users can change \(place)",
                hint: Sentence(.removeLogin, file))
        }
        var token = Array(bytes.dropFirst(binding.count))
        guard bytes.starts(with: binding), ServiceChannel.isToken(token) else {
            SecretBytes.wipe(&token)
            return nil
        }
        isStored.withLock { $0 = true }
        return SecretBytes(consuming: &token)
    }

    /// Remembers a refresh token for this run, and in a file only if the user wants that. A malformed
    /// one is not needed.
    private func keep(_ given: String?) throws {
        let token = given.flatMap { ServiceChannel.isToken($0.utf8) ? $0 : nil }
        if given != nil, token == nil, application.folder != nil {
            Notices.say(.loginNotStored, "the server returned a malformed refresh token")
        }
        refreshToken.withLock { $0 = token.map { SecretBytes(copying: Array($0.utf8)) } }
        guard let folder = application.folder, let file = try file() else { return }
        guard let token else { return try Self.storing { try FileSystem.removeFile(file) } }
        do {
            try FileSystem.makePrivateFolder(folder)
            _ = try FileSystem.makePrivate(folder)
            var bytes = try binding() + token.utf8
            defer { SecretBytes.wipe(&bytes) }
            try FileSystem.keep(bytes, as: file)
        } catch let error as FileError {
            Notices.say(.loginNotStored, "\(error.path): \(error.detail)")
        }
    }

    private static func storing<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as FileError where error.code == .foreign {
            throw SigningFailure(
                .refused, "the stored login \(error.path) is not used: \(error.detail)",
                hint: Sentence(.removeLogin, error.path))
        } catch let error as FileError {
            throw SigningFailure(
                .unavailable, "the login cannot be stored in \(error.path): \(error.detail)")
        }
    }

    // MARK: Credential

    /// The authorization of signatures with a credential: for version 1 of the API by parameters
    /// (CSC API §8.3.2), for version 2 by authorization details (RFC 9396).
    func authorize(
        credential id: String, hashes: [[UInt8]], algorithm: String, version: ServiceURI.Version
    ) throws -> Grant {
        if version == .v2, try server().takesDetails {
            var details = ServiceBody()
            details.add("type", "credential")
            details.add("credentialID", id)
            details.add(
                "documentDigests",
                objects: hashes.enumerated().map { index, hash in
                    [("hash", Base64.encode(hash)), ("label", "Document \(index + 1)")]
                })
            details.add("hashAlgorithmOID", algorithm)
            let text = "[" + String(decoding: details.take(), as: UTF8.self) + "]"
            return try authorize([("authorization_details", text)], credential: id)
        }
        let encoded = hashes.map(Base64.encodeForURL).joined(separator: ",")
        let parameters = [
            ("scope", "credential"), ("credentialID", id), ("numSignatures", "\(hashes.count)"),
            (version == .v1 ? "hash" : "hashes", encoded),
        ]
        return try authorize(
            parameters + (version == .v1 ? [] : [("hashAlgorithmOID", algorithm)]), credential: id)
    }

    // MARK: Browser

    /// Has the user authorize in a browser, and exchanges the code for a token.
    private func authorize(
        _ parameters: [(String, String)], credential: String? = nil
    ) throws -> Grant {
        let server = try server()
        let limit = channel.timeLimit ?? Self.browserLimit
        let deadline = ContinuousClock.now + limit
        let receiver = try application.answer == nil ? RedirectReceiver(application.redirect) : nil
        let request = try AuthorizationRequest(
            redirect: receiver?.redirect ?? application.redirect ?? "http://127.0.0.1/signet")
        channel.secrets.note(request.verifier)
        let address = request.address(at: server, client: application.id, parameters)
        let code: String
        if let answer = application.answer {
            code = try Self.code(
                in: answer(.redirectedURL(service: channel.service, address: address)),
                request, server)
        } else {
            let check = try WebBrowser.open(receiver?.entrance(to: address) ?? address)
            Notices.say(
                .waitingForBrowser, "\(limit.components.seconds)",
                try HTTPAddress(server.authorization).authority,
                try HTTPAddress(channel.service).authority)
            let response = try receiver?.response(to: request, until: deadline, check: check)
            code = try response.map { try request.code(in: $0, of: server) } ?? ""
        }
        var form = ServiceForm("authorization_code")
        let secret = SecretBytes(copying: Array(code.utf8))
        channel.secrets.note(secret)
        form.add("code", secret)
        form.add("redirect_uri", request.redirect)
        form.add("code_verifier", request.verifier)
        form.add("client_id", application.id)
        let grant = try token(form, secret: browserSecret(), hint: .authorizeAgain)
        if let credential, let named = grant.json["credentialID"]?.text, named != credential {
            throw SigningFailure(
                .refused, "the authorization is for another credential (\(named.inQuotes))")
        }
        return grant
    }

    /// The code in a text that the user entered: the redirected URL, or only the code if the server
    /// does not name its issuer.
    private static func code(
        in entered: SecretBytes, _ request: AuthorizationRequest, _ server: AuthorizationServer
    ) throws -> String {
        var bytes = entered.copyOut()
        defer { SecretBytes.wipe(&bytes) }
        let text = Self.unquoted(String(decoding: bytes, as: UTF8.self))
        if let response = AuthorizationResponse(url: text) {
            return try request.code(in: response, of: server)
        }
        guard !server.namesIssuer, !text.contains("://"), AuthorizationResponse.isCode(text) else {
            throw SigningFailure(
                .refused, "the entered text is not the URL of a redirect",
                hint: Sentence(.pasteWholeURL))
        }
        return text
    }

    /// A pasted text without white space, quotation marks, and the marks of terminals around pasted
    /// text.
    private static func unquoted(_ text: String) -> String {
        text.replacing("\u{1B}[200~", with: "").replacing("\u{1B}[201~", with: "")
            .filter { !$0.isWhitespace && !"\"'<>".contains($0) }
    }

    // MARK: Tokens

    private func browserSecret() throws -> SecretBytes? {
        application.hasSecret ? try application.secret() : nil
    }

    private func token(
        _ form: consuming ServiceForm, secret: SecretBytes?, hint: Sentence.Code
    ) throws -> Grant {
        let server = try server()
        var login: HTTPLogin?
        if let secret {
            channel.secrets.note(secret)
            if server.takesSecretInBody {
                form.add("client_secret", secret)
            } else {
                // RFC 6749 §2.3.1
                login = .basic(
                    user: PercentEncoding.encode(
                        application.id.utf8, isPlain: PercentEncoding.isUnreserved),
                    password: ServiceForm.encoded(secret))
            }
        }
        let receiver = channel.toAuthorizationServer(at: server.token)
        let answer = try receiver.postForm(server.token, form.take(), login: login)
        let access = try receiver.accessToken(in: answer, hint: Sentence(hint))
        let json = answer.json ?? .null
        // RFC 6749 §7.1; SAD is the type of CSC API §8.3.3.
        guard ["bearer", "sad"].contains(json["token_type"]?.text?.lowercased() ?? "bearer") else {
            throw receiver.malformed("type of token")
        }
        return Grant(access: access, json: json)
    }
}

/// The user's browser.
private enum WebBrowser {
    /// Opens a URL with the program in `BROWSER`, otherwise with `xdg-open`.
    ///
    /// - Returns: a check that throws if the program failed.
    /// - Throws: ``SigningFailure`` of kind `missing`.
    static func open(_ address: String) throws -> @Sendable () throws -> Void {
        let failure = SigningFailure(
            .missing, "no browser could be opened", hint: Sentence(.useNoBrowser))
        for command in (ProcessEnvironment.string("BROWSER") ?? "xdg-open").split(separator: ":") {
            let words = command.split(separator: " ").map(String.init)
            guard let name = words.first,
                let program = FileSystem.isAbsolute(name) ? name : FileSystem.program(name)
            else { continue }
            var arguments = words.dropFirst().map { $0 == "%s" ? address : $0 }
            if !words.contains("%s") { arguments.append(address) }
            guard let status = try? ChildProcess.launch(program, arguments) else { continue }
            return { if let status = status(), status != 0 { throw failure } }
        }
        throw failure
    }
}
