import CryptoBridge
import PDFCore
import Synchronization

/// Who may read documents that are encrypted for the holders of certificates: a private key, read
/// when the first of them needs it and kept for the others.
public final class DocumentRecipient: Sendable {
    private struct State {
        var credential: CredentialBundle?
        /// Why there is none.
        var refusal: (any Error)?
    }

    private let read: @Sendable () throws -> CredentialBundle
    private let state = Mutex(State())

    /// - Parameters:
    ///   - keyFile: PEM, DER or PKCS#12, recognised by its bytes.
    ///   - certificateFile: the certificate that names the recipient; nil when the key's file holds
    ///     it, or when all recipients are to be tried.
    ///   - passphrase: asked only when the key is encrypted.
    public init(keyFile: String, certificateFile: String? = nil, passphrase: PassphraseSource) {
        read = {
            let bundle = try SigningCredential.readBundle(
                keyFile, passphrase: passphrase, as: .decryptionPassphrase)
            guard let key = bundle.key else {
                throw SignetError(.malformedInput, file: keyFile, "holds no private key")
            }
            var certificates = bundle.certificates
            if let certificateFile {
                certificates = try SigningCredential.readCertificates(certificateFile)
                guard certificates.contains(where: { $0.certifies(key.publicKey) }) else {
                    throw SignetError(
                        .credentialRefused, file: certificateFile,
                        "the certificate does not belong to the private key \(keyFile)")
                }
            }
            return CredentialBundle(key: key, certificates: certificates)
        }
    }

    /// The signer, who may be a recipient too.
    public init?(_ credential: SigningCredential) {
        guard let key = credential.privateKey else { return nil }
        read = { CredentialBundle(key: key, certificates: [credential.certificate]) }
    }

    /// What one of the envelopes holds.
    ///
    /// - Returns: nil when they are for others.
    func open(_ envelopes: [[UInt8]]) throws(PDFError) -> [UInt8]? {
        guard let credential = credential(), let key = credential.key else {
            throw PDFError(.keyNeeded, "no key could be read")
        }
        for envelope in envelopes {
            let content: [UInt8]?
            do throws(CryptoError) {
                content = try EnvelopedData(envelope).open(
                    key: key, certificates: credential.certificates)
            } catch {
                throw PDFError(
                    error.code == .unsupportedAlgorithm
                        ? .unsupportedEncryption : .malformedEncryption,
                    error.description)
            }
            // A seed with or without permissions: what else comes out, a wrong key made.
            if let content, [20, 24].contains(content.count) { return content }
        }
        return nil
    }

    private func credential() -> CredentialBundle? {
        state.withLock { state in
            if state.credential == nil {
                do { state.credential = try read() } catch { state.refusal = error }
            }
            return state.credential
        }
    }

    func takeRefusal() -> (any Error)? {
        state.withLock { state in
            defer { state.refusal = nil }
            return state.refusal
        }
    }

    /// Whom envelopes are for, in words.
    static func names(of envelopes: [[UInt8]]) -> [String] {
        envelopes.flatMap { (try? EnvelopedData($0))?.recipients ?? [] }.map { recipient in
            switch recipient {
            case .issuerAndSerial(let issuer, let serial): "issuer \(issuer), serial \(serial)"
            case .subjectKeyIdentifier(let identifier): "key identifier \(identifier)"
            }
        }
    }
}
