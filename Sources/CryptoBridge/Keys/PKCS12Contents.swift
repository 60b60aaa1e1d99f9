internal import COpenSSL

/// The safe bags of a PKCS#12 file (RFC 7292 §4.2): its private keys and its certificates.
@safe
final class PKCS12Contents {
    static let certificateLimit = 256

    /// PKCS#8, decrypted, with the attributes of their bags.
    private(set) var keys: [(der: SecretBytes, attributes: BagAttributes)] = []
    private(set) var certificates: [Certificate] = []
    private(set) var certificateAttributes: [Certificate: BagAttributes] = [:]
    private var cost = DerivationCost()
    /// A STACK_OF(PKCS7).
    private let parts: OpaquePointer
    private let hasMAC: Bool

    /// Adds up the derivation cost that is visible without the password: the MAC, the encrypted
    /// parts, and the encrypted keys in unencrypted parts.
    init(_ bundle: OpaquePointer) throws(CryptoError) {
        let parts = try unsafe OpenSSL.require(
            COpenSSL_pkcs12_parts(bundle), "a damaged PKCS#12 file", .malformedBundle)
        unsafe self.parts = parts
        hasMAC = unsafe PKCS12_mac_present(bundle) == 1
        if hasMAC {
            let rounds = unsafe Self.macRounds(of: bundle)
            for _ in 0..<(rounds <= Self.cheapRounds ? 4 : 1) { try cost.add(rounds: rounds) }
        }
        try unsafe forEachPart { part throws(CryptoError) in
            if let encryption = unsafe COpenSSL_pkcs12_encryption(part) {
                try unsafe cost.add(encryption)
                return
            }
            try unsafe forEachBag(of: part, nil) { bag throws(CryptoError) in
                guard unsafe PKCS12_SAFEBAG_get_nid(bag) == NID_pkcs8ShroudedKeyBag else { return }
                try unsafe cost.add(PKCS12_SAFEBAG_get0_pkcs8(bag))
            }
        }
    }

    /// Up to this number of MAC iterations the absent and the empty password are tried before the
    /// user is asked, and an old encoding after that: the number that Signet writes.
    static let cheapRounds: UInt64 = 600_000

