import ByteKit
package import CryptoBridge

/// Where something may be said about a certificate's revocation.
package enum RevocationPlace: Hashable, Sendable {
    /// The address of an OCSP responder.
    case responder(String)
    /// The address of a revocation list.
    case list(String)

    /// Most addresses of one certificate that are tried.
    static let countLimit = 8

    /// Where the certificate says to ask, responders first: their answers are small and young.
    static func named(by certificate: Certificate) -> [RevocationPlace] {
        let responders = certificate.ocspAddresses.map(Self.responder)
        let lists = certificate.revocationListAddresses.map(Self.list)
        return Array((responders + lists).prefix(countLimit))
    }
}

/// Asks elsewhere for what is not at hand.
package protocol RevocationSource: Sendable {
    /// What a place answers about a certificate; in words why nothing came of it.
    func ask(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<RevocationEvidence, RevocationSourceFailure>

    /// The name of a place for people.
    func name(of place: RevocationPlace) -> String
}

/// Why a place gave no answer, in lower case.
package struct RevocationSourceFailure: Error {
    package let detail: String

    package init(_ detail: String) { self.detail = detail }
}

extension RevocationSource {
    /// Asks about each certificate of a path of which nothing is known, until something is.
    ///
    /// - Parameters:
    ///   - chain: leaf first; the anchor at its end is beyond question.
    ///   - evidence: what is known; what is learned comes along.
    /// - Returns: what was tried in vain, in words.
    func complete(
        _ evidence: inout RevocationEvidence, for chain: [Certificate], at time: CalendarTime
    ) throws(CryptoError) -> [String] {
        var remarks: [String] = []
        for index in chain.indices.dropLast() {
            let certificate = chain[index]
            let issuer = chain[index + 1]
            guard RevocationCheck.namesSource(certificate),
                try RevocationCheck(evidence).latest(certificate, issuer, at: time) == nil
            else { continue }
            var failures: [String] = []
            for place in RevocationPlace.named(by: certificate) {
                switch ask(place, about: certificate, issuer: issuer) {
                case .failure(let failure): failures.append("\(name(of: place)): \(failure.detail)")
                case .success(let answer):
                    let said = try RevocationCheck(answer).latest(certificate, issuer, at: time)
                    if let objection = Self.objection(to: said, about: certificate) {
                        failures.append("\(name(of: place)): \(objection)")
                        continue
                    }
                    evidence = evidence + answer
                    failures = []
                }
                if failures.isEmpty { break }
            }
            remarks += failures
        }
        return remarks
    }

    /// Why an answer settles nothing; nil when it does.
    private static func objection(
        to said: RevocationStatement?, about certificate: Certificate
    ) -> String? {
        guard let said else {
            return "what it answers says nothing that counts about the certificate"
        }
        // RFC 5280 §3.3: an expired certificate may be left out, though it had been revoked.
        guard said.revokedAt == nil, said.thisUpdate > certificate.notAfter else { return nil }
        return "it answers after the certificate expired on \(certificate.notAfter.rfc3339), "
            + "when revocations may be forgotten"
    }
}
