public import Base
import CMSKit
import CryptoBridge
import SystemBridge
import TrustKit

/// The content of a certificate signing request (RFC 2986).
public struct ShownRequest: Encodable, Sendable {
    /// Identifier and version of the JSON schema (`Scripts/schema`).
    public let schema = "signet.csr/1"
    /// Path of the input, or the name given to an input in memory.
    public let file: String
    /// Whether the request's signature verifies with its own public key; nil if that cannot be
    /// checked.
    public let verified: Bool?
    /// Requested subject in RFC 4514 form.
    public let subject: String
    /// Kind and size of the key: `RSA 3072`, `EC P-256`.
    public let algorithm: String
    /// Signature algorithm: `rsa-pkcs1`, `ecdsa` and so on, else a dotted identifier.
    public let signatureAlgorithm: String
    /// Names of RFC 5280 §4.2.1.3, such as `digitalSignature`. Empty if not requested.
    public let keyUsage: [String]
    /// Extended key usages: names if known, else dotted OIDs (RFC 5280 §4.2.1.12).
    public let extendedKeyUsage: [String]
    /// Subject alternative names with types: `email:jan@example.com`, `dns:example.com`; others as
    /// `other:OID:hex` (RFC 5280 §4.2.1.6).
    public let alternativeNames: [String]
    /// Password for a later revocation (RFC 2985 §5.4.1); nil without one.
    public let challengePassword: String?
    /// Name of the device or person that requests (RFC 2985 §5.4.2); nil without one.
    public let unstructuredName: String?
    /// Address of the device or person that requests (RFC 2985 §5.4.3); nil without one.
    public let unstructuredAddress: String?
    /// Microsoft certificate template: its name or object identifier; nil without one.
    public let certificateTemplate: String?
    /// SHA-256 of the SubjectPublicKeyInfo, hexadecimal.
    public let publicKeySHA256: String
    /// Reasons for a CA to reject it: weak algorithms, an invalid key.
    public let warnings: [String]
    /// The holder's name, for people. Not in the JSON.
    public let displayName: String

    private enum CodingKeys: String, CodingKey {
        case schema, file, verified, subject, algorithm, signatureAlgorithm, keyUsage
        case extendedKeyUsage, alternativeNames, challengePassword, certificateTemplate
        case unstructuredName, unstructuredAddress, publicKeySHA256, warnings
    }

    init(_ request: CertificateRequest, file: String) throws {
        self.file = file
        do throws(CryptoError) {
            let key = try request.publicKey
            verified = try? request.isSignatureValid
            algorithm = key.algorithm.description
            let digest: DigestAlgorithm? =
                if case .named(let digest) = request.signatureDigest { digest } else { nil }
            warnings =
                AlgorithmPolicy.weaknesses(digest: digest, key: key, at: SystemClock.now())
                + request.subject.overlongValues
        } catch {
            guard error.code == .degenerateKey else { throw error }
            // With an invalid key the signature is no proof of possession.
            verified = false
            algorithm = "unusable"
            warnings = [error.description]
        }
        subject = request.subject.description
        signatureAlgorithm = request.signatureAlgorithmName
        keyUsage = request.keyUsage?.names ?? []
        extendedKeyUsage = (request.extendedKeyUsage ?? []).map(ExtendedKeyUsage.name)
        alternativeNames = request.subjectAlternativeNames
        challengePassword = request.attribute(.challengePassword)
        unstructuredName = request.attribute(.unstructuredName)
        unstructuredAddress = request.attribute(.unstructuredAddress)
        certificateTemplate = request.template
        displayName = request.displayName
        publicKeySHA256 = Hex.encode(try DigestAlgorithm.sha256.hash(request.spkiDER))
    }
}

/// Creates a certificate signing request (RFC 2986) with an existing or a new key.
public struct CreateRequest: Sendable {
    /// The key of the request.
    public enum Key: Sendable {
        case existing(file: String, passphrase: PassphraseSource)
        /// Generated with the request; a nil passphrase leaves it unencrypted.
        case new(type: String, destination: Destination, passphrase: PassphraseSource?)
    }

