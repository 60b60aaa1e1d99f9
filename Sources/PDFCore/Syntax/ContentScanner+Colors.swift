extension ContentScanner {
    /// Whether the last name is that of the space of patterns.
    var namesPatterns: Bool { content[name].elementsEqual("Pattern".utf8) }

    mutating func takeTextState(_ isRise: Bool) {
        if isRise {
            state.setRise(isZero: lastNumber.isZero)
        } else {
            state.setScale(lastNumber.whole, isNegative: lastNumber.isNegative)
        }
    }

    /// A colour with another number of components than its space has: some readers take it.
    mutating func takeColor(isFill: Bool) {
        if !state.takeColor(
            isFill: isFill, componentCount: operandCount, isZero: hasOnlyZeros,
            isPattern: endsWithName)
        {
            hasOddOperands = true
        }
        if operandCount == 1, !endsWithName { noteSingleColor(isFill ? state.fill : state.stroke) }
        noteColor(isFill: isFill)
    }

    private mutating func noteSingleColor(_ color: PaintState.Color) {
        guard color.count == nil, !color.space.isEmpty else { return }
        let isIndex = lastNumber.isWhole && (!lastNumber.isNegative || lastNumber.isZero)
        singleColors[content[color.space], default: ContentOutline.SingleColors()]
            .take(lastNumber.whole, isIndex: isIndex)
    }

    /// Notes that a name is looked up.
    mutating func noteName() { nameUseCount += 1 }
}
