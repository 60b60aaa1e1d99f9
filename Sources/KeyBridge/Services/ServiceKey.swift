package import Base
package import CMSKit
package import CryptoBridge
internal import Synchronization
internal import SystemBridge

package struct ServiceSecrets: Sendable {
    /// The PIN; requested once.
    let pin: @Sendable (SecretQuestion) throws -> SecretBytes
    /// A one-time password, a new one each time.
    let otp: @Sendable (SecretQuestion) throws -> SecretBytes

    package init(
        pin: @escaping @Sendable (SecretQuestion) throws -> SecretBytes,
        otp: @escaping @Sendable (SecretQuestion) throws -> SecretBytes
    ) {
        self.pin = pin
        self.otp = otp
    }
}

/// A key in a signing service, for any number of threads: one authorization covers all signatures
/// announced before it. The service receives only hashes.
///
/// Each secret is sent once. After a refusal, or if the result of a request is unknown, nothing
/// more is sent.
package final class ServiceKey: DigestSigner {
    package let publicKey: PublicKey
    package let credential: ServiceCredential
    private let client: ServiceClient
    private let secrets: ServiceSecrets
    private let subject: String
    private let state = Mutex(State())
    /// Locked during an authorization, which may include the signature that a waiting thread needs.
    private let jobs = Mutex(Jobs())

    private struct Job: Equatable, Sendable {
        let digest: [UInt8]
        let scheme: SignatureScheme
    }

    private struct Jobs {
        var announced: [Job] = []
        /// Signatures not yet returned.
        var done: [(job: Job, signature: [UInt8])] = []
    }

    private struct State {
        var pin: SecretBytes?
        /// The failure returned to all later callers without another attempt.
        var failure: SigningFailure?
        /// Number of finished and of announced signatures, for prompts.
        var doneCount = 0
        var expectedCount: Int?
    }

    /// - Parameter subject: subject of the key, for prompts.
    package init(
        _ client: ServiceClient, _ credential: ServiceCredential, publicKey: PublicKey,
        subject: String, secrets: ServiceSecrets
    ) {
        self.client = client
        self.credential = credential
        self.publicKey = publicKey
        self.subject = subject
        self.secrets = secrets
    }

    package var takes: SigningInput.Kind { .digestOnly }
    package var verifiesItself: Bool { true }

    /// Performs the checks that need no secret.
    ///
    /// - Throws: ``SigningFailure`` of kind `unsupported`.
    package func check(_ scheme: SignatureScheme) throws { _ = try credential.method(for: scheme) }

    // MARK: Batches

    /// Maximum number of signatures per authorization.
    package var signaturesAtOnce: Int { credential.signaturesAtOnce }

    package func expect(_ count: Int) {
        state.withLock { $0.expectedCount = count }
        let batchCount = (count + signaturesAtOnce - 1) / signaturesAtOnce
        if credential.authorization.otp != nil, batchCount > 1 {
            Notices.say(.oneTimePasswords, "\(count)", "\(signaturesAtOnce)", "\(batchCount)")
        }
        if credential.authorization.usesBrowser, batchCount > 1 {
            Notices.say(.browserConsents, "\(count)", "\(signaturesAtOnce)", "\(batchCount)")
        }
    }

    package func announce(_ input: SigningInput, scheme: SignatureScheme) throws(SigningFailure) {
        let job = try job(input, scheme)
        jobs.withLock { $0.announced.append(job) }
    }

    // MARK: Signing

    package func sign(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        _ = try credential.method(for: scheme)
        let job = try job(input, scheme)
        return try jobs.withLock { (jobs) throws(SigningFailure) in
            if let index = jobs.done.firstIndex(where: { $0.job == job }) {
                return jobs.done.remove(at: index).signature
            }
            if let index = jobs.announced.firstIndex(of: job) { jobs.announced.remove(at: index) }
            let others = jobs.announced.prefix { $0.scheme == scheme }.prefix(signaturesAtOnce - 1)
            jobs.announced.removeFirst(others.count)
            let signatures = try authorized([job] + others)
            jobs.done += zip(others, signatures.dropFirst()).map { ($0, $1) }
            return signatures[0]
        }
    }

    package func sign(
        _ inputs: [SigningInput], scheme: SignatureScheme
    ) throws(SigningFailure) -> [[UInt8]] {
        for input in inputs { try announce(input, scheme: scheme) }
        var signatures: [[UInt8]] = []
        for input in inputs { signatures.append(try sign(input, scheme: scheme)) }
        return signatures
    }

    private func job(
        _ input: SigningInput, _ scheme: SignatureScheme
    ) throws(SigningFailure) -> Job {
        if case .digest(let digest) = input { return Job(digest: digest, scheme: scheme) }
        guard let digest = try? scheme.digest.map(input.hash) else {
            throw SigningFailure(.failed, "the data cannot be hashed")
        }
        return Job(digest: digest, scheme: scheme)
    }

    /// One signature for each job; all have one scheme.
    private func authorized(_ jobs: [Job]) throws(SigningFailure) -> [[UInt8]] {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        do {
            return try sign(jobs.map(\.digest), scheme: jobs[0].scheme)
        } catch {
            let failure =
                error as? SigningFailure
                ?? SigningFailure(.unavailable, "\(error)", cause: error)
            state.withLock { $0.failure = failure }
            throw failure
        }
    }

    /// Requests one authorization and its signatures.
    private func sign(_ digests: [[UInt8]], scheme: SignatureScheme) throws -> [[UInt8]] {
        let method = try credential.method(for: scheme)
        let hashes = digests.map { Base64.encode($0) }
        let authorization =
            try credential.authorization.usesBrowser
            ? browse(digests, method: method) : authorize(hashes, method: method)
        let answer = try signHashes(hashes, method: method, activation: authorization)
        guard let encoded = answer.json?["signatures"]?.texts else {
            throw client.failure(answer, "signatures")
        }
        guard encoded.count == digests.count else {
            throw SigningFailure(
                .unavailable,
                "the signing service returned \(encoded.count) signatures for "
                    + "\(digests.count) hashes", hint: Sentence(.nothingWasWritten))
        }
        let received = encoded.map { Base64.decode($0.utf8) ?? [] }
        var signatures: [[UInt8]] = []
        for (index, digest) in digests.enumerated() {
            guard let signature = try verified(received[index], digest: digest, scheme: scheme)
            else {
                throw try strayed(index, received, digest, scheme)
            }
            signatures.append(signature)
        }
        state.withLock { $0.doneCount += digests.count }
        return signatures
    }

    // MARK: Authorization

    /// Has the user authorize the signatures of these hashes in a browser (CSC API §8.3).
    private func browse(
        _ digests: [[UInt8]], method: ServiceCredential.Method
    ) throws -> Activation {
        let start = ContinuousClock.now
        let grant = try client.authorize(
            credential: credential.id, hashes: digests, algorithm: method.hash)
        return Activation(
            data: grant.access, seconds: grant.json["expires_in"]?.integer, since: start)
    }

    /// Requests the signature activation data for these hashes (CSC API §11.6).
    private func authorize(
        _ hashes: [String], method: ServiceCredential.Method
    ) throws -> Activation {
        let guarding = credential.authorization
        let pin = try guarding.pin.map { _ in try self.pin() }
        if guarding.sendsOTP { try requestOTP() }
        let otp = try guarding.otp.map { _ in try self.otp(count: hashes.count) }
        for secret in [pin, otp].compactMap(\.self) { client.note(secret) }
        var body = ServiceBody()
        body.add("credentialID", credential.id)
        body.add("numSignatures", hashes.count)
        if client.version == .v1 {
            body.add("hash", hashes)
            if let pin { body.add("PIN", pin) }
            if let otp { body.add("OTP", otp) }
        } else {
            body.add("hashes", hashes)
            body.add("hashAlgorithmOID", method.hash)
            let shown = [(guarding.pin, pin), (guarding.otp, otp)].compactMap { id, value in
                if let id, let value { (id: id, value: value) } else { nil }
            }
            if !shown.isEmpty { body.add("authData", shown) }
        }
        let start = ContinuousClock.now
        let answer = try client.sendOnce("credentials/authorize", body.take(), asksPerson: true)
        let json = try settled(answer, since: start)
        return Activation(
            data: SecretBytes(copying: Array((json["SAD"]?.text ?? "").utf8)),
            seconds: json["expiresIn"]?.integer, since: start)
    }

    /// Waits if the signer must confirm elsewhere (CSC API §11.7).
    private func settled(
        _ first: ServiceAnswer, since start: ContinuousClock.Instant
    ) throws -> JSONValue {
        var answer = first
        var pause = Duration.milliseconds(200)
        while answer.status == 202, let handle = answer.json?["handle"]?.text {
            guard start.duration(to: .now) + pause < client.patience else {
                throw SigningFailure(
                    .unavailable, "the signature was not confirmed in time",
                    hint: Sentence(.waitLonger))
            }
            OrderedWork.pause(pause)
            pause = min(pause * 2, .seconds(2))
            var body = ServiceBody()
            body.add("handle", handle)
            answer = try client.sendOnce(
                "credentials/authorizeCheck", body.take(), asksPerson: false)
        }
        if answer.status == 200, let json = answer.json { return json }
        // Some services report a wrong PIN as a bad request.
        if (400..<500).contains(answer.status), ![404, 429].contains(answer.status) {
            throw SigningFailure(
                .refused,
                "the signing service \(client.uri.base) did not authorize the signature "
                    + "(\(answer.words))", hint: Sentence(.nothingMoreIsSent))
        }
        throw client.failure(answer, "the authorization")
    }

    private func pin() throws -> SecretBytes {
        try state.withLock { state in
            if let known = state.pin { return known }
            let pin = try secrets.pin(.servicePIN(key: asked))
            try Self.require(pin, name: "PIN")
            state.pin = pin
            return pin
        }
    }

    private func otp(count: Int) throws -> SecretBytes {
        let (done, expected) = state.withLock { ($0.doneCount, $0.expectedCount) }
        let otp = try secrets.otp(
            .oneTimePassword(
                key: asked, signatures: done + 1...done + max(count, 1), expected: expected))
        try Self.require(otp, name: "one-time password")
        return otp
    }

    private var asked: SecretQuestion.ServiceKey {
        SecretQuestion.ServiceKey(
            id: credential.id, subject: subject, address: "\(client.uri.base)")
    }

    /// Rejects an empty secret, which would be a failed attempt.
    private static func require(_ secret: SecretBytes, name: String) throws {
        var copy = secret.copyOut()
        defer { SecretBytes.wipe(&copy) }
        guard !copy.isEmpty else { throw SigningFailure(.refused, "the \(name) is empty") }
        guard copy.count <= 1024, String(validating: copy, as: UTF8.self) != nil else {
            throw SigningFailure(.refused, "the \(name) is not valid text")
        }
    }

    /// Requests that a one-time password is sent to the signer.
    private func requestOTP() throws {
        var body = ServiceBody()
        body.add("credentialID", credential.id)
        let answer = try client.sendOnce(
            client.version == .v1 ? "credentials/sendOTP" : "credentials/getChallenge",
            body.take(), asksPerson: false)
        guard (200..<300).contains(answer.status) else {
            throw client.failure(answer, "a one-time password")
        }
    }

    // MARK: Signatures

    /// The signature activation data.
    private struct Activation {
        /// Empty if the service requires none.
        let data: SecretBytes
        let end: ContinuousClock.Instant

        /// The default lifetime of the API.
        private static let usualSeconds = 3600

        init(data: SecretBytes, seconds: Int?, since start: ContinuousClock.Instant) {
            self.data = data
            end = start + .seconds(min(max(0, seconds ?? Self.usualSeconds), 1 << 30))
        }
    }

    private func signHashes(
        _ hashes: [String], method: ServiceCredential.Method, activation: Activation
    ) throws -> ServiceAnswer {
        let start = ContinuousClock.now
        while true {
            var body = ServiceBody()
            body.add("credentialID", credential.id)
            if !activation.data.isEmpty {
                client.note(activation.data)
                body.add("SAD", activation.data)
            }
            body.add(client.version == .v1 ? "hash" : "hashes", hashes)
            body.add(client.version == .v1 ? "hashAlgo" : "hashAlgorithmOID", method.hash)
            body.add("signAlgo", method.algorithm)
            if let parameters = method.parameters { body.add("signAlgoParams", parameters) }
            if client.version == .v2 { body.add("operationMode", "S") }
            let answer = try client.sendOnce("signatures/signHash", body.take(), asksPerson: false)
            if answer.status == 200 { return answer }
            // Retries only if the service reports that nothing was done, and a time to retry.
            let pause = Duration.seconds(answer.retryAfterSeconds)
            guard [429, 503].contains(answer.status), answer.retryAfterSeconds > 0,
                start.duration(to: .now) + pause <= client.usualPatience,
                .now + pause < activation.end
            else { throw client.failure(answer, "signatures") }
            OrderedWork.pause(pause)
        }
    }

    /// The signature in its usual form; nil if it does not match hash and key.
    private func verified(
        _ bytes: [UInt8], digest: [UInt8], scheme: SignatureScheme
    ) throws -> [UInt8]? {
        var forms = [bytes]
        if case .ecdsa = scheme { forms += [RawSignature.der(fromP1363: bytes)].compactMap { $0 } }
        for form in forms
        where try publicKey.verify(signature: form, scheme: scheme, digest: digest) { return form }
        return nil
    }

    /// The error for a signature that belongs to another hash, or that does not verify at all.
    private func strayed(
        _ index: Int, _ received: [[UInt8]], _ digest: [UInt8], _ scheme: SignatureScheme
    ) throws -> SigningFailure {
        for (other, bytes) in received.enumerated() where other != index {
            guard try verified(bytes, digest: digest, scheme: scheme) != nil else { continue }
            return SigningFailure(
                .wrongAnswer,
                "the signing service returned the signatures in a wrong order: signature \(other + 1) belongs to hash "
                    + "\(index + 1)", hint: Sentence(.nothingWasWritten))
        }
        return .doesNotVerify
    }
}
