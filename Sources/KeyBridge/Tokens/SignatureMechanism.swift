internal import CLoaded
internal import CryptoBridge

/// A way to have a token make a signature.
struct SignatureMechanism: Sendable, Equatable {
    /// CKM_...
    let type: UInt
    let name: String
    /// What the token is given.
    let input: Input
    let parameters: Parameters

    enum Input: Sendable { case message, digest, digestInfo }

    enum Parameters: Sendable, Equatable {
        case none, eddsa
        /// CKM_... of the hash and CKG_... of the mask.
        case pss(hash: UInt, mask: UInt, saltByteCount: UInt)
    }

    /// All ways, the first to be tried first: hashes that are made here suit every token that can do
    /// without the message.
    static func ways(for scheme: SignatureScheme) -> [SignatureMechanism] {
        func hashing(_ digest: DigestAlgorithm, _ types: [UInt], _ suffix: String)
            -> [SignatureMechanism]
        {
            let index = [DigestAlgorithm.sha256, .sha384, .sha512].firstIndex(of: digest)
            guard let index, index < types.count else { return [] }
            return [
                SignatureMechanism(
                    type: types[index], name: "CKM_\(names[index])\(suffix)", input: .message,
                    parameters: .none)
            ]
        }
        switch scheme {
        case .rsaPKCS1(let digest):
            return [
                SignatureMechanism(
                    type: 0x1, name: "CKM_RSA_PKCS", input: .digestInfo, parameters: .none)
            ] + hashing(digest, [0x40, 0x41, 0x42], "_RSA_PKCS")
        case .rsaPSS(let digest, let salt):
            let known: [DigestAlgorithm: (UInt, UInt)] = [
                .sha256: (0x250, 2), .sha384: (0x260, 3), .sha512: (0x270, 4),
            ]
            guard let (hash, mask) = known[digest] else { return [] }
            let parameters = Parameters.pss(hash: hash, mask: mask, saltByteCount: UInt(salt))
            return [
                SignatureMechanism(
                    type: 0xD, name: "CKM_RSA_PKCS_PSS", input: .digest, parameters: parameters)
            ]
                + hashing(digest, [0x43, 0x44, 0x45], "_RSA_PKCS_PSS").map {
                    SignatureMechanism(
                        type: $0.type, name: $0.name, input: .message, parameters: parameters)
                }
        case .ecdsa(let digest):
            return [
                SignatureMechanism(
                    type: 0x1041, name: "CKM_ECDSA", input: .digest, parameters: .none)
            ] + hashing(digest, [0x1044, 0x1045, 0x1046], "").map { $0.named("CKM_ECDSA_") }
        case .dsa(let digest):
            return [
                SignatureMechanism(type: 0x11, name: "CKM_DSA", input: .digest, parameters: .none)
            ] + hashing(digest, [0x14, 0x15, 0x16], "").map { $0.named("CKM_DSA_") }
        case .ed25519:
            return [
                SignatureMechanism(
                    type: 0x1057, name: "CKM_EDDSA", input: .message, parameters: .none)
            ]
        case .ed448:
            return [
                SignatureMechanism(
                    type: 0x1057, name: "CKM_EDDSA", input: .message, parameters: .eddsa)
            ]
        }
    }

    private static let names = ["SHA256", "SHA384", "SHA512"]

    private func named(_ prefix: String) -> SignatureMechanism {
        SignatureMechanism(
            type: type, name: prefix + name.dropFirst(4), input: input, parameters: parameters)
    }

    /// As the shim wants it.
    var call: CCryptoki_mechanism {
        switch parameters {
        case .none:
            CCryptoki_mechanism(
                type: type, parameters: CCryptoki_none, hash: 0, mask: 0, salt_byte_count: 0)
        case .eddsa:
            CCryptoki_mechanism(
                type: type, parameters: CCryptoki_eddsa, hash: 0, mask: 0, salt_byte_count: 0)
        case .pss(let hash, let mask, let salt):
            CCryptoki_mechanism(
                type: type, parameters: CCryptoki_pss, hash: hash, mask: mask,
                salt_byte_count: salt)
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
