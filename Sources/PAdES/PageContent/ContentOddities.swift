import PDFCore

extension ContentOutline {
    /// What readers make differently of the content, in words.
    var oddities: [String] {
        let oddities = [
            (
                drawsAfterExtraRestore,
                "goes back to a graphics state that it never saved (Q): some readers stop there"
            ),
            (hasOverlongWord, "has a number or name so long that some readers cut it"),
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
        ]
        return oddities.filter(\.0).map(\.1)
    }
}
