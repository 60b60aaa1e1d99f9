import SignetKit

extension ProblemExplanation {
    static let messageSection = Section(
        title: "The signed message (CMS)",
        explanations: [
            ProblemExplanation(
                .cmsMalformed,
                "The signature's value is no CMS message.",
                "RFC 5652 §5"),
            ProblemExplanation(
                .noSigner,
                "The message has no signature.",
                "RFC 5652 §5.1"),
            ProblemExplanation(
                .severalSigners,
                "A signature in PDF has one signer.",
                "ETSI EN 319 142-1 §6.3"),
            ProblemExplanation(
                .contentEmbedded,
                "The message was made for content of its own.",
                "RFC 5652 §5.2",
                hint: "see what was signed: signet cms verify -o FILE, under another name of the "
                    + "message"),
            ProblemExplanation(
                .contentMissing,
                "There is nothing that the message could have signed.",
                "RFC 5652 §5.2"),
            ProblemExplanation(
                .contentTypeUnexpected,
                "The message is about another type of content.",
                "RFC 5652 §5.2"),
            ProblemExplanation(
                .signedAttributesMissing,
                "Without signed attributes a message can be passed off as one with them, "
                    + "or the reverse.",
                "RFC 5652 §5.3",
                hint: "ask for a signature in a current format (PAdES or CAdES)"),
            ProblemExplanation(
                .contentTypeAttributeMissing,
                "The signed attributes do not name the content's type.",
                "RFC 5652 §11.1"),
            ProblemExplanation(
                .contentTypeMismatch,
                "The signed attributes name another type than the message.",
                "RFC 5652 §11.1"),
            ProblemExplanation(
                .messageDigestMissing,
                "The signed attributes bring no hash.",
                "RFC 5652 §11.2"),
            ProblemExplanation(
                .attributeRepeated,
                "An attribute stands there twice, and readers choose differently.",
                "RFC 5652 §5.3"),
            ProblemExplanation(
                .attributeNotSigned,
                "Something that only a signer can say stands where anybody may write, and says other "
                    + "than what is signed. It was not believed here; other programs may do so.",
                "RFC 5652 §11"),
            ProblemExplanation(
                .attributeCopied,
                "What is signed stands a second time among what is not signed.",
                "RFC 5652 §11"),
            ProblemExplanation(
                .attributeMalformed,
                "An attribute cannot be read.",
                "RFC 5652 §11"),
            ProblemExplanation(
                .digestMismatch,
                "The content is not what was signed.",
                "RFC 5652 §11.2",
                hint: "the signed bytes themselves were changed or damaged: ask for the file again"),
            ProblemExplanation(
                .digestUnavailable,
                "The content's hash could not be made.",
                "RFC 5652 §5.4"),
            ProblemExplanation(
                .algorithmMismatch,
                "The message names different algorithms for the same thing.",
                "RFC 8933 §3, RFC 6211"),
            ProblemExplanation(
                .algorithmUnsupported,
                "The signature's algorithm is not known."),
            ProblemExplanation(
                .keyUnsupported,
                "The signer's key is of a kind that is not known."),
            ProblemExplanation(
                .signatureInvalid,
                "The signature does not verify with the signer's key.",
                "RFC 5652 §5.6"),
            ProblemExplanation(
                .signerCertificateMissing,
                "The signer's certificate is not there.",
                "RFC 5652 §10.2.3",
                hint: "if you have the signer's certificate: --chain FILE"),
            ProblemExplanation(
                .signerCertificateMalformed,
                "The signer's certificate cannot be read.",
                "RFC 5280 §4.1"),
            ProblemExplanation(
                .certificateUnusable,
                "The signer's certificate, or its key, cannot be used.",
                "RFC 5280 §4.1"),
            ProblemExplanation(
                .signerNotPinned,
                "It was signed by another certificate than the one asked for."),
            ProblemExplanation(
                .signingCertificateReferenceMissing,
                "The signed attributes do not name the signer's certificate.",
                "ETSI EN 319 122-1 §5.2.2"),
            ProblemExplanation(
                .signingCertificateMismatch,
                "The signed attributes name another certificate.",
                "RFC 5035 §5"),
            ProblemExplanation(
                .signingCertificateHintMismatch,
                "The hash of the signer's certificate fits, the name and number beside it do not.",
                "RFC 5035 §5"),
            ProblemExplanation(
                .attributesNotSorted,
                "The signed attributes are not in the order of DER.",
                "RFC 5652 §5.3"),
            ProblemExplanation(
                .signingTimePresent,
                "A time inside the message, which PAdES keeps in the dictionary.",
                "ETSI EN 319 142-1 §6.3"),
            ProblemExplanation(
                .versionUnusual,
                "The message's version is another than its content demands.",
                "RFC 5652 §5.1"),
            ProblemExplanation(
                .digestNotListed,
                "The signer's hash algorithm is not in the message's list.",
                "RFC 5652 §5.1"),
            ProblemExplanation(
                .digestNamedBySignature,
                "A signature algorithm stands where the hash algorithm should.",
                "RFC 5652 §5.3"),
            ProblemExplanation(
                .encodingAmbiguous,
                "Readers may differ about what was signed: it is not DER.",
                "RFC 5652 §5.3"),
            ProblemExplanation(
                .signerNameEncoding,
                "The signer's name is written differently from the certificate's.",
                "RFC 5652 §10.2.4"),
            ProblemExplanation(
                .weakAlgorithm,
                "The hash or key is too weak to prove anything today.",
                "ETSI TS 119 312",
                hint: "ask for a signature with a hash that still counts: SHA-256 or better"),
        ])

