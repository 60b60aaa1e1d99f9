package import Base
package import CMSKit
package import CryptoBridge
internal import TrustKit

/// Answers timestamp requests (RFC 3161 §2.4): bytes in, bytes out.
package struct TimestampAuthority: Sendable {
    package struct Configuration: Sendable {
        /// The policy of tokens if the request contains none.
        package var policy = OID.examplePolicy
        package var furtherPolicies: Set<OID> = []
        /// With an accuracy below one second, genTime has milliseconds.
        package var accuracy = Accuracy(.seconds(1))

        package init() {}
    }

    /// Accepted digest algorithms; others get badAlg.
    package static let acceptedDigests: Set<DigestAlgorithm> = [
        .sha256, .sha384, .sha512, .sha3_256, .sha3_384, .sha3_512,
    ]

    private let signer: CMSSigner
    private let configuration: Configuration
    /// The TSA's own name as a GeneralName.
    private let name: [UInt8]

    /// - Throws: ``CMSError``, `.invalidParameter` if the certificate is not for time-stamping (RFC
    ///   3161 §2.3).
    package init(signer: CMSSigner, configuration: Configuration) throws(CMSError) {
        let policy = SignerPolicy(purpose: .timestamps)
        if let violation = policy.usageViolations(signer.certificate).first {
            throw CMSError(.invalidParameter, violation.message)
        }
        self.signer = signer
        self.configuration = configuration
        name = DERWriter.element(ASN1Tag.context(4), of: [signer.certificate.subjectDER])
    }

    /// The response to a request.
    package struct Answer: Sendable {
        /// DER of the ``TimestampResponse``.
        package let response: [UInt8]
        package let status: PKIStatus
        /// One line for a log: `granted 1a2b sha256 2026-11-21T10:00:00Z`.
        package let summary: String
        /// An internal failure, not caused by the client.
        package var failure: (any Error)?
    }

    /// Responds to any request, valid or not.
    ///
    /// - Parameters:
    ///   - clock: returns the time; called after the request is accepted.
    ///   - serialNumber: returns the content bytes of a unique INTEGER.
    package func respond(
        to request: [UInt8], clock: () -> Moment, serialNumber: () throws -> [UInt8]
    ) -> Answer {
        do {
            let parsed: TimestampRequest
            do {
                parsed = try TimestampRequest(request)
            } catch {
                throw Refusal(.badDataFormat, "the request cannot be read: \(error.detail)")
            }
            let policy = try check(parsed)
            let time = clock()
            guard signer.certificate.isValid(at: time.time) else {
                throw Refusal(
                    .timeNotAvailable, "the authority's certificate is not valid at present")
            }
            let token = try stamp(parsed, policy, time, serialNumber())
            let imprint = parsed.messageImprint
            return Answer(
                response: TimestampResponse(status: .granted, token: token).encoded(),
                status: .granted,
                summary: "granted \(token.info.serialHex) "
                    + "\(imprint.digest?.rawValue ?? "") \(token.info.genTime.description)")
        } catch let refusal as Refusal {
            return Self.answer(refusal)
        } catch {
            // Internal failures are logged, not sent to the client.
            let answer = Self.answer(Refusal(.systemFailure, "the authority failed"))
            return Answer(
                response: answer.response, status: answer.status,
                summary: "\(answer.summary): \(error)", failure: error)
        }
    }

    private struct Refusal: Error {
        let failure: PKIFailureInfo
        let text: String

        init(_ failure: PKIFailureInfo, _ text: String) {
            self.failure = failure
            self.text = text
        }
    }

    private static func answer(_ refusal: Refusal) -> Answer {
        Answer(
            response: TimestampResponse(
                status: .rejection, statusTexts: [refusal.text], failure: refusal.failure
            ).encoded(),
            status: .rejection, summary: "rejected \(refusal.failure.name): \(refusal.text)")
    }

    /// - Returns: the policy of the token.
    private func check(_ request: TimestampRequest) throws(Refusal) -> OID {
        guard request.version == 1 else {
            throw Refusal(.badRequest, "request version \(request.version), not 1")
        }
        let imprint = request.messageImprint
        guard let digest = imprint.digest, Self.acceptedDigests.contains(digest) else {
            let name = imprint.digest?.displayName ?? imprint.algorithm.oid.description
            throw Refusal(.badAlg, "hashes by \(name) are not stamped")
        }
        guard imprint.hashedMessage.count == digest.byteCount else {
            throw Refusal(
                .badDataFormat,
                "a hash of \(imprint.hashedMessage.count) bytes, "
                    + "\(digest.displayName) has \(digest.byteCount)")
        }
        if let item = request.extensions.first {
            throw Refusal(.unacceptedExtension, "the extension \(item.oid) is not supported")
        }
        guard let policy = request.policy else { return configuration.policy }
        guard policy == configuration.policy || configuration.furtherPolicies.contains(policy)
        else { throw Refusal(.unacceptedPolicy, "the policy \(policy) is not supported") }
        return policy
    }

    private func stamp(
        _ request: TimestampRequest, _ policy: OID, _ time: Moment, _ serial: [UInt8]
    ) throws -> TimestampToken {
        let milliseconds = time.nanoseconds / 1_000_000
        let isFine = configuration.accuracy.seconds == 0
        let info = TSTInfo(
            policy: policy, messageImprint: request.messageImprint, serialNumber: serial,
            genTime: Moment(time.time, nanoseconds: isFine ? milliseconds * 1_000_000 : 0),
            accuracy: configuration.accuracy, nonce: request.nonce, tsa: name)
        let content = info.encoded
        var builder = SignedDataBuilder(signer: signer)
        builder.contentType = .tstInfo
        builder.content = content
        builder.includesCertificates = request.certReq
        let encoded = try builder.sign(messageDigest: try signer.digest.hash(content))
        return try TimestampToken(encoded)
    }
}
