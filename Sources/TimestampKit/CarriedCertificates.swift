package import CMSKit

extension SignedData {
    /// DER of every certificate that the message brings, those of its time stamps included.
    package var carriedCertificates: [[UInt8]] {
        let tokens = signers.flatMap { $0.unsignedAttributes.values(CMSOID.signatureTimeStamp) }
            .prefix(TimestampLimits.tokenCount)
            .compactMap { (try? TimestampToken($0)) ?? (try? TimestampToken($0, encoding: .ber)) }
        return certificates + tokens.flatMap(\.signedData.certificates)
    }
}
