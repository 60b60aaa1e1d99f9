import SignetKit

/// Codes in the JSON of `verify` and `show` other than those of problems: findings about a document, and
/// sub-indications.
enum ReportedCodes {
    struct Explanation {
        let code: String
        /// In one sentence.
        let meaning: String
    }

    static let sections: [(title: String, explanations: [Explanation])] = [
        ("Findings about a document (dynamicContent), and how sign treats them", contents),
        (
            "Sub-indications (ETSI EN 319 102-1 §5)",
            SubIndication.allCases.map { Explanation(code: $0.rawValue, meaning: meaning(of: $0)) }
        ),
    ]

    static func of(_ code: String) -> Explanation? {
        sections.flatMap(\.explanations).first { $0.code == code.lowercased() || $0.code == code }
    }

    private static func meaning(of indication: SubIndication) -> String {
        switch indication {
        case .formatFailure: "The signature does not conform to its format."
        case .hashFailure: "Digest mismatch: the data was modified after signing."
        case .signatureCryptoFailure: "The signature value does not match the signing certificate."
        case .revoked: "The signing certificate was revoked before the proof of existence."
        case .expired: "The signing certificate was expired at signing time."
        case .notYetValid: "The signing certificate was not yet valid at signing time."
        case .noSigningCertificateFound: "The signing certificate was not found."
        case .noCertificateChainFound: "No certificate chain to a trust anchor was found."
        case .certificateChainGeneralFailure: "The certificate chain cannot be validated."
        case .chainConstraintsFailure: "The certificate chain does not meet a constraint."
        case .signatureConstraintsFailure:
            "The signature does not meet a constraint of the validation."
        case .cryptoConstraintsFailureNoPOE:
            "An algorithm or key is no longer secure, and no proof of existence is older."
        case .revokedNoPOE:
            "The signing certificate was revoked, and no proof of existence is older."
        case .revokedCANoPOE:
            "A CA certificate was revoked, and no proof of existence is older."
        case .outOfBoundsNoPOE:
            "No proof of existence falls within the validity period of the certificate."
        case .timestampOrderFailure: "The order of the timestamps is contradictory."
        case .noPOE: "The signature has no proof of existence."
        case .tryLater: "The revocation status is not available yet. Try again later."
        }
    }

    private static let contents = DocumentFinding.allCases.map { finding in
        Explanation(code: finding.rawValue, meaning: meaning(of: finding) + " " + tier(of: finding))
    }

    /// How signing treats a finding, in one sentence.
    private static func tier(of finding: DocumentFinding) -> String {
        let strict = finding.isRefusedByStrict ? " --strict refuses it." : ""
        switch finding.tier {
        case .refused: return "sign refuses it."
        case .allowed(let option):
            return "sign refuses it without --\(option)."
        case .told: return "sign prints a note." + strict
        case .shown: return "show lists it." + strict
        }
    }

    private static func meaning(of finding: DocumentFinding) -> String {
        switch finding {
        case .notSignable: "The file is not a PDF, or its password is missing."
        case .dynamicXFA: "The form is a dynamic XFA form. Its pages are empty."
        case .earlierSignatureForbids:
            "An earlier certification or lock does not permit a new signature."
        case .requiredByField: "The field requires a reason or a certification."
        case .readersDisagree: "The file is damaged, and viewers may display it differently."
        case .earlierSignatureFails: "An earlier signature fails."
        case .severalWidgets:
            "The field is displayed in several places or has parts of other fields."
        case .javascript: "The document runs scripts."
        case .action: "Actions change what is shown, or start a program."
        case .externalStream: "Data is in another file."
        case .referenceXObject: "A page of another file is displayed."
        case .rebuiltDifferently:
            "Viewers that reconstruct the cross-reference table find an object that others do not."
        case .keyByReader: "Viewers may derive another key from the password or certificate."
        case .foreignPart: "A part is encrypted with another key than the document's."
        case .clearPart: "A part is not encrypted, although the document is."
        case .fieldNotVisible: "The field is hidden, off its page, covered or in a layer."
        case .fieldApplied: "The field's own lock or seed value was applied."
        case .alternateImage: "An image has alternate images, for example for printing."
        case .postScript: "PostScript is printed and not displayed."
        case .printReplacement: "The printed content differs from the displayed content (OPI)."
        case .transferFunction: "A transfer function changes colors in some viewers."
        case .layer: "Layers can be switched on and off."
        case .layerByEvent: "Printing, viewing or exporting switches layers."
        case .hiddenAnnotation: "An annotation is hidden."
        case .danglingReference: "A reference names a missing object."
        case .fontNotEmbedded: "A font is not embedded: viewers may substitute it."
        case .standardFont: "A standard font is not embedded. Every viewer has a similar font."
        case .needAppearances: "Viewers generate the appearances of the form fields."
        case .xfa: "Some viewers display an XFA form instead of the pages."
        case .embeddedFile: "Files are attached."
        case .multimedia: "A page has sound, video or 3D content."
        case .noAppearance: "An annotation has no appearance: viewers generate it."
        case .strayField: "A page has a form field that is not in the form."
        case .rollover: "An annotation has a rollover appearance (/R)."
        case .unusedPage: "The file has pages that are not in the page tree."
        case .recipientGroups: "The document is encrypted for several groups of recipients."
        }
    }
}
