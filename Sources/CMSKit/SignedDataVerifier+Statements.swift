internal import Base

extension CMSAttribute {
    /// Attributes used for verification: valid only as signed attributes, with one occurrence and
    /// one value (RFC 5652 §11.1 to §11.3, RFC 5035 §3 and §4, RFC 6211 §2).
    private static let checkedStatements: [(oid: OID, name: String)] = [
        (.contentType, "content-type"), (.messageDigest, "message-digest"),
        (.signingTime, "signing-time"), (.algorithmProtection, "algorithm-protection"),
        (.signingCertificate, "signing-certificate"),
        (.signingCertificateV2, "signing-certificate-v2"),
    ]

    /// Attributes with the same rule that verification does not use (ETSI EN 319 122-1 §5.2, §6.3).
    static let otherStatements: [(oid: OID, name: String)] = [
        (.signerLocation, "signer-location"),
        (.signerAttributes, "signer-attributes"), (.signerAttributesV2, "signer-attributes-v2"),
        (.signaturePolicy, "signature-policy-identifier"), (.contentHints, "content-hints"),
        (.contentReference, "content-reference"), (.mimeType, "mime-type"),
    ]

    /// Attributes that are meaningless if unsigned; the last two may occur several times.
    static let statements =
        checkedStatements + otherStatements + [
            (.commitmentType, "commitment-type-indication"),
            (.contentTimeStamp, "content-time-stamp"),
        ]
}

extension SignedDataVerifier {
    /// Reports signed attributes among the unsigned ones, which anybody can add. Signet ignores
    /// them; other validators may not.
    func unsignedStatements(of info: SignerInfo) -> [VerificationProblem] {
        var problems: [VerificationProblem] = []
        for (oid, name) in CMSAttribute.statements {
            let unsigned = info.unsignedAttributes.all(oid)
            guard !unsigned.isEmpty else { continue }
            let signed = info.signedAttributes.values(oid)
            if !signed.isEmpty, unsigned.allSatisfy({ $0.values == signed }) {
                problems.append(
                    .ofMessage(
                        .attributeCopied,
                        "the signed attribute \(name) is repeated among the unsigned attributes"))
            } else {
                problems.append(
                    .ofMessage(
                        .attributeNotSigned,
                        "the unsigned attribute \(name) "
                            + (signed.isEmpty
                                ? "is not among the signed attributes"
                                : "differs from the signed attribute")
                            + ": other validators may use it"))
            }
        }
        return problems
    }
}
