package import Base
internal import CLoaded
internal import CMSKit
package import CryptoBridge
internal import Synchronization
internal import SystemBridge

/// A token in a slot, with its sessions and its login.
///
/// The login belongs to the application and the token: it is shared by all sessions, and ends with
/// the last one (PKCS#11 2.40 §2.6.8).
package final class Token: Sendable {
    let module: TokenModule
    /// Current slot, which may change after reinsertion.
    private let place: Atomic<UInt>
    package let info: TokenInfo
    /// The session for searching, which also keeps the login; 0 if it is not open.
    private let home = Atomic<UInt>(0)
    private let hasLoggedIn = Atomic(false)
    private let login = Mutex(LoginState.open)
    /// Locked during any use of the home session, which stays open and keeps the login. Parallel
    /// operations in one session interfere, and some tokens have no other session.
    private let usingHome = Mutex(())
    /// The purposes of the token's mechanisms (CKF_...), after the first request.
    let knownMechanisms = Mutex<[UInt: UInt]?>(nil)
    /// The source of a PIN from a file or variable for this token.
    private let givenPINs = Mutex<PINSource?>(nil)
    private let refusals: TokenRefusals
    private let pool: SharedPool<UInt>

    /// Maximum number of sessions that a batch uses.
    private static let sessionLimit = 16
    /// C_Login's CKU_USER and CKU_CONTEXT_SPECIFIC.
    private static let user: UInt = 1
    private static let contextUser: UInt = 2

    private enum LoginState {
        case open
        case done(pin: SecretBytes?)
        /// The failure returned to all later callers without another attempt.
        case refused(SigningFailure)
    }

    init(module: TokenModule, slot: UInt, info: TokenInfo) {
        self.module = module
        place = Atomic(slot)
        self.info = info
        refusals = TokenRefusals.known(of: info)
        // The value with all bits set means unknown, 0 means no limit. The home session counts as
        // one.
        let most = info.sessionLimit
        pool = SharedPool(
            limit: most == 0 || most > UInt(Self.sessionLimit)
                ? Self.sessionLimit : max(1, Int(most) - 1))
    }

    var slot: UInt { place.load(ordering: .acquiring) }

    /// Whether private keys are hidden before a login.
    package var needsLogin: Bool {
        info.flags.contains(.loginRequired) && !hasLoggedIn.load(ordering: .acquiring)
    }

    // MARK: Sessions

    /// Runs `body` in the home session, one thread at a time. Calls must not be nested.
    func atHome<Result>(_ body: (UInt) throws -> Result) throws -> Result {
        let home = try homeSession()
        return try usingHome.withLock { _ in try body(home) }
    }

    private func homeSession() throws -> UInt {
        let known = home.load(ordering: .acquiring)
        if known != 0 { return known }
        let made = try openSession(writes: false)
        let (isFirst, first) = home.compareExchange(
            expected: 0, desired: made, ordering: .acquiringAndReleasing)
        if !isFirst { closeSession(made) }
        return isFirst ? made : first
    }

    func openSession(writes: Bool) throws -> UInt {
        guard let session = try openSessionIfFree(writes: writes) else {
            throw failure(of: "C_OpenSession", .sessionCount)
        }
        return session
    }

    /// - Returns: nil if the token permits no further session.
    private func openSessionIfFree(writes: Bool) throws -> UInt? {
        var session: UInt = 0
        // CKF_SERIAL_SESSION and CKF_RW_SESSION.
        let code = module.call { unsafe $0.OpenSession(slot, writes ? 6 : 4, nil, nil, &session) }
        if code == .sessionCount { return nil }
        guard code == .ok else { throw failure(of: "C_OpenSession", code) }
        return session
    }

    func closeSession(_ session: UInt) { _ = module.call { $0.CloseSession(session) } }

    /// Provides a session that no other thread uses.
    ///
    /// - Parameter body: returns its result, and whether the session can be used again.
    func withSession<Result>(
        _ body: (UInt) throws -> (Result, SharedPool<UInt>.Disposition)
    ) throws -> Result {
        // The home session keeps the login.
        _ = try homeSession()
        let result = try pool.use(
            make: { try openSessionIfFree(writes: false) }, drop: { closeSession($0) }, body)
        // A token that permits only one session signs in the home session.
        return try result ?? atHome { try body($0).0 }
    }

    /// Logs out, and closes all sessions.
    ///
    /// - Parameter isBusy: whether a call is still running; then the sessions stay open.
    func close(isBusy: Bool) {
        let session = home.exchange(0, ordering: .acquiringAndReleasing)
        guard session != 0 else { return }
        if hasLoggedIn.exchange(false, ordering: .acquiringAndReleasing) {
            _ = module.callAtEnd { $0.Logout(session) }
        }
        if !isBusy { _ = module.callAtEnd { $0.CloseAllSessions(slot) } }
    }

    var isStillThere: Bool { module.tokenInfo(slot)?.isSame(as: info) == true }

    /// The error for a failed call; a removed token rarely reports this itself.
    func failure(of call: String, _ code: TokenCode) -> SigningFailure {
        if let interruption = module.interruption { return interruption }
        guard isStillThere else {
            return SigningFailure(
                .unavailable, "the token '\(info.label)' was removed (\(call): \(code.name))",
                hint: Sentence(.insertToken))
        }
        return code.failure(of: call, token: info.label)
    }

    // MARK: Login

    /// Logs in if necessary. There is only one attempt in a run, whatever its result.
    ///
    /// - Parameter subject: subject of the key, for the prompt.
    /// - Throws: ``SigningFailure`` of kind `refused` or `unavailable`, the same one every time.
    package func logIn(_ pins: PINSource, subject: String?) throws {
        guard info.flags.contains(.loginRequired) else { return }
        let pins = source(pins)
        try login.withLock { state in
            switch state {
            case .done: return
            case .refused(let failure): throw failure
            case .open: break
            }
            do {
                let pin = try refusals.login.withLock { known in
                    if let known { throw known }
                    return try tryLogin(pins, subject: subject, &known)
                }
                hasLoggedIn.store(true, ordering: .releasing)
                state = .done(pin: pin)
            } catch let failure as SigningFailure {
                state = .refused(failure)
                throw failure
            } catch {
                // The prompt was not answered: all callers get the same failure, without another
                // prompt.
                state = .refused(SigningFailure(.refused, "\(error)"))
                throw error
            }
        }
    }

    /// The caller's PIN source if it names a file or variable; otherwise the one set for this
    /// token.
    func source(_ pins: PINSource) -> PINSource {
        pins.isGiven ? pins : givenPINs.withLock { $0 } ?? pins
    }

    /// Sets the PIN source of this token for the first login.
    func offer(_ pins: PINSource) {
        guard pins.isGiven, pins.namesToken else { return }
        givenPINs.withLock { $0 = $0 ?? pins }
    }

    /// Logs in again after reinsertion with the accepted PIN, sent once more. A refusal is final.
    ///
    /// - Returns: whether the token can be used again.
    func reopen() -> Bool {
        guard let (slot, now) = module.find(info) else { return false }
        place.store(slot, ordering: .releasing)
        return login.withLock { state in
            guard case .done(let pin) = state, refusals.login.withLock({ $0 == nil }) else {
                return false
            }
            // Old sessions are invalid, or block new ones.
            let old = pool.drain() + [home.exchange(0, ordering: .acquiringAndReleasing)]
            for session in old where session != 0 { closeSession(session) }
            let risks: TokenFlags = [.pinLocked, .finalTry]
            guard now.flags.isDisjoint(with: risks), let session = try? homeSession() else {
                return false
            }
            let code = call(session, user: Self.user, pin: pin)
            if code == .ok || code == .userAlreadyLoggedIn { return true }
            if isStillThere {
                let failure = code.loginFailure(token: info.label, flags: now.flags)
                state = .refused(failure)
                refusals.login.withLock { $0 = failure }
            }
            return false
        }
    }

    /// - Parameter refusal: set if the token rejected the PIN.
    /// - Returns: the PIN; nil if it is entered on the card reader.
    private func tryLogin(
        _ pins: PINSource, subject: String?, _ refusal: inout SigningFailure?
    ) throws -> SecretBytes? {
        // Read again: another program may have used attempts since.
        let flags = module.tokenInfo(slot)?.flags ?? info.flags
        try checkFlags(flags, pins: pins)
        let session = try homeSession()
        let pin: SecretBytes?
        if flags.contains(.pinPad) {
            Notices.say(.enterPINOnReader, info.label)
            if pins.isGiven { Notices.say(.givenPINNotUsed) }
            pin = nil
        } else {
            try requireNamed(pins)
            let given = try pins.login(
                .tokenPIN(
                    token: info.label, subject: subject,
                    flags.contains(.finalTry) ? .one : flags.contains(.countLow) ? .few : .usual))
            try checkLength(given)
            pin = given
        }
        let code = call(session, user: Self.user, pin: pin)
        guard code == .ok || code == .userAlreadyLoggedIn else {
            let failure = loginFailure(code)
            if isLast(failure, code: code) { refusal = failure }
            throw failure
        }
        return pin
    }

    /// The error for a rejected login: a removed token rejected no PIN.
    func loginFailure(_ code: TokenCode) -> SigningFailure {
        if let interruption = module.interruption { return interruption }
        guard code == .pinIncorrect || code == .pinLocked || isStillThere else {
            return failure(of: "C_Login", code)
        }
        return code.loginFailure(
            token: info.label, flags: module.tokenInfo(slot)?.flags ?? info.flags)
    }

    /// Rejects a PIN from a file or variable for an unnamed token: a failed attempt on another
    /// card, and the disclosure of the PIN, cannot be undone.
    package func requireNamed(_ pins: PINSource) throws {
        guard pins.isGiven, !pins.namesToken, takesGivenPIN else { return }
        var named = uri
        for attribute in [PKCS11URI.Attribute.object, .id, .type] {
            named[attribute] = pins.uri?[attribute]
        }
        throw SigningFailure(
            .usage,
            "a PIN is given, but the PKCS#11 URI names no token: it was not sent to "
                + "the connected token '\(info.label)'",
            hint: Sentence(.nameThisToken, named.text))
    }

    private func checkFlags(_ flags: TokenFlags, pins: PINSource) throws {
        if flags.contains(.pinLocked) {
            throw TokenCode.pinLocked.loginFailure(token: info.label, flags: flags)
        }
        guard flags.contains(.pinInitialized) else {
            throw SigningFailure(
                .refused, "the token '\(info.label)' has no PIN yet", hint: Sentence(.setPIN))
        }
        if flags.contains(.toBeChanged) {
            throw SigningFailure(
                .refused, "the token '\(info.label)' requires a new PIN first",
                hint: Sentence(.setPIN))
        }
        if flags.contains(.finalTry), !flags.contains(.pinPad), !pins.isTyped {
            throw SigningFailure(
                .refused,
                "the token '\(info.label)' locks after ONE more wrong PIN: the PIN was not tried",
                hint: Sentence(.givePINByHand))
        }
    }

    /// Rejects a PIN of invalid length before it costs an attempt.
    private func checkLength(_ pin: SecretBytes) throws {
        let (shortest, longest) = (info.shortestPIN, info.longestPIN)
        let isPlausible = longest >= shortest && (1...1024).contains(longest)
        let count = UInt(pin.byteCount)
        guard count > 0, !isPlausible || (shortest...longest).contains(count) else {
            throw SigningFailure(
                .refused,
                count == 0
                    ? "the PIN is empty and was not tried"
                    : "the token '\(info.label)' requires a PIN of \(shortest) to \(longest) characters: "
                        + "the PIN was not tried", hint: Sentence(.checkPIN))
        }
    }

    /// Confirms one signature or decryption of a key with CKA_ALWAYS_AUTHENTICATE, between
    /// C_SignInit and C_Sign. Confirmations run one at a time, including the prompt for the PIN. A
    /// refusal is final for all keys, since they share the attempts of the card.
    ///
    /// - Parameter pin: returns nil if it is entered on the card reader.
    /// - Throws: ``SigningFailure``.
    func confirm(_ session: UInt, with pin: () throws -> SecretBytes?) throws {
        try refusals.confirmation.withLock { known in
            if let known { throw known }
            let code = call(session, user: Self.contextUser, pin: try pin())
            guard code == .ok || code == .userAlreadyLoggedIn else {
                let failure = loginFailure(code)
                if isLast(failure, code: code) { known = failure }
                throw failure
            }
        }
    }

    /// Whether no PIN is sent after a failure: it may have cost an attempt, unless nothing was sent
    /// or the token was removed.
    private func isLast(_ failure: SigningFailure, code: TokenCode) -> Bool {
        failure.code == .refused || !code.saysNothingWasSent && isStillThere
    }

    /// - Throws: ``SigningFailure`` if a confirmation was rejected before.
    func requireNoRefusal() throws {
        if let failure = refusals.confirmation.withLock({ $0 }) { throw failure }
    }

    var acceptedPIN: SecretBytes? {
        login.withLock { if case .done(let pin) = $0 { pin } else { nil } }
    }

    private func call(_ session: UInt, user: UInt, pin: SecretBytes?) -> TokenCode {
        guard let pin else { return module.call { $0.Login(session, user, nil, 0) } }
        return pin.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { buffer in
                module.call {
                    unsafe $0.Login(session, user, buffer.baseAddress, UInt(buffer.count))
                }
            }
        }
    }
}

