import SignetKit

extension ProblemExplanation {
    static let documentSection = Section(
        title: "The document's structure",
        explanations: [
            ProblemExplanation(
                .duplicateKey,
                "A dictionary that verification relies on has a key twice, and readers "
                    + "choose differently.",
                "ISO 32000-2 §7.3.7"),
            ProblemExplanation(
                .duplicateKeyShown,
                "Something that is shown has a key twice, and readers choose differently.",
                "ISO 32000-2 §7.3.7"),
            ProblemExplanation(
                .formTooLarge,
                "The form has more fields than are looked at."),
            ProblemExplanation(
                .appearancesNotSigned,
                "The form asks viewers to draw its fields anew, so that they may show "
                    + "other things than were signed.",
                "ISO 32000-2 Table 224"),
            ProblemExplanation(
                .typeUnusual,
                "The signature dictionary's Type is not what its kind of signature has.",
                "ISO 32000-2 Table 255"),
            ProblemExplanation(
                .hybridDisagreement,
                "Cross-reference table and stream of a hybrid file lead to different objects.",
                "ISO 32000-2 §7.5.8.4"),
            ProblemExplanation(
                .trailersDiffer,
                "Trailers name different catalogues or encryption, and readers choose differently.",
                "ISO 32000-2 §7.5.5"),
            ProblemExplanation(
                .offsetsWrong,
                "Cross-references lead beside objects: readers that repair the file may "
                    + "show other things.",
                "ISO 32000-2 §7.5.4"),
            ProblemExplanation(
                .rebuiltDifferently,
                "Readers that search the file for its objects may show other things than "
                    + "those that follow its cross-references.",
                "ISO 32000-2 §7.5.4"),
            ProblemExplanation(
                .beyondSize,
                "Objects have numbers that the trailer's Size rules out, which some "
                    + "readers ignore.",
                "ISO 32000-2 Table 15"),
            ProblemExplanation(
                .objectStreamAmbiguous,
                "An object stream names its objects in a way that readers take differently.",
                "ISO 32000-2 §7.5.7"),
            ProblemExplanation(
                .generationDiffers,
                "References to an object name another generation than it has.",
                "ISO 32000-2 §7.3.10"),
            ProblemExplanation(
                .objectUnreadable,
                "An object cannot be read or decrypted, so that nobody knows what readers make of it."
            ),
            ProblemExplanation(
                .streamLength,
                "A stream's Length does not fit its data, and readers take different bytes.",
                "ISO 32000-2 §7.3.8"),
            ProblemExplanation(
                .contentAmbiguous,
                "Something shown breaks the format where readers go on differently: some show "
                    + "it, others do not.",
                "ISO 32000-2 §7.8",
                hint: "compare what two readers show there, such as a browser and a PDF viewer; "
                    + "whoever makes such files can have them made by another program, or with "
                    + "other fonts"),
            ProblemExplanation(
                .tooMuchShown,
                "More is shown than is looked at for ambiguities."),
            ProblemExplanation(
                .documentDamaged,
                "The cross-references are damaged: readers may show different things.",
                "ISO 32000-2 §7.5.4"),
            ProblemExplanation(
                .integrityCodeMissing,
                "The document demands an integrity code, and has none.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .integrityCodeMalformed,
                "The integrity code cannot be checked as it stands.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .integrityCodeUnchecked,
                "The integrity code cannot be checked without what opens the document, or nobody can "
                    + "tell whether there was one.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .integrityCodeWrong,
                "The integrity code does not fit the document: whoever wrote it last did "
                    + "not know what opens it.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .validationDataTooLarge,
                "The document security store holds more than is read.",
                "ETSI EN 319 142-1 §5.4"),
        ])

