package import Base
import CryptoBridge

extension SignedDataVerifier {
    /// Verifies the countersignatures of a signer, and theirs (RFC 5652 §11.4). Their content is the
    /// signature value.
    ///
    /// - Parameter count: the number in the whole message so far.
    func countersignatures(
        of info: SignerInfo, _ carried: CarriedCertificates, count: inout Int
    ) throws(CryptoError) -> [SignatureCheck] {
        var verifier = self
        (verifier.profile, verifier.pinned) = (Profile(), nil)
        var checks: [SignatureCheck] = []
        for value in info.unsignedAttributes.values(.countersignature) {
            count += 1
            guard count <= CMSLimits.countersignatureCount else {
                checks.append(
                    .uncheckedCountersignature(
                        .doubt(
                            .cmsMalformed,
                            "the CMS SignedData has more than \(CMSLimits.countersignatureCount) "
                                + "countersignatures")))
                break
            }
            guard let inner = SignerInfo.countersignature(value) else {
                checks.append(
                    .uncheckedCountersignature(.failure(.cmsMalformed, "it cannot be read")))
                continue
            }
            let findings = try verifier.findings(
                about: inner, verifier.formFinding(of: inner, listed: nil), carried, nil
            ) { digest throws(CryptoError) in
                SignedContent(
                    digest: digest, hash: try digest.hash(info.signature), bytes: info.signature)
            }
            // Without them, the signature value may belong to another content.
            let missing: [VerificationProblem] =
                inner.signedAttributesRaw == nil
                ? [.doubt(.signedAttributesMissing, "it has no signed attributes")] : []
            var check = SignatureCheck(
                of: inner, certificates: carried.certificates, problems: missing, findings)
            check.countersignatures = try countersignatures(of: inner, carried, count: &count)
            checks.append(check)
        }
        return checks
    }
}

extension SignerInfo {
    /// The value of a countersignature attribute; nil if it cannot be read.
    fileprivate static func countersignature(_ value: [UInt8]) -> Self? {
        try? SignedData.Encoding.either { encoding throws(CMSError) in
            try Self(encoding.parse(value), encoding)
        }
    }

    /// The number of timestamps in its attributes and in its countersignatures.
    ///
    /// - Parameter left: the number of countersignatures that are still read.
    fileprivate func timestampCount(countersignatures left: inout Int) -> Int {
        var count = signedAttributes.values(.contentTimeStamp).count
        for kind in [OID.signatureTimeStamp, .archiveTimeStamp] {
            count += unsignedAttributes.values(kind).count
        }
        for value in unsignedAttributes.values(.countersignature) where left > 0 {
            left -= 1
            guard let inner = Self.countersignature(value) else { continue }
            count += inner.timestampCount(countersignatures: &left)
        }
        return count
    }
}

extension SignedData {
    /// The number of content, signature and archive timestamps, also of its countersignatures.
    package var timestampCount: Int {
        var left = CMSLimits.countersignatureCount
        return signers.reduce(0) { $0 + $1.timestampCount(countersignatures: &left) }
    }
}

extension SignatureCheck {
    fileprivate static func uncheckedCountersignature(_ problem: VerificationProblem) -> Self {
        SignatureCheck(certificates: [], problems: [problem])
    }
}

extension VerificationProblem {
    /// The effect of a countersignature on the signature: a broken one makes it indeterminate.
    ///
    /// - Parameters:
    ///   - check: the result for the countersignature.
    ///   - problems: all its problems.
    ///   - verdict: its verdict.
    package static func countersignature(
        _ check: SignatureCheck, _ problems: [VerificationProblem], _ verdict: Verdict
    ) -> VerificationProblem? {
        guard verdict != .passed else { return nil }
        let signer = check.signer.map { " by \($0.displayName.inQuotes)" } ?? ""
        let reason = problems.first { $0.verdict == verdict }.map { ": \($0.message)" } ?? ""
        return verdict == .failed
            ? .doubt(.countersignatureInvalid, "a countersignature\(signer) is invalid\(reason)")
            : .remark(
                .countersignatureNotConfirmed,
                "a countersignature\(signer) is not confirmed\(reason)")
    }
}
