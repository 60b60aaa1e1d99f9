import CLoaded

extension CCurl_response {
    private var words: String { unsafe String(cString: message) }

    private var requestStage: HTTPStage { HTTPStage(rawValue: Int(stage)) ?? .receiving }

    /// The error for libcurl's codes (CURLcode).
    ///
    /// - Parameters:
    ///   - connectLimit: time limit before the request is sent.
    ///   - limit: total time limit.
    func error(byteLimit: Int, connectLimit: Duration, limit: Duration) -> HTTPError {
        if is_header_too_large != 0 {
            return error(.tooLarge, "the header of the response is too long")
        }
        if is_body_too_large != 0 {
            return error(.tooLarge, "the response is longer than \(byteLimit) bytes")
        }
        if proxy_status >= 400 {
            return HTTPError(
                .proxyFailed, "the proxy refused the connection (status \(proxy_status))")
        }
        let stage = requestStage
        switch code {
        case 1, 8: return error(.notHTTP, "the server does not use HTTP (\(words))")
        case 3: return HTTPError(.badAddress, "is not a URL")
        case 4, 48:
            return HTTPError(
                .unsupported,
                "the installed libcurl does not support certificates from memory (Debian: apt install "
                    + "libcurl4)")
        case 5, 97: return HTTPError(.proxyFailed, "the proxy cannot be used (\(words))")
        case 6: return HTTPError(.unresolved, "the host name cannot be resolved")
        case 7:
            let refused = unsafe String(cString: refused_address)
            return refused.isEmpty
                ? HTTPError(.unreachable, "no connection (\(words))")
                : HTTPError(.localAddress, "not connected: \(refused) is not a public address")
        case 28:
            let received = body_count > 0 ? " after \(body_count) bytes" : ""
            var late = error(
                .timedOut,
                "no response within \((stage < .waiting ? connectLimit : limit).text) "
                    + stage.doing + received)
            late.isOfHandshake = stage == .handshake
            return late
        case 60, 77, 83, 91:
            return HTTPError(.untrustedServer, "the server's certificate is not trusted (\(words))")
        case 42: return error(.cancelled, "the task was cancelled")
        case 98: return certificateRefusal
        case 35, 58, 59, 53, 54, 64, 66, 80:
            guard !isAboutCertificate else { return certificateRefusal }
            var failed = HTTPError(.handshakeFailed, "the TLS connection failed (\(words))")
            failed.isOfHandshake = true
            return failed
        case 18, 52, 55, 56:
            return isAboutCertificate
                ? certificateRefusal
                : error(
                    .closed, "the server closed the connection while \(stage.closing) (\(words))")
        default: return HTTPError(.other, words)
        }
    }

    private func error(_ code: HTTPError.Code, _ detail: String) -> HTTPError {
        HTTPError(code, detail, wasSent: requestStage >= .waiting)
    }

    private var certificateRefusal: HTTPError {
        let alert = unsafe String(cString: alert)
        let reason = alert.isEmpty ? "it requested one and closed the connection" : alert
        return HTTPError(
            .clientCertificateRefused,
            "the server requires a client certificate, or a different one (\(reason))")
    }

    /// Whether the server closed the connection because of the client certificate: by its alert
    /// (RFC 8446 §6.2), which may be lost while the request is written.
    private var isAboutCertificate: Bool {
        let alert = unsafe String(cString: alert).lowercased()
        return asked_for_certificate != 0
            && (requestStage <= .waiting
                || alert.contains("certificate") || alert.contains("unknown ca"))
    }
}

extension Duration {
    /// `20 s`, `1.5 s`
    fileprivate var text: String {
        let tenths = Int((self / .milliseconds(100)).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
}

extension HTTPStage {
    fileprivate var closing: String {
        switch self {
        case .resolving, .connecting, .handshake: "connecting"
        case .waiting: "waiting for the response"
        case .receiving: "receiving the response"
        }
    }
}
