#if X509
    public import SignetKit
    import SwiftASN1
    public import X509

    extension SigningCredential {
        /// Creates a credential from a key in memory.
        ///
        /// - Parameters:
        ///   - key: a key with its bytes in memory. For a custom key, use an `AsyncSigner`.
        ///   - certificates: the signer's certificate and its issuers, in any order.
        ///   - name: name in messages.
        /// - Throws: ``SignetError``: among others `credentialRefused` if no certificate matches the
        ///   key; or the error of a key that cannot be written.
        public init(
            key: Certificate.PrivateKey, certificates: [Certificate], name: String = "key"
        ) throws {
            self = try SigningCredential(
                key: Array(key.serializeAsPEM().pemString.utf8),
                certificates: certificates.map { try $0.derEncoded() }, name: name)
        }
    }

    extension VerificationOptions {
        /// Trusts these certificates and no others.
        ///
        /// - Parameters:
        ///   - roots: trust anchors; an array, since a `CertificateStore` cannot be enumerated.
        ///   - intermediates: certificates missing in signatures.
        ///   - time: validation time; nil is now.
        /// - Throws: ``SignetError``: `usage` without a root.
        public init(
            roots: [Certificate], intermediates: [Certificate] = [], time: Moment? = nil
        ) throws {
            guard !roots.isEmpty else { throw SignetError(.usage, "no trust anchor is given") }
            self.init(time: time)
            trustedCertificates = try roots.map { try $0.derEncoded() }
            chainCertificates = try intermediates.map { try $0.derEncoded() }
        }
    }

    extension VerifiedSignature.Signer {
        /// The certificate as a type of swift-certificates.
        ///
        /// - Throws: the error of a certificate that swift-certificates does not read.
        public func certificate() throws -> Certificate { try Certificate(derEncoded: der) }
    }

    extension Certificate {
        fileprivate func derEncoded() throws -> [UInt8] {
            var serializer = DER.Serializer()
            try serialize(into: &serializer)
            return serializer.serializedBytes
        }
    }
#endif
