package import Base
package import CryptoBridge

/// A source of a certificate's revocation status: a URL of an OCSP responder or a CRL.
package enum RevocationPlace: Hashable, Sendable {
    case responder(String)
    /// The URL of a CRL.
    case list(String)

    /// Maximum number of URLs tried for one certificate.
    package static let countLimit = 8

    /// The URLs in the certificate, OCSP first: responses are small and new.
    static func named(by certificate: Certificate) -> [RevocationPlace] {
        guard !RevocationCheck.needsNone(certificate) else { return [] }
        let responders = reachable(certificate.ocspAddresses).map(Self.responder)
        let lists = reachable(certificate.revocationListAddresses).map(Self.list)
        return Array((responders + lists).prefix(countLimit))
    }

    /// The first URL in the certificate if none can be fetched, such as `ldap:` ones, that of a CRL
    /// if there is one; nil otherwise.
    package static func onlyAddress(of certificate: Certificate) -> String? {
        let addresses = certificate.revocationListAddresses + certificate.ocspAddresses
        guard reachable(addresses).isEmpty else { return nil }
        return addresses.first { $0.contains(":") }
    }

    /// The HTTP and HTTPS URLs: other protocols are not supported.
    static func reachable(_ addresses: [String]) -> [String] {
        addresses.filter { ["http", "https"].contains($0.prefix { $0 != ":" }.lowercased()) }
    }
}

/// A request about a certificate to one source.
package struct RevocationInquiry: Sendable {
    package let place: RevocationPlace
    package let certificate: Certificate
    package let issuer: Certificate
    /// Data issued by this time is less useful, so newer data is requested. Nil if any valid data
    /// suffices.
    package var newerThan: CalendarTime?
}

/// Fetches data that is not available locally.
package protocol RevocationSource: Sendable {
    /// The response of a source about a certificate, or the reason for its failure.
    func ask(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<RevocationEvidence, RevocationSourceFailure>

    /// Sends several requests at the same time; the responses are cached for
    /// ``ask(_:about:issuer:)``.
    func prepare(_ inquiries: [RevocationInquiry])

    /// Removes cached responses that are too old, so that requests are sent again.
    ///
    /// - Parameter isWrong: the data is wrong and must not be used as a fallback.
    func forget(_ inquiries: [RevocationInquiry], isWrong: Bool)

    /// Whether the response is cached from an earlier run and no newer one was requested.
    func isKept(_ inquiry: RevocationInquiry) -> Bool

    /// Certificates from the caIssuers URL of a certificate (RFC 5280 §4.2.2.1); the caller checks
    /// them.
    ///
    /// - Parameter leaf: the end entity certificate of the incomplete chain.
    func issuers(
        of certificate: Certificate, at address: String, below leaf: Certificate
    ) -> [Certificate]

    func name(of place: RevocationPlace) -> String
}

/// The reason why there was no response, in lower case.
package struct RevocationSourceFailure: Error {
    package let detail: String
    /// The request was not sent because of the request limit of the file.
    package let isLimit: Bool

    package init(_ detail: String, isLimit: Bool = false) {
        self.detail = detail
        self.isLimit = isLimit
    }
}

extension RevocationSource {
    package func prepare(_ inquiries: [RevocationInquiry]) {}
    package func forget(_ inquiries: [RevocationInquiry], isWrong: Bool) {}
    package func isKept(_ inquiry: RevocationInquiry) -> Bool { false }
    package func issuers(
        of certificate: Certificate, at address: String, below leaf: Certificate
    ) -> [Certificate] { [] }

    /// Sends requests about each certificate of a path, even if its status is known: a newer
    /// response may differ.
    ///
    /// - Parameters:
    ///   - check: the known data, to which responses are added.
    ///   - chain: leaf first; the trust anchor at its end is skipped, unless it is the leaf.
    /// - Returns: failed requests, with reasons.
    func complete(
        _ check: inout RevocationCheck, for chain: [Certificate], at time: CalendarTime
    ) throws(CryptoError) -> [String] {
        prepare(
            chain.indices.dropLast().compactMap { index in
                RevocationPlace.named(by: chain[index]).first.map {
                    RevocationInquiry(
                        place: $0, certificate: chain[index], issuer: chain[index + 1])
                }
            })
        var remarks: [String] = []
        for index in chain.indices where index == 0 || index < chain.count - 1 {
            let certificate = chain[index]
            guard RevocationCheck.namesSource(certificate) else { continue }
            let above = index + 1 < chain.count ? chain[index + 1] : check.issuer(of: certificate)
            check.asked.insert(certificate)
            guard let above else {
                remarks.append(
                    "revocation status not checked online: the issuer certificate "
                        + "\(certificate.issuer.shortText.inQuotes) was not found")
                continue
            }
            var failures: [String] = []
            var isLimited = false
            places: for place in RevocationPlace.named(by: certificate) {
                switch ask(place, about: certificate, issuer: above) {
                case .failure(let failure):
                    failures.append("\(name(of: place)): \(failure.detail)")
                    isLimited = isLimited || failure.isLimit
                case .success(let answer):
                    check.note(own: answer)
                    var fresh = check
                    fresh.evidence = answer
                    let said = try fresh.finding(
                        about: certificate, issuer: above, in: chain, at: time)
                    check.evidence = check.evidence + answer
                    if said.isKnown(at: time) {
                        failures = try checkStatusIssuers(
                            said.decisiveRecords(at: time), with: &check, in: chain)
                        isLimited = false
                        break places
                    } else {
                        let why =
                            said.rejected.first?.description
                            ?? "the response contains no status of the certificate"
                        failures.append("\(name(of: place)): \(why)")
                        continue
                    }
                }
            }
            if isLimited { check.unasked.insert(certificate) }
            remarks += failures
        }
        return remarks
    }

    /// Sends requests about signers of accepted data, which may be revoked too (RFC 6960
    /// §4.2.2.2.1, RFC 5280 §6.3.3 (f)).
    ///
    /// - Returns: failed requests, with reasons.
    private func checkStatusIssuers(
        _ records: [StatusRecord], with check: inout RevocationCheck, in chain: [Certificate]
    ) throws(CryptoError) -> [String] {
        var failures: [String] = []
        for case let statusSigner? in records.map(\.statusSigner)
        where RevocationCheck.namesSource(statusSigner) && check.asked.insert(statusSigner).inserted
        {
            guard
                let above = chain.first(where: {
                    $0.isNamedAsIssuer(of: statusSigner) && statusSigner.isSigned(by: $0)
                }) ?? check.issuer(of: statusSigner)
            else { continue }
            for place in RevocationPlace.named(by: statusSigner) {
                switch ask(place, about: statusSigner, issuer: above) {
                case .failure(let failure): failures.append("\(name(of: place)): \(failure.detail)")
                case .success(let answer):
                    check.note(own: answer)
                    check.evidence = check.evidence + answer
                    return []
                }
            }
        }
        return failures
    }
}