    /// Subject in RFC 4514 form. It may be empty only if there are alternative names.
    public var subject = ""
    /// Subject alternative names: `email:a@b`, `dns:x`, `ip:1.2.3.4`, `uri:…`, `upn:a@b`,
    /// `rid:1.2.3`, `dirname:CN=…` (RFC 5280 §4.2.1.6). See ``AlternativeNameList``.
    public var alternativeNames: [String] = []
    /// Key usages by RFC 5280 §4.2.1.3 names; nil requests digitalSignature and nonRepudiation.
    public var keyUsage: [String]?
    /// Extended key usages: names or dotted OIDs; nil requests documentSigning (RFC 9336).
    public var extendedKeyUsage: [String]?
    /// Digest algorithm; nil uses SHA-256, or the digest that the key requires.
    public var digest: SigningOptions.Digest?
    /// RSA signature padding; `pss` with another kind of key is an error.
    public var padding = SigningOptions.Padding.pkcs1
    /// Whether the request is written as DER instead of PEM.
    public var writesDER = false
    /// Connection to a remote key, and its time limit.
    public var service = ServiceOptions()

    public init() {}

    /// Sets ``keyUsage`` and ``extendedKeyUsage`` from one list. A kind that the list does not
    /// contain keeps its default.
    public mutating func setUsages(_ names: [String]) {
        let keyUsages = names.filter { KeyUsage(name: $0) != nil }
        let others = names.filter { KeyUsage(name: $0) == nil }
        if !keyUsages.isEmpty { keyUsage = keyUsages }
        if !others.isEmpty { extendedKeyUsage = others }
    }

    /// Signs the request with its key and writes it as PEM, or as DER with ``writesDER`` (RFC
    /// 2986).
    ///
    /// - Throws: ``SignetError``: `usage` for invalid names, or an error of reading the key.
    public func run(for key: Key, into destination: Destination) throws -> ShownRequest {
        // Names are checked before the passphrase is requested.
        _ = try builder()
        let output = try destination.output()
        let request: CertificateRequest
        var outputs = [output]
        switch key {
        case .existing(let file, let passphrase):
            let opened = try OpenedKey.open(
                file, passphrase: passphrase, purpose: nil, service: service)
            request = try signed(by: opened.key, for: destination.path)
        case .new(let type, let keyDestination, let passphrase):
            let keyOutput = try keyDestination.secretOutput(keepsKeys: true)
            let made = try make(type: type, passphrase: passphrase, for: keyDestination.path)
            request = made.request
            try writing(keyDestination.path) {
                try made.key.withBytes { bytes throws(FileError) in try keyOutput.write(bytes) }
            }
            // The key is written first: a request without its key is useless.
            outputs.insert(keyOutput, at: 0)
        }
        try writing(destination.path) {
            try output.write(writesDER ? request.der : request.pem)
            try AtomicOutput.commit(outputs)
        }
        return try ShownRequest(request, file: destination.path)
    }

    /// A new key as PEM, and a request for it.
    ///
    /// - Parameters:
    ///   - passphrase: nil leaves the key unencrypted.
    ///   - path: name of the key in messages.
    func make(
        type: String, passphrase: PassphraseSource?, for path: String
    ) throws -> (key: SecretBytes, request: CertificateRequest) {
        _ = try builder()
        let generator = try GenerateKey(type: type)
        let secret = try passphrase?.readNew(for: path)
        let (key, pem) = try generator.make(path, secret: secret)
        return (pem, try signed(by: key, for: path))
    }

    func signed(by key: any DigestSigner, for path: String) throws -> CertificateRequest {
        let algorithm = key.publicKey.algorithm
        try padding.require(algorithm)
        let builder = try builder()
        return try reading(path) {
            try builder.signed(
                by: key,
                digest: digest?.algorithm ?? key.publicKey.requiredDigest ?? .usual,
                padding: padding)
        }
    }

