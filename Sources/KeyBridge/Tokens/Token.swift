package import Base
internal import CLoaded
internal import CMSKit
package import CryptoBridge
internal import Synchronization
internal import SystemBridge

/// A token in a slot, with its sessions and its one login.
///
/// The login belongs to the program and the token: one serves all sessions, and lasts while one of
/// them is open (PKCS#11 2.40 §2.6.8).
package final class Token: Sendable {
    let module: TokenModule
    /// Where it is; it may come back in another slot.
    private let place: Atomic<UInt>
    package let info: TokenInfo
    /// Kept open for searching, and so that the login lasts. 0: none.
    private let home = Atomic<UInt>(0)
    private let hasLoggedIn = Atomic(false)
    private let login = Mutex(LoginState.open)
    /// Held while the session at home is used, whatever for: two things at once in one session disturb
    /// each other, and some tokens have no other session.
    private let usingHome = Mutex(())
    /// What the token's mechanisms are for (CKF_...), once it was asked.
    let knownMechanisms = Mutex<[UInt: UInt]?>(nil)
    /// Where the PIN comes from that a file or a variable holds for this token.
    private let givenPINs = Mutex<PINSource?>(nil)
    private let refusals: TokenRefusals
    private let pool: SharedPool<UInt>

    /// More sessions than this no batch fills.
    private static let sessionLimit = 16
    /// C_Login's CKU_USER and CKU_CONTEXT_SPECIFIC.
    private static let user: UInt = 1
    private static let contextUser: UInt = 2

    private enum LoginState {
        case open
        case done(pin: SecretBytes?)
        /// Tells everybody the same, and nobody tries again.
        case refused(SigningFailure)
    }

    init(module: TokenModule, slot: UInt, info: TokenInfo) {
        self.module = module
        place = Atomic(slot)
        self.info = info
        refusals = TokenRefusals.known(of: info)
        // All ones: not known. 0: no limit. One session stays at home.
        let most = info.sessionLimit
        pool = SharedPool(
            limit: most == 0 || most > UInt(Self.sessionLimit)
                ? Self.sessionLimit : max(1, Int(most) - 1))
    }

    var slot: UInt { place.load(ordering: .acquiring) }

    package var isLoggedIn: Bool { hasLoggedIn.load(ordering: .acquiring) }

    /// Whether private keys are hidden until somebody logs in.
    package var needsLogin: Bool { info.flags.contains(.loginRequired) && !isLoggedIn }

    // MARK: Sessions

    /// Does something in the session in which things are looked for, one thread at a time. Inside it
    /// nobody may ask for it again.
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

    /// - Returns: nil where the token has no more sessions.
    private func openSessionIfFree(writes: Bool) throws -> UInt? {
        var session: UInt = 0
        // CKF_SERIAL_SESSION and CKF_RW_SESSION.
        let code = module.call { unsafe $0.OpenSession(slot, writes ? 6 : 4, nil, nil, &session) }
        if code == .sessionCount { return nil }
        guard code == .ok else { throw failure(of: "C_OpenSession", code) }
        return session
    }

    func closeSession(_ session: UInt) { _ = module.call { $0.CloseSession(session) } }

    /// Lends a session that no other thread uses meanwhile.
    ///
    /// - Parameter body: says besides its result whether the session may be used again.
    func withSession<Result>(
        _ body: (UInt) throws -> (Result, SharedPool<UInt>.Fate)
    ) throws -> Result {
        // So that the login lasts.
        _ = try homeSession()
        let result = try pool.use(
            make: { try openSessionIfFree(writes: false) }, drop: { closeSession($0) }, body)
        // A token that permits one session alone signs in the one at home.
        return try result ?? atHome { try body($0).0 }
    }

    /// Logs out, and closes all sessions.
    ///
    /// - Parameter isBusy: a call does not come back; then the sessions stay open.
    func close(isBusy: Bool) {
        let session = home.exchange(0, ordering: .acquiringAndReleasing)
        guard session != 0 else { return }
        if hasLoggedIn.exchange(false, ordering: .acquiringAndReleasing) {
            _ = module.callAtEnd { $0.Logout(session) }
        }
        if !isBusy { _ = module.callAtEnd { $0.CloseAllSessions(slot) } }
    }

    /// Whether what is in the slot is this token.
    var isStillThere: Bool { module.tokenInfo(slot)?.isSame(as: info) == true }

    /// What a failed call means; a token that is gone seldom says so itself.
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

    /// Logs in, if that is necessary: once in a run, whatever the answer.
    ///
    /// - Parameter subject: whose key is to be used, for the question.
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
                // The question was not answered: the same, whoever asks.
                state = .refused(SigningFailure(.refused, "\(error)"))
                throw error
            }
        }
    }

    /// Where the PIN comes from: whoever has none takes what was given for this token.
    func source(_ pins: PINSource) -> PINSource {
        pins.isGiven ? pins : givenPINs.withLock { $0 } ?? pins
    }

    /// Tells where the PIN is that belongs to this token, for whoever logs in first.
    func offer(_ pins: PINSource) {
        guard pins.isGiven, pins.namesToken else { return }
        givenPINs.withLock { $0 = $0 ?? pins }
    }

    /// Begins anew on a token that was away and is back: with the PIN that it took before, sent once
    /// more. A refusal is the last.
    ///
    /// - Returns: whether the token can be used again.
    func reopen() -> Bool {
        guard let (slot, now) = module.find(info) else { return false }
        place.store(slot, ordering: .releasing)
        return login.withLock { state in
            guard case .done(let pin) = state, refusals.login.withLock({ $0 == nil }) else {
                return false
            }
            // What was open before means nothing any more, or is in the way.
            let old = pool.drain() + [home.exchange(0, ordering: .acquiringAndReleasing)]
            for session in old where session != 0 { closeSession(session) }
            let risks: TokenFlags = [.pinLocked, .finalTry]
            guard now.flags.isDisjoint(with: risks), let session = try? homeSession() else {
                return false
            }
            let code = call(session, Self.user, pin)
            if code == .ok || code == .userAlreadyLoggedIn { return true }
            if isStillThere {
                let failure = code.loginFailure(token: info.label, flags: now.flags)
                state = .refused(failure)
                refusals.login.withLock { $0 = failure }
            }
            return false
        }
    }

    /// - Parameter refusal: set where the token refused what it was sent.
    /// - Returns: the PIN; nil where the reader asks for it.
    private func tryLogin(
        _ pins: PINSource, subject: String?, _ refusal: inout SigningFailure?
    ) throws -> SecretBytes? {
        // Read again: another program may have used up tries since.
        let flags = module.tokenInfo(slot)?.flags ?? info.flags
        try checkFlags(flags, pins)
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
        let code = call(session, Self.user, pin)
        guard code == .ok || code == .userAlreadyLoggedIn else {
            let failure = loginFailure(code)
            if isLast(failure, code) { refusal = failure }
            throw failure
        }
        return pin
    }

    /// What a refused login means: a token that is gone refused no PIN.
    func loginFailure(_ code: TokenCode) -> SigningFailure {
        if let interruption = module.interruption { return interruption }
        guard code.saysPINIsWrong || isStillThere else { return failure(of: "C_Login", code) }
        return code.loginFailure(
            token: info.label, flags: module.tokenInfo(slot)?.flags ?? info.flags)
    }

    /// A wrong try on somebody else's card cannot be taken back, nor can the PIN.
    package func requireNamed(_ pins: PINSource) throws {
        guard pins.isGiven, !pins.namesToken, takesGivenPIN else { return }
        throw SigningFailure(
            .usage,
            "a PIN is given, and the PKCS#11 URI names no token: it was not sent to "
                + "'\(info.label)', which happens to be there (\(uri.text))",
            hint: Sentence(.nameToken))
    }

    private func checkFlags(_ flags: TokenFlags, _ pins: PINSource) throws {
        if flags.contains(.pinLocked) {
            throw TokenCode.pinLocked.loginFailure(token: info.label, flags: flags)
        }
        guard flags.contains(.pinInitialized) else {
            throw SigningFailure(
                .refused, "the token '\(info.label)' has no PIN yet", hint: Sentence(.setPIN))
        }
        if flags.contains(.toBeChanged) {
            throw SigningFailure(
                .refused, "the token '\(info.label)' wants a new PIN first",
                hint: Sentence(.setPIN))
        }
        if flags.contains(.finalTry), !flags.contains(.pinPad), !pins.isTyped {
            throw SigningFailure(
                .refused,
                "the token '\(info.label)' locks after ONE more wrong PIN: none was tried",
                hint: Sentence(.givePINByHand))
        }
    }

    /// What no token takes is no attempt worth counting.
    private func checkLength(_ pin: SecretBytes) throws {
        let (shortest, longest) = (info.shortestPIN, info.longestPIN)
        let isPlausible = longest >= shortest && (1...1024).contains(longest)
        let count = UInt(pin.byteCount)
        guard count > 0, !isPlausible || (shortest...longest).contains(count) else {
            throw SigningFailure(
                .refused,
                count == 0
                    ? "the PIN is empty: it was not tried"
                    : "the token '\(info.label)' has PINs of \(shortest) to \(longest) characters: "
                        + "this one was not tried", hint: Sentence(.checkPIN))
        }
    }

    /// Confirms one signature, or decryption, of a key that wants each confirmed, between C_SignInit
    /// and C_Sign. One after the other, with its question; a refusal is the last, whichever key it was
    /// for: all count against one card.
    ///
    /// - Parameter pin: gives nil where the reader asks for it.
    /// - Throws: ``SigningFailure``.
    func confirm(_ session: UInt, with pin: () throws -> SecretBytes?) throws {
        try refusals.confirmation.withLock { known in
            if let known { throw known }
            let code = call(session, Self.contextUser, try pin())
            guard code == .ok || code == .userAlreadyLoggedIn else {
                let failure = loginFailure(code)
                if isLast(failure, code) { known = failure }
                throw failure
            }
        }
    }

    /// Whether no PIN is sent after a failure: whatever a module calls it, it may have cost a try, unless
    /// nothing was sent, or the token was away.
    private func isLast(_ failure: SigningFailure, _ code: TokenCode) -> Bool {
        failure.code == .refused || !code.saysNothingWasSent && isStillThere
    }

    /// - Throws: ``SigningFailure`` when a confirmation was refused before.
    func requireNoRefusal() throws {
        if let failure = refusals.confirmation.withLock({ $0 }) { throw failure }
    }

    /// The PIN that was accepted.
    var acceptedPIN: SecretBytes? {
        login.withLock { if case .done(let pin) = $0 { pin } else { nil } }
    }

    private func call(_ session: UInt, _ user: UInt, _ pin: SecretBytes?) -> TokenCode {
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

/// What a token refused in this run. Each of the modules that show it sends PINs to the same card.
private final class TokenRefusals: Sendable {
    /// Held while somebody logs in.
    let login = Mutex<SigningFailure?>(nil)
    /// Held while somebody confirms a use of a key.
    let confirmation = Mutex<SigningFailure?>(nil)

    private static let all = Mutex<[(info: TokenInfo, refusals: TokenRefusals)]>([])

    /// Tokens without a serial number nobody can tell apart.
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

/// Where PINs come from.
package struct PINSource: Sendable {
    /// A person types it on a terminal.
    package let isTyped: Bool
    /// A file or variable is named.
    package let isGiven: Bool
    /// Whether the token is known to be the one that is meant, and not just one that happens to be
    /// there: only then a PIN goes to it that nobody types.
    package var namesToken = false
    /// The PIN that opens the token.
    package let login: @Sendable (SecretQuestion) throws -> SecretBytes
    /// The PIN that confirms signatures, if it is another one; nil: the same.
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
