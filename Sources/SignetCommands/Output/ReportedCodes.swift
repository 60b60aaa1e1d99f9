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
        ("What may look otherwise elsewhere or later (dynamicContent)", contents),
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

    private static let contents = [
        Explanation(code: "javascript", meaning: "Scripts run in the reader."),
        Explanation(code: "action", meaning: "Actions change what is shown, or start something."),
        Explanation(code: "external-stream", meaning: "Data come from outside the file."),
        Explanation(
            code: "reference-xobject", meaning: "A page of another file is shown where it is there."
        ),
        Explanation(
            code: "alternate-image", meaning: "An image has others in its place, as for print."),
        Explanation(code: "postscript", meaning: "PostScript comes to light in print alone."),
        Explanation(code: "print-replacement", meaning: "Print shows other content (OPI)."),
        Explanation(
            code: "transfer-function", meaning: "Some readers change colours by a function."),
        Explanation(code: "layer", meaning: "Layers can be switched on and off."),
        Explanation(
            code: "layer-by-event", meaning: "Print, screen or export switches layers by itself."),
        Explanation(
            code: "hidden-annotation", meaning: "An annotation is hidden, and may be shown."),
        Explanation(
            code: "dangling-reference",
            meaning: "Something is referred to that is not there, and can be added."),
        Explanation(
            code: ProblemCode.rebuiltDifferently.rawValue,
            meaning: "Readers that search the file for a missing object find more than others."),
        Explanation(
            code: "font-not-embedded",
            meaning: "A font is not in the file: another may take its place."
        ),
        Explanation(
            code: "standard-font",
            meaning: "A font is not in the file, but every reader has one like it: no harm."),
        Explanation(
            code: "need-appearances", meaning: "Readers are told to draw the form's fields anew."),
        Explanation(code: "xfa", meaning: "Some readers show an XFA form instead of the pages."),
        Explanation(code: "embedded-file", meaning: "Files are attached."),
        Explanation(code: "multimedia", meaning: "Sound, film or 3D plays in the page."),
        Explanation(
            code: "no-appearance", meaning: "An annotation has no look: each reader draws its own."),
        Explanation(
            code: "stray-field",
            meaning: "A form field stands on a page, and the form does not know it."),
        Explanation(
            code: "unsigned-look",
            meaning: "A signature field shows something, and nobody has signed it."
        ),
        Explanation(code: "rollover", meaning: "Something looks otherwise under the mouse."),
        Explanation(code: "overlay", meaning: "Something lies over the page's text."),
        Explanation(code: "unused-page", meaning: "There are pages that nothing shows yet."),
        Explanation(
            code: "recipient-groups",
            meaning: "The document is encrypted for several groups, each with its own envelope."),
        Explanation(
            code: "key-by-reader",
            meaning: "Readers may derive another key from what opens the document."),
        Explanation(
            code: "foreign-part",
            meaning: "A part is encrypted with another key than the document's."),
        Explanation(code: "clear-part", meaning: "A part is not encrypted, as the rest is."),
    ]
}