    private func builder() throws -> CertificateRequestBuilder {
        let name = try DistinguishedName.given(subject)
        guard !name.relativeNames.isEmpty || !alternativeNames.isEmpty else {
            throw SignetError(
                .usage, "the CSR requires a subject or alternative names",
                hint: Sentence(.addSubject))
        }
        var builder = CertificateRequestBuilder(subject: name)
        builder.alternativeNames = try GeneralNames.checked(alternativeNames)
        if let keyUsage {
            if let name = keyUsage.first(where: { ExtendedKeyUsage.oid(named: $0) != nil }) {
                throw SignetError(
                    .usage, "'\(name)' is an extended key usage, not a key usage",
                    hint: Sentence(.useExtendedKeyUsage, name))
            }
            builder.keyUsage = try KeyUsage.named(keyUsage)
        }
        let others = try extendedKeyUsage?.map { name in
            if let oid = ExtendedKeyUsage.oid(named: name) { return oid }
            if KeyUsage(name: name) != nil {
                throw SignetError(
                    .usage, "'\(name)' is a key usage, not an extended key usage",
                    hint: Sentence(.useKeyUsage, name))
            }
            throw SignetError(
                .usage, "unknown usage '\(name)'",
                hint: Spelling.nearest(
                    to: name, in: ExtendedKeyUsage.names.map(\.name) + KeyUsage.nameTable
                ).map { Sentence(.didYouMean, $0) } ?? Sentence(.nameExtendedKeyUsage))
        }
        if let others { builder.extendedKeyUsage = others }
        return builder
    }
}

/// Checks that a request was signed by the key in it: proof of possession (RFC 2986 §3).
public struct VerifyRequest: Sendable {
    public init() {}

    /// Verifies the signature of a request. An invalid signature is a result.
    ///
    /// - Parameter source: a PKCS#10 request, PEM or DER.
    /// - Throws: ``SignetError`` for an unreadable request.
    public func run(_ source: InputSource) throws -> ShownRequest {
        try reading(source.name) {
            let bytes = try source.readAll(limit: SigningCredential.byteLimit)
            return try ShownRequest(CertificateRequest.read(bytes), file: source.name)
        }
    }
}

extension GeneralNames {
    /// Returns the names unchanged if they can be encoded.
    ///
    /// - Throws: ``SignetError``: `usage` otherwise.
    static func checked(_ names: [String]) throws -> [String] {
        do throws(CryptoError) {
            _ = try encode(names)
            return names
        } catch {
            throw SignetError(
                .usage, "invalid alternative name: \(error.detail)",
                hint: Sentence(.writeAlternativeNames))
        }
    }
}

extension DistinguishedName {
    /// Parses a distinguished name given by the user (RFC 4514).
    ///
    /// - Throws: ``SignetError``: `usage` for invalid syntax and for hidden characters.
    static func given(_ text: String) throws -> DistinguishedName {
        let name: DistinguishedName
        do throws(CryptoError) {
            name = try DistinguishedName(rfc4514: text)
        } catch {
            throw SignetError(
                .usage, "the subject '\(text)' is not a distinguished name: \(error.detail)",
                hint: hint(for: error.detail, in: text))
        }
        let texts = name.relativeNames.joined().compactMap(\.text)
        if let hidden = texts.lazy.flatMap(\.unicodeScalars).first(where: hides) {
            let number = String(hidden.value, radix: 16, uppercase: true)
            throw SignetError(
                .usage,
                "the subject \(text.inQuotes) contains an invisible character: U+\(number)",
                hint: Sentence(.leaveItOut))
        }
        return name
    }

    private static func hint(for detail: String, in text: String) -> Sentence? {
        if detail.hasPrefix("unknown attribute type") {
            return Sentence(.nameAttribute, AttributeType.names.joined(separator: ", "))
        }
        guard detail.hasSuffix("has no type such as CN=") else { return nil }
        return Sentence(text.contains(",") ? .escapeComma : .writeSubject)
    }

    /// Control characters, and characters that reverse or hide text; joiners are permitted.
    private static func hides(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar != "\u{200C}" && scalar != "\u{200D}"
        default: false
        }
    }
}

extension KeyUsage {
    /// - Throws: ``SignetError`` for an unknown name.
    static func named(_ names: [String]) throws -> KeyUsage {
        try names.reduce(into: []) { usage, name in
            guard let known = KeyUsage(name: name) else {
                throw SignetError(
                    .usage, "unknown key usage '\(name)'",
                    hint: Spelling.nearest(to: name, in: KeyUsage.nameTable).map {
                        Sentence(.didYouMean, $0)
                    } ?? Sentence(.nameKeyUsage, KeyUsage.nameTable.joined(separator: ", ")))
            }
            usage.insert(known)
        }
    }
}
