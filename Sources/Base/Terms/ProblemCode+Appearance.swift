extension ProblemCode {
    /// Whether the problem concerns the document's structure and display, and not the signer, the
    /// signing time or later changes.
    package var isAboutAppearance: Bool {
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
