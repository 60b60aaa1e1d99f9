#if Server
    import Foundation
    import Hummingbird
    import Shared
    import SignetKit
    import SignetLog
    import SignetNIO

    /// Largest document that is accepted, in bytes.
    let uploadByteLimit = 16 << 20

    /// Takes its time like a key in a vault, without a thread.
    struct SlowKey: AsyncSigner {
        let key: SigningCredential
        let pause: Duration

        var certificates: [[UInt8]] { get async throws { key.certificates } }

        func sign(
            _ input: SigningInput, with algorithm: SigningAlgorithm
        ) async throws -> [UInt8] {
            try await Task.sleep(for: pause)
            return try key.sign(input, with: algorithm)
        }
    }

    @main
    enum SignInHandler {
        static func main() async throws {
            // PORT and PAUSE (milliseconds for a signature) are its settings.
            let environment = ProcessInfo.processInfo.environment
            let port = environment["PORT"].flatMap { Int($0) } ?? 8080
            let pause = environment["PAUSE"].flatMap { Int($0) } ?? 0
            let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
            defer { try? FileManager.default.removeItem(at: folder) }
            let identity = try await TestIdentity(in: folder.appending(path: "signer").path())
            let vault = SlowKey(key: identity.credential, pause: .milliseconds(pause))
            let credential =
                try await pause > 0
                ? SigningCredential(signer: vault, name: "vault") : identity.credential
            let task = SignDocument(credential: credential, options: SigningOptions())

            let router = Router()
            router.post("sign") { request, context in
                let body = try await request.body.collect(upTo: uploadByteLimit)
                let signed = OutputBytes()
                do {
                    _ = try await context.logger.following("sign") {
                        try await task.run(.buffer(body, name: "upload"), into: Destination(signed))
                    }
                } catch let error as SignetError {
                    throw HTTPError(
                        error.code == .malformedInput
                            ? .unprocessableContent : .internalServerError,
                        message: error.code.rawValue)
                }
                return Response(
                    status: .ok, headers: [.contentType: "application/pdf"],
                    body: ResponseBody(byteBuffer: signed.buffer))
            }
            // A TSA for tests, such as the example OtherPackages.
            var authorityOptions = TimestampAuthorityOptions()
            authorityOptions.serialFile = folder.appending(path: "serial").path()
            let authority = try TimestampResponder(
                credential: await TestIdentity(
                    in: folder.appending(path: "tsa").path(), profile: .tsa
                ).credential,
                options: authorityOptions)
            router.post("tsa") { request, _ in
                let body = try await request.body.collect(upTo: uploadByteLimit)
                let stamp = OutputBytes()
                _ = try await authority.run(.buffer(body), into: Destination(stamp))
                return Response(
                    status: .ok, headers: [.contentType: "application/timestamp-reply"],
                    body: ResponseBody(byteBuffer: stamp.buffer))
            }

            if let path = environment["LOOP"] {
                // The same without HTTP: 512 documents, 32 at once.
                let document = ByteBuffer(bytes: try Data(contentsOf: URL(filePath: path)))
                let clock = ContinuousClock()
                let began = clock.now
                let durations = try await withThrowingTaskGroup(of: Duration.self) { group in
                    var durations: [Duration] = []
                    for number in 1...512 {
                        if number > 32, let duration = try await group.next() {
                            durations.append(duration)
                        }
                        group.addTask {
                            try await clock.measure {
                                let signed = OutputBytes()
                                _ = try await task.run(.buffer(document), into: Destination(signed))
                            }
                        }
                    }
                    for try await duration in group { durations.append(duration) }
                    return durations.sorted()
                }
                let seconds = began.duration(to: clock.now) / .seconds(1)
                print("without HTTP: \(512 / seconds) per second, 99 % within \(durations[506])")
            } else {
                let server = Application(
                    router: router,
                    configuration: .init(address: .hostname("127.0.0.1", port: port)))
                try await server.runService()
            }
        }
    }
#else
    @main
    enum SignInHandler {
        static func main() { print("add --traits Server") }
    }
#endif
