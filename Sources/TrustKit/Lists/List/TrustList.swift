package import Base
package import CryptoBridge

/// A trusted list or a list of lists (ETSI TS 119 612; clause numbers from secondary sources),
/// read from the bytes covered by its signature.
package struct TrustList: Sendable {
    /// Location and signers of another list (5.3.13).
    package struct Pointer: Sendable {
        package let territory: String
        package let location: String
        /// The last part of the type's URI: `EUgeneric`, `EUlistofthelists`.
        package let type: String
        package let mimeType: String
        package let signers: [Certificate]
    }

    /// TSLVersionIdentifier (5.3.1); versions 5 and 6 are supported.
    package let version: Int?
    package let sequence: Int
    /// The last part of its URI: `EUgeneric`, `EUlistofthelists`.
    package let type: String
    /// Two letters as in the lists: Greece is EL, the United Kingdom UK.
    package let territory: String
    package let issued: CalendarTime
    /// When the next list is due; nil for a closed list (5.3.15).
    package let nextUpdate: CalendarTime?
    /// Addresses of scheme information in English, in the list's order (5.3.7).
    package let informationURIs: [String]
    package let pointers: [Pointer]
    /// Services that issue or issued qualified certificates or qualified timestamps.
    package let services: [TrustService]
    package let otherServiceCount: Int
    package let signer: Certificate
    /// SHA-256 of the signed bytes.
    package let sha256: [UInt8]

    /// When the list expires: at nextUpdate, or earlier if the signer's certificate has expired
    /// and the longest permitted validity has passed. An expired key could back-date a list.
    package var end: CalendarTime {
        let ownEnd = max(signer.notAfter, issued.adding(seconds: Self.longestSeconds))
        return min(nextUpdate ?? ownEnd, ownEnd)
    }

    /// Six months (5.3.15), and some days for time zones and long months.
    private static let longestSeconds = 190 * 86_400

    /// Whether a newer list was due by `time`.
    package func isExpired(at time: CalendarTime) -> Bool { end < time }
}

/// A service of a provider, with its history (5.5).
package struct TrustService: Sendable {
    package let territory: String
    /// The provider's name, in English if available.
    package let provider: String
    /// All names of the provider in all languages, in canonical form.
    package let providerNames: Set<String>
    package let name: String
    /// Certificates of its current entry: history entries have none, since the keys are the same.
    package let certificates: [Certificate]
    /// Newest first.
    package let states: [ServiceState]

    /// The state of the service at a time; nil before its first entry.
    package func state(at time: CalendarTime) -> ServiceState? {
        // If two entries have the same start, the first one in the list applies.
        states.first { $0.start <= time }
    }

    /// Whether a certificate's name is a name of the provider, ignoring case and spaces.
    package func hasProvider(named name: String) -> Bool {
        providerNames.contains(Self.folded(name))
    }

    static func folded(_ name: String) -> String {
        name.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}

package struct ServiceState: Sendable {
    package enum Kind: Sendable, Equatable {
        case qualifiedCertificates
        case qualifiedTimestamps
        case other
    }

    package let kind: Kind
    /// The last part of its URI: `granted`, `withdrawn`, `undersupervision`.
    package let status: String
    package let start: CalendarTime
    /// Purposes of its qualified certificates (5.5.9.4).
    package let purposes: Set<CertificatePurpose>
    /// Qualifiers for certificates that meet criteria (5.5.9.2).
    package let qualifications: [QualificationElement]
    /// Whether it has an unknown critical extension (5.5.9).
    package let hasUnknownCriticalExtension: Bool
}

/// Qualifiers for certificates that fulfil criteria.
package struct QualificationElement: Sendable {
    package let criteria: Criterion
    /// The last parts of their URIs.
    package let qualifiers: Set<String>
    /// Whether a validator that does not support the element must not use the service.
    package let isCritical: Bool
}

/// A criterion for certificates (5.5.9.2).
package indirect enum Criterion: Sendable {
    package enum Assertion: String, Sendable { case all, atLeastOne, none }

    case list(Assertion, [Criterion])
    case keyUsage(KeyUsage, absent: KeyUsage)
    /// Certificate policies that must all be present.
    case policies([OID])
    case extendedKeyUsages([OID])
    case subjectAttributes([OID])
    case unknown

    /// Whether the certificate meets the criterion; nil if unknown.
    package func holds(for certificate: Certificate) -> Bool? {
        switch self {
        case .list(let assertion, let criteria):
            let answers = criteria.map { $0.holds(for: certificate) }
            switch assertion {
            case .all: return answers.contains(false) ? false : answers.contains(nil) ? nil : true
            case .atLeastOne:
                return answers.contains(true) ? true : answers.contains(nil) ? nil : false
            case .none: return answers.contains(true) ? false : answers.contains(nil) ? nil : true
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
