package import CMSKit
package import TrustKit

extension VerificationProblem {
    /// What a problem of the CMS means for the verdict (ETSI EN 319 102-1 §5.2).
    package init(_ problem: CMSProblem) {
        let (code, message) = (problem.code.rawValue, problem.message)
        self =
            switch problem.consequence {
            case .formatFailure: .failure(code, message, .formatFailure)
            case .hashFailure: .failure(code, message, .hashFailure)
            case .signatureFailure: .failure(code, message, .signatureCryptoFailure)
            case .noSigningCertificate: .doubt(code, message, .noSigningCertificateFound)
            case .cryptoConstraints: .doubt(code, message, .cryptoConstraintsFailureNoPOE)
            case .warning: VerificationProblem(code, message, verdict: nil)
            }
    }

    /// What speaks against the certificate (ETSI EN 319 102-1 §5.2.6).
    package static func problems(_ path: PathVerdict) -> [VerificationProblem] {
        guard case .indeterminate(let subIndication) = path.outcome else { return [] }
        let message = path.message ?? "the certificate does not lead to a trust anchor"
        let violations = path.violations.filter { $0.message != message }
        return [.doubt("certificate-not-trusted", message, subIndication)]
            + violations.map { .doubt($0.code.rawValue, $0.message, $0.subIndication) }
    }
}