    static let trustSection = Section(
        title: "The signer's certificate",
        explanations: [
            ProblemExplanation(
                .certificateNotTrusted,
                "The certificate does not lead to a trust anchor.",
                "RFC 5280 §6"),
            ProblemExplanation(
                .keyUsage,
                "The certificate's key is not meant for signing.",
                "RFC 5280 §4.2.1.3"),
            ProblemExplanation(
                .extendedKeyUsage,
                "The certificate is meant for other purposes.",
                "RFC 9336 §3"),
            ProblemExplanation(
                .caCertificate,
                "The certificate is an authority's, not a signer's.",
                "RFC 5280 §4.2.1.9"),
            ProblemExplanation(
                .expired,
                "The certificate was no longer valid.",
                "RFC 5280 §6.1.3"),
            ProblemExplanation(
                .notYetValid,
                "The certificate was not valid yet.",
                "RFC 5280 §6.1.3"),
            ProblemExplanation(
                .keyMismatch,
                "The key does not belong to the certificate."),
            ProblemExplanation(
                .unsupportedKey,
                "The certificate's key is of a kind that is not supported."),
            ProblemExplanation(
                .revoked,
                "The signer's certificate was revoked.",
                "ETSI EN 319 102-1 §5.2.6",
                hint: "ask the signer whether the signature is older; only a time stamp would "
                    + "prove it"),
            ProblemExplanation(
                .authorityRevoked,
                "The certificate of an authority above the signer was revoked.",
                "ETSI EN 319 102-1 §5.2.6",
                hint: "ask the signer whether the signature is older; only a time stamp would "
                    + "prove it"),
            ProblemExplanation(
                .revocationUnknown,
                "Nobody said whether the certificate was revoked.",
                "ETSI EN 319 102-1 §5.2.5",
                hint: "ask the authority with --online, or give its revocation list with --crl "
                    + "FILE"),
            ProblemExplanation(
                .revocationUnusable,
                "What is said about revocation does not count for the certificate.",
                "RFC 5280 §6.3",
                hint: "ask the authority with --online, or give its revocation list with --crl "
                    + "FILE"),
            ProblemExplanation(
                .revocationUnanswered,
                "What authorities and others say of revocation is not of the present.",
                "ETSI EN 319 102-1 §5.2.5",
                hint: "try --online again later, give the authority's present revocation list with "
                    + "--crl FILE, or add --online-local if its address is in the local network"),
            ProblemExplanation(
                .revocationOutdated,
                "What is known of revocation does not reach to when it is needed.",
                "RFC 5280 §5.1.2.5, RFC 6960 §4.2.2.1"),
            ProblemExplanation(
                .revocationDataUnusable,
                "Some evidence of revocation does not count.",
                "RFC 5280 §6.3, RFC 6960 §3.2"),
            ProblemExplanation(
                .revocationDataUnproven,
                "No time stamp proves that the evidence of revocation is from before the "
                    + "certificate expired, or the key or hash of the evidence stopped counting.",
                "ETSI EN 319 102-1 §5.6.2.2"),
            ProblemExplanation(
                .revocationNotFetched,
                "Evidence of revocation could not be fetched."),
            ProblemExplanation(
                .levelNotReached,
                "The signature has a lower level than was asked for.",
                "ETSI EN 319 142-1 §6",
                hint: "ask for a signature in a baseline format, or raise it: signet extend"),
            ProblemExplanation(
                .qualificationNotReached,
                "By the trusted lists the signature is less than was asked for.",
                "ETSI TS 119 615"),
            ProblemExplanation(
                .claimedTimeInFuture,
                "The signer claims to have signed later than now."),
            ProblemExplanation(
                .claimedTimeBeforeCertificate,
                "The signer claims to have signed before the certificate was valid."),
            ProblemExplanation(
                .claimedTimeAfterProof,
                "The signer claims to have signed later than a time stamp proves.",
                "ETSI EN 319 102-1 §5.5.4"),
        ])

