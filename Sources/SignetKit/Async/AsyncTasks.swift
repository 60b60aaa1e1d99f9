public import Base
import SystemBridge

/// A task that reads one input.
public protocol ReadingTask: Sendable {
    associatedtype Output: Sendable
    /// Runs the task on this thread.
    ///
    /// - Throws: ``SignetError``.
    func run(_ source: InputSource) throws -> Output
}

extension ReadingTask {
    /// Runs the task on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(_ source: InputSource) async throws -> Output {
        try await SignetThreads.run { try run(source) }
    }
}

/// A task that may verify several files at the same time, each with its own limits of requests.
private protocol VerifyingTask: Sendable {
    var trust: TrustSettings { get set }
    var fetcher: RevocationFetcher? { get set }
}

extension VerifyingTask {
    fileprivate var forFile: Self {
        var copy = self
        copy.fetcher = fetcher?.forFile()
        copy.trust = trust.forFile(copy.fetcher)
        return copy
    }
}

extension VerifyMessage: VerifyingTask {}
extension VerifyTimestamp: VerifyingTask {}

extension VerifyDocument: VerifyingTask {
    /// Verifies a document on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(_ source: InputSource) async throws -> VerifiedDocument {
        try await SignetThreads.run { try forFile.run(source) }
    }
}

extension ListFields: ReadingTask {}
extension ShowFile: ReadingTask {}
extension DigestFile: ReadingTask {}
extension VerifyRequest: ReadingTask {}

extension AddFields: DocumentTask {}
extension ExtendDocument: DocumentTask {}
extension TimestampDocument: DocumentTask {}
extension TimestampFile: DocumentTask {}
extension SendTimestampRequest: DocumentTask {}
extension TimestampResponder: DocumentTask {}

extension SignDocument: DocumentTask {
    /// The steps: prepare, sign, extend.
    public func steps(
        _ input: InputSource, into destination: Destination
    ) throws -> TaskSteps<SignedDocument> {
        TaskSteps(pass: try passes(input, into: destination))
    }

    /// Performs all checks of `run` on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func check(_ input: InputSource) async throws -> SignedDocument {
        try await SignetThreads.run { try check(input) }
    }

    /// First step of a two-step signature, on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func prepareRemotely(
        _ source: InputSource, into destination: Destination, leavesRoomForTimestamp: Bool = false
    ) async throws -> PreparedDocument {
        try await SignetThreads.run {
            try prepareRemotely(
                source, into: destination, toSign: BytesToSign(),
                leavesRoomForTimestamp: leavesRoomForTimestamp)
        }
    }
}

extension SignMessage: DocumentTask {
    /// The steps: prepare, sign, extend.
    public func steps(
        _ input: InputSource, into destination: Destination
    ) throws -> TaskSteps<SignedMessage> {
        TaskSteps(pass: try passes(input, into: destination))
    }
}

extension SignHash: DocumentTask {
    /// The steps: prepare, sign.
    public func steps(
        _ input: InputSource, into destination: Destination
    ) throws -> TaskSteps<RawSignatureResult> {
        TaskSteps(pass: try passes(input, into: destination))
    }
}

extension EmbedSignature {
    /// Embeds a signature value on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ source: InputSource, signature: InputSource, into destination: Destination
    ) async throws -> SignedDocument {
        try await SignetThreads.run { try run(source, signature: signature, into: destination) }
    }

    /// Embeds a CMS message on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ source: InputSource, message: InputSource, into destination: Destination
    ) async throws -> SignedDocument {
        try await SignetThreads.run { try run(source, message: message, into: destination) }
    }
}

extension VerifyMessage {
    /// Verifies a CMS message on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ source: InputSource, content: InputSource? = nil, into destination: Destination? = nil
    ) async throws -> VerifiedDocument {
        try await SignetThreads.run {
            try forFile.run(source, content: content, into: destination)
        }
    }
}

extension VerifyTimestamp {
    /// Verifies a timestamp on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ source: InputSource, content: InputSource? = nil, hash: String? = nil,
        request: InputSource? = nil
    ) async throws -> VerifiedDocument {
        try await SignetThreads.run {
            try forFile.run(source, content: content, hash: hash, request: request)
        }
    }
}

extension VerifyHash {
    /// Verifies a raw signature on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ source: InputSource, signature: InputSource
    ) async throws -> RawVerification {
        try await SignetThreads.run { try run(source, signature: signature) }
    }
}

extension ExtendMessage {
    /// Extends a CMS message on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ input: InputSource, content: InputSource? = nil, into destination: Destination
    ) async throws -> ExtendedDocument {
        try await SignetThreads.run { try run(input, content: content, into: destination) }
    }
}

extension ConvertPhotos {
    /// Converts photos on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ photos: [InputSource], into destination: Destination
    ) async throws -> ConvertedPhotos {
        try await SignetThreads.run { try run(photos, into: destination, progress: { _, _ in }) }
    }
}

extension SignPhotos {
    /// Converts and signs photos on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run(
        _ photos: [InputSource], into destination: Destination
    ) async throws -> SignedDocument {
        try await SignetThreads.run { try run(photos, into: destination, progress: { _, _ in }) }
    }
}

extension UpdateTrustLists {
    /// Fetches the lists on the library's own threads.
    ///
    /// - Throws: ``SignetError``, or `CancellationError`.
    public func run() async throws -> UpdatedTrustLists {
        try await SignetThreads.run { try run() }
    }
}

extension HTTPTransport {
    /// Waits for the response; a cancelled task cancels the request.
    public func sendAndWait(_ request: TransportRequest) throws -> TransportResponse {
        let awaited = Awaited<Result<TransportResponse, any Error>>()
        let task = Task {
            do {
                awaited.give(.success(try await send(request)))
            } catch {
                awaited.give(.failure(error))
            }
        }
        return try awaited.value { task.cancel() }.get()
    }
}
