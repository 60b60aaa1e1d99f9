internal import CLoaded
internal import CryptoBridge

/// A PKCS#11 mechanism (CKM_...) with its parameters in machine byte order.
struct TokenMechanism: Sendable, Equatable {
    let type: UInt
    private let parameters: [UInt8]

    /// - Parameter parameters: numbers, and addresses that remain valid until the call.
    init(type: UInt, _ parameters: [UInt] = []) {
        self.type = type
        self.parameters = parameters.flatMap(Token.bytes)
    }

    /// Provides the mechanism for one call.
    func lend(_ body: (UnsafePointer<CCryptoki_mechanism>) -> UInt) -> UInt {
        unsafe parameters.withUnsafeBytes { bytes in
            let start = unsafe bytes.isEmpty ? nil : bytes.baseAddress
            var mechanism = unsafe CCryptoki_mechanism(
                type: type, parameter: UnsafeMutableRawPointer(mutating: start),
                count: UInt(bytes.count))
            return unsafe body(&mechanism)
        }
    }

    /// Mechanisms of hashes (CKM_...), and their mask generation functions (CKG_...).
    static let hashes: [DigestAlgorithm: (hash: UInt, mask: UInt)] = [
        .sha1: (0x220, 1), .sha224: (0x255, 5), .sha256: (0x250, 2), .sha384: (0x260, 3),
        .sha512: (0x270, 4),
    ]
}

/// A mechanism with which a token can sign.
struct SignatureMechanism: Sendable, Equatable {
    let mechanism: TokenMechanism
    /// The kind of input that the token receives.
    let input: Input

    enum Input: Sendable { case message, digest, digestInfo }

    /// All mechanisms for a scheme, by preference. Hashing in this process comes first:
    /// it suits every token that does not require the message.
    static func ways(for scheme: SignatureScheme) -> [SignatureMechanism] {
        /// - Parameter hashing: the mechanism that hashes with SHA-256 on the token. Those for
        ///   SHA-384 and SHA-512 have the next numbers.
        func ways(
            _ type: UInt, _ input: Input, _ digest: DigestAlgorithm, hashing: UInt,
            _ parameters: [UInt] = []
        ) -> [SignatureMechanism] {
            let index = [DigestAlgorithm.sha256, .sha384, .sha512].firstIndex(of: digest)
            let own = index.map { (hashing + UInt($0), Input.message) }
            return [(type, input), own].compactMap { way in
                way.map {
                    SignatureMechanism(mechanism: TokenMechanism(type: $0, parameters), input: $1)
                }
            }
        }
        switch scheme {
        case .rsaPKCS1(let digest): return ways(0x1, .digestInfo, digest, hashing: 0x40)
        case .rsaPSS(let digest, let salt, _):
            guard let (hash, mask) = TokenMechanism.hashes[digest] else { return [] }
            return ways(0xD, .digest, digest, hashing: 0x43, [hash, mask, UInt(salt)])
        case .ecdsa(let digest): return ways(0x1041, .digest, digest, hashing: 0x1044)
        case .dsa(let digest): return ways(0x11, .digest, digest, hashing: 0x14)
        // PKCS#11 3.2 defines mechanisms for ML-DSA, which no tested token has.
        case .quantumSafe: return []
        case .ed25519:
            return [SignatureMechanism(mechanism: TokenMechanism(type: 0x1057), input: .message)]
        case .ed448:
            // No prehash and no context (RFC 8032 §5.2).
            return [
                SignatureMechanism(
                    mechanism: TokenMechanism(type: 0x1057, [0, 0, 0]), input: .message)
            ]
        }
    }

    /// Names of common mechanisms, for messages about the token.
    static func describe(_ types: some Sequence<UInt>) -> String {
        let known: [UInt: String] = [
            0x1: "CKM_RSA_PKCS", 0xD: "CKM_RSA_PKCS_PSS", 0x11: "CKM_DSA", 0x1041: "CKM_ECDSA",
            0x1057: "CKM_EDDSA", 0x40: "CKM_SHA256_RSA_PKCS", 0x43: "CKM_SHA256_RSA_PKCS_PSS",
            0x1044: "CKM_ECDSA_SHA256",
        ]
        return types.sorted().prefix(24).map { known[$0] ?? "0x" + String($0, radix: 16) }
            .joined(separator: ", ")
    }
}
