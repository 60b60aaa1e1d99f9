import PDFCore

extension ContentOutline {
    /// How many things that cannot be followed all readers pass over, with room to spare.
    static let faultLimit = 50
    private static let thinAreaLimit = 40
    private static let dotLimit = 40

    /// What readers make differently of the content, in words.
    var oddities: [String] {
        let oddities = [
            (
                drawsAfterExtraRestore,
                "goes back to a graphics state that it never saved (Q): some readers stop there"
            ),
            (
                hasCutWord,
                "has a number, name or string that some readers cut: one too long, or half a byte"
            ),
            (
                drawsAfterOddOperands,
                "has an operator without what it takes, or a number that is none: readers go on in "
                    + "different ways"
            ),
            (
                hasOddByte,
                "has a name or operator with a byte that ends it for some readers"
            ),
            (
                paintsInitialColor,
                "chooses a colour space and no colour: some readers paint in its first one, black, "
                    + "others as before"
            ),
            (
                thinAreaCount > Self.thinAreaLimit,
                "fills many areas that have no width: some readers draw lines there"
            ),
            (
                dotCount > Self.dotLimit,
                "strokes lines or dashes of no length or width: some readers draw them, others do not"
            ),
            (
                paintsFlat,
                "paints under a matrix that leaves next to nothing of it: some readers pass over the "
                    + "matrix, or what is painted"
            ),
            (
                paintsOddPattern,
                "paints lines around text or areas, or what it clips to, with a pattern: some readers do "
                    + "so in other ways"
            ),
            (
                colorsShape,
                "sets colours in a glyph that says to have none: some readers take them"
            ),
            (
                leavesBox,
                "draws beyond the box that the glyph says to have: some readers leave that out"
            ),
            (
                unknownOperatorCount > Self.faultLimit,
                "has many operators that nobody knows: some readers stop there"
            ),
        ]
        return oddities.filter(\.0).map(\.1)
    }
}
