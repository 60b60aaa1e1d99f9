import CLoaded

/// A failed request in numbers and the library's words.
struct CurlFailure {
    let code: Int
    let stage: HTTPStage
    let words: String
    /// The last TLS alert of the server; empty without one.
    let alert: String
    /// The local address to which no connection was permitted; empty without one.
    let refusedAddress: String
    /// Whether the server asked for a client certificate.
    let wasAskedForCertificate: Bool
    let isBodyTooLarge: Bool
    let isHeaderTooLarge: Bool
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
        alert = unsafe String(cString: response.alert)
        refusedAddress = unsafe String(cString: response.refused_address)
        wasAskedForCertificate = unsafe response.asked_for_certificate != 0
        isBodyTooLarge = unsafe response.is_body_too_large != 0
        isHeaderTooLarge = unsafe response.is_header_too_large != 0
        proxyStatus = unsafe response.proxy_status
        receivedByteCount = unsafe response.body_count
    }

    /// What libcurl's codes mean (CURLcode).
    ///
    /// - Parameters:
    ///   - connectLimit: the time that ends what comes before the request.
    ///   - limit: the time that ends everything.
    func error(byteLimit: Int, connectLimit: Duration, limit: Duration) -> HTTPError {
        if isHeaderTooLarge {
            return error(.tooLarge, "the answer has an endless header")
        }
        if isBodyTooLarge {
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
        case 7 where !refusedAddress.isEmpty:
            return HTTPError(
                .localAddress,
                "not connected: \(refusedAddress) is not a public address"
            )
        case 7: return HTTPError(.unreachable, "no connection (\(words))")
        case 28:
            let received = receivedByteCount > 0 ? " after \(receivedByteCount) bytes" : ""
            return error(
                .timedOut,
                "no answer within \((stage < .waiting ? connectLimit : limit).text), gave up "
                    + stage.doing + received)
        case 60, 77, 83, 91:
            return HTTPError(.untrustedServer, "the server's certificate is not trusted (\(words))")
        case 98: return certificateRefusal
        case 35, 58, 59, 53, 54, 64, 66, 80:
            return isAboutCertificate
                ? certificateRefusal
                : HTTPError(.handshakeFailed, "the TLS connection failed (\(words))")
        case 18, 52, 55, 56:
            return isAboutCertificate
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
        let reason = alert.isEmpty ? "it asked for one and closed the connection" : alert
        return HTTPError(
            .clientCertificateRefused,
            "the server wants a client certificate, or another one than it got (\(reason))")
    }

    /// Whether the server hung up because of the client's certificate: its alert says so
    /// (RFC 8446 §6.2), or gets lost when the request is written meanwhile.
    private var isAboutCertificate: Bool {
        let reasons = ["certificate", "unknown ca"]
        return wasAskedForCertificate
            && (stage <= .waiting || reasons.contains { alert.lowercased().contains($0) })
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
        case .waiting: "its answer was awaited"
        case .receiving: "it was answering"
        }
    }
}
