import Base
import CMSKit
import CryptoBridge
import SignetTestSupport

/// A signer below a root, and a message signed by it.
struct CMSFixture {
    let root: TestPKI.Identity
    let identity: TestPKI.Identity
    let content = Array("the signed bytes of a document".utf8)

    init(_ type: KeyType = .ec(curve: .p256)) throws {
        root = try TestPKI.root()
        identity = try TestPKI.issue(type: type, by: root)
    }

    func builder(
        digest: DigestAlgorithm = .sha256, scheme: SignatureScheme? = nil
    ) throws -> SignedDataBuilder {
        SignedDataBuilder(
            signer: try CMSSigner(
                key: identity.key, certificate: identity.certificate, chain: identity.chain,
                digest: digest, scheme: scheme))
    }

    func hash(_ digest: DigestAlgorithm) throws -> [UInt8] { try digest.hash(content) }

    func sign(digest: DigestAlgorithm = .sha256, scheme: SignatureScheme? = nil) throws -> [UInt8] {
        let builder = try builder(digest: digest, scheme: scheme)
        return try builder.sign(messageDigest: hash(builder.signer.digest))
    }

    func check(
        _ bytes: [UInt8], profile: SignedDataVerifier.Profile = .pades,
        content other: [UInt8]? = nil, configure: (inout SignedDataVerifier) -> Void = { _ in }
    ) throws -> SignatureCheck {
        let message = try SignedData(bytes)
        var digests: [DigestAlgorithm: [UInt8]] = [:]
        for algorithm in message.requiredDigests {
            digests[algorithm] = try algorithm.hash(other ?? content)
        }
        var verifier = SignedDataVerifier(profile: profile)
        configure(&verifier)
        return try verifier.verify(message, contentDigests: digests)[0]
    }
}

/// Ends of the encoded attribute types.
enum Tail {
    static let contentType: [UInt8] = [0x09, 0x03]
    static let messageDigest: [UInt8] = [0x09, 0x04]
    static let signingCertificateV2: [UInt8] = [0x02, 0x2F]
}
