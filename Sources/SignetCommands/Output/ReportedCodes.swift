import SignetKit

/// Codes in what programs read of a verification that are no problems': kinds of content that may look
/// otherwise elsewhere or later, and the sub-indications that sum a verdict up.
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
        case .formatFailure: "The signature does not follow its format."
        case .hashFailure: "What was signed is not what is there now."
        case .signatureCryptoFailure: "The signature's value is not the key's."
        case .revoked: "The certificate was revoked before it was proven to have signed."
        case .expired: "The certificate had ended before it signed."
        case .notYetValid: "The certificate was not valid yet when it signed."
        case .noSigningCertificateFound: "The signer's certificate is not there."
        case .noCertificateChainFound: "No path leads from the certificate to one that is trusted."
        case .certificateChainGeneralFailure: "The path to a trusted certificate cannot be checked."
        case .chainConstraintsFailure: "The path to a trusted certificate breaks a rule."
        case .signatureConstraintsFailure: "The signature is not as the rules of the check demand."
        case .cryptoConstraintsFailureNoPOE:
            "A key or hash counts as too weak, and nothing proves that it was used in time."
        case .revokedNoPOE:
            "The certificate was revoked, and nothing proves that it signed before that."
        case .revokedCANoPOE:
            "An authority's certificate was revoked, and nothing proves that it was used before that."
        case .outOfBoundsNoPOE:
            "The certificate is out of its time, and nothing proves that it signed within."
        case .timestampOrderFailure: "Times that were proven contradict each other."
        case .noPOE: "Nothing proves when the signature existed."
        case .tryLater: "What has to be known of the certificate is not to be had yet."
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
            let name = ("\(option)" as Wording).onCommandLine
            return "sign refuses it without \(name)."
        case .told: return "sign prints a note." + strict
        case .shown: return "show lists it." + strict
        }
    }

    private static func meaning(of finding: DocumentFinding) -> String {
        switch finding {
        case .notSignable: "The file is not a PDF, or its password is missing."
        case .dynamicXFA: "The form is a dynamic XFA form, and its pages show nothing."
        case .earlierSignatureForbids: "A certification or lock of an earlier signature forbids it."
        case .requiredByField: "The field requires a reason or a certification."
        case .readersDisagree: "The file is damaged, and viewers may display it differently."
        case .earlierSignatureFails: "An earlier signature fails."
        case .severalWidgets: "The field shows in several places or has parts of other fields."
        case .javascript: "The document runs scripts."
        case .action: "Actions change what is shown, or start a program."
        case .externalStream: "Data come from another file."
        case .referenceXObject: "A page of another file is shown."
        case .rebuiltDifferently:
            "Viewers that search the file for a missing object find more than others."
        case .keyByReader: "Viewers may derive another key from the password or certificate."
        case .foreignPart: "A part is encrypted with another key than the document's."
        case .clearPart: "A part is not encrypted, although the document is."
        case .fieldNotVisible: "The field is hidden, off its page, covered or in a layer."
        case .fieldApplied: "The field's own lock or seed value was applied."
        case .alternateImage: "An image has alternates, as for print."
        case .postScript: "PostScript is printed and not shown."
        case .printReplacement: "Other content is printed than is shown (OPI)."
        case .transferFunction: "Some viewers change colors by a transfer function."
        case .layer: "Layers can be switched on and off."
        case .layerByEvent: "Printing, viewing or exporting switches layers."
        case .hiddenAnnotation: "An annotation is hidden."
        case .danglingReference: "A reference leads to an object that is missing."
        case .fontNotEmbedded: "A font is not embedded: viewers may substitute it."
        case .standardFont: "A font is not embedded, but every viewer has one like it."
        case .needAppearances: "Viewers generate the appearances of the form fields."
        case .xfa: "Some viewers show an XFA form instead of the pages."
        case .embeddedFile: "Files are attached."
        case .multimedia: "Sound, film or 3D plays in the page."
        case .noAppearance: "An annotation has no appearance: viewers generate it."
        case .strayField: "A page has a form field that is not in the form."
        case .rollover: "An annotation has another appearance under the mouse."
        case .unusedPage: "The file has pages that are not in the page tree."
        case .recipientGroups: "The document is encrypted for several groups of recipients."
        }
    }
}
