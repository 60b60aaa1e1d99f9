import SignetKit

extension ProblemExplanation {
    static let documentSection = Section(
        title: "The document's structure",
        explanations: [
            ProblemExplanation(
                .duplicateKey,
                "A dictionary that verification uses has a duplicate key. Viewers use either value.",
                "ISO 32000-2 §7.3.7"),
            ProblemExplanation(
                .duplicateKeyShown,
                "A displayed object has a duplicate key. Viewers use either value.",
                "ISO 32000-2 §7.3.7"),
            ProblemExplanation(
                .formTooLarge,
                "The form has more fields than are checked."),
            ProblemExplanation(
                .typeUnusual,
                "The Type of the signature dictionary does not match the kind of signature.",
                "ISO 32000-2 Table 255"),
            ProblemExplanation(
                .hybridDisagreement,
                "The cross-reference table and stream of a hybrid file list different objects.",
                "ISO 32000-2 §7.5.8.4"),
            ProblemExplanation(
                .trailersDiffer,
                "Trailers name different catalogs or encryption. Viewers use either.",
                "ISO 32000-2 §7.5.5"),
            ProblemExplanation(
                .offsetsWrong,
                "Cross-references have wrong offsets. Viewers that reconstruct the cross-reference table "
                    + "may display other content.",
                "ISO 32000-2 §7.5.4"),
            ProblemExplanation(
                .rebuiltDifferently,
                "Viewers that reconstruct the cross-reference table may display other content than viewers "
                    + "that use it.",
                "ISO 32000-2 §7.5.4"),
            ProblemExplanation(
                .beyondSize,
                "Objects have numbers that are not below the trailer's Size. Some viewers ignore such "
                    + "objects.",
                "ISO 32000-2 Table 15"),
            ProblemExplanation(
                .objectStreamAmbiguous,
                "An object stream lists its objects ambiguously. Viewers read different objects.",
                "ISO 32000-2 §7.5.7"),
            ProblemExplanation(
                .generationDiffers,
                "A reference names another generation than the object has.",
                "ISO 32000-2 §7.3.10"),
            ProblemExplanation(
                .objectUnreadable,
                "An object cannot be read or decrypted. Viewers may display something else or nothing."
            ),
            ProblemExplanation(
                .streamLength,
                "The Length of a stream does not match its data. Viewers read different bytes.",
                "ISO 32000-2 §7.3.8"),
            ProblemExplanation(
                .contentAmbiguous,
                "Displayed content does not follow the format. Some viewers display it, others do not.",
                "ISO 32000-2 §7.8",
                hint: "compare the page in two viewers, such as a browser and a PDF viewer"),
            ProblemExplanation(
                .tooMuchShown,
                "The pages have more objects than are checked."),
            ProblemExplanation(
                .documentDamaged,
                "The cross-references are damaged. Viewers may display different content.",
                "ISO 32000-2 §7.5.4"),
            ProblemExplanation(
                .integrityCodeMissing,
                "The document requires a message authentication code (MAC) and has none.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .integrityCodeMalformed,
                "The message authentication code (MAC) is malformed.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .integrityCodeUnchecked,
                "The message authentication code (MAC) was not checked: that needs the password or the "
                    + "recipient's private key.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .integrityCodeWrong,
                "The message authentication code (MAC) does not match: the document was modified without "
                    + "its key.",
                "ISO/TS 32004"),
            ProblemExplanation(
                .validationDataTooLarge,
                "The document security store (DSS) has more entries than are read.",
                "ETSI EN 319 142-1 §5.4"),
        ])

    static let revisionSection = Section(
        title: "Changes after signing",
        explanations: [
            ProblemExplanation(
                .coveragePartial,
                "The signed byte range does not cover the whole revision.",
                "ISO 32000-2 §12.8.1",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .objectNotCovered,
                "An object of the signed revision is outside the signed byte range.",
                "ISO 32000-2 §12.8.1"),
            ProblemExplanation(
                .changedAfterSigning,
                "The signed content was changed in a way that is never permitted.",
                "ISO 32000-2 §12.8.2.2",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .changedSinceSigned,
                "The content was changed after signing. The change is permitted, but --require-unchanged is "
                    + "given.",
                "ISO 32000-2 §12.8.2.2",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .changeNotPermitted,
                "The certification or a lock (DocMDP, FieldMDP) does not permit the change.",
                "ISO 32000-2 Tables 236 and 257",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .lockedFieldChanged,
                "A form field was changed that a signature locks (FieldMDP).",
                "ISO 32000-2 §12.8.2.4",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .visibleSignatureAdded,
                "A visible signature was added to a certified document.",
                "ISO 32000-2 §12.8.2.2",
                hint: "see what was signed: signet verify --extract-revision N -o FILE"),
            ProblemExplanation(
                .annotationMayCoverContent,
                "An added annotation may cover signed content. It is a note unless it covers a locked "
                    + "field.",
                "ISO 32000-2 Table 257"),
            ProblemExplanation(
                .lookUncertain,
                "An appearance may differ from the signed content or from the value of its field.",
                "ISO 32000-2 §12.7.4.3"),
            ProblemExplanation(
                .tooMuchToCompare,
                "The form has too many fields and revisions to compare all."),
            ProblemExplanation(
                .unusedObjects,
                "Objects were added that nothing uses. It is a note unless viewers may take one for a part of "
                    + "the document's structure."),
            ProblemExplanation(
                .certificationNotFirst,
                "A certification signature is not the document's first signature.",
                "ISO 32000-2 §12.8.2.2"),
            ProblemExplanation(
                .permissionRaised,
                "The lock of a field permits more than an earlier signature.",
                "ISO 32000-2 Table 236"),
            ProblemExplanation(
                .updateUnaccounted,
                "The file has bytes after the signed revision that are not part of an incremental update.",
                "ISO 32000-2 §7.5.6"),
            ProblemExplanation(
                .updateIrregular,
                "An incremental update after the signed revision is malformed.",
                "ISO 32000-2 §7.5.6"),
            ProblemExplanation(
                .signatureRemoved,
                "A signature of an earlier revision was removed.",
                "ISO 32000-2 §12.8",
                hint: "ask the sender for the signed file"),
            ProblemExplanation(
                .revisionsNotSearched,
                "The file has more revisions than are searched for removed signatures."),
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
