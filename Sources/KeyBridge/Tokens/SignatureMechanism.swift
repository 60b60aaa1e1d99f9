internal import CLoaded
internal import CryptoBridge

/// What a token does (CKM_...), with parameters as the machine has them.
struct TokenMechanism: Sendable, Equatable {
    let type: UInt
    private let parameters: [UInt8]

    /// - Parameter parameters: numbers, and addresses that stay until the call.
    init(type: UInt, _ parameters: [UInt] = []) {
        self.type = type
        self.parameters = parameters.flatMap(Token.bytes)
    }

    /// Lends it to a call.
    func lend(_ body: (UnsafePointer<CCryptoki_mechanism>) -> UInt) -> UInt {
        unsafe parameters.withUnsafeBytes { bytes in
            let start = unsafe bytes.isEmpty ? nil : bytes.baseAddress
            var mechanism = unsafe CCryptoki_mechanism(
                type: type, parameter: UnsafeMutableRawPointer(mutating: start),
                count: UInt(bytes.count))
            return unsafe body(&mechanism)
        }
    }

    /// CKM_... of hashes, and CKG_... of their masks.
    static let hashes: [DigestAlgorithm: (hash: UInt, mask: UInt)] = [
        .sha1: (0x220, 1), .sha224: (0x255, 5), .sha256: (0x250, 2), .sha384: (0x260, 3),
        .sha512: (0x270, 4),
    ]
}

/// A way to have a token make a signature.
struct SignatureMechanism: Sendable, Equatable {
    let mechanism: TokenMechanism
    /// What the token is given.
    let input: Input

    enum Input: Sendable { case message, digest, digestInfo }

    /// All ways, the first to be tried first: hashes that are made here suit every token that can do
    /// without the message.
    static func ways(for scheme: SignatureScheme) -> [SignatureMechanism] {
        /// - Parameter hashing: the mechanism that hashes by SHA-256 itself; those for SHA-384 and
        ///   SHA-512 follow it.
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
        case .rsaPSS(let digest, let salt):
            guard let (hash, mask) = TokenMechanism.hashes[digest] else { return [] }
            return ways(0xD, .digest, digest, hashing: 0x43, [hash, mask, UInt(salt)])
        case .ecdsa(let digest): return ways(0x1041, .digest, digest, hashing: 0x1044)
        case .dsa(let digest): return ways(0x11, .digest, digest, hashing: 0x14)
        case .ed25519:
            return [SignatureMechanism(mechanism: TokenMechanism(type: 0x1057), input: .message)]
        case .ed448:
            // Not hashed before, and no context.
            return [
                SignatureMechanism(
                    mechanism: TokenMechanism(type: 0x1057, [0, 0, 0]), input: .message)
            ]
        }
    }

    /// Names of usual mechanisms, for messages about what a token offers.
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
