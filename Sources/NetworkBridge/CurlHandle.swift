import CLoaded
import CryptoBridge
import SystemBridge

/// A libcurl handle with its open connections. Used by one request at a time.
@safe
final class CurlHandle: @unchecked Sendable {
    // Sendable: the client passes it to one thread at a time.
    private let client: OpaquePointer

    init() throws(HTTPError) {
        guard let client = unsafe CCurl_client_create() else {
            throw HTTPError(.other, "out of memory")
        }
        unsafe self.client = client
    }

    deinit { unsafe CCurl_client_destroy(client) }

    func begin(
        _ address: HTTPAddress, _ request: HTTPRequest, login: HTTPLogin?,
        anchors: TLSSettings.Anchors, identity: TLSSettings.Identity?
    ) {
        unsafe CCurl_begin(client, address.text)
        // Unencrypted requests to this computer must not go through a proxy.
        if address.isLoopback { unsafe CCurl_set_direct(client) }
        if request.isPublic {
            let scheme = address.isEncrypted ? "https" : "http"
            unsafe CCurl_set_public(client, address.isLoopback ? nil : scheme) { bytes, count in
                let address = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
                return PublicAddress.isPublic(address) ? 1 : 0
            }
        }
        for header in request.headers {
            unsafe CCurl_add_header(client, "\(header.name): \(header.value)")
        }
        if let body = request.body { unsafe CCurl_set_body(client, body, body.count) }
        if WorkRun.current != nil {
            unsafe CCurl_set_stop(client) { _, _, _, _, _ in WorkRun.isCancelled ? 1 : 0 }
        }
        if request.isSentOnce { unsafe CCurl_set_fresh(client) }
        if let login { set(login) }
        switch anchors {
        case .system: break
        case .paths(let file, let folder): unsafe CCurl_set_anchor_paths(client, file, folder)
        case .certificates(let pem): unsafe CCurl_set_anchors(client, pem, pem.count)
        }
        if let identity {
            identity.key.withBytes { span in
                unsafe span.withUnsafeBytes { key in
                    unsafe CCurl_set_identity(
                        client, identity.certificates, identity.certificates.count,
                        key.baseAddress?.assumingMemoryBound(to: UInt8.self), key.count)
                }
            }
        }
    }

    private func set(_ login: HTTPLogin) {
        let (user, secret): (String?, SecretBytes) =
            switch login {
            case .basic(let user, let password): (user, password)
            case .bearer(let token): (nil, token)
            }
        secret.withBytes { span in
            // The copy with the terminating zero is wiped as well.
            var text = unsafe span.withUnsafeBytes { unsafe Array($0) } + [0]
            unsafe text.withUnsafeBytes { buffer in
                let characters = unsafe buffer.baseAddress?.assumingMemoryBound(to: CChar.self)
                if let user {
                    unsafe CCurl_set_login(client, user, characters)
                } else {
                    unsafe CCurl_set_token(client, characters)
                }
            }
            SecretBytes.wipe(&text)
        }
    }

    /// - Returns: the response to one request, before redirects are followed.
    func perform(
        _ address: HTTPAddress, connectLimit: Duration, limit: Duration, byteLimit: Int
    ) throws(HTTPError) -> HTTPResponse {
        var response = CCurl_response()
        unsafe CCurl_perform(
            client, connectLimit.milliseconds, limit.milliseconds, byteLimit, &response)
        guard response.code == 0 else {
            throw response.error(byteLimit: byteLimit, connectLimit: connectLimit, limit: limit)
        }
        let media = unsafe String(cString: response.content_type).prefix { $0 != ";" }
        return unsafe HTTPResponse(
            status: response.status, contentType: media.filter { $0 != " " }.lowercased(),
            body: Array(UnsafeBufferPointer(start: response.body, count: response.body_count)),
            address: address, connectionCount: response.connection_count,
            wasSentAgain: response.was_sent_again != 0,
            redirect: String(cString: response.redirect_url),
            retryAfterSeconds: Int(response.retry_after_seconds),
            keeping: HTTPKeeping(
                entityTag: String(cString: response.entity_tag),
                lastModified: String(cString: response.last_modified),
                control: String(cString: response.cache_control)))
    }
}

extension Duration {
    /// Whole milliseconds, at least one.
    fileprivate var milliseconds: Int { max(1, Int(clamping: self / .milliseconds(1))) }
}

extension Int {
    fileprivate init(clamping value: Double) {
        self = value >= Double(Int32.max) ? Int(Int32.max) : Int(value)
    }
}
