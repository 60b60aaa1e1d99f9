package import Base
package import CMSKit
package import CryptoBridge
internal import Synchronization

/// A key of an OpenSSL provider. It signs one input after the other.
package final class ProviderKey: DigestSigner {
    private let key: StoredKey
    /// The failure returned to all later callers without another attempt, since it may have counted
    /// as a wrong PIN.
    private let failure = Mutex<SigningFailure?>(nil)

    package var publicKey: PublicKey { key.publicKey }
    package var certificates: [Certificate] { key.certificates }

    /// - Parameters:
    ///   - pin: called at most once, if the provider asks for a PIN.
    ///   - isGiven: whether the user named a PIN, which must not be ignored.
    package init(
        _ uri: ProviderURI, isGiven: Bool, pin: @escaping () throws -> SecretBytes
    ) throws {
        var isAsked = false
        do {
            key = try StoredKey(uri: uri.uri, provider: uri.provider) {
                isAsked = true
                return try pin()
            }
        } catch let error as CryptoError {
            let isMissing = error.code == .unsupportedAlgorithm
            throw SigningFailure(
                error.code == .wrongPassphrase ? .refused : .missing, error.description,
                hint: Sentence(isMissing ? .installProvider : .checkProviderKey), cause: error)
        }
        guard isAsked || !isGiven else {
            throw SigningFailure(
                .usage, "a PIN is given, but the provider did not ask for it: nothing was signed",
                hint: Sentence(.askForProviderPIN, uri.uri))
        }
    }

    package func sign(
        _ input: SigningInput, scheme: SignatureScheme
    ) throws(SigningFailure) -> [UInt8] {
        try failure.withLock { known throws(SigningFailure) in
            if let known { throw known }
            do throws(CryptoError) {
                return try key.sign(input, scheme: scheme)
            } catch {
                let found = SigningFailure(
                    .refused, "\(error.description); it is not asked again",
                    hint: Sentence(.checkProviderPIN), cause: error)
                known = found
                throw found
            }
        }
    }

    package func close() {
        failure.withLock { known in
            known = known ?? SigningFailure(.unavailable, "the key is closed")
            key.close()
        }
    }
}
