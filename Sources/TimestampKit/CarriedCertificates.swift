internal import Base
package import CMSKit
package import CryptoBridge
package import TrustKit

extension SignedData {
    /// DER of every certificate in the message, including those in its timestamps.
    package var carriedCertificates: [[UInt8]] { certificates + stampCertificates }

    /// DER of the certificates in its timestamps.
    package var stampCertificates: [[UInt8]] {
        let kinds = [OID.signatureTimeStamp, OID.archiveTimeStamp]
        let tokens = signers.flatMap { signer in
            kinds.flatMap { signer.unsignedAttributes.values($0) }
        }.prefix(TimestampLimits.tokenCount).compactMap { try? TimestampToken(attributeValue: $0) }
        return tokens.flatMap(\.signedData.certificates)
    }

    /// A certificate and its issuers among the candidates, found by name: parsed, not verified. The
    /// last one, if self-issued, is treated as the trust anchor.
    package func path(above leaf: Certificate) -> [Certificate] {
        var rest = certificates.compactMap { try? Certificate(der: $0) }.filter { $0 != leaf }
        var path = [leaf]
        while let lowest = path.last, !lowest.isSelfIssued,
            let above = rest.firstIndex(where: { $0.isNamedAsIssuer(of: lowest) })
        { path.append(rest.remove(at: above)) }
        // Without a trust anchor all of them are intermediate certificates.
        return path.last.map { $0.isSelfIssued ? path : path + [$0] } ?? path
    }
}

extension JudgedPath {
    /// The path of a TSA certificate; nil if the certificate is unknown.
    ///
    /// - Parameters:
    ///   - candidates: other certificates that may be its issuers.
    ///   - carried: DER of the certificates in the document or message.
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
