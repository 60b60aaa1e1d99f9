import Base
import PDFCore
import PDFSigning

/// What an incremental update may change after signing, by the owner of an entry and its key
/// (ISO 32000-2 §12.8.2.2). An entry that is not listed is forbidden.
enum PermittedChanges {
    // MARK: Fields and their widgets

    enum FieldRule {
        /// Value and appearance, which are compared with each other.
        case comparedWithField
        /// Permitted where such changes are, and named.
        case named(ChangeLevel)
        /// Only the entry that says nothing new: /Annot.
        case type
        /// A number for the structure tree in a field that had none.
        case newTag
        case flags
        case fieldFlags
        case chosenIndices
        case kids
        /// How viewers generate an appearance that is missing.
        case defaultAppearance
        /// Entries by which viewers may draw the annotation.
        case drawnByViewers
    }

    static let field: [PDFName: FieldRule] = [
        "V": .comparedWithField, "AP": .comparedWithField, "AS": .comparedWithField,
        "M": .comparedWithField, "Type": .type, "StructParent": .newTag, "F": .flags,
        "Ff": .fieldFlags, "I": .chosenIndices, "Kids": .kids,
        "DA": .defaultAppearance, "Q": .defaultAppearance,
        "MK": .drawnByViewers, "BS": .drawnByViewers, "Border": .drawnByViewers,
        "BE": .drawnByViewers, "C": .drawnByViewers,
        "H": .named(.annotations), "NM": .named(.annotations), "Contents": .named(.annotations),
        "Lang": .named(.annotations), "AF": .named(.annotations),
    ]

    /// ReadOnly, Required and NoExport (ISO 32000-2 Table 227) change neither type nor appearance.
    static let harmlessFieldFlags = 7

    // MARK: The form

    enum FormRule {
        /// Its entries are compared field by field, or resource by resource.
        case comparedByPart
        case needAppearances
        case defaultAppearance
    }

    static let form: [PDFName: FormRule] = [
        "Fields": .comparedByPart, "SigFlags": .comparedByPart, "DR": .comparedByPart,
        "NeedAppearances": .needAppearances, "DA": .defaultAppearance, "Q": .defaultAppearance,
    ]

    // MARK: The catalog

    enum CatalogRule {
        /// Its objects are compared where they belong.
        case comparedByPart
        /// Permitted where such changes are: what changed, in words.
        case named(ChangeLevel, String)
        case version
        case structureTree
        case names
        case permissions
    }

    static let catalog: [PDFName: CatalogRule] = [
        "AcroForm": .comparedByPart, "DSS": .comparedByPart, "Metadata": .comparedByPart,
        "Version": .version, "StructTreeRoot": .structureTree, "Names": .names,
        "Extensions": .named(.archival, "extensions of the PDF version were declared"),
        "MarkInfo": .named(.formFilling, "the entry /MarkInfo was changed"),
        "PageMode": .named(.formFilling, "the entry /PageMode was changed"),
        "Perms": .permissions,
    ]

    // MARK: The trailer

    /// Entries of a trailer that every update writes, and those of cross-reference streams.
    static let trailer: Set<PDFName> = [
        "Size", "Prev", "ID", "Info", "XRefStm", "Type", "W", "Index", "Length", "Filter",
        "DecodeParms", "AuthCode", "DL",
    ]

    // MARK: Objects that nothing uses

    /// What viewers that rebuild a file look for, by /Type or by an entry.
    static let structureTypes: Set<PDFName> = ["Catalog", "Pages", "Page", "ObjStm", "XRef"]
    static let structureKeys: [PDFName] = ["Root", "Pages", "Kids"]
    /// Entries of a cross-reference stream by which it repeats the trailer.
    static let repeatedKeys: [PDFName] = ["Root", "Info", "Encrypt", "Prev", "ID"]

    // MARK: Pages

    enum PageRule {
        /// Annotations are compared one by one.
        case comparedByPart
        case tabOrder
        /// A number for the structure tree in a page that had none.
        case newTag
        /// A copy with the same content.
        case sameContent
        /// What the page has, or inherits.
        case inherited
        /// Forbidden, in the words of people: `its content was replaced`.
        case forbidden(String)
    }

    static let page: [PDFName: PageRule] = [
        "Annots": .comparedByPart, "Tabs": .tabOrder, "StructParents": .newTag,
        "Resources": .sameContent,
        "Contents": .forbidden("content replaced"),
        "MediaBox": .inherited,
        "CropBox": .inherited,
        "Rotate": .inherited,
        "UserUnit": .forbidden("its size or position was changed"),
    ]
}
