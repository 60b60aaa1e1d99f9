package import Base
internal import COpenSSL

/// ML-DSA (FIPS 204) and SLH-DSA (FIPS 205) in pure mode with an empty context, which sign whole
/// messages. The raw value is OpenSSL's name; keys and signatures have the same identifier,
/// without parameters (RFC 9881 §2, RFC 9909 §3).
package enum QuantumSafeAlgorithm: String, CaseIterable, Sendable {
    // In the order of the identifiers.
    case mlDSA44 = "ML-DSA-44"
    case mlDSA65 = "ML-DSA-65"
    case mlDSA87 = "ML-DSA-87"
    case slhDSASHA2With128s = "SLH-DSA-SHA2-128s"
    case slhDSASHA2With128f = "SLH-DSA-SHA2-128f"
    case slhDSASHA2With192s = "SLH-DSA-SHA2-192s"
    case slhDSASHA2With192f = "SLH-DSA-SHA2-192f"
    case slhDSASHA2With256s = "SLH-DSA-SHA2-256s"
    case slhDSASHA2With256f = "SLH-DSA-SHA2-256f"
    case slhDSASHAKEWith128s = "SLH-DSA-SHAKE-128s"
    case slhDSASHAKEWith128f = "SLH-DSA-SHAKE-128f"
    case slhDSASHAKEWith192s = "SLH-DSA-SHAKE-192s"
    case slhDSASHAKEWith192f = "SLH-DSA-SHAKE-192f"
    case slhDSASHAKEWith256s = "SLH-DSA-SHAKE-256s"
    case slhDSASHAKEWith256f = "SLH-DSA-SHAKE-256f"

    private static let arc = "2.16.840.1.101.3.4.3."
    private static let firstNumber = 17
    /// HashML-DSA and HashSLH-DSA, which sign the hash of a message.
    private static let prehashNumbers = 32...46
    /// Composites of ML-DSA with RSA, ECDSA or EdDSA: the arcs of drafts, and the final numbers.
    private static let compositeArcs = ["2.16.840.1.114027.80.8.1.", "2.16.840.1.114027.80.9.1."]
    private static let compositeArc = "1.3.6.1.5.5.7.6."
    private static let compositeNumbers = 37...54

    /// - Parameter name: in any case.
    package init?(name: String) {
        let folded = name.lowercased()
        guard let found = Self.allCases.first(where: { $0.rawValue.lowercased() == folded }) else {
            return nil
        }
        self = found
    }

    package init?(oid: OID) {
        guard let number = Self.number(of: oid, below: Self.arc),
            Self.allCases.indices.contains(number - Self.firstNumber)
        else { return nil }
        self = Self.allCases[number - Self.firstNumber]
    }

    package var oid: OID {
        OID(Self.arc + "\(Self.firstNumber + (Self.allCases.firstIndex(of: self) ?? 0))")
            ?? .anyPolicy
    }

    /// Whether new signatures may use it: SLH-DSA is only verified.
    package var isWritable: Bool {
        switch self {
        case .mlDSA44, .mlDSA65, .mlDSA87: true
        default: false
        }
    }

    /// Whether a message digest is as strong as the signature (RFC 9882 §3.3, RFC 9814 §4).
    package func permits(_ digest: DigestAlgorithm) -> Bool {
        let strength =
            switch self {
            case .mlDSA44, .slhDSASHA2With128s, .slhDSASHA2With128f, .slhDSASHAKEWith128s,
                .slhDSASHAKEWith128f:
                128
            case .mlDSA65, .slhDSASHA2With192s, .slhDSASHA2With192f, .slhDSASHAKEWith192s,
                .slhDSASHAKEWith192f:
                192
            default: 256
            }
        // Finding a collision takes half as many bits as the hash has.
        return digest.byteCount * 4 >= strength
    }

    private static func number(of oid: OID, below arc: String) -> Int? {
        oid.description.hasPrefix(arc) ? Int(oid.description.dropFirst(arc.count)) : nil
    }

    /// The name of an algorithm, also of related ones that are not supported; nil for others.
    static func name(of oid: OID) -> String? {
        if let known = Self(oid: oid) { return known.rawValue }
        if number(of: oid, below: arc).map(prehashNumbers.contains) == true {
            return "HashML-DSA or HashSLH-DSA (\(oid))"
        }
        let isComposite =
            number(of: oid, below: compositeArc).map(compositeNumbers.contains) == true
            || compositeArcs.contains { oid.description.hasPrefix($0) }
        return isComposite ? "composite of ML-DSA and another algorithm (\(oid))" : nil
    }

    /// Whether a provider of the installed OpenSSL has the algorithm.
    private var isAvailable: Bool {
        OpenSSL.prepare()
        let context = unsafe EVP_PKEY_CTX_new_from_name(nil, rawValue, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe context != nil
    }

    /// The reason why no key or signature with this identifier is supported; nil for available
    /// algorithms, and for identifiers of no quantum-safe algorithm.
    package static func unavailabilityReason(of oid: OID) -> String? {
        guard let known = Self(oid: oid) else {
            return name(of: oid).map { "the algorithm is not supported: \($0)" }
        }
        if known.isAvailable { return nil }
        let version = unsafe OpenSSL_version(OPENSSL_VERSION_STRING).map {
            unsafe String(cString: $0)
        }
        return "\(known.rawValue) requires OpenSSL 3.5 or newer; installed is "
            + (version ?? "an unknown version")
    }
}
