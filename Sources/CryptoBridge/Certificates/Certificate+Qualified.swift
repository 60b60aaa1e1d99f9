package import Base

/// The purpose of a qualified certificate (EN 319 412-5 §4.2.3; Regulation (EU) No 910/2014,
/// annexes I, III, IV).
package enum CertificatePurpose: String, Sendable, CaseIterable {
    case signature = "eSig"
    case seal = "eSeal"
    case webAuthentication = "WSA"

    package var oid: OID {
        switch self {
        case .signature: .purposeSignature
        case .seal: .purposeSeal
        case .webAuthentication: .purposeWebAuthentication
        }
    }
}

extension Certificate {
    /// The statements in qcStatements (ETSI EN 319 412-5, RFC 3739 §3.2.6).
    package struct QualifiedStatements: Sendable, Equatable {
        /// QcCompliance: issued as a qualified certificate.
        package var isCompliant = false
        /// QcSSCD: the private key is in a qualified device.
        package var isInDevice = false
        package var purposes: [CertificatePurpose] = []
        /// Purposes that are not those above.
        package var otherPurposes: [OID] = []
        /// Whether the purposes lack the enclosing SEQUENCE, as some issuers encode them.
        package var isMalformed = false
        /// QcCClegislation: countries outside the EU under whose law the certificate is qualified.
        package var countries: [String] = []
        /// QcLimitValue: the highest transaction value for which the certificate may be used.
        package var limit: Limit?

        package struct Limit: Sendable, Equatable {
            /// ISO 4217, alphabetic or numeric.
            package let currency: String
            package let amount: Int
            package let exponent: Int
        }

        package init() {}
    }

    /// The qualified statements; empty if the extension is missing or damaged.
    package var qualifiedStatements: QualifiedStatements {
        var result = QualifiedStatements()
        guard let value = extensionValue(.qualifiedStatements),
            var list = ASN1Reader.single(value[...], .definite)?.reader
        else { return result }
        while var statement = list.next(ASN1Tag.sequence)?.reader {
            guard let oid = statement.next()?.objectIdentifier else { continue }
            let information = statement.next()
            switch oid {
            case .qualifiedCompliance: result.isCompliant = true
            case .qualifiedDevice: result.isInDevice = true
            case .qualifiedPurpose: result.readPurposes(information)
            case .qualifiedLegislation: result.readCountries(information)
            case .qualifiedLimitValue: result.readLimit(information)
            default: break
            }
        }
        return result
    }

    /// Identifiers of the certificatePolicies extension (RFC 5280 §4.2.1.4); empty if it is missing
    /// or damaged.
    package var certificatePolicies: [OID] {
        guard let value = extensionValue(.certificatePolicies),
            var list = ASN1Reader.single(value[...], .definite)?.reader
        else { return [] }
        var policies: [OID] = []
        while var policy = list.next(ASN1Tag.sequence)?.reader {
            if let oid = policy.next()?.objectIdentifier { policies.append(oid) }
        }
        return policies
    }
}

extension Certificate.QualifiedStatements {
    fileprivate mutating func readPurposes(_ information: ASN1Node?) {
        guard let information else { return }
        var identifiers: [OID] = []
        if information.tag == ASN1Tag.objectIdentifier {
            isMalformed = true
            identifiers = [information.objectIdentifier].compactMap { $0 }
        } else {
            var reader = information.reader
            while let element = reader.next() {
                if let identifier = element.objectIdentifier { identifiers.append(identifier) }
            }
        }
        for identifier in identifiers {
            if let purpose = CertificatePurpose.allCases.first(where: { $0.oid == identifier }) {
                purposes.append(purpose)
            } else {
                otherPurposes.append(identifier)
            }
        }
    }

    fileprivate mutating func readCountries(_ information: ASN1Node?) {
        guard var reader = information?.reader else { return }
        while let element = reader.next() {
            countries.append(String(decoding: element.content.prefix(8), as: UTF8.self))
        }
    }

    fileprivate mutating func readLimit(_ information: ASN1Node?) {
        guard var reader = information?.reader, let currency = reader.next(),
            let amount = reader.next()?.smallInteger, let exponent = reader.next()?.smallInteger
        else { return }
        let name =
            currency.smallInteger.map(String.init)
            ?? String(decoding: currency.content.prefix(8), as: UTF8.self)
        limit = Limit(currency: name, amount: amount, exponent: exponent)
    }
}
