/// Findings about a document, and how signing treats each one.
public enum DocumentFinding: String, Sendable, CaseIterable, Codable {
    /// How signing treats a finding.
    public enum Tier: Sendable, Hashable {
        /// The document is signed only with the option of this name.
        case allowed(by: String)
        /// The document is signed, and the signer gets one note.
        case told
        /// The document is signed without a note; `show` lists the finding.
        case shown
    }

    /// Viewers may reconstruct the file differently, or `verify` would not pass a signature of it.
    case readersDisagree = "readers-disagree"

    case javascript
    /// Actions that change the display or start a program.
    case action
    case externalStream = "external-stream"
    case referenceXObject = "reference-xobject"
    /// Viewers that search the file for a missing object find different objects.
    case rebuiltDifferently = "rebuilt-differently"
    /// Viewers may derive another key from the password or certificate.
    case keyByReader = "key-by-reader"
    /// A part is encrypted with a different key than the document's.
    case foreignPart = "foreign-part"
    /// A part is not encrypted, although the document is.
    case clearPart = "clear-part"

    case alternateImage = "alternate-image"
    /// PostScript, which is printed but not displayed.
    case postScript = "postscript"
    /// Replacement content for printing (OPI).
    case printReplacement = "print-replacement"
    case transferFunction = "transfer-function"
    case layer
    /// Layers that are switched by printing, viewing or exporting.
    case layerByEvent = "layer-by-event"
    case hiddenAnnotation = "hidden-annotation"
    case danglingReference = "dangling-reference"
    case fontNotEmbedded = "font-not-embedded"
    /// One of the 14 standard fonts, which every viewer has.
    case standardFont = "standard-font"
    case needAppearances = "need-appearances"
    case xfa
    case embeddedFile = "embedded-file"
    /// Viewers display a list of embedded files instead of the pages.
    case portfolio
    case multimedia
    /// Viewers generate the appearance.
    case noAppearance = "no-appearance"
    /// A widget on a page that is not in the form.
    case strayField = "stray-field"
    case rollover
    /// Pages that are not in the page tree.
    case unusedPage = "unused-page"
    /// Encrypted for several groups of recipients.
    case recipientGroups = "recipient-groups"

    /// How signing treats the finding.
    public var tier: Tier {
        switch self {
        case .readersDisagree: .allowed(by: "allow-damaged")
        case .javascript, .action, .externalStream, .referenceXObject, .rebuiltDifferently,
            .keyByReader, .foreignPart, .clearPart, .portfolio:
            .told
        case .alternateImage, .postScript, .printReplacement, .transferFunction, .layer,
            .layerByEvent, .hiddenAnnotation, .danglingReference, .fontNotEmbedded, .standardFont,
            .needAppearances, .xfa, .embeddedFile, .multimedia, .noAppearance, .strayField,
            .rollover, .unusedPage, .recipientGroups:
            .shown
        }
    }

    /// Whether `--strict` refuses the finding: scripts, actions, external content, and structure
    /// that viewers may read differently.
    public var isRefusedByStrict: Bool {
        switch self {
        case .printReplacement, .postScript: true
        default: tier != .shown
        }
    }
}
