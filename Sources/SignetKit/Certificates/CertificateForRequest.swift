import Base
import CryptoBridge
import SystemBridge
import TrustKit

/// A certificate received for a key. It is compared with the CSR, because anybody can create a
/// certificate for a known public key.
struct CertificateForRequest {
    let certificate: Certificate
    let others: [Certificate]
    let file: String
    let acceptsDifferences: Bool

    /// Rejects a certificate that cannot sign, or differs from the CSR.
    ///
    /// - Parameter key: the file or URI of the key.
    func check(requested subject: DistinguishedName, key: String) throws {
        let eligibility = try reading(file) {
            SigningEligibility.check(
                certificate: certificate, key: try certificate.publicKey, at: SystemClock.now())
        }
        if let refusal = eligibility.refusals.first(where: { $0.code != .notYetValid }) {
            throw SignetError(
                .credentialRefused, file: file,
                "the certificate cannot be used: \(refusal.message)",
                hint: Sentence(.askForAnotherKeepingRequest, key))
        }
        // Weak algorithms are not reported here, since the owner chose the key.
        let oddities = eligibility.warnings.filter { $0.code != .weakAlgorithm }
        var differences = (eligibility.refusals + oddities).map(\.message)
        if !certificate.subject.isSame(as: subject) {
            differences.insert(
                "its subject is '\(certificate.subject)', but '\(subject)' was requested", at: 0)
        }
        guard differences.isEmpty || acceptsDifferences else {
            guard differences != eligibility.refusals.map(\.message) else {
                throw SignetError(
                    .credentialRefused, file: file, differences[0],
                    hint: Sentence(.completeLater))
            }
            throw SignetError(
                .credentialRefused, file: file,
                "the certificate differs from the request: \(differences.joined(separator: "; ")) "
                    + "(issued by \(certificate.issuer))", hint: Sentence(.acceptDifferences))
        }
    }

    /// Reports alternative names that were not requested, such as email addresses added by the CA,
    /// and requested names and usages that are missing. A certificate without a usage extension is
    /// not limited.
    func warnAboutDifferences(from request: CertificateRequest) {
        let names = certificate.subjectAlternativeNames
        let requested = request.subjectAlternativeNames
        let others = names.filter { !requested.contains($0) }
        if !others.isEmpty { Notices.say(.otherNames, file, others.joined(separator: ", ")) }
        let usages = certificate.keyUsage.map { $0.names }
        let extended = certificate.extendedKeyUsage
        let missing =
            requested.filter { !names.contains($0) }
            + (request.keyUsage?.names ?? []).filter { usages?.contains($0) == false }
            + (request.extendedKeyUsage ?? []).filter { extended?.contains($0) == false }
            .map(ExtendedKeyUsage.name)
        guard !missing.isEmpty else { return }
        Notices.say(.missingParts, file, missing.joined(separator: ", "))
    }
}
