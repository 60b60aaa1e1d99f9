extension ProblemCode {
    /// Whether it is about the document's structure and what readers show of it: neither about who
    /// signed, nor when, nor what was changed since.
    package var isAboutLook: Bool {
        switch self {
        case .duplicateKey, .duplicateKeyShown, .formTooLarge, .typeUnusual,
            .hybridDisagreement, .trailersDiffer, .offsetsWrong, .beyondSize,
            .objectStreamAmbiguous, .generationDiffers, .streamLength, .contentAmbiguous,
            .tooMuchShown, .documentDamaged:
            true
        default: false
        }
    }
}
