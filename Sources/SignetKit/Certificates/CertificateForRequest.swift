import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// A certificate that came for a key, beside what was requested: anybody can make one over a public
/// key that they have seen.
struct CertificateForRequest {
    let certificate: Certificate
    /// What came with it.
    let others: [Certificate]
    let file: String
    let acceptsDifferences: Bool

    var pem: [UInt8] { ([certificate] + others).flatMap(\.pem) }

    /// Refuses what cannot sign, and what nobody asked for.
    func check(requested subject: DistinguishedName) throws {
        let eligibility = try reading(file) {
            SigningEligibility.check(
                certificate: certificate, key: try certificate.publicKey, at: SystemClock.now())
        }
        if let refusal = eligibility.refusals.first(where: { $0.code != .notYetValid }) {
            throw SignetError(
                .credentialRefused, file: file, "cannot be used: \(refusal.message)",
                hint: Sentence(.askForAnotherKeepingRequest))
        }
        // How strong the key is was the owner's own choice.
        let oddities = eligibility.warnings.filter { $0.code != .weakAlgorithm }
        var differences = (eligibility.refusals + oddities).map(\.message)
        if !certificate.subject.hasSameText(as: subject) {
            differences.insert(
                "it is for '\(certificate.subject)', '\(subject)' was requested", at: 0)
        }
        guard differences.isEmpty || acceptsDifferences else {
            throw SignetError(
                .credentialRefused, file: file,
                "is not what was requested: \(differences.joined(separator: "; ")) "
                    + "(issued by \(certificate.issuer))", hint: Sentence(.acceptDifferences))
        }
    }

    /// Says which names the certificate has that nobody asked for: authorities add addresses.
    func tellOtherNames(besides requested: [String]) {
        let others = certificate.subjectAlternativeNames.filter { !requested.contains($0) }
        if !others.isEmpty { Notices.say(.otherNames, file, others.joined(separator: ", ")) }
    }
}
