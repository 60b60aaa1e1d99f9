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
            case .pkcs1: return try decrypt(data, Self.call(Mechanism.pkcs1), key).bytes
            case .oaep(let padding):
                if let mechanism = Self.oaep(padding) {
                    let answer = try decrypt(data, mechanism, key)
                    if !answer.isRefused { return answer.bytes }
                }
                // Few tokens know other hashes than SHA-1: the padding can be taken off here.
                let raw = try decrypt(data, Self.call(Mechanism.raw), key)
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
                try lookingAgain(for: key) { key in
                    try OrderedWork.whileWaiting(for: .device) {
                        try token.withSession { session in
                            (try agree(with: point, byteCount, key, in: session), .kept)
                        }
                    }
                }
            }
        }
    }

    /// Keys of one name that are tried.
    private static let attemptLimit = 8

    /// Whose public half is known; else none of several is guessed.
    private func onlyKey() throws -> TokenContents.StoredPrivateKey {
        let keys = try open()
        guard keys.count == 1 || keys.allSatisfy({ $0.key == publicKey }), let key = keys.first
        else {
            throw SigningFailure(
                .unsupported,
                "the token '\(token.info.label)' has \(keys.count) private keys of one name, and does "
                    + "not say which belongs to the certificate")
        }
        return key
    }

    private func unsupported(_ what: String) -> SigningFailure {
        SigningFailure(
            .unsupported,
            "the key on the token '\(token.info.label)' decrypts nothing by \(what)")
    }

    // MARK: RSA

    /// What came of it: nothing where the data are none that were encrypted for the key.
    private struct Decrypted {
        var isRefused = false
        var bytes: [UInt8]?
    }

    private func decrypt(
        _ data: [UInt8], _ mechanism: CCryptoki_mechanism, _ key: TokenContents.StoredPrivateKey
    ) throws -> Decrypted {
        try lookingAgain(for: key) { key in
            try OrderedWork.whileWaiting(for: .device) {
                try token.withSession { session in
                    // A session whose operation failed may be stuck in it, and whether it failed must
                    // not show in what follows.
                    (try decrypt(data, mechanism, key, in: session), .dropped)
                }
            }
        }
    }

    /// - Parameter isConfirmed: the token wants it, which it did not say beforehand.
    private func decrypt(
        _ data: [UInt8], _ mechanism: CCryptoki_mechanism,
        _ key: TokenContents.StoredPrivateKey, in session: UInt, isConfirmed: Bool = false
    ) throws -> Decrypted {
        if key.isAlwaysAuthenticating { try token.requireNoRefusal() }
        var mechanism = mechanism
        let module = token.module
        let started = module.call {
            unsafe CCryptoki_decrypt_init(module.pointer, session, &mechanism, key.handle)
        }
        if started.losesObject { throw LostHandle(call: "C_DecryptInit", code: started) }
        if started.refusesMechanism { return Decrypted(isRefused: true) }
        guard started == .ok else { throw token.failure(of: "C_DecryptInit", started) }
        if key.isAlwaysAuthenticating || isConfirmed { try confirm(session) }
        var output = [UInt8](repeating: 0, count: data.count + Self.spareByteCount)
        defer { SecretBytes.wipe(&output) }
        var count = output.count
        let code = module.call {
            unsafe CCryptoki_decrypt(
                module.pointer, session, data, data.count, &output, &count)
        }
        if code == .userNotLoggedIn, !key.isAlwaysAuthenticating, !isConfirmed {
            return try decrypt(data, mechanism, key, in: session, isConfirmed: true)
        }
        // What kind of wrong the data are must not show (RFC 3218), not even by another call, which a
        // card takes its time for. A module that fails in general at them means that too.
        let isStillThere = token.isStillThere
        if code.mayMeanWrongData, isStillThere { return Decrypted() }
        guard code == .ok, count <= output.count else {
            throw token.failure(of: "C_Decrypt", code)
        }
        return Decrypted(bytes: Array(output.prefix(count)))
    }

    /// Room for modules that answer with more than they should.
    private static let spareByteCount = 64

    private static func call(_ type: UInt) -> CCryptoki_mechanism {
        CCryptoki_mechanism(
            type: type, parameters: CCryptoki_none, hash: 0, mask: 0, salt_byte_count: 0)
    }

    /// Nil for hashes that have no name there.
    private static func oaep(_ padding: OAEPPadding) -> CCryptoki_mechanism? {
        // CKM_... of the hash and CKG_... of the mask.
        let known: [DigestAlgorithm: (UInt, UInt)] = [
            .sha1: (0x220, 1), .sha224: (0x255, 5), .sha256: (0x250, 2), .sha384: (0x260, 3),
            .sha512: (0x270, 4),
        ]
        guard let hash = known[padding.hash], let mask = known[padding.mask] else { return nil }
        return CCryptoki_mechanism(
            type: Mechanism.oaep, parameters: CCryptoki_oaep, hash: hash.0, mask: mask.1,
            salt_byte_count: 0)
    }

    // MARK: Agreement

    /// - Returns: nil where the token takes the other's point for none.
    private func agree(
        with point: [UInt8], _ byteCount: Int, _ key: TokenContents.StoredPrivateKey,
        in session: UInt
    ) throws -> [UInt8]? {
        let module = token.module
        var secret: UInt = 0
        // The secret is one of this session, that may be read.
        let template: [(UInt, [UInt8])] = [
            (ObjectAttribute.objectClass, Token.bytes(ObjectClass.secretKey)),
            (ObjectAttribute.keyType, Token.bytes(TokenKeyType.genericSecret)),
            (ObjectAttribute.isOnToken, Token.no), (ObjectAttribute.isSensitive, Token.no),
            (ObjectAttribute.isExtractable, Token.yes),
            (ObjectAttribute.valueByteCount, Token.bytes(UInt(byteCount))),
        ]
        let code = module.call {
            unsafe Token.withTemplate(template) { values, count in
                unsafe CCryptoki_agree(
                    module.pointer, session, Mechanism.agreement, key.handle, point, point.count,
                    values, count, &secret)
            }
        }
        if code.losesObject { throw LostHandle(call: "C_DeriveKey", code: code) }
        if code.refusesMechanism || code.refusesTemplate {
            throw unsupported(EnvelopeScheme.agreement.name)
        }
        // A document of a stranger's is no reason to refuse the next one.
        if code.mayMeanWrongData, token.isStillThere { return nil }
        guard code == .ok else { throw token.failure(of: "C_DeriveKey", code) }
        defer {
            _ = module.call { unsafe CCryptoki_destroy_object(module.pointer, session, secret) }
        }
        guard let value = token.bytes(ObjectAttribute.value, of: secret, session),
            value.count == byteCount
        else {
            throw SigningFailure(
                .unsupported,
                "the token '\(token.info.label)' does not give out the secret that it agreed on")
        }
        return value
    }
}
