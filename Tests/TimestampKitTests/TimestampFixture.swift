import Base
import CMSKit
import CryptoBridge
import SignetTestSupport
import TimestampKit
import TrustKit

/// An authority below a root, and what it stamps.
struct TimestampFixture {
    let root: TestPKI.Identity
    let tsa: TestPKI.Identity
    let data = Array("what is stamped".utf8)
    let time = TestPKI.now

    /// - Parameter configure: makes the authority's certificate another one.
    init(
        profile: CertificateProfile = .tsa, configure: (inout CertificateBuilder) -> Void = { _ in }
    ) throws {
        root = try TestPKI.root()
        tsa = try TestPKI.issue(
            "CN=Our TSA,O=Firma", by: root, profile: profile, configure: configure)
    }

    func signer(_ digest: DigestAlgorithm = .sha256) throws -> CMSSigner {
        try CMSSigner(key: tsa.key, certificate: tsa.certificate, chain: tsa.chain, digest: digest)
    }

    func authority(
        _ configure: (inout TimestampAuthority.Configuration) -> Void = { _ in }
    ) throws -> TimestampAuthority {
        var configuration = TimestampAuthority.Configuration()
        configure(&configuration)
        return try TimestampAuthority(signer: signer(), configuration: configuration)
    }

    func request(
        _ digest: DigestAlgorithm = .sha256, policy: OID? = nil, certReq: Bool = true
    ) throws -> TimestampRequest {
        TimestampRequest(
            messageImprint: try MessageImprint(of: data, digest: digest), policy: policy,
            nonce: try TimestampRequest.randomNonce(), certReq: certReq)
    }

    func respond(_ request: [UInt8], _ authority: TimestampAuthority) -> TimestampAuthority.Answer {
        authority.respond(to: request) {
            Moment(time, nanoseconds: 123_456_789)
        } serialNumber: {
            [0x12, 0x34]
        }
    }

    /// A token whose contents the test decides, signed as any other.
    func token(_ change: (inout TokenParts) -> Void = { _ in }) throws -> TimestampToken {
        var parts = TokenParts(
            policy: "1.2.3.4", imprint: try MessageImprint(of: data, digest: .sha256),
            serial: [0x01], time: Moment(time),
            accuracy: Accuracy(.microseconds(1_000_000)), nonce: [0x42])
        change(&parts)
        let info = TSTInfo(
            policy: parts.policy, messageImprint: parts.imprint, serialNumber: parts.serial,
            genTime: parts.time, accuracy: parts.accuracy, nonce: parts.nonce, tsa: parts.tsa)
        return try TimestampToken(sign(parts.rewrite(info.encoded)))
    }

    struct TokenParts {
        var policy: OID
        var imprint: MessageImprint
        var serial: [UInt8]
        var time: Moment
        var accuracy: Accuracy?
        var nonce: [UInt8]?
        var tsa: [UInt8]?
        /// What is done to the encoded TSTInfo before it is signed.
        var rewrite: ([UInt8]) -> [UInt8] = { $0 }
    }

    func sign(_ content: [UInt8], type: OID = .tstInfo) throws -> [UInt8] {
        var builder = SignedDataBuilder(signer: try signer())
        builder.contentType = type
        builder.content = content
        return try builder.sign(messageDigest: DigestAlgorithm.sha256.hash(content))
    }

    func verifier(at time: CalendarTime? = nil) -> TimestampVerifier {
        TimestampVerifier(
            anchors: .certificates([root.certificate]), time: time ?? self.time.adding(seconds: 60))
    }

    func check(_ token: TimestampToken, at time: CalendarTime? = nil) throws -> TimestampCheck {
        try verifier(at: time).verify(token, over: data)
    }
}

extension TimestampCheck { var codes: [ProblemCode] { problems.map(\.code) } }

extension MessageImprint {
    init(of data: [UInt8], digest: DigestAlgorithm) throws(CryptoError) {
        self.init(digest: digest, hash: try digest.hash(data))
    }
}
