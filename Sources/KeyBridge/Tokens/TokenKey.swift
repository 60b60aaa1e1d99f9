package import Base
internal import CLoaded
package import CMSKit
package import CryptoBridge
internal import Synchronization
internal import SystemBridge

/// A key on a token, for any number of threads. It logs in for the first signature: all checks
/// without the PIN are done before.
package final class TokenKey: DigestSigner {
    package let publicKey: PublicKey
    package let token: Token
    package let uri: PKCS11URI
    private let candidate: TokenCandidate
    private let use: TokenKeyUse
    private let pins: PINSource
    private let subject: String?
    private let state = Mutex(State())

    private struct State {
        /// Possible private keys, until a signature shows the right one.
        var keys: [TokenContents.StoredPrivateKey]?
        var isSettled = false
        var ways: [SignatureScheme: SignatureMechanism] = [:]
        /// Confirms single signatures; kept for the run.
        var confirmation: Confirmation?
        /// The failure returned to all later callers without another attempt.
        var failure: SigningFailure?
        /// When the token is searched again after a failure; nil means never.
        var nextCheck: ContinuousClock.Instant?
    }

    /// Interval of searches for a removed token.
    private static let lookInterval: Duration = .seconds(2)

    private enum Confirmation {
        case pin(SecretBytes)
        case onReader
    }

    /// - Parameters:
    ///   - publicKey: public key of the candidate, or of another certificate.
    ///   - subject: subject of the key, for the prompt.
    package init(
        _ candidate: TokenCandidate, publicKey: PublicKey, use: TokenKeyUse = .signing,
        subject: String?, pins: PINSource
    ) {
        self.candidate = candidate
        self.use = use
        self.publicKey = publicKey
        self.subject = subject
        self.pins = pins
        token = candidate.token
        uri = candidate.uri
        token.offer(pins)
    }

    package var forDecrypting: TokenKey {
        TokenKey(candidate, publicKey: publicKey, use: .decrypting, subject: subject, pins: pins)
    }

    package func close() { token.module.close() }
    package var verifiesItself: Bool { true }

    /// Only messages if the token has no mechanism for hashes.
    package var takes: SigningInput.Kind {
        let raw: Set<UInt>
        switch publicKey.algorithm {
        case .rsa, .rsaPSS: raw = [0x1, 0xD]
        case .ec: raw = [0x1041]
        case .dsa: raw = [0x11]
        default: return .either
        }
        let offered = token.mechanisms(for: .sign) ?? raw
        return offered.isDisjoint(with: raw) ? .messageOnly : .either
    }

    package func sign(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        try remembering {
            let keys = try open()
            for (index, key) in keys.enumerated() {
                let signature = try make(key, input, scheme)
                if let signature = try verified(signature, input, scheme) {
                    settle(on: key)
                    return signature
                }
                // Each further attempt would require another confirmation.
                if key.isAlwaysAuthenticating || index == keys.count - 1 { break }
            }
            throw SigningFailure.doesNotVerify
        }
    }

    /// Runs `body` with the key, unless it has failed permanently.
    func remembering<Answer>(_ body: () throws -> Answer) throws(SigningFailure) -> Answer {
        if let failure = state.withLock({ $0.failure }), !isBack(after: failure) { throw failure }
        do {
            return try body()
        } catch let failure as SigningFailure {
            if [.unavailable, .removed, .refused].contains(failure.code) {
                state.withLock { $0.failure = $0.failure ?? failure }
            }
            throw failure
        } catch {
            throw SigningFailure(.unavailable, "\(error)", cause: error)
        }
    }

    /// Permits the use of the key after reinsertion of the token, for long-running processes.
    /// Otherwise a failure is permanent.
    package func retryAfterReinsertion() { state.withLock { $0.nextCheck = .now } }

    private func isBack(after failure: SigningFailure) -> Bool {
        // A lost login is not a rejected PIN: the token had accepted it.
        guard failure.code != .refused || failure.cause is TokenCode.LostLogin else { return false }
        return state.withLock { state in
            guard state.failure != nil else { return true }
            guard let next = state.nextCheck, next <= .now else { return false }
            state.nextCheck = .now + Self.lookInterval
            guard token.reopen() else { return false }
            state.failure = nil
            // Handles may have changed.
            state.keys = nil
            state.isSettled = false
            return true
        }
    }

    /// Logs in, and finds the private key, before the first signature.
    ///
    /// - Throws: ``SigningFailure``.
    package func prepare() throws { _ = try open() }

    /// Checks whether the key supports the scheme, as far as possible without a login.
    ///
    /// - Throws: ``SigningFailure`` of kind `unsupported`.
    package func checkMechanisms(for scheme: SignatureScheme) throws {
        _ = try ways(for: scheme, allowed: [])
    }

    // MARK: The private key

    func open() throws -> [TokenContents.StoredPrivateKey] {
        if let known = state.withLock({ $0.keys }) { return known }
        try token.logIn(pins, subject: subject)
        let keys = try search()
        return state.withLock { state in
            if state.keys == nil { state.keys = keys }
            return state.keys ?? keys
        }
    }

    private func search() throws -> [TokenContents.StoredPrivateKey] {
        let contents = try token.contents(for: use)
        let known = contents.privateKeys.filter { contents.publicKey(of: $0) == publicKey }
        if !known.isEmpty { return known }
        // If the token does not return the public key of a private key, candidates are found by
        // identifier and label; their first signature is verified.
        let ids =
            [candidate.id] + contents.publicKeys.filter { $0.key == publicKey }.map(\.id)
            + contents.certificates.filter { $0.certificate.certifies(publicKey) }.map(\.id)
        let unknown = contents.privateKeys.filter { contents.publicKey(of: $0) == nil }
        let named = unknown.filter { !$0.id.isEmpty && ids.contains($0.id) }
        if !named.isEmpty { return named }
        let labelled = unknown.filter { !$0.label.isEmpty && $0.label == candidate.label }
        if !labelled.isEmpty { return labelled }
        throw SigningFailure(
            .missing,
            "the token '\(token.info.label)' has a certificate"
                + (subject.map { " for \($0)" } ?? "") + ", but no private key for it"
                + (use == .decrypting ? " that can decrypt" : ""),
            hint: Sentence(.listKeysAfterLogin))
    }

    private func settle(on key: TokenContents.StoredPrivateKey) {
        state.withLock { state in
            guard !state.isSettled else { return }
            state.isSettled = true
            if state.keys?.contains(where: { $0.handle == key.handle }) == true {
                state.keys = [key]
            }
        }
    }

    // MARK: One signature

    private func ways(for scheme: SignatureScheme, allowed: [UInt]) throws -> [SignatureMechanism] {
        let all = SignatureMechanism.ways(for: scheme)
        let offered = token.mechanisms(for: .sign)
        let usable = all.filter { way in
            (offered?.contains(way.mechanism.type) ?? true)
                && (allowed.isEmpty || allowed.contains(way.mechanism.type))
        }
        guard usable.isEmpty else { return usable }
        throw unsupported(scheme, offered: allowed.isEmpty ? offered ?? [] : Set(allowed))
    }

    private func unsupported(_ scheme: SignatureScheme, offered: Set<UInt>) -> SigningFailure {
        SigningFailure(
            .unsupported,
            "the key on the token '\(token.info.label)' does not support \(scheme.name) signatures"
                + (scheme.digest.map { " with \($0.displayName)" } ?? "") + "; supported: "
                + SignatureMechanism.describe(offered), hint: Sentence(.chooseAlgorithm))
    }

    private func make(
        _ key: TokenContents.StoredPrivateKey, _ input: SigningInput, _ scheme: SignatureScheme
    ) throws -> [UInt8] {
        let known = state.withLock { $0.ways[scheme] }
        let all = try known.map { [$0] } ?? ways(for: scheme, allowed: key.allowedMechanisms)
        let ways = all.filter { way in
            if way.input == .message, case .digest = input { false } else { true }
        }
        guard !ways.isEmpty else {
            throw SigningFailure(
                .usage, "the key on the token '\(token.info.label)' signs data, not a hash",
                hint: Sentence(.giveTokenMessage))
        }
        for way in ways {
            let data = try data(for: way, input, scheme)
            // If an operation fails, its session is dropped: the operation may remain active in
            // it. While the token or all its sessions are busy, another thread may prepare its
            // next signature.
            let signature = try inSession(with: key) { key, session in
                try sign(data, way, key, in: session)
            }
            if let signature {
                state.withLock { $0.ways[scheme] = way }
                return signature
            }
        }
        throw unsupported(scheme, offered: token.mechanisms(for: .sign) ?? [])
    }

    private func data(
        for way: SignatureMechanism, _ input: SigningInput, _ scheme: SignatureScheme
    ) throws -> [UInt8] {
        if way.input == .message {
            guard case .message(let message) = input else { return [] }
            return message
        }
        guard let algorithm = scheme.digest else { return [] }
        let digest = try input.hash(by: algorithm)
        if way.input == .digestInfo { return algorithm.digestInfo(of: digest) }
        switch publicKey.algorithm {
        // Only the leftmost bits up to the length of the order are used (FIPS 186-5 §6.4.1). Few
        // tokens truncate longer hashes themselves.
        case .ec, .dsa: return Array(digest.prefix(publicKey.rawSignatureIntegerByteCount ?? 64))
        default: return digest
        }
    }

    /// - Parameter isConfirmed: whether the token unexpectedly requires a confirmation.
    /// - Returns: nil if the key does not support the mechanism.
    private func sign(
        _ data: [UInt8], _ way: SignatureMechanism, _ key: TokenContents.StoredPrivateKey,
        in session: UInt, isConfirmed: Bool = false
    ) throws -> [UInt8]? {
        if key.isAlwaysAuthenticating { try token.requireNoRefusal() }
        let module = token.module
        let started = module.call { functions in
            unsafe way.mechanism.lend { unsafe functions.SignInit(session, $0, key.handle) }
        }
        if started.losesObject { throw LostHandle(call: "C_SignInit", code: started) }
        if started.refusesMechanism { return nil }
        guard started == .ok else { throw token.failure(of: "C_SignInit", started) }
        if key.isAlwaysAuthenticating || isConfirmed { try confirm(session) }
        // Makes no call between SignInit and Sign, not even for the signature length.
        var signature = [UInt8](repeating: 0, count: publicKey.maximumSignatureByteCount + 64)
        var count = UInt(signature.count)
        var code = module.call {
            unsafe $0.Sign(session, data, UInt(data.count), &signature, &count)
        }
        if code == .bufferTooSmall, (1...Self.signatureLimit).contains(count) {
            signature = [UInt8](repeating: 0, count: Int(count))
            code = module.call {
                unsafe $0.Sign(session, data, UInt(data.count), &signature, &count)
            }
        }
        if code == .userNotLoggedIn, !key.isAlwaysAuthenticating, !isConfirmed {
            return try sign(data, way, key, in: session, isConfirmed: true)
        }
        guard code == .ok, count <= signature.count else { throw token.failure(of: "C_Sign", code) }
        return Array(signature.prefix(Int(count)))
    }

    /// An invalid handle: handles may change if other programs use the token.
    struct LostHandle: Error {
        let call: String
        let code: TokenCode
    }

    /// Uses a key, and retries once with its new handle if the handle was lost. This costs no PIN
    /// attempt. Must be called outside of all sessions: a token may have only one, in which the
    /// key is searched.
    private func lookingAgain<Answer>(
        for key: TokenContents.StoredPrivateKey, isLast: Bool = false,
        _ use: (TokenContents.StoredPrivateKey) throws -> Answer
    ) throws -> Answer {
        do {
            return try use(key)
        } catch let lost as LostHandle {
            state.withLock { $0.keys = nil }
            guard !isLast, let again = try? open().first(where: { $0.id == key.id }) else {
                throw token.failure(of: lost.call, lost.code)
            }
            return try lookingAgain(for: again, isLast: true, use)
        }
    }

    /// Uses a key in a session of its own, while other threads may compute.
    ///
    /// - Parameter fate: whether the session may be reused.
    func inSession<Answer>(
        with key: TokenContents.StoredPrivateKey, _ fate: SharedPool<UInt>.Disposition = .kept,
        _ use: (TokenContents.StoredPrivateKey, UInt) throws -> Answer
    ) throws -> Answer {
        try lookingAgain(for: key) { key in
            try OrderedWork.whileWaiting(for: .device) {
                try token.withSession { (try use(key, $0), fate) }
            }
        }
    }

    /// Maximum length of a signature in bytes.
    private static let signatureLimit: UInt = 65_536

    func confirm(_ session: UInt) throws {
        try token.confirm(session) {
            switch try confirmation() {
            case .pin(let pin): return pin
            case .onReader:
                Notices.say(.confirmOnReader, token.info.label)
                return nil
            }
        }
    }

    /// Whether a use was confirmed: then every use needs a confirmation.
    package var isConfirmedEachTime: Bool { state.withLock { $0.confirmation != nil } }

    private func confirmation() throws -> Confirmation {
        try state.withLock { state in
            if let known = state.confirmation { return known }
            let made: Confirmation
            if token.info.flags.contains(.pinPad) {
                made = .onReader
            } else {
                let question: SecretQuestion =
                    switch use {
                    case .signing: .signaturePIN(token: token.info.label, subject: subject)
                    case .decrypting: .decryptionPIN(token: token.info.label, subject: subject)
                    }
                guard let pin = try token.source(pins).signature(question) ?? token.acceptedPIN
                else {
                    throw SigningFailure(
                        .refused, "the key requires the PIN for each use",
                        hint: Sentence(.giveConfirmingPIN))
                }
                made = .pin(pin)
            }
            state.confirmation = made
            return made
        }
    }

    // MARK: Checking

    /// The signature in its usual form; nil if it does not match the key.
    private func verified(
        _ bytes: [UInt8], _ input: SigningInput, _ scheme: SignatureScheme
    ) throws -> [UInt8]? {
        var forms = [bytes]
        switch scheme {
        case .ecdsa, .dsa:
            // PKCS#11 requires r‖s, but some tokens return DER.
            forms = [RawSignature.der(fromP1363: bytes), bytes].compactMap { $0 }
        default: break
        }
        for form in forms where try publicKey.verify(form, of: input, scheme) { return form }
        return nil
    }
}
