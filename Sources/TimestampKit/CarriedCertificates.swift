internal import Base
package import CMSKit
package import CryptoBridge
package import TrustKit

extension SignedData {
    /// DER of every certificate that the message brings, those of its time stamps included.
    package var carriedCertificates: [[UInt8]] { certificates + stampCertificates }

    /// DER of the certificates that its time stamps bring.
    package var stampCertificates: [[UInt8]] {
        let kinds = [OID.signatureTimeStamp, OID.archiveTimeStamp]
        let tokens = signers.flatMap { signer in
            kinds.flatMap { signer.unsignedAttributes.values($0) }
        }
        .prefix(TimestampLimits.tokenCount).compactMap { try? TimestampToken(attributeValue: $0) }
        return tokens.flatMap(\.signedData.certificates)
    }
}

extension SignedData {
    /// A certificate, and those that came along and stand above it by name: read, not verified. The
    /// last is taken for the anchor's where it is self-issued.
    package func path(above leaf: Certificate) -> [Certificate] {
        var rest = certificates.compactMap { try? Certificate(der: $0) }.filter { $0 != leaf }
        var path = [leaf]
        while let lowest = path.last, !lowest.isSelfIssued,
            let above = rest.firstIndex(where: { $0.isNamedAsIssuer(of: lowest) })
        {
            path.append(rest.remove(at: above))
        }
        // Without the anchor all of them are links.
        return path.last.map { $0.isSelfIssued ? path : path + [$0] } ?? path
    }
}

extension JudgedPath {
    /// The path of who made a token; nil where its certificate is not known.
    ///
    /// - Parameters:
    ///   - candidates: certificates from elsewhere that may stand above it.
    ///   - carried: DER of the certificates that came along.
    package init?(_ check: TimestampCheck, candidates: [Certificate], carried: [[UInt8]]) {
        guard let info = check.info, let signature = check.signature, let leaf = check.signer else {
            return nil
        }
        self.init(
            role: .tsa, leaf: leaf, chain: check.chain,
            candidates: signature.certificates + candidates, time: info.genTime.time,
            carried: carried)
    }
}
