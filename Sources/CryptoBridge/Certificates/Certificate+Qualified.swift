extension Certificate {
    /// What a certificate says of itself in its qcStatements (ETSI EN 319 412-5, RFC 3739 §3.2.6).
    package struct QualifiedStatements: Sendable, Equatable {
        /// The purposes of qualified certificates (EN 319 412-5 §4.2.3).
        package enum Purpose: String, Sendable {
            case signature = "0.4.0.1862.1.6.1"
            case seal = "0.4.0.1862.1.6.2"
            case webAuthentication = "0.4.0.1862.1.6.3"
        }

        /// QcCompliance: issued as a qualified certificate.
        package var isCompliant = false
        /// QcSSCD: the private key is in a qualified device.
        package var isInDevice = false
        package var purposes: [Purpose] = []
        /// Purposes that are not those above, dotted.
        package var otherPurposes: [String] = []
        /// Whether the purposes stand there without the SEQUENCE around them, as some issuers wrote.
        package var isMalformed = false
        /// QcCClegislation: countries other than those of the EU under whose law it is qualified.
        package var countries: [String] = []
        /// QcLimitValue: up to which sum it is meant to be used.
        package var limit: Limit?

        package struct Limit: Sendable, Equatable {
            /// ISO 4217, as letters or as a number.
            package let currency: String
            package let amount: Int
            package let exponent: Int
        }

        package init() {}
    }

    private enum StatementID {
        static let statements = "1.3.6.1.5.5.7.1.3"
        static let certificatePolicies = "2.5.29.32"
        static let compliance = "0.4.0.1862.1.1"
        static let limitValue = "0.4.0.1862.1.2"
        static let device = "0.4.0.1862.1.4"
        static let purpose = "0.4.0.1862.1.6"
        static let legislation = "0.4.0.1862.1.7"
    }

    /// What it says of itself; nothing where the extension is missing or damaged.
    package var qualifiedStatements: QualifiedStatements {
        var result = QualifiedStatements()
        guard let value = extensionValue(StatementID.statements),
            var list = DERReader.single(value[...])?.reader
        else { return result }
        while var statement = list.next(DERTag.sequence)?.reader {
            guard let oid = statement.next()?.objectIdentifier else { continue }
            let information = statement.next()
            switch oid {
            case StatementID.compliance: result.isCompliant = true
            case StatementID.device: result.isInDevice = true
            case StatementID.purpose: result.readPurposes(information)
            case StatementID.legislation: result.readCountries(information)
            case StatementID.limitValue: result.readLimit(information)
            default: break
            }
        }
        return result
    }

    /// Identifiers of the certificatePolicies extension (RFC 5280 §4.2.1.4), dotted; empty where it
    /// is missing or damaged.
    package var certificatePolicies: [String] {
        guard let value = extensionValue(StatementID.certificatePolicies),
            var list = DERReader.single(value[...])?.reader
        else { return [] }
        var policies: [String] = []
        while var policy = list.next(DERTag.sequence)?.reader {
            if let oid = policy.next()?.objectIdentifier { policies.append(oid) }
        }
        return policies
    }
}

extension Certificate.QualifiedStatements {
    fileprivate mutating func readPurposes(_ information: DERElement<ArraySlice<UInt8>>?) {
        guard let information else { return }
        var identifiers: [String] = []
        if information.tag == DERTag.objectIdentifier {
            isMalformed = true
            identifiers = [information.objectIdentifier].compactMap { $0 }
        } else {
            var reader = information.reader
            while let element = reader.next() {
                if let identifier = element.objectIdentifier { identifiers.append(identifier) }
            }
        }
        for identifier in identifiers {
            if let purpose = Purpose(rawValue: identifier) {
                purposes.append(purpose)
            } else {
                otherPurposes.append(identifier)
            }
        }
    }

    fileprivate mutating func readCountries(_ information: DERElement<ArraySlice<UInt8>>?) {
        guard var reader = information?.reader else { return }
        while let element = reader.next() {
            countries.append(String(decoding: element.content.prefix(8), as: UTF8.self))
        }
    }

    fileprivate mutating func readLimit(_ information: DERElement<ArraySlice<UInt8>>?) {
        guard var reader = information?.reader, let currency = reader.next(),
            let amount = reader.next()?.smallInteger, let exponent = reader.next()?.smallInteger
        else { return }
        let name =
            currency.smallInteger.map(String.init)
            ?? String(decoding: currency.content.prefix(8), as: UTF8.self)
        limit = Limit(currency: name, amount: amount, exponent: exponent)
    }
}
