import Base
import CryptoBridge
import SystemBridge

extension HTTPTransport {
    /// Sends one request and waits for the response, before redirects are followed.
    func answer(
        _ request: HTTPRequest, to address: HTTPAddress, login: HTTPLogin?, within limit: Duration
    ) throws(HTTPError) -> HTTPResponse {
        let isPublic = request.isPublic
        guard !isPublic || refusesLocalAddresses else {
            throw HTTPError(
                .unsupported, "the HTTP transport cannot be limited to public addresses")
        }
        let response: TransportResponse
        do {
            response = try sendAndWait(
                TransportRequest(
                    url: address.text, headers: request.headers + (login.map { [$0.field] } ?? []),
                    body: request.body, limits: (limit, request.answerByteLimit),
                    isPublic: isPublic))
        } catch {
            guard !WorkRun.isCancelled else {
                throw HTTPError(.cancelled, "the task was cancelled", wasSent: true)
            }
            throw HTTPError(.other, "the HTTP transport failed (\(error))", wasSent: true)
        }
        guard response.body.count <= request.answerByteLimit else {
            throw HTTPError(
                .tooLarge, "the response is longer than \(request.answerByteLimit) bytes",
                wasSent: true)
        }
        let media = response.field("content-type").prefix { $0 != ";" }
        return HTTPResponse(
            status: response.status, contentType: media.filter { $0 != " " }.lowercased(),
            body: response.body, address: address, connectionCount: 1, wasSentAgain: false,
            redirect: address.resolving(response.field("location")),
            retryAfterSeconds: Int(response.field("retry-after")) ?? 0,
            keeping: HTTPKeeping(
                entityTag: response.field("etag"), lastModified: response.field("last-modified"),
                control: response.field("cache-control")))
    }
}

extension HTTPAddress {
    /// The target of a redirect as a URL; a path begins at the same server (RFC 3986 §4.2).
    fileprivate func resolving(_ target: String) -> String {
        guard target.hasPrefix("/"), !target.hasPrefix("//"),
            let start = text.firstRange(of: "//")?.upperBound
        else { return target }
        return text[..<start] + text[start...].prefix { !"/?#".contains($0) } + target
    }
}

extension HTTPLogin {
    fileprivate var field: (name: String, value: String) {
        switch self {
        case .basic(let user, let password):
            var text = Array("\(user):".utf8) + password.copyOut()
            defer { SecretBytes.wipe(&text) }
            return ("Authorization", "Basic " + Base64.encode(text))
        case .bearer(let token):
            var text = token.copyOut()
            defer { SecretBytes.wipe(&text) }
            return ("Authorization", "Bearer " + String(decoding: text, as: UTF8.self))
        }
    }
}
