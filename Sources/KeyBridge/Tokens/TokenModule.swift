internal import Base
internal import CLoaded
internal import CMSKit
internal import Glibc
internal import Synchronization
internal import SystemBridge

/// A loaded PKCS#11 module. Each is loaded and initialised once in a process, and stays loaded.
@safe
package final class TokenModule: @unchecked Sendable {
    // Sendable: the module locks by itself, or the shim does for it.
    let pointer: OpaquePointer
    package let path: String
    /// Whether C_Finalize is ours to call.
    private let isOurs: Bool
    private let tokens = Mutex<[UInt: Token]>([:])
    private let isClosed = Atomic(false)
    private let isRestarting = Atomic(false)
    private let runningCalls = Atomic(0)

    private static let loaded = Mutex<[ExactText: TokenModule]>([:])
    /// More slots than this nobody has.
    private static let slotLimit = 256

    /// - Throws: ``SigningFailure`` of kind `missing`.
    package static func load(_ path: String) throws -> TokenModule {
        // Through a link it is the same: a PIN that it refused is not sent again. A mere name is looked
        // for in the system's folders.
        let place = ExactText(path.contains("/") ? FileSystem.resolved(path) : path)
        return try loaded.withLock { all in
            if let known = all[place] { return known }
            let module = try TokenModule(path)
            all[place] = module
            return module
        }
    }

    /// Logs out of every token and ends every module that was loaded. To be called on every way out
    /// of the process: a card stays unlocked for the next program otherwise.
    package static func closeAll() {
        for module in loaded.withLock({ Array($0.values) }) { module.close() }
    }

    private init(_ path: String) throws {
        var reason = [CChar](repeating: 0, count: 512)
        guard let pointer = unsafe CCryptoki_load(path, &reason, reason.count) else {
            let words = reason.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            throw Self.missing(path, String(decoding: words, as: UTF8.self))
        }
        unsafe self.pointer = pointer
        self.path = path
        let code = TokenCode(unsafe CCryptoki_initialize(pointer))
        guard code == .ok || code == .alreadyInitialized else {
            throw SigningFailure(
                .unavailable,
                "the PKCS#11 module \(path) did not start: C_Initialize gave \(code.name)",
                hint: Sentence(.startService))
        }
        isOurs = code == .ok
    }

    private static func missing(_ path: String, _ reason: String) -> SigningFailure {
        let words =
            reason.hasPrefix(path + ": ") ? String(reason.dropFirst(path.count + 2)) : reason
        return SigningFailure(
            .missing, "the PKCS#11 module \(path) cannot be used: \(words)",
            hint: reason.contains("ELFCLASS32")
                ? Sentence(.runModuleApart) : Sentence(.installModule)
        )
    }

    /// Logs out, closes all sessions and finalises. Calls that run are waited for, if they end soon:
    /// what a module does that is finalised meanwhile nobody knows (PKCS#11 2.40 §5.4).
    package func close() {
        guard !isClosed.exchange(true, ordering: .acquiringAndReleasing) else { return }
        let isBusy = !waitForCalls { self.isRestarting.load(ordering: .acquiring) }
        for token in tokens.withLock({ Array($0.values) }) { token.close(isBusy: isBusy) }
        if isOurs, !isBusy { _ = unsafe CCryptoki_finalize(pointer) }
    }

    /// - Returns: whether no call runs any more, and `isHeldUp` neither.
    private func waitForCalls(_ isHeldUp: () -> Bool = { false }) -> Bool {
        for _ in 0..<Self.patience {
            if runningCalls.load(ordering: .acquiring) == 0, !isHeldUp() { return true }
            usleep(10_000)
        }
        return runningCalls.load(ordering: .acquiring) == 0 && !isHeldUp()
    }

    /// Finds a token that was away. Some modules see what comes back only when they begin anew, which
    /// ends all sessions.
    ///
    /// - Returns: its slot, and what it says of itself now.
    func find(_ info: TokenInfo) -> (slot: UInt, info: TokenInfo)? {
        seek(info) ?? (restart() ? seek(info) : nil)
    }

    private func seek(_ info: TokenInfo) -> (slot: UInt, info: TokenInfo)? {
        var ids = [UInt](repeating: 0, count: Self.slotLimit)
        var count = UInt(ids.count)
        guard call({ unsafe CCryptoki_get_slots(pointer, &ids, &count) }) == .ok else { return nil }
        for slot in ids.prefix(Int(min(count, UInt(ids.count)))) {
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
        _ = unsafe CCryptoki_finalize(pointer)
        return TokenCode(unsafe CCryptoki_initialize(pointer)) == .ok
    }

    /// How long calls are waited for, in hundredths of a second.
    private static let patience = 200

    /// Makes one call of the module; none any more once it is closed.
    func call(_ body: () -> UInt) -> TokenCode {
        runningCalls.add(1, ordering: .acquiringAndReleasing)
        defer { runningCalls.subtract(1, ordering: .acquiringAndReleasing) }
        guard !isClosed.load(ordering: .acquiring), !isRestarting.load(ordering: .acquiring) else {
            return .notInitialized
        }
        return TokenCode(body())
    }

    /// Why calls fail that come when a signal ends the program: the token itself is all right.
    var interruption: SigningFailure? {
        guard isClosed.load(ordering: .acquiring) else { return nil }
        return SigningFailure(.unavailable, "the program is being ended")
    }

    /// Who made the module.
    package struct Library: Sendable {
        package let manufacturer: String
        package let description: String
        package let version: (major: UInt8, minor: UInt8)
    }

    package var library: Library {
        var library = CCryptoki_library()
        _ = call { unsafe CCryptoki_get_library(pointer, &library) }
        return Library(
            manufacturer: TokenText.text(Self.bytes(of: library.manufacturer)),
            description: TokenText.text(Self.bytes(of: library.description)),
            version: (library.major, library.minor))
    }

    /// Tokens that are there and initialised, in the module's order, which may change between runs.
    package func presentTokens() throws -> [Token] {
        var ids = [UInt](repeating: 0, count: Self.slotLimit)
        var count = UInt(ids.count)
        let code = call { unsafe CCryptoki_get_slots(pointer, &ids, &count) }
        guard code == .ok else {
            throw interruption
                ?? SigningFailure(
                    .unavailable,
                    "the PKCS#11 module \(path) lists no slots: C_GetSlotList gave \(code.name)",
                    hint: Sentence(.startService))
        }
        return ids.prefix(Int(min(count, UInt(ids.count)))).compactMap { token(in: $0) }
    }

    /// - Returns: nil for a slot whose token is not initialised or cannot be asked: one broken slot
    ///   does not keep anybody from the others.
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
        guard call({ unsafe CCryptoki_get_token(pointer, slot, &token) }) == .ok else { return nil }
        var info = CCryptoki_slot()
        _ = call { unsafe CCryptoki_get_slot(pointer, slot, &info) }
        return TokenInfo(
            label: TokenText.text(Self.bytes(of: token.label)),
            manufacturer: TokenText.text(Self.bytes(of: token.manufacturer)),
            model: TokenText.text(Self.bytes(of: token.model)),
            serial: TokenText.text(Self.bytes(of: token.serial)),
            flags: TokenFlags(rawValue: token.flags), sessionLimit: token.session_limit,
            longestPIN: token.longest_pin, shortestPIN: token.shortest_pin,
            slotDescription: TokenText.text(Self.bytes(of: info.description)),
            slotManufacturer: TokenText.text(Self.bytes(of: info.manufacturer)))
    }

    /// The bytes of a field of fixed width.
    private static func bytes<Field>(of field: Field) -> [UInt8] {
        unsafe withUnsafeBytes(of: field) { unsafe Array($0) }
    }
}

/// Text in fields of fixed width, which blanks fill up.
enum TokenText {
    static func text(_ bytes: [UInt8]) -> String {
        var used = bytes[...]
        // Some modules end the text as C does.
        if let end = used.firstIndex(of: 0) { used = used[..<end] }
        while used.last == 0x20 { used.removeLast() }
        return String(decoding: used, as: UTF8.self)
    }
}

/// What is known of a token without logging in.
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
