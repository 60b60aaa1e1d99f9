internal import COpenSSL

/// Reads PKCS#12 (RFC 7292).
enum PKCS12Reader {
    static func read(
        _ view: SecretView, isGiven: Bool, _ passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> CredentialBundle {
        OpenSSL.prepare()
        let parsed = try unsafe parse(view, in: nil)
        defer { unsafe PKCS12_free(parsed) }
        // The visible cost is checked before any derivation or passphrase request.
        _ = try unsafe PKCS12Contents(parsed)
        guard let secret = try unsafe password(for: parsed, isGiven, passphrase) else {
            // A file without a MAC may still have encrypted parts.
            do {
                return try unsafe open(parsed, nil, view)
            } catch {
                guard error.code == .wrongPassphrase else { throw error }
                return try unsafe open(
                    parsed, PKCS12Password(try CredentialReader.ask(passphrase)), view)
            }
        }
        return try unsafe open(parsed, secret, view)
    }

    private static func parse(
        _ view: SecretView, in context: OpaquePointer?
    ) throws(CryptoError) -> OpaquePointer {
        // The parts are decrypted with the library context of this object.
        var object = unsafe PKCS12_init_ex(NID_pkcs7_data, context, nil)
        guard unsafe object != nil else {
            throw CryptoError.draining(.internalFailure, "not a PKCS#12 file")
        }
        let bytes = unsafe view.buffer.bindMemory(to: UInt8.self)
        var cursor = bytes.baseAddress
        // If d2i fails, it frees `object`.
        let parsed = try unsafe OpenSSL.require(
            d2i_PKCS12(&object, &cursor, bytes.count), "a damaged PKCS#12 file", .malformedBundle)
        return unsafe parsed
    }

    /// The password that the MAC confirms; nil if there is no MAC.
    private static func password(
        for parsed: OpaquePointer, _ isGiven: Bool,
        _ passphrase: () throws(CryptoError) -> SecretBytes?
    ) throws(CryptoError) -> PKCS12Password? {
        guard unsafe PKCS12_mac_present(parsed) == 1 else { return nil }
        let code = try unsafe PBMAC1(of: parsed)
        func confirms(_ candidate: PKCS12Password) throws(CryptoError) -> Bool {
            if let code { return try code.verify(candidate) }
            return unsafe PKCS12_verify_mac(parsed, candidate.pointer, candidate.byteCount) == 1
        }
        // A file without protection has an empty or absent password. Both are tried if the MAC has
        // few iterations.
        let empty = try PKCS12Password(SecretBytes(copying: []))
        let isCheap = unsafe PKCS12Contents.macRounds(of: parsed) <= PKCS12Contents.cheapRounds
        for candidate in isCheap && !isGiven ? [PKCS12Password.none, empty] : []
        where try confirms(candidate) { return candidate }
        // A MAC that cannot be computed does not mean a wrong passphrase.
        try checkMACFailure(OpenSSL.drainErrors())
        let secret = try CredentialReader.ask(passphrase)
        var candidates = [try PKCS12Password(secret)]
        if secret.isEmpty { candidates.append(.none) }
        if isCheap, let old = try PKCS12Password(oldEncodingOf: secret) { candidates.append(old) }
        for candidate in candidates where try confirms(candidate) { return candidate }
        try checkMACFailure(OpenSSL.drainErrors())
        throw CryptoError(.wrongPassphrase, "the passphrase of the PKCS#12 file is wrong")
    }

    private static func checkMACFailure(_ reasons: [OpenSSLReason]) throws(CryptoError) {
        let texts = reasons.map(\.text)
        if reasons.contains(where: {
            $0.library == ERR_LIB_PKCS12 && $0.reason == PKCS12_R_CONTENT_TYPE_NOT_DATA
                || $0.library == ERR_LIB_PKCS12 && $0.reason == PKCS12_R_DECODE_ERROR
        }) {
            throw CryptoError(.malformedBundle, "a damaged PKCS#12 file", reasons: texts)
        }
        if reasons.contains(where: {
            $0.library == ERR_LIB_PKCS12 && $0.reason == PKCS12_R_UNKNOWN_DIGEST_ALGORITHM
                || $0.reason == ERR_R_UNSUPPORTED
        }) {
            throw CryptoError(
                .unsupportedAlgorithm, "the PKCS#12 file's MAC is not supported", reasons: texts)
        }
    }

    /// Decrypts the parts; the legacy provider is used only if the default one fails.
    private static func open(
        _ parsed: OpaquePointer, _ password: PKCS12Password?, _ view: SecretView
    ) throws(CryptoError) -> CredentialBundle {
        do {
            return try unsafe contents(parsed, password)
        } catch {
            guard error.code == .unsupportedAlgorithm else { throw error }
        }
        let legacy = try LegacyContext()
        // The context must outlive the objects parsed in it: the first defer runs last.
        defer { withExtendedLifetime(legacy) {} }
        let again = try unsafe parse(view, in: legacy.pointer)
        defer { unsafe PKCS12_free(again) }
        return try unsafe contents(again, password, in: legacy.pointer)
    }

    /// - Parameter context: the library context that decrypts the key; nil is the default one.
    private static func contents(
        _ parsed: OpaquePointer, _ password: PKCS12Password?, in context: OpaquePointer? = nil
    ) throws(CryptoError) -> CredentialBundle {
        ERR_clear_error()
        let contents = try unsafe PKCS12Contents(parsed)
        try unsafe contents.open(password, in: context)
        var keys: [PrivateKey] = []
        for key in contents.keys { keys.append(try KeyDecoder.pkcs8(SecretView(key.der))) }
        guard !keys.isEmpty || !contents.certificates.isEmpty else {
            throw CryptoError(
                .malformedBundle, "the PKCS#12 file contains neither a key nor a certificate")
        }
        return CredentialBundle(
            keys: keys, keyAttributes: contents.keys.map(\.attributes),
            certificates: contents.certificates,
            certificateAttributes: contents.certificateAttributes)
    }
}

/// A password as a C string; without bytes it means "absent", which differs from an empty one.
struct PKCS12Password {
    /// NUL-terminated, or nil.
    private let bytes: SecretBytes?

