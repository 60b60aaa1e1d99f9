import Base
import PDFCore

/// Permitted changes of incremental updates after signing, by the owner of an entry and its key
/// (ISO 32000-2 §12.8.2.2). An unlisted entry is forbidden.
enum PermittedChanges {
    // MARK: Fields and their widgets

    enum FieldRule {
        /// Value and appearance; the comparison of the field checks them against each other.
        case comparedWithField
        case named(ChangeLevel)
        /// Permitted only with the implied value: /Annot.
        case type
        /// A new /StructParent in a field without one.
        case newTag
        case flags
        case fieldFlags
        case chosenIndices
        case kids
        /// Permitted with the same texts, but indeterminate.
        case options
        case defaultAppearance
        /// Entries by which viewers may draw the annotation.
        case drawnByViewers
    }

    static let field: [PDFName: FieldRule] = [
        "V": .comparedWithField, "AP": .comparedWithField, "AS": .comparedWithField,
        "M": .comparedWithField, "Type": .type, "StructParent": .newTag, "F": .flags,
        "Ff": .fieldFlags, "I": .chosenIndices, "Kids": .kids, "Opt": .options,
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
        /// The entries are compared field by field, or resource by resource.
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
        /// The objects are compared with their owners.
        case comparedByPart
        case named(ChangeLevel, String)
        case content(ChangeLevel, String)
        case version
        case structureTree
        case names
        case permissions
    }

    static let catalog: [PDFName: CatalogRule] = [
        "AcroForm": .comparedByPart, "DSS": .comparedByPart, "Metadata": .comparedByPart,
        "Version": .version, "StructTreeRoot": .structureTree, "Names": .names,
        "Extensions": .named(.archival, "PDF version information was added (not visible)"),
        "MarkInfo": .named(.formFilling, "the entry /MarkInfo was changed"),
        "PageMode": .content(.formFilling, "the entry /PageMode was changed"),
        "Perms": .permissions,
    ]

    // MARK: The trailer

    /// Entries of a trailer that every update writes, and those of cross-reference streams.
    static let trailer: Set<PDFName> = [
        "Size", "Prev", "ID", "Info", "XRefStm", "Type", "W", "Index", "Length", "Filter",
        "DecodeParms", "AuthCode", "DL",
    ]

    // MARK: Unreferenced objects

    /// Objects that viewers search for when they reconstruct a file, by /Type or by an entry.
    static let structureTypes: Set<PDFName> = ["Catalog", "Pages", "Page", "ObjStm", "XRef"]
    static let structureKeys: [PDFName] = ["Root", "Pages", "Kids"]
    /// Trailer entries repeated in a cross-reference stream.
    static let repeatedKeys: [PDFName] = ["Root", "Info", "Encrypt", "Prev", "ID"]

    // MARK: Pages

    enum PageRule {
        /// Annotations are compared one by one.
        case comparedByPart
        case tabOrder
        /// A new /StructParents in a page without one.
        case newTag
        case sameContent
        /// A value that the page has or inherits.
        case inherited
        /// Forbidden, with the text of the change: `its content was replaced`.
        case forbidden(String)
    }

    static let page: [PDFName: PageRule] = [
        "Annots": .comparedByPart, "Tabs": .tabOrder, "StructParents": .newTag,
        "Resources": .sameContent,
        "Contents": .forbidden("content replaced"),
        "MediaBox": .inherited,
        "CropBox": .inherited,
        "Rotate": .inherited,
        "UserUnit": .forbidden("size or position changed"),
    ]
}
