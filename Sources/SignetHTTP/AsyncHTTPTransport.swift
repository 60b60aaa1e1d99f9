#if AsyncHTTPClient
    public import AsyncHTTPClient
    import NIOCore
    import NIOHTTP1
    public import SignetKit

    /// Sends the HTTP requests of tasks with async-http-client.
    ///
    /// It cannot be limited to public addresses, so a ``RevocationFetcher`` with it also connects to
    /// local ones: block them in the firewall of the computer.
    public final class AsyncHTTPTransport: HTTPTransport {
        private static let longestWait = Duration.seconds(86_400)
        private let client: HTTPClient

        /// - Parameter configuration: redirects are followed by SignetKit, with its own rules.
        public init(configuration: HTTPClient.Configuration = HTTPClient.Configuration()) {
            var configuration = configuration
            configuration.redirectConfiguration = .disallow
            client = HTTPClient(configuration: configuration)
        }

        /// Closes the connections. Must be called before the last reference is released.
        ///
        /// - Throws: the error of async-http-client.
        public func shutdown() async throws { try await client.shutdown() }

        /// Sends one request.
        ///
        /// - Throws: the error of async-http-client.
        public func send(_ request: TransportRequest) async throws -> TransportResponse {
            var message = HTTPClientRequest(url: request.url)
            message.method = request.body == nil ? .GET : .POST
            for (name, value) in request.headers { message.headers.add(name: name, value: value) }
            if let body = request.body { message.body = .bytes(body) }
            let wait = min(request.timeLimit, Self.longestWait) / .milliseconds(1)
            let response = try await client.execute(message, timeout: .milliseconds(Int64(wait)))
            let body = try await response.body.collect(upTo: request.answerByteLimit)
            return TransportResponse(
                status: Int(response.status.code),
                headers: response.headers.map { ($0.name, $0.value) },
                body: Array(body.readableBytesView))
        }
    }
#endif