    static let none = PKCS12Password()
    private init() { bytes = nil }

    init(_ secret: SecretBytes) throws(CryptoError) {
        guard !SecretView(secret).contains(0) else {
            throw CryptoError(.wrongPassphrase, "a PKCS#12 password must not contain a zero byte")
        }
        let copy = SecretBytes(zeroedByteCount: secret.byteCount + 1)
        unsafe copy.storage.copyMemory(from: secret.buffer)
        bytes = copy
    }

    /// The encoding of OpenSSL before 1.1.0, which read each byte of the UTF-8 text as a character
    /// of Latin-1; nil if the text is ASCII.
    init?(oldEncodingOf secret: SecretBytes) throws(CryptoError) {
        let bytes = SecretView(secret)
        guard bytes.contains(where: { $0 >= 0x80 }) else { return nil }
        let copy = SecretBytes(zeroedByteCount: 2 * secret.byteCount)
        var count = 0
        for byte in bytes {
            if byte >= 0x80 {
                unsafe copy.storage[count] = 0xC0 | byte >> 6
                count += 1
            }
            unsafe copy.storage[count] = byte < 0x80 ? byte : 0x80 | byte & 0x3F
            count += 1
        }
        copy.truncate(to: count)
        try self.init(copy)
    }

    /// Valid as long as this object exists.
    var pointer: UnsafePointer<CChar>? {
        guard let bytes else { return nil }
        return unsafe bytes.buffer.bindMemory(to: CChar.self).baseAddress
    }

    /// Bytes before the terminator; 0 both for an empty password and for none.
    var byteCount: Int32 { Int32((bytes?.byteCount ?? 1) - 1) }
}
