import Base
internal import CMSKit

/// The return value of a module (CKR_..., PKCS#11 2.40 §5.1).
package struct TokenCode: Error, Equatable, Sendable {
    package let number: UInt

    package init(_ number: UInt) { self.number = number }

    static let ok = TokenCode(0)
    static let argumentsBad = TokenCode(0x7)
    static let cannotLock = TokenCode(0xA)
    static let keyHandleInvalid = TokenCode(0x60)
    static let keyTypeInconsistent = TokenCode(0x63)
    static let keyFunctionNotPermitted = TokenCode(0x68)
    static let mechanismInvalid = TokenCode(0x70)
    static let mechanismParameterInvalid = TokenCode(0x71)
    static let objectHandleInvalid = TokenCode(0x82)
    static let pinIncorrect = TokenCode(0xA0)
    static let pinLocked = TokenCode(0xA4)
    static let sessionCount = TokenCode(0xB1)
    static let userAlreadyLoggedIn = TokenCode(0x100)
    static let userNotLoggedIn = TokenCode(0x101)
    static let bufferTooSmall = TokenCode(0x150)
    static let notInitialized = TokenCode(0x190)
    static let alreadyInitialized = TokenCode(0x191)

    /// `CKR_PIN_LOCKED`, else the number.
    package var name: String { Self.names[number] ?? "0x" + String(number, radix: 16) }

    private static let names: [UInt: String] = [
        0x2: "CKR_HOST_MEMORY", 0x3: "CKR_SLOT_ID_INVALID", 0x5: "CKR_GENERAL_ERROR",
        0x6: "CKR_FUNCTION_FAILED", 0x7: "CKR_ARGUMENTS_BAD", 0xA: "CKR_CANT_LOCK",
        0x30: "CKR_DEVICE_ERROR", 0x31: "CKR_DEVICE_MEMORY", 0x32: "CKR_DEVICE_REMOVED",
        0x50: "CKR_FUNCTION_CANCELED", 0x54: "CKR_FUNCTION_NOT_SUPPORTED",
        0x60: "CKR_KEY_HANDLE_INVALID", 0x63: "CKR_KEY_TYPE_INCONSISTENT",
        0x68: "CKR_KEY_FUNCTION_NOT_PERMITTED", 0x70: "CKR_MECHANISM_INVALID",
        0x71: "CKR_MECHANISM_PARAM_INVALID", 0x82: "CKR_OBJECT_HANDLE_INVALID",
        0x90: "CKR_OPERATION_ACTIVE", 0x91: "CKR_OPERATION_NOT_INITIALIZED",
        0xA0: "CKR_PIN_INCORRECT", 0xA1: "CKR_PIN_INVALID", 0xA2: "CKR_PIN_LEN_RANGE",
        0xA3: "CKR_PIN_EXPIRED", 0xA4: "CKR_PIN_LOCKED", 0xB0: "CKR_SESSION_CLOSED",
        0xB1: "CKR_SESSION_COUNT", 0xB3: "CKR_SESSION_HANDLE_INVALID",
        0xB5: "CKR_SESSION_READ_ONLY", 0xD1: "CKR_TEMPLATE_INCONSISTENT",
        0xE0: "CKR_TOKEN_NOT_PRESENT", 0xE1: "CKR_TOKEN_NOT_RECOGNIZED",
        0xE2: "CKR_TOKEN_WRITE_PROTECTED", 0x100: "CKR_USER_ALREADY_LOGGED_IN",
        0x101: "CKR_USER_NOT_LOGGED_IN", 0x102: "CKR_USER_PIN_NOT_INITIALIZED",
        0x103: "CKR_USER_TYPE_INVALID", 0x104: "CKR_USER_ANOTHER_ALREADY_LOGGED_IN",
        0x105: "CKR_USER_TOO_MANY_TYPES", 0x150: "CKR_BUFFER_TOO_SMALL",
        0x190: "CKR_CRYPTOKI_NOT_INITIALIZED", 0x191: "CKR_CRYPTOKI_ALREADY_INITIALIZED",
        0x200: "CKR_FUNCTION_REJECTED",
    ]

    /// Return values of C_SignInit after which another mechanism may work.
    var refusesMechanism: Bool {
        [
            Self.mechanismInvalid, .mechanismParameterInvalid, .argumentsBad,
            .keyTypeInconsistent, .keyFunctionNotPermitted,
        ].contains(self)
    }

    /// Return values for unsupported templates: CKR_ATTRIBUTE_..., CKR_TEMPLATE_... and
    /// CKR_FUNCTION_NOT_SUPPORTED.
    var refusesTemplate: Bool { [0x10, 0x11, 0x12, 0x13, 0x54, 0xD0, 0xD1].contains(number) }

    /// Return values of C_Decrypt and C_DeriveKey after which the data may be for another key: all
    /// without another cause, since modules differ. These have one: CKR_HOST_MEMORY,
    /// CKR_DEVICE_MEMORY, CKR_DEVICE_REMOVED, CKR_FUNCTION_CANCELED, CKR_PIN_..., CKR_SESSION_...,
    /// CKR_TOKEN_NOT_PRESENT, CKR_USER_NOT_LOGGED_IN, CKR_CRYPTOKI_NOT_INITIALIZED and
    /// CKR_FUNCTION_REJECTED.
    var mayMeanWrongData: Bool {
        let others: [UInt] = [0, 0x2, 0x31, 0x32, 0x50, 0xE0, 0x101, 0x190, 0x200]
        return !others.contains(number) && !(0xA0...0xB8).contains(number)
    }

    /// Out of memory, device removed, no operation, session closed or unknown, token missing or
    /// unknown, not initialized: nothing was sent to a card.
    var saysNothingWasSent: Bool {
        [0x2, 0x32, 0x91, 0xB0, 0xB3, 0xE0, 0xE1, 0x190].contains(number)
    }

    var losesObject: Bool { self == .keyHandleInvalid || self == .objectHandleInvalid }

    /// Another program logged out, or the token lost the login.
    struct LostLogin: Error {}

    /// The error for a failed login.
    ///
    /// - Parameter flags: current flags of the token.
    func loginFailure(token: String, flags: TokenFlags) -> SigningFailure {
        switch number {
        case 0xA0, 0x5, 0x6:
            let states: [(TokenFlags, String)] = [
                (.pinLocked, "; the PIN is now locked"), (.finalTry, "; ONE try is left"),
                (.countLow, "; only a few tries are left"),
            ]
            let left = states.first { flags.contains($0.0) }?.1 ?? ""
            let words =
                self == .pinIncorrect
                ? "the PIN of the token '\(token)' is wrong"
                : "the token '\(token)' refused the PIN or failed (\(name))"
            return SigningFailure(
                .refused, words + left,
                hint: flags.contains(.pinLocked) ? Sentence(.unblockPIN) : Sentence(.notTriedAgain))
        case 0xA4:
            return SigningFailure(
                .refused, "the PIN of the token '\(token)' is locked", hint: Sentence(.unblockPIN))
        case 0xA3, 0x102:
            return SigningFailure(
                .refused, "the token '\(token)' requires a new PIN first (\(name))",
                hint: Sentence(.setPIN))
        case 0xA1, 0xA2:
            return SigningFailure(
                .refused, "the token '\(token)' does not accept this PIN (\(name))",
                hint: Sentence(.checkPIN))
        case 0x50, 0x200:
            return SigningFailure(
                .refused, "the PIN was not entered: cancelled at the reader (\(name))")
        case 0x104, 0x105:
            return SigningFailure(
                .unavailable, "another user is logged in to the token '\(token)' (\(name))",
                hint: Sentence(.closeOtherProgram))
        default: return failure(of: "C_Login", token: token)
        }
    }

    func failure(of call: String, token: String) -> SigningFailure {
        switch number {
        case 0xE0, 0x32:
            SigningFailure(
                .unavailable, "the token '\(token)' was removed (\(call): \(name))",
                hint: Sentence(.insertToken))
        case 0x101:
            SigningFailure(
                .refused, "the token '\(token)' requires a login (\(call): \(name))",
                cause: LostLogin())
        case 0x50, 0x200:
            SigningFailure(.refused, "cancelled at the token '\(token)' (\(call): \(name))")
        default:
            SigningFailure(.unavailable, "the token '\(token)' failed: \(call) returned \(name)")
        }
    }
}

/// Properties of a token (CKF_..., PKCS#11 2.40 §3.2).
package struct TokenFlags: OptionSet, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let writeProtected = TokenFlags(rawValue: 0x2)
    package static let loginRequired = TokenFlags(rawValue: 0x4)
    package static let pinInitialized = TokenFlags(rawValue: 0x8)
    package static let pinPad = TokenFlags(rawValue: 0x100)
    package static let initialized = TokenFlags(rawValue: 0x400)
    package static let countLow = TokenFlags(rawValue: 0x10000)
    package static let finalTry = TokenFlags(rawValue: 0x20000)
    package static let pinLocked = TokenFlags(rawValue: 0x40000)
    package static let toBeChanged = TokenFlags(rawValue: 0x80000)

    /// Descriptions, for lists.
    package var words: [String] {
        [
            (Self.pinPad, "PIN pad"), (.writeProtected, "write-protected"),
            (.countLow, "few PIN tries left"), (.finalTry, "ONE PIN try left"),
            (.pinLocked, "PIN locked"), (.toBeChanged, "PIN must be changed"),
        ].filter { contains($0.0) }.map(\.1)
            + (contains(.pinInitialized) || !contains(.loginRequired) ? [] : ["no PIN set"])
    }
}
