package import Base

package enum KeyAlgorithm: Sendable, Equatable, CustomStringConvertible {
    case rsa(bits: Int)
    /// RSA restricted to PSS by its algorithm identifier (RFC 4055).
    case rsaPSS(bits: Int)
    /// A named curve: `P-256`, `P-384`, `P-521`, or OpenSSL's name for others.
    case ec(curve: String)
    case ed25519
    case ed448
    case dsa(bits: Int)
    /// ML-DSA or SLH-DSA, which require OpenSSL 3.5.
    case quantumSafe(QuantumSafeAlgorithm)
    case other(String)

    /// `RSA 3072`, `EC P-256`, `Ed25519`.
    package var description: String {
        switch self {
        case .rsa(let bits): "RSA \(bits)"
        case .rsaPSS(let bits): "RSA-PSS \(bits)"
        case .ec(let curve): "EC \(curve)"
        case .ed25519: "Ed25519"
        case .ed448: "Ed448"
        case .dsa(let bits): "DSA \(bits)"
        case .quantumSafe(let algorithm): algorithm.rawValue
        case .other(let name): name
        }
    }
}

/// The kind of key to generate.
package enum KeyType: Sendable, Equatable {
    case rsa(bits: Int)
    case ec(curve: NamedCurve)
    case ed25519
    case ed448
    case dsa(bits: Int)
    case quantumSafe(QuantumSafeAlgorithm)

    /// Parses `rsa:3072`, `ec:P-256`, `ed25519`, `ed448`, `dsa:2048`, `ml-dsa-44`, also `rsa4096` and `p256`;
    /// `rsa`, `ec` and `dsa` have the defaults 3072, P-256 and 2048. Nil for anything else.
    package init?(name: String) {
        if let curve = NamedCurve(name: name) {
            self = .ec(curve: curve)
            return
        }
        let lower = name.lowercased()
        if let digits = ["rsa-", "rsa"].first(where: lower.hasPrefix).map({
            lower.dropFirst($0.count)
        }), let bits = Int(digits), PrivateKey.rsaBits.contains(bits) {
            self = .rsa(bits: bits)
            return
        }
        if let known = QuantumSafeAlgorithm(name: name), known.isWritable {
            self = .quantumSafe(known)
            return
        }
        let parts = name.lowercased().split(separator: ":", omittingEmptySubsequences: false)
        guard let kind = parts.first, parts.count <= 2 else { return nil }
        let value = parts.count == 2 ? String(parts[1]) : nil
        switch kind {
        case "rsa":
            guard let bits = Int(value ?? "3072"), PrivateKey.rsaBits.contains(bits) else {
                return nil
            }
            self = .rsa(bits: bits)
        case "ec":
            guard let curve = NamedCurve(name: value ?? "p-256") else { return nil }
            self = .ec(curve: curve)
        case "dsa":
            guard let bits = Int(value ?? "2048"), bits == 2048 || bits == 3072 else { return nil }
            self = .dsa(bits: bits)
        case "ed25519" where value == nil:
            self = .ed25519
        case "ed448" where value == nil:
            self = .ed448
        default: return nil
        }
    }
}

package enum NamedCurve: String, CaseIterable, Sendable {
    case p256 = "P-256"
    case p384 = "P-384"
    case p521 = "P-521"

    package init?(name: String) {
        let folded = name.uppercased()
        switch folded {
        case "P-256", "P256", "PRIME256V1", "SECP256R1": self = .p256
        case "P-384", "P384", "SECP384R1": self = .p384
        case "P-521", "P521", "SECP521R1": self = .p521
        default: return nil
        }
    }
}

extension KeyAlgorithm {
    /// Whether keys of this kind sign messages and never hashes: EdDSA, ML-DSA, SLH-DSA.
    package var signsMessages: Bool {
        switch self {
        case .ed25519, .ed448, .quantumSafe: true
        default: false
        }
    }

    /// The usual scheme of a key of this kind; nil when it cannot sign.
    package func scheme(digest: DigestAlgorithm, padding: RSAPadding = .pkcs1) -> SignatureScheme? {
        switch self {
        case .rsa: padding == .pss ? .rsaPSS(digest) : .rsaPKCS1(digest)
        case .rsaPSS: .rsaPSS(digest)
        case .ec: .ecdsa(digest)
        case .dsa: .dsa(digest)
        case .ed25519: .ed25519
        case .ed448: .ed448
        case .quantumSafe(let algorithm): algorithm.isWritable ? .quantumSafe(algorithm) : nil
        case .other: nil
        }
    }
}