    static let revisionSection = Section(
        title: "What was changed after signing",
        explanations: [
            ProblemExplanation(
                .coveragePartial,
                "The signature leaves bytes of its revision out.",
                "ISO 32000-2 §12.8.1",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .objectNotCovered,
                "An object of the signed revision is read from bytes that the signature "
                    + "does not cover.",
                "ISO 32000-2 §12.8.1"),
            ProblemExplanation(
                .changedAfterSigning,
                "What was signed was changed in a way that no signature permits.",
                "ISO 32000-2 §12.8.2.2",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .changedSinceSigned,
                "What the document says was changed since, though permitted, and unchanged was asked "
                    + "for.",
                "ISO 32000-2 §12.8.2.2",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .changeNotPermitted,
                "A change that the certification or a lock forbids.",
                "ISO 32000-2 Tables 236 and 257",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .lockedFieldChanged,
                "A form field was changed that a signature had locked.",
                "ISO 32000-2 §12.8.2.4",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .visibleSignatureAdded,
                "A visible signature was added to a certified document, where its author "
                    + "seems to have put it.",
                "ISO 32000-2 §12.8.2.2",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .annotationMayCoverContent,
                "An annotation that was added may cover what was signed: a doubt where it lies over a "
                    + "field that a signature locks, else a remark.",
                "ISO 32000-2 Table 257"),
            ProblemExplanation(
                .lookUncertain,
                "Whether a changed field shows its value and nothing else cannot be told.",
                "ISO 32000-2 §12.7.4.3"),
            ProblemExplanation(
                .tooMuchToCompare,
                "The form has too many fields, in too many revisions, to compare all."),
            ProblemExplanation(
                .unusedObjects,
                "Objects were added that nothing refers to."),
            ProblemExplanation(
                .certificationNotFirst,
                "A signature certifies that is not the document's first.",
                "ISO 32000-2 §12.8.2.2"),
            ProblemExplanation(
                .permissionRaised,
                "A field's lock permits more than an earlier signature.",
                "ISO 32000-2 Table 236"),
            ProblemExplanation(
                .updateUnaccounted,
                "The file has bytes after the signed revision that belong to no update.",
                "ISO 32000-2 §7.5.6"),
            ProblemExplanation(
                .updateIrregular,
                "An update after the signed revision is not as programs write it.",
                "ISO 32000-2 §7.5.6"),
            ProblemExplanation(
                .updateFilling,
                "Between updates there are bytes that say nothing.",
                "ISO 32000-2 §7.5.6"),
            ProblemExplanation(
                .signatureRemoved,
                "An earlier revision was signed in a field that now has no such signature.",
                "ISO 32000-2 §12.8",
                hint: "ask the sender for the signed file"),
            ProblemExplanation(
                .revisionsNotSearched,
                "There are more revisions than are searched for removed signatures."),
        ])

    static let dictionarySection = Section(
        title: "The signature dictionary",
        explanations: [
            ProblemExplanation(
                .signatureMissing,
                "The field's value is no dictionary.",
                "ISO 32000-2 §12.7.5.5"),
            ProblemExplanation(
                .signatureDirect,
                "The field's value is no indirect object.",
                "ISO 32000-2 §12.7.5.5"),
            ProblemExplanation(
                .signatureUnreadable,
                "The signature dictionary cannot be read.",
                "ISO 32000-2 Table 255"),
            ProblemExplanation(
                .signatureNotTopLevel,
                "The signature dictionary stands inside another object, where signatures "
                    + "do not cover it as they should.",
                "ISO 32000-2 §12.8.1"),
            ProblemExplanation(
                .severalFields,
                "The same signature stands in several fields.",
                "ISO 32000-2 §12.7.5.5"),
            ProblemExplanation(
                .gapShared,
                "Another signature has its value in the same place.",
                "ISO 32000-2 §12.8.1"),
            ProblemExplanation(
                .tooManySignatures,
                "There are more signatures than are looked at."),
            ProblemExplanation(
                .tooMuchToHash,
                "The signatures cover more than is hashed."),
            ProblemExplanation(
                .subfilterMissing,
                "The signature does not name its format.",
                "ISO 32000-2 Table 255"),
            ProblemExplanation(
                .subfilterUnknown,
                "The signature names a format that is not known.",
                "ISO 32000-2 Table 255"),
            ProblemExplanation(
                .typeContradictsSubfilter,
                "A time stamp's Type with a signature's format, or the reverse.",
                "ISO 32000-2 §12.8.5"),
            ProblemExplanation(
                .contentsMissing,
                "The signature has no value.",
                "ISO 32000-2 Table 255"),
            ProblemExplanation(
                .contentsEmpty,
                "The room for the signature's value is empty.",
                "ISO 32000-2 Table 255",
                hint: "ask the sender for the signed file"),
            ProblemExplanation(
                .signaturePending,
                "The document is prepared for a signature that is made elsewhere.",
                hint: "signet remote embed puts it in"),
            ProblemExplanation(
                .contentsNotHex,
                "The value is not written as a plain hexadecimal string.",
                "ISO 32000-2 §12.8.1"),
            ProblemExplanation(
                .contentsPadding,
                "After the value there is something else than zeros.",
                "ISO 32000-2 §12.8.3.3"),
            ProblemExplanation(
                .contentsNotDer,
                "The value is BER that is not DER.",
                "ISO 32000-2 §12.8.3.3"),
            ProblemExplanation(
                .gapNotContents,
                "The byte range leaves out something else than the signature's value.",
                "ISO 32000-2 §12.8.1"),
            ProblemExplanation(
                .byteRangeMissing,
                "The signature does not say which bytes it covers.",
                "ISO 32000-2 Table 255"),
            ProblemExplanation(
                .byteRangeMalformed,
                "The byte range is impossible.",
                "ISO 32000-2 Table 255"),
        ])
}
