import Foundation
import SignetKit
import SignetTestSupport
import Synchronization
import Testing

@Suite("Tasks that are awaited")
struct AsyncTaskTests {
    /// Asked without blocking, after a pause.
    private final class Vault: AsyncSigner {
        let key: SigningCredential
        let pause: Duration
        let calls = Mutex<[Int]>([])

        private let gathers: Int

        init(_ owner: Signer, pause: Duration = .zero, gathers: Int = 0) {
            key = owner.credential
            self.pause = pause
            self.gathers = gathers
        }

        var certificates: [[UInt8]] { get async { key.certificates } }

        func sign(
            _ input: SigningInput, with algorithm: SigningAlgorithm
        ) async throws -> [UInt8] {
            try await sign([input], with: algorithm)[0]
        }

        func sign(
            _ inputs: [SigningInput], with algorithm: SigningAlgorithm
        ) async throws -> [[UInt8]] {
            calls.withLock { $0.append(inputs.count) }
            while calls.withLock({ $0.count }) < gathers {
                try await Task.sleep(for: .milliseconds(10))
            }
            try await Task.sleep(for: pause)
            return try key.sign(inputs, with: algorithm)
        }
    }

    private var options: SigningOptions {
        var options = SigningOptions()
        options.claimedTime = Signer.signingTime
        return options
    }

    private func verdict(_ bytes: [UInt8], _ owner: Signer) async throws -> Verdict? {
        var options = VerificationOptions(time: Signer.signingTime)
        options.trustedCertificates = [try #require(owner.credential.certificates.first)]
        return try await VerifyDocument(options).run(.bytes(bytes)).verdict.verdict
    }

    @Test(
        "many signatures wait for a signer at the same time, without a thread each",
        .timeLimit(.minutes(5)))
    func signer() async throws {
        let owner = try Signer()
        // It answers only once more documents wait than there are threads.
        let vault = Vault(owner, gathers: SignetThreads.limit + 10)
        let credential = try await SigningCredential(signer: vault, name: "vault")
        let task = SignDocument(credential: credential, options: options)
        let outputs = (0..<SignetThreads.limit + 10).map { _ in OutputBytes() }
        try await withThrowingTaskGroup { group in
            for output in outputs {
                group.addTask {
                    _ = try await task.run(.bytes(SamplePDF().bytes), into: Destination(output))
                }
            }
            try await group.waitForAll()
        }
        #expect(vault.calls.withLock { $0 } == Array(repeating: 1, count: outputs.count))
        #expect(try await verdict(outputs[0].bytes, owner) == .passed)
        // A blocking call waits for the signer too.
        let blocking = OutputBytes()
        _ = try await SignetThreads.run {
            try task.run(.bytes(SamplePDF().bytes), into: Destination(blocking))
        }
        #expect(try await verdict(blocking.bytes, owner) == .passed)
    }

    @Test("a batch is signed in one call, and one bad file does not stop the others")
    func batch() async throws {
        let owner = try Signer()
        let vault = Vault(owner)
        let credential = try await SigningCredential(signer: vault, name: "vault")
        let outputs = (0..<5).map { _ in OutputBytes() }
        let running = RunningTask { [options] in
            await SignDocument(credential: credential, options: options).run(
                outputs.enumerated().map { index, output in
                    (
                        .bytes(index == 2 ? [1, 2, 3] : SamplePDF().bytes, name: "\(index)"),
                        Destination(output)
                    )
                })
        }
        var finished: [Int] = []
        for await step in running.progress {
            if case .finished(let count, of: 5) = step { finished.append(count) }
        }
        let results = try await running.value
        #expect(finished == [1, 2, 3, 4, 5])
        #expect(vault.calls.withLock { $0 } == [4])
        #expect(throws: SignetError(.malformedInput, "")) { try results[2].get() }
        #expect(try results[4].get().file == "4" && outputs[2].bytes.isEmpty)
        for index in [0, 1, 3, 4] {
            #expect(try await verdict(outputs[index].bytes, owner) == .passed)
        }
    }

    @Test("a cancelled task leaves no output, wherever it is")
    func cancelling() async throws {
        let folder = try TemporaryFolder()
        let owner = try Signer()
        let credential = try await SigningCredential(
            signer: Vault(owner, pause: .seconds(60)), name: "vault")
        let path = folder.file("signed.pdf")
        let waiting = Task { [options] in
            try await SignDocument(credential: credential, options: options)
                .run(.bytes(SamplePDF().bytes), into: Destination(path: path))
        }
        try await Task.sleep(for: .milliseconds(200))
        let began = ContinuousClock.now
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        // The vault would answer after a minute.
        #expect(began.duration(to: .now) < .seconds(45))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)

        // Cancelled before it began, and in a batch.
        let task = SignDocument(credential: owner.credential, options: options)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await task.run([(.bytes(SamplePDF().bytes), Destination(path: path))])
        }
        late.cancel()
        let result = await late.value[0]
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test("progress tells how much was read, and its end")
    func progress() async throws {
        let owner = try Signer()
        let bytes = SamplePDF().bytes
        let output = OutputBytes()
        let running = RunningTask { [options] in
            try await SignDocument(credential: owner.credential, options: options)
                .run(.bytes(bytes), into: Destination(output))
        }
        var steps: [TaskProgress] = []
        for await step in running.progress { steps.append(step) }
        #expect(steps.contains(.read(byteCount: bytes.count, of: bytes.count)))
        #expect(try await running.value.level == .b && !output.bytes.isEmpty)
    }

    @Test("an HTTP transport replaces libcurl, and follows no link to this network")
    func transport() async throws {
        struct Recorder: HTTPTransport {
            let requests: @Sendable (TransportRequest) -> Void
            func send(_ request: TransportRequest) async throws -> TransportResponse {
                requests(request)
                return TransportResponse(
                    status: request.url.hasSuffix("/next") ? 404 : 301,
                    headers: [("LOCATION", "/next")], body: [])
            }
        }
        let asked = Mutex<[String]>([])
        let seen: @Sendable (TransportRequest) -> Void = { request in
            asked.withLock { $0.append(request.url) }
        }
        var options = TimestampOptions(servers: ["http://tsa.example/first"])
        options.transport = Recorder(requests: seen)
        let authorities = try TimestampAuthorities(options)
        await #expect(throws: SignetError(.serviceUnavailable, "")) {
            try await TimestampDocument(authorities)
                .run(.bytes(SamplePDF().bytes), into: Destination(OutputBytes()))
        }
        #expect(
            asked.withLock { $0 } == ["http://tsa.example/first", "http://tsa.example/next"])
    }

    @Test("a key and its certificate in memory")
    func memory() async throws {
        let owner = try Signer()
        let output = OutputBytes()
        let credential = try SigningCredential(
            key: try owner.folder.read("key.pem"), certificates: owner.credential.certificates)
        _ = try await SignDocument(credential: credential, options: options)
            .run(.bytes(SamplePDF().bytes), into: Destination(output))
        #expect(try await verdict(output.bytes, owner) == .passed)
        #expect(throws: SignetError(.credentialRefused, "")) {
            try SigningCredential(key: try owner.folder.read("key.pem"))
        }
    }
}
