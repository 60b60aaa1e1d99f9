internal import Base
internal import CLoaded
internal import CMSKit
internal import Synchronization
internal import SystemBridge

/// A loaded PKCS#11 module. It is loaded and initialized once per process, and stays loaded.
@safe
package final class TokenModule: @unchecked Sendable {
    // Sendable: the module locks its calls, or `serial` does.
    private let functions: UnsafePointer<CCryptoki_functions>
    package let path: String
    /// Locked during every call if the module does not support several threads.
    private let serial = Mutex(())
    private let isSerial: Bool
    /// Whether this program initialized the module and must call C_Finalize.
    private let isOurs: Bool
    private let tokens = Mutex<[UInt: Token]>([:])
    private let isClosed = Atomic(false)
    private let isRestarting = Atomic(false)
    private let runningCalls = Atomic(0)

    private static let loaded = Mutex<[ExactText: TokenModule]>([:])
    /// Maximum number of slots read.
    private static let slotLimit = 256

    /// - Throws: ``SigningFailure`` of kind `missing`.
    package static func load(_ path: String) throws -> TokenModule {
        // Links are resolved: a PIN rejected by a module is not sent again through a link. A plain
        // name is searched in the system's folders.
        let place = ExactText(path.contains("/") ? FileSystem.resolved(path) : path)
        return try loaded.withLock { all in
            if let known = all[place] { return known }
            let module = try TokenModule(path)
            all[place] = module
            return module
        }
    }

    /// Logs out of every token and ends every module. Must be called on every exit path: otherwise
    /// a card stays unlocked for the next program.
    package static func closeAll() {
        for module in loaded.withLock({ Array($0.values) }) { module.close() }
    }

    private init(_ path: String) throws {
        var reason = [CChar](repeating: 0, count: 512)
        guard let functions = unsafe CCryptoki_load(path, &reason, reason.count) else {
            let words = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw Self.missing(path, because: String(decoding: words, as: UTF8.self))
        }
        unsafe self.functions = functions
        self.path = path
        var code = unsafe Self.initialize(functions, isSerial: false)
        isSerial = code == .cannotLock
        if isSerial { code = unsafe Self.initialize(functions, isSerial: true) }
        guard code == .ok || code == .alreadyInitialized else {
            throw SigningFailure(
                .unavailable,
                "the PKCS#11 module \(path) did not start: C_Initialize returned \(code.name)",
                hint: Sentence(.startService))
        }
        isOurs = code == .ok
    }

    private static func initialize(
        _ functions: UnsafePointer<CCryptoki_functions>, isSerial: Bool
    ) -> TokenCode {
        // CKF_OS_LOCKING_OK.
        var arguments = unsafe CCryptoki_initialize_arguments()
        unsafe arguments.flags = 2
        return TokenCode(
            unsafe isSerial
                ? functions.pointee.Initialize(nil) : functions.pointee.Initialize(&arguments))
    }

    private static func missing(_ path: String, because reason: String) -> SigningFailure {
        let words =
            reason.hasPrefix(path + ": ") ? String(reason.dropFirst(path.count + 2)) : reason
        return SigningFailure(
            .missing, "the PKCS#11 module \(path) cannot be used: \(words)",
            hint: reason.contains("ELFCLASS32")
                ? Sentence(.runModuleApart) : Sentence(.installModule))
    }

    /// Logs out, closes all sessions and finalizes. Running calls are awaited for a limited time:
    /// finalizing during a call has undefined behavior (PKCS#11 2.40 §5.4).
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let isBusy = !waitForCalls { self.isRestarting.load(ordering: .acquiring) }
        for token in tokens.withLock({ Array($0.values) }) { token.close(isBusy: isBusy) }
        if isOurs, !isBusy { _ = callAtEnd { $0.Finalize(nil) } }
    }

    /// - Returns: whether no call is running, and `isHeldUp` is false.
    private func waitForCalls(_ isHeldUp: () -> Bool = { false }) -> Bool {
        var isBusy: Bool { runningCalls.load(ordering: .acquiring) != 0 || isHeldUp() }
        for _ in 0..<Self.patience where isBusy { OrderedWork.pause(.milliseconds(10)) }
        return !isBusy
    }

    /// Finds a reinserted token. Some modules detect it only after reinitialization, which ends all
    /// sessions.
    ///
    /// - Returns: its slot, and its current properties.
    func find(_ info: TokenInfo) -> (slot: UInt, info: TokenInfo)? {
        seek(info) ?? (restart() ? seek(info) : nil)
    }

    private func seek(_ info: TokenInfo) -> (slot: UInt, info: TokenInfo)? {
        let (code, slots) = presentSlots()
        guard code == .ok else { return nil }
        for slot in slots {
            if let now = tokenInfo(slot), now.isSame(as: info) { return (slot, now) }
        }
        return nil
    }

    private func restart() -> Bool {
        guard isOurs, !isClosed.load(ordering: .acquiring),
            !isRestarting.exchange(true, ordering: .acquiringAndReleasing)
        else { return false }
        defer { isRestarting.store(false, ordering: .releasing) }
        guard waitForCalls() else { return false }
        _ = callAtEnd { $0.Finalize(nil) }
        return unsafe Self.initialize(functions, isSerial: isSerial) == .ok
    }

    /// How long running calls are awaited, in hundredths of a second.
    private static let patience = 200

    /// Calls the module, unless it is closed or being restarted.
    func call(_ body: (CCryptoki_functions) -> UInt) -> TokenCode {
        runningCalls.add(1, ordering: .acquiringAndReleasing)
        defer { runningCalls.subtract(1, ordering: .acquiringAndReleasing) }
        guard !isClosed.load(ordering: .acquiring), !isRestarting.load(ordering: .acquiring) else {
            return .notInitialized
        }
        return callAtEnd(body)
    }

    /// Calls the module even if it is closed or being restarted.
    func callAtEnd(_ body: (CCryptoki_functions) -> UInt) -> TokenCode {
        TokenCode(
            isSerial
                ? serial.withLock { _ in unsafe body(functions.pointee) }
                : unsafe body(functions.pointee))
    }

    /// The error for calls after a signal: the token itself works.
    var interruption: SigningFailure? {
        guard isClosed.load(ordering: .acquiring) else { return nil }
        return SigningFailure(.unavailable, "the program is exiting")
    }

    /// Properties of the module (CK_INFO).
    package struct Library: Sendable {
        package let manufacturer: String
        package let description: String
        package let version: (major: UInt8, minor: UInt8)
    }

    package var library: Library {
        var info = CCryptoki_info()
        _ = call { unsafe $0.GetInfo(&info) }
        return Library(
            manufacturer: Self.text(info.manufacturer), description: Self.text(info.description),
            version: (info.library.major, info.library.minor))
    }

    /// Present, initialized tokens in the module's order, which may differ between runs.
    package func presentTokens() throws -> [Token] {
        let (code, slots) = presentSlots()
        guard code == .ok else {
            throw interruption
                ?? SigningFailure(
                    .unavailable,
                    "the PKCS#11 module \(path) lists no slots: C_GetSlotList returned \(code.name)",
                    hint: Sentence(.startService))
        }
        return slots.compactMap { token(in: $0) }
    }

    private func presentSlots() -> (code: TokenCode, slots: [UInt]) {
        var ids = [UInt](repeating: 0, count: Self.slotLimit)
        var count = UInt(ids.count)
        let code = call { unsafe $0.GetSlotList(1, &ids, &count) }
        return (code, Array(ids.prefix(Int(clamping: count))))
    }

    /// - Returns: nil for a slot with an uninitialized or unreadable token, so that other slots
    ///   remain usable.
    private func token(in slot: UInt) -> Token? {
        guard let info = tokenInfo(slot), info.flags.contains(.initialized) else { return nil }
        return tokens.withLock { known in
            if let token = known[slot], token.info.isSame(as: info) { return token }
            let token = Token(module: self, slot: slot, info: info)
            known[slot] = token
            return token
        }
    }

    func tokenInfo(_ slot: UInt) -> TokenInfo? {
        var token = CCryptoki_token()
        guard call({ unsafe $0.GetTokenInfo(slot, &token) }) == .ok else { return nil }
        var info = CCryptoki_slot()
        _ = call { unsafe $0.GetSlotInfo(slot, &info) }
        return TokenInfo(
            label: Self.text(token.label), manufacturer: Self.text(token.manufacturer),
            model: Self.text(token.model), serial: Self.text(token.serial),
            flags: TokenFlags(rawValue: token.flags), sessionLimit: token.session_limit,
            longestPIN: token.longest_pin, shortestPIN: token.shortest_pin,
            slotDescription: Self.text(info.description),
            slotManufacturer: Self.text(info.manufacturer))
    }

    /// The text of a fixed-width field that is padded with blanks.
    private static func text<Field>(_ field: Field) -> String {
        // Some modules terminate the text with a zero byte.
        var used = unsafe withUnsafeBytes(of: field) { unsafe Array($0.prefix { $0 != 0 }) }
        while used.last == 0x20 { used.removeLast() }
        return String(decoding: used, as: UTF8.self)
    }
}

/// The properties of a token that need no login.
package struct TokenInfo: Sendable {
    package let label: String
    package let manufacturer: String
    package let model: String
    package let serial: String
    package let flags: TokenFlags
    let sessionLimit: UInt
    let longestPIN: UInt
    let shortestPIN: UInt
    let slotDescription: String
    let slotManufacturer: String

    func isSame(as other: TokenInfo) -> Bool {
        label == other.label && serial == other.serial && model == other.model
            && manufacturer == other.manufacturer
    }
}
