package import PDFCore

/// What makes the look of a document depend on more than its signed bytes: on scripts, on files
/// elsewhere, on the reader's fonts or state (ISO 32000-2 §12.8.7), or on later additions.
package struct DynamicContent: Sendable {
    package enum Code: String, Sendable, CaseIterable {
        case javascript
        /// Actions that change what is shown, or start something.
        case action
        case externalStream = "external-stream"
        case referenceXObject = "reference-xobject"
        case alternateImage = "alternate-image"
        /// PostScript, which printing alone takes.
        case postScript = "postscript"
        /// Other content for printing (OPI).
        case printReplacement = "print-replacement"
        /// Colours that some readers change by a function (/TR).
        case transferFunction = "transfer-function"
        case layer
        /// Layers that printing, viewing or exporting switches.
        case layerByEvent = "layer-by-event"
        case hiddenAnnotation = "hidden-annotation"
        case danglingReference = "dangling-reference"
        /// Readers that search the file for a missing object find more than others.
        case rebuiltDifferently = "rebuilt-differently"
        case fontNotEmbedded = "font-not-embedded"
        /// One of the 14 that every reader has: too frequent to be warned of.
        case standardFont = "standard-font"
        case needAppearances = "need-appearances"
        case xfa
        case embeddedFile = "embedded-file"
        case multimedia
        /// Left to the reader to draw.
        case noAppearance = "no-appearance"
        /// A form field on a page that the form does not know.
        case strayField = "stray-field"
        /// A signature field that nobody has signed, and that shows something.
        case unsignedLook = "unsigned-look"
        /// Another look under the mouse.
        case rollover
        /// Over the page's text: what lies below comes to light without it.
        case overlay
        /// Pages that nothing shows yet.
        case unusedPage = "unused-page"
        /// Encrypted for several groups, each with an envelope of its own around the key.
        case recipientGroups = "recipient-groups"
        /// Readers may derive another key from what opens the document, or use it where it is not meant.
        case keyByReader = "key-by-reader"
        /// Encrypted with another key than the document's: perhaps by somebody without it.
        case foreignPart = "foreign-part"
        /// Not encrypted, as the rest is.
        case clearPart = "clear-part"

        /// Whether people are told without asking.
        package var deservesWarning: Bool { self != .standardFont }
    }

    /// What is said where there is one.
    static let foreignString =
        "a string was encrypted with another key than the document's: who opens it with another "
        + "password or certificate may see something else"

    package struct Finding: Sendable {
        package let code: Code
        /// One line, lower case, no full stop.
        package let message: String
    }

    /// How much is looked at.
    package enum Effort: Sendable {
        /// What costs next to nothing: all of most documents.
        case quick
        case thorough

        /// Where all cannot be looked at, the places that are known for it have to do.
        func objectCount(of document: PDFDocument) -> Int {
            switch self {
            case .quick: document.highestObjectNumber <= 20_000 ? 3000 : 200
            case .thorough: 200_000
            }
        }

        /// How many shown objects are compared with what other readers make of them.
        func shownObjectCount(of document: PDFDocument) -> Int {
            switch self {
            case .quick: document.highestObjectNumber <= 5000 ? 3000 : 200
            case .thorough: 1_000_000
            }
        }

        /// How much content is looked at for what readers make of it, in bytes.
        var contentByteCount: Int {
            switch self {
            case .quick: 4 << 20
            case .thorough: 64 << 20
            }
        }

        /// How much of images is decompressed to be counted, in bytes.
        var countedByteCount: Int {
            switch self {
            case .quick: 8 << 20
            case .thorough: 64 << 20
            }
        }

        /// How much of embedded fonts is looked at, in bytes.
        var fontByteCount: Int {
            switch self {
            case .quick: 256 << 10
            case .thorough: 32 << 20
            }
        }

        /// Widgets whose looks are compared with their values.
        var widgetCount: Int {
            switch self {
            case .quick: 200
            case .thorough: 10_000
            }
        }

        /// Whether the cross-references are compared with what is there.
        func checksCrossReferences(of document: PDFDocument) -> Bool {
            self == .thorough || document.highestObjectNumber <= 1000
        }

        /// Longest file that is searched for what nothing lists, where an object is missing.
        var searchedByteCount: Int {
            switch self {
            case .quick: 1 << 20
            case .thorough: .max
            }
        }

        /// How much of what is encrypted is looked at for whether it was changed, in bytes.
        var sealedByteCount: Int {
            switch self {
            case .quick: 64 << 20
            case .thorough: 1 << 30
            }
        }

        /// How much content of pages is looked at under annotations, in bytes: that of a page for each.
        var overlayByteCount: Int {
            switch self {
            case .quick: 4 << 20
            case .thorough: 32 << 20
            }
        }
    }

    /// At most one for each code, in the order of the codes.
    package let findings: [Finding]
    /// Whether all was looked at that there is.
    package let isComplete: Bool

    /// - Parameter own: the widgets that get a look of their own now, whatever they show so far.
    package init(of document: PDFDocument, effort: Effort, besides own: Set<ObjectID> = []) {
        var search = DynamicContentSearch(document, effort, besides: own)
        search.run()
        findings = Code.allCases.compactMap { code in
            search.found[code].map { found in
                let more = found.count > 1 ? " (and \(found.count - 1) more)" : ""
                return Finding(code: code, message: found.first + more)
            }
        }
        isComplete = search.isComplete
    }

    /// What people are warned of.
    package var warnings: [String] { findings.filter(\.code.deservesWarning).map(\.message) }
}