    static let timeSection = Section(
        title: "Time stamps",
        explanations: [
            ProblemExplanation(
                .timestampUntrusted,
                "The time stamp's authority is not trusted: it proves nothing.",
                "RFC 3161 §2.4.2",
                hint: "if you know the time-stamping authority, name its root certificate with "
                    + "--trust"),
            ProblemExplanation(
                .timestampInvalid,
                "The signature's time stamp is wrong.",
                "ETSI EN 319 102-1 §5.4"),
            ProblemExplanation(
                .timestampOrder,
                "Time stamps contradict each other or the signature.",
                "ETSI EN 319 102-1 §5.6.3"),
            ProblemExplanation(
                .timestampAuthorityExpired,
                "The authority's certificate has expired, or its service was withdrawn, and no "
                    + "later time stamp proves that this one is older.",
                "ETSI EN 319 102-1 §5.6.3"),
            ProblemExplanation(
                .timestampNotGranted,
                "The authority did not stamp.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .timestampGrantedWithModifications,
                "The authority stamped something else than was asked for.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .timestampTokenMissing,
                "The authority says that it stamped, and sent no token.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .timestampTokenUnexpected,
                "A token beside a status that grants none.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .imprintMismatch,
                "The stamped hash is another.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .imprintAlgorithmMismatch,
                "The stamped hash is of another algorithm.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .imprintAlgorithmUnsupported,
                "The stamped hash is of an unknown algorithm.",
                "RFC 3161 §2.4.1"),
            ProblemExplanation(
                .imprintWeak,
                "The stamped hash is of an algorithm that no longer proves anything.",
                "ETSI TS 119 312"),
            ProblemExplanation(
                .imprintMalformed,
                "The stamped hash has a wrong length.",
                "RFC 3161 §2.4.1"),
            ProblemExplanation(
                .nonceMissing,
                "The token lacks the nonce that was sent: it may be an old one.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .nonceMismatch,
                "The token's nonce is another: it may be an old one.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .policyMismatch,
                "Stamped under another policy than was asked for.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .certificatesUnasked,
                "The token brings certificates that were not asked for.",
                "RFC 3161 §2.4.1"),
            ProblemExplanation(
                .tstVersionUnexpected,
                "The token is of another version.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .tstCriticalExtension,
                "The token has a critical extension that is not known.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .accuracyCoarse,
                "The stamped time is accurate to more than a second.",
                "ETSI EN 319 422"),
            ProblemExplanation(
                .accuracyUseless,
                "The stamped time is so inaccurate that it proves nothing.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .timeInFuture,
                "The stamped time is yet to come.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .tsaNameMismatch,
                "The token names another authority than its certificate.",
                "RFC 3161 §2.4.2"),
            ProblemExplanation(
                .certificateExpiredSince,
                "The authority's certificate has expired since it stamped.",
                "RFC 3161 §4"),
        ])
}
