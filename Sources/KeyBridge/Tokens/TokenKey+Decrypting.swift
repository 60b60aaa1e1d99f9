import Base
internal import CLoaded
internal import CMSKit
package import CryptoBridge
internal import SystemBridge

extension TokenKey: EnvelopeKey {
    /// CKM_RSA_PKCS, CKM_RSA_PKCS_OAEP, CKM_RSA_X_509, CKM_ECDH1_DERIVE.
    private enum Mechanism {
        static let pkcs1: UInt = 0x1
        static let raw: UInt = 0x3
        static let oaep: UInt = 0x9
        static let agreement: UInt = 0x1050
    }

    package func check(_ scheme: EnvelopeScheme) throws {
        let (use, wanted): (Token.MechanismUse, [UInt]) =
            switch scheme {
            case .transport(.pkcs1): (.decrypt, [Mechanism.pkcs1])
            case .transport(.oaep): (.decrypt, [Mechanism.oaep, Mechanism.raw])
            case .agreement: (.derive, [Mechanism.agreement])
            }
        guard let offered = token.mechanisms(for: use), offered.isDisjoint(with: wanted) else {
            return
        }
        throw unsupported(scheme.name)
    }

    package func decrypt(_ data: [UInt8], _ transport: KeyTransport) throws -> [UInt8]? {
        try remembering {
            let key = try onlyKey()
            switch transport {
            case .pkcs1: return try decrypt(data, TokenMechanism(type: Mechanism.pkcs1), key).bytes
            case .oaep(let padding):
                if let mechanism = Self.oaep(padding) {
                    let answer = try decrypt(data, mechanism, key)
                    if !answer.isRefused { return answer.bytes }
                }
                // Few tokens support other hashes than SHA-1. For others the token only decrypts,
                // and this process removes the padding.
                let raw = try decrypt(data, TokenMechanism(type: Mechanism.raw), key)
                guard !raw.isRefused else {
                    throw unsupported(EnvelopeScheme.transport(transport).name)
                }
                guard var block = raw.bytes else { return nil }
                defer { SecretBytes.wipe(&block) }
                return padding.unpad(block, byteCount: data.count)
            }
        }
    }

    package func agree(with point: [UInt8], byteCount: Int) throws -> [[UInt8]] {
        try remembering {
            try open().prefix(Self.attemptLimit).compactMap { key in
                try inSession(with: key) { try agree(with: point, byteCount, $0, in: $1) }
            }
        }
    }

    /// Maximum number of keys with one name tried.
    private static let attemptLimit = 8

    /// The private key; throws if there are several and their public keys are unknown.
    private func onlyKey() throws -> TokenContents.StoredPrivateKey {
        let keys = try open()
        guard keys.count == 1 || keys.allSatisfy({ $0.key == publicKey }), let key = keys.first
        else {
            throw SigningFailure(
                .unsupported,
                "the token '\(token.info.label)' has \(keys.count) private keys with the same label, and "
                    + "none can be matched to the certificate")
        }
        return key
    }

    private func unsupported(_ what: String) -> SigningFailure {
        SigningFailure(
            .unsupported,
            "the key on the token '\(token.info.label)' does not support decryption with \(what)")
    }

    // MARK: RSA

    /// The result. The bytes are nil if the data was not encrypted for the key.
    private struct Decrypted {
        var isRefused = false
        var bytes: [UInt8]?
    }

    private func decrypt(
        _ data: [UInt8], _ mechanism: TokenMechanism, _ key: TokenContents.StoredPrivateKey
    ) throws -> Decrypted {
        // The session is not reused: a failed operation may remain active in it, and later calls
        // must not reveal the failure.
        try inSession(with: key, .dropped) { try decrypt(data, mechanism, $0, in: $1) }
    }

