/// Where a certificate sends those who ask whether it was revoked. Whoever made the certificate
/// chose these addresses: nothing is fetched from them unless a person asks for it.
extension Certificate {
    private static let ocsp = "1.3.6.1.5.5.7.48.1"
    private static let caIssuers = "1.3.6.1.5.5.7.48.2"
    private static let uri: UInt8 = 0x86

    /// OCSP responders (RFC 5280 §4.2.2.1, authorityInfoAccess).
    package var ocspAddresses: [String] { accessAddresses(Self.ocsp) }

    /// Where certificates of the issuer are (caIssuers, as above).
    package var issuerAddresses: [String] { accessAddresses(Self.caIssuers) }

    private func accessAddresses(_ method: String) -> [String] {
        guard let value = extensionValue("1.3.6.1.5.5.7.1.1"),
            var list = DERReader.single(value[...])?.reader
        else { return [] }
        var addresses: [String] = []
        while var description = list.next()?.reader {
            guard description.next()?.objectIdentifier == method,
                let location = description.next(Self.uri)
            else { continue }
            addresses.append(String(decoding: location.content, as: UTF8.self))
        }
        return addresses
    }

    /// Revocation lists (RFC 5280 §4.2.1.13, cRLDistributionPoints).
    package var revocationListAddresses: [String] {
        guard let value = extensionValue("2.5.29.31"),
            var points = DERReader.single(value[...])?.reader
        else { return [] }
        var addresses: [String] = []
        while var point = points.next()?.reader {
            // DistributionPoint ::= SEQUENCE { distributionPoint [0] { fullName [0] … }, … }
            guard var name = point.next(0xA0)?.reader, var names = name.next(0xA0)?.reader else {
                continue
            }
            while let place = names.next() {
                guard place.tag == Self.uri else { continue }
                addresses.append(String(decoding: place.content, as: UTF8.self))
            }
        }
        return addresses
    }
}
