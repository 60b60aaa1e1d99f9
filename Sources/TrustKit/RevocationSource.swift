package import Base
package import CryptoBridge

/// Where something may be said about a certificate's revocation.
package enum RevocationPlace: Hashable, Sendable {
    /// The address of an OCSP responder.
    case responder(String)
    /// The address of a revocation list.
    case list(String)

    /// Most addresses of one certificate that are tried.
    package static let countLimit = 8

    /// Where the certificate says to ask, responders first: their answers are small and young.
    static func named(by certificate: Certificate) -> [RevocationPlace] {
        guard !RevocationCheck.needsNone(certificate) else { return [] }
        let responders = reachable(certificate.ocspAddresses).map(Self.responder)
        let lists = reachable(certificate.revocationListAddresses).map(Self.list)
        return Array((responders + lists).prefix(countLimit))
    }

    /// The HTTP and HTTPS addresses: no other protocol is supported.
    static func reachable(_ addresses: [String]) -> [String] {
        addresses.filter {
            ["http", "https"].contains($0.prefix { $0 != ":" }.lowercased())
        }
    }
}

/// A question about a certificate, and where it is asked.
package struct RevocationInquiry: Sendable {
    package let place: RevocationPlace
    package let certificate: Certificate
    package let issuer: Certificate
    /// What was said by then is of less use: asking for something newer is worth it. Nil where
    /// whatever holds will do.
    package var newerThan: CalendarTime?
}

/// Asks elsewhere for what is not at hand.
package protocol RevocationSource: Sendable {
    /// What a place answers about a certificate; in words why nothing came of it.
    func ask(
        _ place: RevocationPlace, about certificate: Certificate, issuer: Certificate
    ) -> Result<RevocationEvidence, RevocationSourceFailure>

    /// Asks several questions at once; the answers are kept for ``ask(_:about:issuer:)``.
    func prepare(_ inquiries: [RevocationInquiry])

    /// Lets the questions be asked again: what was answered is too old.
    ///
    /// - Parameter isWrong: it is not only old, and not to be fallen back on.
    func forget(_ inquiries: [RevocationInquiry], isWrong: Bool)

    /// Whether an answer is one of an earlier run, and nobody was asked for a newer one.
    func isKept(_ inquiry: RevocationInquiry) -> Bool

    /// Certificates from an address that a certificate names for its issuer's (caIssuers, RFC 5280
    /// §4.2.2.1); whose they are is to be checked.
    ///
    /// - Parameter leaf: the end of the chain that lacks an issuer.
    func issuers(
        of certificate: Certificate, at address: String, below leaf: Certificate
    ) -> [Certificate]

    /// The name of a place for people.
    func name(of place: RevocationPlace) -> String
}

/// Why a place gave no answer, in lower case.
package struct RevocationSourceFailure: Error {
    package let detail: String
    /// It was not asked: the file caused too many questions.
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

    /// Asks about each certificate of a path, whatever is known already: a younger answer may say
    /// something else.
    ///
    /// - Parameters:
    ///   - check: what is known; what is learned comes along.
    ///   - chain: leaf first; the anchor at its end is beyond question, unless it is the leaf.
    /// - Returns: what was tried in vain, in words.
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
                    "nobody was asked: the certificate of the issuer (\(certificate.issuer)) is "
                        + "not known")
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
                        failures = try askAboutSpeakers(
                            said.decisiveWords(at: time), &check, in: chain)
                        isLimited = false
                        break places
                    } else {
                        let why =
                            said.useless.first?.description
                            ?? "what it answers says nothing about the certificate"
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

    /// Asks about those whose word counts, and who may have been revoked themselves (RFC 6960
    /// §4.2.2.2.1, RFC 5280 §6.3.3 (f)).
    ///
    /// - Returns: what was tried in vain, in words.
    private func askAboutSpeakers(
        _ words: [RevocationWord], _ check: inout RevocationCheck, in chain: [Certificate]
    ) throws(CryptoError) -> [String] {
        var failures: [String] = []
        for case let speaker? in words.map(\.speaker)
        where RevocationCheck.namesSource(speaker) && check.asked.insert(speaker).inserted {
            guard
                let above = chain.first(where: {
                    $0.isNamedAsIssuer(of: speaker) && speaker.isSigned(by: $0)
                }) ?? check.issuer(of: speaker)
            else { continue }
            for place in RevocationPlace.named(by: speaker) {
                switch ask(place, about: speaker, issuer: above) {
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