    /// - Parameter isConfirmed: whether the token unexpectedly requires a confirmation.
    private func decrypt(
        _ data: [UInt8], _ mechanism: TokenMechanism, _ key: TokenContents.StoredPrivateKey,
        in session: UInt, isConfirmed: Bool = false
    ) throws -> Decrypted {
        if key.isAlwaysAuthenticating { try token.requireNoRefusal() }
        let module = token.module
        let started = module.call { functions in
            unsafe mechanism.lend { unsafe functions.DecryptInit(session, $0, key.handle) }
        }
        if started.losesObject { throw LostHandle(call: "C_DecryptInit", code: started) }
        if started.refusesMechanism { return Decrypted(isRefused: true) }
        guard started == .ok else { throw token.failure(of: "C_DecryptInit", started) }
        if key.isAlwaysAuthenticating || isConfirmed { try confirm(session) }
        var output = [UInt8](repeating: 0, count: data.count + Self.spareByteCount)
        defer { SecretBytes.wipe(&output) }
        var count = UInt(output.count)
        let code = module.call {
            unsafe $0.Decrypt(session, data, UInt(data.count), &output, &count)
        }
        if code == .userNotLoggedIn, !key.isAlwaysAuthenticating, !isConfirmed {
            return try decrypt(data, mechanism, key, in: session, isConfirmed: true)
        }
        // The kind of error must not be revealed (RFC 3218), so this call is made in every case. A
        // general failure of the module is treated like wrong data.
        let isStillThere = token.isStillThere
        if code.mayMeanWrongData, isStillThere { return Decrypted() }
        guard code == .ok, count <= output.count else { throw token.failure(of: "C_Decrypt", code) }
        return Decrypted(bytes: Array(output.prefix(Int(count))))
    }

    /// Extra space for modules that return more than permitted.
    private static let spareByteCount = 64

    /// Nil for hashes without a known mechanism.
    private static func oaep(_ padding: OAEPPadding) -> TokenMechanism? {
        guard let (hash, _) = TokenMechanism.hashes[padding.hash],
            let (_, mask) = TokenMechanism.hashes[padding.mask]
        else { return nil }
        // CKZ_DATA_SPECIFIED, and no label.
        return TokenMechanism(type: Mechanism.oaep, [hash, mask, 1, 0, 0])
    }

    // MARK: Agreement

    /// - Returns: nil if the token rejects the other party's point.
    private func agree(
        with point: [UInt8], _ byteCount: Int, _ key: TokenContents.StoredPrivateKey,
        in session: UInt
    ) throws -> [UInt8]? {
        let module = token.module
        var secret: UInt = 0
        // The secret is a readable object of this session.
        let template: [(UInt, [UInt8])] = [
            (ObjectAttribute.objectClass, Token.bytes(ObjectClass.secretKey)),
            (ObjectAttribute.keyType, Token.bytes(TokenKeyType.genericSecret)),
            (ObjectAttribute.isOnToken, Token.no), (ObjectAttribute.isSensitive, Token.no),
            (ObjectAttribute.isExtractable, Token.yes),
            (ObjectAttribute.valueByteCount, Token.bytes(UInt(byteCount))),
        ]
        let code = module.call { functions in
            unsafe Token.withTemplate(template) { values, count in
                unsafe point.withUnsafeBytes { point in
                    // CKD_NULL, and no shared data.
                    let mechanism = TokenMechanism(
                        type: Mechanism.agreement,
                        [1, 0, 0, UInt(point.count), UInt(bitPattern: point.baseAddress)])
                    return unsafe mechanism.lend {
                        unsafe functions.DeriveKey(session, $0, key.handle, values, count, &secret)
                    }
                }
            }
        }
        if code.losesObject { throw LostHandle(call: "C_DeriveKey", code: code) }
        if code.refusesMechanism || code.refusesTemplate {
            throw unsupported(EnvelopeScheme.agreement.name)
        }
        // A malicious document must not block the next one.
        if code.mayMeanWrongData, token.isStillThere { return nil }
        guard code == .ok else { throw token.failure(of: "C_DeriveKey", code) }
        defer { _ = module.call { $0.DestroyObject(session, secret) } }
        guard let value = token.bytes(ObjectAttribute.value, of: secret, session),
            value.count == byteCount
        else {
            throw SigningFailure(
                .unsupported,
                "the token '\(token.info.label)' did not return the agreed secret")
        }
        return value
    }
}
