internal import Base

/// The addresses for revocation checks and issuers in the certificate. Its author chose them: they
/// are fetched only if the user asks for it.
extension Certificate {
    private static let uri: UInt8 = ASN1Tag.primitiveContext(6)

    /// OCSP responders (RFC 5280 §4.2.2.1, authorityInfoAccess).
    package var ocspAddresses: [String] { accessAddresses(.ocspAccess) }

    /// Addresses of issuer certificates (caIssuers, RFC 5280 §4.2.2.1).
    package var issuerAddresses: [String] { accessAddresses(.caIssuersAccess) }

    /// Whether the certificate contains an OCSP or CRL URL.
    package var namesPlace: Bool { !ocspAddresses.isEmpty || !revocationListAddresses.isEmpty }

    private func accessAddresses(_ method: OID) -> [String] {
        guard let value = extensionValue(.authorityInformationAccess),
            var list = ASN1Reader.single(value[...], .definite)?.reader
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

    /// CRL URLs (RFC 5280 §4.2.1.13, cRLDistributionPoints).
    package var revocationListAddresses: [String] {
        guard let value = extensionValue(.cRLDistributionPoints),
            var points = ASN1Reader.single(value[...], .definite)?.reader
        else { return [] }
        var addresses: [String] = []
        while var point = points.next()?.reader {
            // DistributionPoint ::= SEQUENCE { distributionPoint [0] { fullName [0] … }, … }
            guard var name = point.next(ASN1Tag.context(0))?.reader,
                var names = name.next(ASN1Tag.context(0))?.reader
            else { continue }
            while let place = names.next() {
                guard place.tag == Self.uri else { continue }
                addresses.append(String(decoding: place.content, as: UTF8.self))
            }
        }
        return addresses
    }
}
