public import Base
import CMSKit
import CryptoBridge
import Synchronization
import SystemBridge

/// Creates signatures without blocking a thread: a key in a vault or behind an HTTP service.
///
/// Several tasks may call it at the same time. Every signature is verified with the certificate
/// before use. A call is cancelled with the task that needs the signature.
public protocol AsyncSigner: Sendable {
    /// DER of the signer's certificate, then of its issuers in any order.
    var certificates: [[UInt8]] { get async throws }
    /// The accepted kinds of input; by default messages and hashes.
    var takes: SigningInput.Kind { get }
    /// A signature over `input`, in the form that ``Signer`` describes.
    func sign(_ input: SigningInput, with algorithm: SigningAlgorithm) async throws -> [UInt8]
    /// Signatures over all inputs of a batch, in the same order. The default implementation signs
    /// one by one.
    func sign(
        _ inputs: [SigningInput], with algorithm: SigningAlgorithm
    ) async throws -> [[UInt8]]
}

extension AsyncSigner {
    /// The default: messages and hashes.
    public var takes: SigningInput.Kind { .either }

    /// Signs several inputs.
    ///
    /// - Returns: one signature value for each input, in the same order.
    public func sign(
        _ inputs: [SigningInput], with algorithm: SigningAlgorithm
    ) async throws -> [[UInt8]] {
        var values: [[UInt8]] = []
        for input in inputs { values.append(try await sign(input, with: algorithm)) }
        return values
    }
}

extension SigningCredential {
    /// Creates a credential from a signer that is asked asynchronously.
    ///
    /// The `async` functions of tasks wait for it without a thread. The blocking ones block theirs,
    /// which must not be a thread of Swift concurrency.
    ///
    /// - Parameters:
    ///   - signer: its certificates are read at once.
    ///   - name: name in messages.
    /// - Throws: ``SignetError``: `credentialRefused` without a certificate.
    public init(signer: some AsyncSigner, name: String) async throws {
        let certificates = try await signer.certificates
        self = try Self.make(certificates, name: name) {
            AsyncSignerKey(signer: signer, publicKey: $0)
        }
    }
}

/// Adapts an ``AsyncSigner`` to the protocol of CMSKit. What a run announces is signed between two
/// of its steps.
final class AsyncSignerKey: DigestSigner {
    /// Largest number of signatures in one call.
    static let batchLimit = 64

    private let signer: any AsyncSigner
    let publicKey: PublicKey

    init(signer: any AsyncSigner, publicKey: PublicKey) {
        self.signer = signer
        self.publicKey = publicKey
    }

    var takes: SigningInput.Kind { signer.takes }
    var signaturesAtOnce: Int { Self.batchLimit }

    func announce(_ input: SigningInput, scheme: SignatureScheme) throws(SigningFailure) {
        let algorithm = try SigningAlgorithm.known(scheme)
        WorkRun.current?.requests.withLock {
            $0.append(SignatureRequest(key: self, input: input, algorithm: algorithm))
        }
    }

    func sign(_ input: SigningInput, scheme: SignatureScheme) throws(SigningFailure) -> [UInt8] {
        let algorithm = try SigningAlgorithm.known(scheme)
        let wanted = SignatureRequest(key: self, input: input, algorithm: algorithm)
        if let answer = wanted.takeAnswer(of: WorkRun.current) { return try signing { answer } }
        // Nobody announced it: this thread waits.
        let awaited = Awaited<Result<[UInt8], any Error>>()
        let task = Task { awaited.give(await values(for: [input], algorithm).map { $0[0] }) }
        return try signing { awaited.value { task.cancel() } }
    }

    private func signing(
        _ body: () -> Result<[UInt8], any Error>
    ) throws(SigningFailure) -> [UInt8] {
        do {
            return try body().get()
        } catch {
            throw SigningFailure(foreign: error)
        }
    }

    /// Signature values for all inputs, in one call.
    fileprivate func values(
        for inputs: [SigningInput], _ algorithm: SigningAlgorithm
    ) async -> Result<[[UInt8]], any Error> {
        do {
            let values =
                inputs.count == 1
                ? [try await signer.sign(inputs[0], with: algorithm)]
                : try await signer.sign(inputs, with: algorithm)
            guard values.count == inputs.count else {
                throw SigningFailure(
                    .wrongAnswer,
                    "the signer returned \(values.count) signatures for \(inputs.count) inputs")
            }
            return .success(values)
        } catch {
            return .failure(error)
        }
    }
}

/// A signature that a run needs before its next step.
final class SignatureRequest: Sendable {
    private let key: AsyncSignerKey
    private let input: SigningInput
    private let algorithm: SigningAlgorithm
    private let result = Mutex<Result<[UInt8], any Error>?>(nil)

    init(key: AsyncSignerKey, input: SigningInput, algorithm: SigningAlgorithm) {
        self.key = key
        self.input = input
        self.algorithm = algorithm
    }

    private func fits(_ other: SignatureRequest) -> Bool {
        key === other.key && algorithm == other.algorithm
    }

    /// Removes the answered request that is equal to this one from a run, and returns its answer.
    func takeAnswer(of run: WorkRun?) -> Result<[UInt8], any Error>? {
        run?.requests.withLock { requests in
            let index = requests.firstIndex { request in
                guard let known = request as? SignatureRequest else { return false }
                return fits(known) && known.input == input && known.hasAnswer
            }
            let request = index.map { requests.remove(at: $0) } as? SignatureRequest
            return request?.result.withLock { $0 }
        }
    }

    private var hasAnswer: Bool { result.withLock { $0 != nil } }

    /// Has the signers answer the open requests of some runs, those of one signer in as few calls
    /// as possible.
    static func answer(_ runs: [WorkRun]) async {
        var open = runs.filter { !$0.isCancelled }.flatMap { run in
            run.requests.withLock { $0 }.compactMap { $0 as? SignatureRequest }
                .filter { !$0.hasAnswer }
        }
        while let first = open.first {
            let group = Array(open.filter(first.fits).prefix(AsyncSignerKey.batchLimit))
            open.removeAll { request in group.contains { $0 === request } }
            let values = await first.key.values(for: group.map(\.input), first.algorithm)
            for (index, request) in group.enumerated() {
                request.result.withLock { $0 = values.map { $0[index] } }
            }
        }
    }
}
