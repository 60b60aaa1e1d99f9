package import Base
package import CryptoBridge

/// A list of trust services, or of such lists (ETSI TS 119 612; clause numbers as others quote
/// them), read from the octets that its signature covers.
package struct TrustList: Sendable {
    /// Where another list is, and who signs it (5.3.13).
    package struct Pointer: Sendable {
        package let territory: String
        package let location: String
        /// The last part of the type's URI: `EUgeneric`, `EUlistofthelists`.
        package let type: String
        package let mimeType: String
        package let signers: [Certificate]
    }

    /// 5 and 6 are what is known of (5.3.1).
    package let version: Int?
    package let sequence: Int
    /// The last part of its URI: `EUgeneric`, `EUlistofthelists`.
    package let type: String
    /// Two letters, as the lists have them: Greece is EL, the United Kingdom UK.
    package let territory: String
    package let issued: CalendarTime
    /// By when a newer one will be there; nil for a list that was closed (5.3.15).
    package let nextUpdate: CalendarTime?
    /// Where the scheme is explained, in English, in their order (5.3.7).
    package let informationURIs: [String]
    package let pointers: [Pointer]
    /// Those that issue qualified certificates or qualified time stamps, now or ever.
    package let services: [TrustService]
    /// How many services it has besides.
    package let otherServiceCount: Int
    package let signer: Certificate
    /// SHA-256 of the octets that were signed.
    package let sha256: [UInt8]

    /// Until when the list counts: then a newer one should have come. Once the signer's certificate
    /// has expired, whoever has its key could have made the list, with any date: then it lasts no
    /// longer than lists may.
    package var end: CalendarTime {
        let ownEnd = max(signer.notAfter, issued.adding(seconds: Self.longestSeconds))
        return min(nextUpdate ?? ownEnd, ownEnd)
    }

    /// Six months (5.3.15), and a few days for zones and long months.
    private static let longestSeconds = 190 * 86_400

    /// Whether a newer list should have come by `time`.
    package func isExpired(at time: CalendarTime) -> Bool { end < time }
}

/// A service of a provider, with what it was in former times (5.5).
package struct TrustService: Sendable {
    /// Of the list it stands in.
    package let territory: String
    /// The provider's name, in English where it has one.
    package let provider: String
    /// All names of the provider in all languages, folded for comparison.
    package let providerNames: Set<String>
    package let name: String
    /// Of its current entry: history has none, its keys being the same.
    package let certificates: [Certificate]
    /// Newest first.
    package let states: [ServiceState]

    /// What the service was at a time; nil before its first entry.
    package func state(at time: CalendarTime) -> ServiceState? {
        // Of two with the same start the first in the list counts.
        states.first { $0.start <= time }
    }

    /// Whether a name of a certificate is the provider's: case and blanks do not count.
    package func hasProvider(named name: String) -> Bool {
        providerNames.contains(Self.folded(name))
    }

    static func folded(_ name: String) -> String {
        name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

/// What a service was from a time on.
package struct ServiceState: Sendable {
    package enum Kind: Sendable, Equatable {
        /// Issues qualified certificates.
        case qualifiedCertificates
        /// Issues qualified time stamps.
        case qualifiedTimestamps
        case other
    }

    package let kind: Kind
    /// The last part of its URI: `granted`, `withdrawn`, `undersupervision`.
    package let status: String
    package let start: CalendarTime
    /// What its qualified certificates are for (5.5.9.4).
    package let purposes: Set<CertificatePurpose>
    /// What it says of certificates that fulfil criteria (5.5.9.2).
    package let qualifications: [QualificationElement]
    /// Whether it has an extension marked critical that is not understood (5.5.9).
    package let hasUnknownCriticalExtension: Bool
}

/// Qualifiers for certificates that fulfil criteria.
package struct QualificationElement: Sendable {
    package let criteria: Criterion
    /// The last parts of their URIs.
    package let qualifiers: Set<String>
    /// Whether whoever does not understand it must not pass over it.
    package let isCritical: Bool
}

/// What a certificate must have (5.5.9.2).
package indirect enum Criterion: Sendable {
    package enum Assertion: String, Sendable {
        case all, atLeastOne, none
    }

    case list(Assertion, [Criterion])
    /// Usages, and whether each must be there or must not.
    case keyUsage(KeyUsage, absent: KeyUsage)
    /// Certificate policies that it must have, all of them.
    case policies([OID])
    case extendedKeyUsages([OID])
    /// Types of attributes that its subject must have.
    case subjectAttributes([OID])
    case unknown

    /// Whether the certificate has it; nil where that cannot be said.
    package func holds(for certificate: Certificate) -> Bool? {
        switch self {
        case .list(let assertion, let criteria):
            let answers = criteria.map { $0.holds(for: certificate) }
            switch assertion {
            case .all:
                return answers.contains(false) ? false : answers.contains(nil) ? nil : true
            case .atLeastOne:
                return answers.contains(true) ? true : answers.contains(nil) ? nil : false
            case .none:
                return answers.contains(true) ? false : answers.contains(nil) ? nil : true
            }
        case .keyUsage(let present, let absent):
            let usage = certificate.keyUsage ?? []
            return usage.isSuperset(of: present) && usage.isDisjoint(with: absent)
        case .policies(let identifiers):
            return Set(certificate.certificatePolicies).isSuperset(of: identifiers)
        case .extendedKeyUsages(let identifiers):
            return Set(certificate.extendedKeyUsage ?? []).isSuperset(of: identifiers)
        case .subjectAttributes(let types):
            let present = Set(certificate.subject.relativeNames.joined().map(\.type))
            return present.isSuperset(of: types)
        case .unknown: return nil
        }
    }
}
