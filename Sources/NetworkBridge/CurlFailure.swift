import CCurl

/// A failed request in numbers and the library's words.
struct CurlFailure {
    let code: Int
    let stage: HTTPStage
    let words: String
    let isTooLarge: Bool
    let proxyStatus: Int
    let receivedByteCount: Int

    init(_ response: CCurl_response) {
        code = unsafe Int(response.code)
        stage =
            switch unsafe Int(response.stage) {
            case Int(CCURL_RESOLVING): .resolving
            case Int(CCURL_CONNECTING): .connecting
            case Int(CCURL_TLS_HANDSHAKE): .handshake
            case Int(CCURL_WAITING): .waiting
            default: .receiving
            }
        words = unsafe String(cString: response.message)
        isTooLarge = unsafe response.is_too_large != 0
        proxyStatus = unsafe response.proxy_status
        receivedByteCount = unsafe response.body_count
    }

    /// What libcurl's codes mean (CURLcode).
    func error(byteLimit: Int, total: Duration) -> HTTPError {
        if isTooLarge {
            return error(.tooLarge, "the answer is longer than \(byteLimit) bytes")
        }
        if proxyStatus >= 400 {
            return HTTPError(
                .proxyFailed, "the proxy refuses the connection (status \(proxyStatus))")
        }
        switch code {
        case 1, 8: return error(.notHTTP, "what listens there does not speak HTTP (\(words))")
        case 3: return HTTPError(.badAddress, "is no address such as https://host/path")
        case 4, 48:
            return HTTPError(
                .unsupported,
                "the installed libcurl takes no certificates from memory (Debian: apt install "
                    + "libcurl4)")
        case 5, 97: return HTTPError(.proxyFailed, "the proxy cannot be used (\(words))")
        case 6: return HTTPError(.unresolved, "the server's name could not be looked up")
        case 7: return HTTPError(.unreachable, "no connection (\(words))")
        case 28:
            let received =
                receivedByteCount > 0
                ? ", of which \(receivedByteCount) bytes had come" : ""
            return error(
                .timedOut, "no answer within \(total), gave up \(stage.doing)\(received)")
        case 60, 77, 83, 91:
            return HTTPError(.untrustedServer, "the server's certificate is not trusted (\(words))")
        case 98: return certificateRefusal
        case 35, 58, 59, 53, 54, 64, 66, 80:
            return asksForCertificate
                ? certificateRefusal
                : HTTPError(.handshakeFailed, "the TLS connection failed (\(words))")
        case 18, 52, 55, 56:
            return asksForCertificate
                ? certificateRefusal
                : error(
                    .closed,
                    "the server closed the connection while \(stage.closing) (\(words))")
        default: return HTTPError(.other, words)
        }
    }

    private func error(_ code: HTTPError.Code, _ detail: String) -> HTTPError {
        HTTPError(code, detail, wasSent: stage >= .waiting)
    }

    private var certificateRefusal: HTTPError {
        HTTPError(.clientCertificateRefused, "the server asks for a client certificate (\(words))")
    }

    /// Whether the server's alert is about the client's certificate (RFC 8446 §6.2). OpenSSL hands
    /// alerts on as text only; the code is libcurl's for any failure to read.
    private var asksForCertificate: Bool {
        [
            "certificate required", "alert bad certificate", "alert unknown ca",
            "certificate unknown",
        ]
        .contains { words.contains($0) }
    }
}

extension HTTPStage {
    fileprivate var closing: String {
        switch self {
        case .resolving, .connecting, .handshake: "connecting"
        case .waiting: "its answer was awaited"
        case .receiving: "it was answering"
        }
    }
}