    /// Iterations of the MAC's key derivation.
    static func macRounds(of bundle: OpaquePointer) -> UInt64 {
        var iterations: UnsafePointer<ASN1_INTEGER>?
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &iterations, bundle)
        guard let algorithm = unsafe algorithm else { return 0 }
        // PBMAC1 states the iterations in its own parameters.
        let derivation = unsafe COpenSSL_derivation_rounds(algorithm)
        return unsafe max(derivation, COpenSSL_count(iterations))
    }

    deinit { unsafe COpenSSL_sk_PKCS7_pop_free(parts) }

    /// Decrypts everything.
    ///
    /// - Parameter context: the library context that decrypts the key; nil is the default one.
    func open(_ password: PKCS12Password?, in context: OpaquePointer?) throws(CryptoError) {
        defer { withExtendedLifetime(password) {} }
        try unsafe forEachPart { part throws(CryptoError) in
            let isEncrypted = unsafe COpenSSL_pkcs12_encryption(part) != nil
            try unsafe forEachBag(of: part, password) { bag throws(CryptoError) in
                switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
                case NID_keyBag: try unsafe add(encode(PKCS12_SAFEBAG_get0_p8inf(bag)), from: bag)
                case NID_pkcs8ShroudedKeyBag:
                    let encrypted = unsafe PKCS12_SAFEBAG_get0_pkcs8(bag)
                    if isEncrypted, let encrypted = unsafe encrypted {
                        try unsafe cost.add(encrypted)
                    }
                    guard
                        let info = unsafe PKCS8_decrypt_ex(
                            encrypted, password?.pointer, password?.byteCount ?? 0, context, nil)
                    else { throw failure() }
                    defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
                    try unsafe add(encode(info), from: bag)
                case NID_certBag: try unsafe addCertificate(bag)
                default: return
                }
            }
        }
    }

    private func add(_ key: SecretBytes, from bag: OpaquePointer) throws(CryptoError) {
        guard keys.count < CredentialReader.keyLimit else {
            throw CryptoError(.limitExceeded, "more than \(CredentialReader.keyLimit) private keys")
        }
        keys.append((key, unsafe BagAttributes(of: bag)))
    }

    private func forEachPart(
        _ body: (UnsafeMutablePointer<PKCS7>) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        for index in 0..<(unsafe COpenSSL_sk_PKCS7_num(parts)) {
            // Parts encrypted for a public key cannot be decrypted here.
            guard let part = unsafe COpenSSL_sk_PKCS7_value(parts, index),
                unsafe COpenSSL_pkcs12_is_readable(part) == 1
            else { continue }
            try unsafe body(part)
        }
    }

    private func forEachBag(
        of part: UnsafeMutablePointer<PKCS7>, _ password: PKCS12Password?,
        _ body: (OpaquePointer) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        guard let bags = unsafe COpenSSL_pkcs12_bags(part, password?.pointer) else {
            throw failure()
        }
        defer { unsafe COpenSSL_sk_PKCS12_SAFEBAG_pop_free(bags) }
        try unsafe forEachBag(in: bags, body)
    }

    /// Recurses as deep as OpenSSL's parser, which has a depth limit.
    private func forEachBag(
        in bags: OpaquePointer?, _ body: (OpaquePointer) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        for index in 0..<max(0, unsafe COpenSSL_sk_PKCS12_SAFEBAG_num(bags)) {
            guard let bag = unsafe COpenSSL_sk_PKCS12_SAFEBAG_value(bags, index) else { continue }
            if unsafe PKCS12_SAFEBAG_get_nid(bag) == NID_safeContentsBag {
                try unsafe forEachBag(in: PKCS12_SAFEBAG_get0_safes(bag), body)
            } else {
                try unsafe body(bag)
            }
        }
    }

    /// The error after a failed decryption: without a MAC a wrong passphrase causes it.
    private func failure() -> CryptoError {
        let error = EncryptionScheme.decryptionError()
        if error.code != .malformedKey { return error }
        return CryptoError(
            hasMAC ? .malformedBundle : .wrongPassphrase, "a damaged PKCS#12 file",
            reasons: error.reasons)
    }

    private func encode(_ info: OpaquePointer?) throws(CryptoError) -> SecretBytes {
        try unsafe OpenSSL.require(
            OpenSSL.encodeSecret { unsafe i2d_PKCS8_PRIV_KEY_INFO(info, $0) },
            "the key in the PKCS#12 file", .malformedKey)
    }

    private func addCertificate(_ bag: OpaquePointer) throws(CryptoError) {
        // SDSI certificates (RFC 7292 §4.2.3) are skipped.
        guard unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate else { return }
        guard certificates.count < Self.certificateLimit else {
            throw CryptoError(.limitExceeded, "more than \(Self.certificateLimit) certificates")
        }
        let certificate = try unsafe OpenSSL.require(
            PKCS12_SAFEBAG_get1_cert(bag), "a damaged certificate in a PKCS#12 file",
            .malformedBundle)
        defer { unsafe X509_free(certificate) }
        // Copied through DER: it may belong to a library context that ends.
        let der = try unsafe OpenSSL.require(
            OpenSSL.encode({ unsafe i2d_X509(certificate, $0) }), "a certificate cannot be encoded",
            .malformedCertificate)
        let read = try Certificate(der: der)
        certificates.append(read)
        certificateAttributes[read] = unsafe BagAttributes(of: bag)
    }
}

extension BagAttributes {
    fileprivate init(of bag: OpaquePointer) {
        func value(_ nid: Int32) -> [UInt8]? {
            guard let text = unsafe COpenSSL_bag_attribute(bag, nid) else { return nil }
            return unsafe Array(
                UnsafeBufferPointer(
                    start: ASN1_STRING_get0_data(text), count: Int(ASN1_STRING_length(text))))
        }
        alias = value(NID_friendlyName).flatMap { DistinguishedName.text(0x1E, $0[...]) }
        localKeyID = value(NID_localKeyID)
    }
}
