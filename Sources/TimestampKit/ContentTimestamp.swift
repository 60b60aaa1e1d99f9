package import Base
package import CMSKit
package import CryptoBridge

/// A timestamp over the signed content, made before signing (ETSI EN 319 122-1 §5.2.8).
package struct ContentTimestamp: Sendable {
    package let check: TimestampCheck
    /// Nil if it is trusted.
    package let problem: VerificationProblem?
}

extension TimestampVerifier {
    /// Validates the values of content-time-stamp attributes.
    ///
    /// - Parameters:
    ///   - signing: time proven for the signature; nil without proof.
    ///   - hash: returns a hash of the content; nil if it is not available.
    package func contentTimestamps(
        _ values: [[UInt8]], before signing: CalendarTime?,
        hash: (DigestAlgorithm) throws -> [UInt8]?
    ) throws -> (stamps: [ContentTimestamp], problems: [VerificationProblem]) {
        var stamps: [ContentTimestamp] = []
        var problems: [VerificationProblem] = []
        if values.count > TimestampLimits.tokenCount {
            problems.append(
                .doubt(
                    .timestampInvalid,
                    "only the first \(TimestampLimits.tokenCount) of \(values.count) content "
                        + "timestamps were checked"))
        }
        for value in values.prefix(TimestampLimits.tokenCount) {
            guard let token = try? TimestampToken(attributeValue: value) else {
                problems.append(.doubt(.timestampInvalid, "a content timestamp cannot be read"))
                continue
            }
            let check = try verify(token, hash: token.info.messageImprint.digest.flatMap(hash))
            var problem = problem(with: check, "the content timestamp")
            if problem == nil, let signing, token.info.genTime.time > signing {
                problem = .doubt(
                    .timestampOrder, "the content timestamp is later than the signature timestamp",
                    .timestampOrderFailure)
            }
            stamps.append(ContentTimestamp(check: check, problem: problem))
        }
        return (stamps, problems + stamps.compactMap(\.problem))
    }
}

extension SignedData {
    package var contentTimestampDigests: Set<DigestAlgorithm> {
        timestampDigests { $0.signedAttributes.values(.contentTimeStamp) }
    }
}
