import CryptoBridge
import PDFCore
import PDFSigning
import Synchronization
import SystemBridge
import TextBridge

/// The password of encrypted PDFs. It is requested for the first document, kept for the others and
/// wiped at the end.
public final class DocumentPassword: Sendable {
    private enum Source: Sendable {
        case given(PassphraseSource)
        case asked(@Sendable (String) throws -> Passphrase)
    }

    private struct State {
        var secret: SecretBytes?
        /// The reason for a missing password.
        var refusal: (any Error)?
    }

    private let source: Source
    private let state = Mutex(State())
    /// Recipient for documents encrypted for certificates; nil for none.
    fileprivate let recipient: DocumentRecipient?

    /// A password from a file or an environment variable.
    public init(_ source: PassphraseSource, recipient: DocumentRecipient? = nil) {
        self.source = .given(source)
        self.recipient = recipient
    }

    /// A password requested from the user once, unless a document opens without one.
    ///
    /// - Parameter ask: receives the path of the document.
    public init(
        recipient: DocumentRecipient? = nil,
        asking ask: @escaping @Sendable (String) throws -> Passphrase
    ) {
        source = .asked(ask)
        self.recipient = recipient
    }

    /// The password's bytes, which the caller wipes.
    fileprivate func bytes(for path: String, isOpen: Bool) throws(PDFError) -> [UInt8]? {
        if case .asked = source, isOpen { return nil }
        let bytes: [UInt8]? = state.withLock { state in
            if let known = state.secret { return known.copyOut() }
            do {
                let secret =
                    switch source {
                    case .given(let source): try source.read(as: "password")
                    case .asked(let ask): try ask(path).secret
                    }
                state.secret = secret
                return secret.copyOut()
            } catch {
                state.refusal = error
                return nil
            }
        }
        guard let bytes else { throw PDFError(.passwordNeeded, "the password cannot be read") }
        return bytes
    }

    fileprivate static func normalized(_ password: [UInt8]) throws(PDFError) -> [UInt8]? {
        switch SASLprep.prepare(password) {
        case .prepared(let bytes): return bytes
        case .unsuitable: return nil
        case .libraryMissing:
            throw PDFError(
                .wrongPassword,
                "the password is wrong as entered; its normalized form "
                    + "(RFC 4013) requires the library \(SASLprep.missingLibrary)")
        }
    }

    /// Discards an entered password that does not open the document.
    ///
    /// - Returns: whether the password may be requested again.
    fileprivate func mayAskAgain(_ attempt: Int) -> Bool {
        guard case .asked = source, attempt < PassphraseSource.tryCount else { return false }
        state.withLock { $0.secret = nil }
        Notices.say(.wrongPassword)
        return true
    }

    /// The error about an empty password from a file or variable, which does not open the document.
    fileprivate func emptiness(after error: PDFError) -> (any Error)? {
        guard error.code == .wrongPassword, case .given(let source) = source,
            state.withLock({ $0.secret?.isEmpty }) == true
        else { return nil }
        return source.emptiness("password")
    }

    fileprivate func takeRefusal() -> (any Error)? {
        state.withLock { state in
            defer { state.refusal = nil }
            return state.refusal
        }
    }
}

extension PDFDocument {
    /// Opens the document of `file`, with `password` when it is encrypted.
    static func open(
        _ file: InputFile, path: String, password: DocumentPassword?,
        options: PDFOptions = PDFOptions()
    ) throws -> PDFDocument {
        var options = options
        let refusal = Mutex<(any Error)?>(nil)
        options.decryption = PDFDecryption(
            cryptography: DocumentCryptography(), normalize: DocumentPassword.normalized,
            openEnvelope: { envelopes throws(PDFError) in
                try DocumentRecipient.requireAny(of: envelopes)
                guard let recipient = password?.recipient else {
                    throw PDFError(
                        .keyNeeded,
                        "the document is encrypted for recipients with certificates: "
                            + DocumentRecipient.enumeration(of: envelopes))
                }
                do {
                    if let content = try recipient.open(envelopes) { return content }
                } catch let error as PDFError {
                    throw error
                } catch {
                    refusal.withLock { $0 = error }
                    throw PDFError(.keyFailed, "no key can be used")
                }
                guard !recipient.isImplied else {
                    throw PDFError(
                        .keyNeeded,
                        "the document is encrypted for the keys of these certificates: "
                            + DocumentRecipient.enumeration(of: envelopes))
                }
                throw PDFError(
                    .wrongKey,
                    "the document is not encrypted for this key, but for: "
                        + DocumentRecipient.enumeration(of: envelopes))
            },
            password: { isOpen throws(PDFError) in try password?.bytes(for: path, isOpen: isOpen) })
        var attempt = 0
        while true {
            attempt += 1
            do {
                return try PDFDocument(source: file, options: options)
            } catch  where error.code == .wrongPassword && password?.mayAskAgain(attempt) == true {
                continue
            } catch {
                throw password?.takeRefusal() ?? password?.emptiness(after: error)
                    ?? refusal.withLock { $0 } ?? error
            }
        }
    }
}
