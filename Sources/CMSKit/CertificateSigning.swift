package import Base
package import CryptoBridge

/// Certificates and CSRs signed by any key: in memory, on a token or in a service.
extension CertificateBuilder {
    /// A certificate signed by its own key.
    ///
    /// - Throws: ``CMSError``, ``CryptoError`` or ``SigningFailure``.
    package func selfSigned(
        by key: any DigestSigner, digest: DigestAlgorithm = .usual
    ) throws -> Certificate {
        guard key.publicKey == publicKey else {
            throw CryptoError(.keyMismatch, "the key is not the one to be certified")
        }
        return try build(
            issuer: subject, authorityKeyIdentifier: publicKey.keyIdentifier(), key: key, digest)
    }

    /// A certificate signed by an issuer.
    ///
    /// - Throws: as above.
    package func issued(
        by issuer: Certificate, key: any DigestSigner, digest: DigestAlgorithm = .usual
    ) throws -> Certificate {
        guard try issuer.publicKey == key.publicKey else {
            throw CryptoError(.keyMismatch, "the issuer's key does not fit its certificate")
        }
        return try build(
            issuer: issuer.subject,
            authorityKeyIdentifier: try issuer.subjectKeyIdentifier
                ?? key.publicKey.keyIdentifier(), key: key, digest)
    }

    private func build(
        issuer: DistinguishedName, authorityKeyIdentifier: [UInt8], key: any DigestSigner,
        _ digest: DigestAlgorithm
    ) throws -> Certificate {
        let scheme = try SignatureScheme(key.publicKey, digest, .pkcs1)
        let algorithm = try scheme.certificateIdentifier().encoded
        let body = try toBeSigned(
            issuer: issuer, authorityKeyIdentifier: authorityKeyIdentifier,
            signatureAlgorithm: algorithm)
        let signature = try key.verifiedSignature(over: body, scheme: scheme)
        return try Certificate(
            der: SignedStructure.der(body, algorithm: algorithm, signature: signature))
    }
}

extension CertificateRequestBuilder {
    /// A request signed by `key`.
    ///
    /// - Throws: ``CMSError``, ``CryptoError`` or ``SigningFailure``.
    package func signed(
        by key: any DigestSigner, digest: DigestAlgorithm = .usual,
        padding: RSAPadding = .pkcs1
    ) throws -> CertificateRequest {
        let scheme = try SignatureScheme(key.publicKey, digest, padding)
        let body = try toBeSigned(publicKey: key.publicKey)
        let signature = try key.verifiedSignature(over: body, scheme: scheme)
        let request = try CertificateRequest(
            der: SignedStructure.der(
                body, algorithm: scheme.certificateIdentifier().encoded, signature: signature))
        guard try request.isSignatureValid else { throw SigningFailure.doesNotVerify }
        return request
    }
}

extension DigestSigner {
    /// A signature over a message, verified with the public key.
    package func verifiedSignature(
        over message: [UInt8], scheme: SignatureScheme
    ) throws -> [UInt8] {
        let input: SigningInput =
            if takes == .digestOnly, let digest = scheme.digest {
                .digest(try digest.hash(message))
            } else {
                .message(message)
            }
        return try verifiedSignature(over: input, scheme: scheme)
    }

    /// A signature over an input of the signer's kind, verified with the public key.
    package func verifiedSignature(
        over input: SigningInput, scheme: SignatureScheme
    ) throws -> [UInt8] {
        let signature = try sign(input, scheme: scheme)
        let isValid =
            switch input {
            case _ where verifiesItself: true
            case .message(let message):
                try publicKey.verify(signature: signature, scheme: scheme, message: message)
            case .digest(let digest):
                try publicKey.verify(signature: signature, scheme: scheme, digest: digest)
            }
        guard isValid else { throw SigningFailure.doesNotVerify }
        return signature
    }
}

extension SignatureScheme {
    fileprivate init(
        _ key: PublicKey, _ digest: DigestAlgorithm, _ padding: RSAPadding
    ) throws {
        guard let scheme = key.algorithm.scheme(digest: digest, padding: padding) else {
            throw CryptoError(.unsupportedAlgorithm, "a key of type \(key.algorithm) cannot sign")
        }
        if let used = scheme.digest, !used.isWritable {
            throw CryptoError(
                .invalidParameter, "\(used.displayName) is no longer used for signatures")
        }
        self = scheme
    }
}
