/// What `sign` can find about a document, with how it treats each finding. This is the only list of them: signing,
/// `--strict`, `show` and `signet help problems` go by it.
public enum DocumentFinding: String, Sendable, CaseIterable, Codable {
    /// How signing treats a finding.
    public enum Tier: Sendable, Hashable {
        /// It cannot be signed with meaning.
        case refused
        /// It is signed only with the option of this name.
        case allowed(by: String)
        /// The document is signed, and the signer gets one note.
        case told
        /// The document is signed without a note; `show` lists the finding.
        case shown
    }

    case notSignable = "not-signable"
    case dynamicXFA = "dynamic-xfa"
    case earlierSignatureForbids = "earlier-signature-forbids"
    case requiredByField = "required-by-field"

    /// Viewers may reconstruct the file differently, or `verify` would not pass a signature of it.
    case readersDisagree = "readers-disagree"
    case earlierSignatureFails = "earlier-signature-fails"
    /// The field shows in several places, or with parts of other fields.
    case severalWidgets = "several-widgets"

    case javascript
    /// Actions that change the display or start a program.
    case action
    case externalStream = "external-stream"
    case referenceXObject = "reference-xobject"
    /// Viewers that search the file for a missing object find more than others.
    case rebuiltDifferently = "rebuilt-differently"
    /// Viewers may derive another key from the password or certificate.
    case keyByReader = "key-by-reader"
    /// Encrypted with another key than the document's.
    case foreignPart = "foreign-part"
    /// Not encrypted, although the document is.
    case clearPart = "clear-part"
    /// The field that is signed is hidden, off its page, covered, or in a layer.
    case fieldNotVisible = "field-not-visible"
    /// The field's own lock or seed value was applied.
    case fieldApplied = "field-applied"

    case alternateImage = "alternate-image"
    /// PostScript, which is printed and not shown.
    case postScript = "postscript"
    /// Other content for printing (OPI).
    case printReplacement = "print-replacement"
    case transferFunction = "transfer-function"
    case layer
    /// Layers that printing, viewing or exporting switches.
    case layerByEvent = "layer-by-event"
    case hiddenAnnotation = "hidden-annotation"
    case danglingReference = "dangling-reference"
    case fontNotEmbedded = "font-not-embedded"
    /// One of the 14 that every viewer has.
    case standardFont = "standard-font"
    case needAppearances = "need-appearances"
    case xfa
    case embeddedFile = "embedded-file"
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

    /// How signing treats it.
    public var tier: Tier {
        switch self {
        case .notSignable, .dynamicXFA, .earlierSignatureForbids, .requiredByField: .refused
        case .readersDisagree: .allowed(by: "allow-damaged")
        case .earlierSignatureFails: .allowed(by: "allow-failed")
        case .severalWidgets: .allowed(by: "allow-hidden")
        case .javascript, .action, .externalStream, .referenceXObject, .rebuiltDifferently,
            .keyByReader, .foreignPart, .clearPart, .fieldNotVisible, .fieldApplied:
            .told
        case .alternateImage, .postScript, .printReplacement, .transferFunction, .layer,
            .layerByEvent, .hiddenAnnotation, .danglingReference, .fontNotEmbedded, .standardFont,
            .needAppearances, .xfa, .embeddedFile, .multimedia, .noAppearance, .strayField,
            .rollover, .unusedPage, .recipientGroups:
            .shown
        }
    }

    /// Whether `--strict` refuses it: scripts, actions, content from elsewhere, and structure that has several
    /// readings.
    public var isRefusedByStrict: Bool {
        switch self {
        case .fieldApplied: false
        case .printReplacement, .postScript: true
        default: tier != .shown
        }
    }
}
