internal import Base
internal import CMSKit
package import CryptoBridge

/// The service's description of a key (CSC API §11.5), which requires only the login.
package struct ServiceCredential: Sendable {
    package let id: String
    /// The signing certificate first.
    package let certificates: [Certificate]
    /// Maximum number of signatures per authorization.
    package let signaturesAtOnce: Int
    let authorization: Authorization
    /// Object identifiers of the key's algorithms.
    let algorithms: Set<String>

    /// Authentication required for each batch of signatures.
    struct Authorization: Sendable, Equatable {
        /// The identifier of the PIN in version 2 of the API; nil if not required.
        var pin: String?
        /// The identifier of the one-time password; nil if not required.
        var otp: String?
        /// Whether the service sends the one-time password on request.
        var sendsOTP = false
        /// Whether the user authorizes in a browser (OAuth 2.0 authorization code).
        var usesBrowser = false
    }

    /// Maximum number of credentials listed, and of algorithms or certificates of a credential.
    private static let countLimit = 1000
    /// Largest batch, regardless of the service's limit.
    private static let batchLimit = 64
    /// The same in a browser: all hashes are in a URL, which servers limit to about 8,000 bytes.
    private static let browserBatchLimit = 32

    /// Determines the only credential and its properties.
    ///
    /// - Throws: ``SigningFailure``: of kind `usage` if there are several, or it cannot be used by
    ///   programs; `refused` if it is disabled or its certificate is not valid.
    package init(_ client: ServiceClient) throws {
        try self.init(client, id: try client.uri.credential ?? Self.only(of: client))
    }

    /// Requests the properties of a credential.
    package init(_ client: ServiceClient, id: String) throws {
        let answer = try client.ask("credentials/info") {
            var body = ServiceBody()
            body.add("credentialID", id)
            body.add("certificates", "chain")
            body.add("certInfo", false)
            body.add("authInfo", true)
            return body.take()
        }
        guard answer.status == 200, let json = answer.json else {
            let failure = client.failure(answer, "credential \(id.inQuotes)")
            throw answer.status == 400
                ? SigningFailure(.missing, failure.detail, hint: Sentence(.leaveOutCredential))
                : failure
        }
        try self.init(json, id: id, version: client.version, service: client.uri.base)
    }

    /// The identifiers of the login's credentials (CSC API §11.4), at most ``countLimit``.
    package static func all(of client: ServiceClient) throws -> [String] {
        var (all, page): ([String], String?) = ([], nil)
        for _ in 0..<pageLimit {
            let answer = try client.ask("credentials/list") {
                var body = ServiceBody()
                if let page { body.add("pageToken", page) }
                return body.take()
            }
            guard answer.status == 200, let ids = answer.json?["credentialIDs"]?.texts else {
                throw client.failure(answer, "its credentials")
            }
            all += ids
            page = answer.json?["nextPageToken"]?.text
            if page == nil || page == "" || all.count >= countLimit { break }
        }
        return Array(all.prefix(countLimit))
    }

    /// Maximum number of pages of a list.
    private static let pageLimit = 100

    /// The only credential of the login.
    private static func only(of client: ServiceClient) throws -> String {
        let ids = try all(of: client)
        guard let id = ids.first else {
            throw SigningFailure(
                .missing, "the signing service \(client.uri.base) has no credential for this user")
        }
        guard ids.count == 1 else {
            let names = ids.prefix(16).map { client.uri.naming($0).text }
            throw SigningFailure(
                .usage,
                "the signing service has \(ids.count) credentials: "
                    + names.joined(separator: ", "), hint: Sentence(.nameOne))
        }
        return id
    }

    /// - Parameter service: name in messages.
    package init(
        _ json: JSONValue, id: String, version: ServiceURI.Version, service: String
    ) throws {
        self.id = id
        let name = "the credential \(id.inQuotes) of \(service)"
        let nonsense = SigningFailure(
            .unavailable,
            "the signing service \(service) returned malformed information about \(name)")
        guard let key = json["key"], let algorithms = key["algo"]?.texts,
            algorithms.count <= Self.countLimit
        else { throw nonsense }
        if let status = key["status"]?.text, status != "enabled" {
            throw SigningFailure(.refused, "\(name) is \(status)", hint: Sentence(.enableAtService))
        }
        if let status = json["cert"]?["status"]?.text, status != "valid" {
            throw SigningFailure(.refused, "the certificate of \(name) is \(status)")
        }
        self.algorithms = Set(algorithms)
        let limit = json["multisign"]?.integer ?? 1
        authorization = try Self.authorization(json, version, name)
        signaturesAtOnce = min(
            max(1, limit), authorization.usesBrowser ? Self.browserBatchLimit : Self.batchLimit)
        let encoded = json["cert"]?["certificates"]?.texts ?? []
        guard encoded.count <= Self.countLimit else { throw nonsense }
        certificates = try encoded.map { text in
            guard let der = Base64.decode(text.utf8), let certificate = try? Certificate(der: der)
            else { throw nonsense }
            return certificate
        }
    }

    private static func authorization(
        _ json: JSONValue, _ version: ServiceURI.Version, _ name: String
    ) throws -> Authorization {
        let mode = json["auth"]?["mode"]?.text ?? json["authMode"]?.text ?? "implicit"
        var authorization = Authorization()
        switch mode {
        case "implicit": return authorization
        case "explicit": break
        case "oauth2code":
            authorization.usesBrowser = true
            return authorization
        default:
            throw SigningFailure(
                .usage, "\(name) requires the unknown authorization mode \(mode.inQuotes)")
        }
        if version == .v1 {
            func isPresent(_ key: String) -> Bool {
                ["true", "optional"].contains(json[key]?["presence"]?.text)
                    || json[key]?["presence"]?.truth == true
            }
            if isPresent("PIN") { authorization.pin = "PIN" }
            if isPresent("OTP") {
                authorization.otp = "OTP"
                authorization.sendsOTP = json["OTP"]?["type"]?.text == "online"
            }
            return authorization
        }
        for object in json["auth"]?["objects"]?.list ?? [] {
            guard let id = object["id"]?.text else { continue }
            let isChallenge = object["type"]?.text == "ChallengeResponse"
            if isChallenge || id.uppercased().contains("OTP"), authorization.otp == nil {
                authorization.otp = id
                authorization.sendsOTP = isChallenge
            } else if authorization.pin == nil {
                authorization.pin = id
            } else {
                throw SigningFailure(
                    .usage, "\(name) requires more than a PIN and a one-time password")
            }
        }
        return authorization
    }

    /// The API parameters of a signature scheme (CSC API §11.10).
    struct Method: Sendable {
        let algorithm: String
        /// Object identifier of the hash.
        let hash: String
        /// Signature parameters: Base64 of their DER.
        let parameters: String?
    }

    /// - Throws: ``SigningFailure`` of kind `unsupported`.
    func method(for scheme: SignatureScheme) throws(SigningFailure) -> Method {
        guard let digest = scheme.digest, let named = try? scheme.certificateIdentifier() else {
            throw SigningFailure(
                .unsupported,
                "signing services receive hashes, which \(scheme.name) cannot sign")
        }
        if algorithms.contains(named.oid.description) {
            var parameters: String?
            if case .rsaPSS = scheme { parameters = named.parameters.map { Base64.encode($0) } }
            return Method(
                algorithm: named.oid.description, hash: digest.oid.description,
                parameters: parameters)
        }
        // The type of the key, which does not name a hash.
        let plain: OID? =
            switch scheme {
            case .rsaPKCS1: .rsaEncryption
            case .ecdsa: .ecPublicKey
            default: nil
            }
        if let plain = plain?.description, algorithms.contains(plain) {
            return Method(algorithm: plain, hash: digest.oid.description, parameters: nil)
        }
        throw SigningFailure(
            .unsupported,
            "the credential \(id.inQuotes) does not support \(scheme.name) with "
                + "\(digest.displayName); supported: "
                + algorithms.sorted().joined(separator: ", "), hint: Sentence(.chooseAlgorithm))
    }
}