/// Rejections by a token in this run. Several modules may send PINs to the same card.
private final class TokenRefusals: Sendable {
    /// Locked during a login.
    let login = Mutex<SigningFailure?>(nil)
    /// Locked during a confirmation.
    let confirmation = Mutex<SigningFailure?>(nil)

    private static let all = Mutex<[(info: TokenInfo, refusals: TokenRefusals)]>([])

    /// Tokens without a serial number cannot be distinguished.
    static func known(of info: TokenInfo) -> TokenRefusals {
        all.withLock { all in
            guard !info.serial.isEmpty else { return TokenRefusals() }
            if let known = all.first(where: { $0.info.isSame(as: info) }) { return known.refusals }
            let made = TokenRefusals()
            all.append((info, made))
            return made
        }
    }
}

package struct PINSource: Sendable {
    /// Whether the user enters the PIN.
    package let isTyped: Bool
    /// Whether a file or variable is named.
    package let isGiven: Bool
    /// Whether the token was named explicitly: only then a PIN from a file or variable is sent to
    /// it.
    package var namesToken = false
    /// The given URI of the key.
    package var uri: PKCS11URI?
    package let login: @Sendable (SecretQuestion) throws -> SecretBytes
    /// The PIN that confirms signatures if it differs; nil if it is the same.
    package let signature: @Sendable (SecretQuestion) throws -> SecretBytes?

    package init(
        isTyped: Bool, isGiven: Bool,
        login: @escaping @Sendable (SecretQuestion) throws -> SecretBytes,
        signature: @escaping @Sendable (SecretQuestion) throws -> SecretBytes?
    ) {
        self.isTyped = isTyped
        self.isGiven = isGiven
        self.login = login
        self.signature = signature
    }
}
